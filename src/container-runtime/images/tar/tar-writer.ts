/** Writes tar archives: ustar headers, and pax headers for values that ustar cannot represent. */
import { encodePax } from './pax-records.ts';
import { BLOCK, paddingOf, type TarEntry, type TarEntryType } from './tar-entry.ts';
import { checksum, FIELDS } from './tar-header.ts';

const FLAG_OF_TYPE: Readonly<Record<TarEntryType, string>> = {
  file: '0',
  link: '1',
  symlink: '2',
  'character-device': '3',
  'block-device': '4',
  directory: '5',
  fifo: '6',
};

/** Two empty blocks end an archive. */
export const TAR_END = Buffer.alloc(2 * BLOCK);

export type TarEntryToWrite = Pick<TarEntry, 'name'> & Partial<TarEntry>;

/** The header bytes of an entry; `tarPadding` gives the padding after its content. */
export function encodeTarEntry(entry: TarEntryToWrite): Buffer {
  const pax = new Map<string, string>();
  const { name, target = '', size = 0, uid = 0, gid = 0, modified = 0, type = 'file' } = entry;
  if (needsPax(name)) pax.set('path', name);
  if (needsPax(target)) pax.set('linkpath', target);
  if (size >= 8 ** 11) pax.set('size', `${size}`);
  if (uid >= 8 ** 7) pax.set('uid', `${uid}`);
  if (gid >= 8 ** 7) pax.set('gid', `${gid}`);
  if (modified < 0 || !Number.isInteger(modified)) pax.set('mtime', `${modified}`);
  const header = encodeHeader({ ...entry, flag: FLAG_OF_TYPE[type] });
  if (pax.size === 0 && (entry.attributes?.size ?? 0) === 0) return header;
  const records = encodePax(pax, entry.attributes);
  const before = encodeHeader({ name: 'PaxHeaders/entry', mode: 0o644, size: records.length, flag: 'x' });
  return Buffer.concat([before, records, tarPadding(records.length), header]);
}

export function tarPadding(size: number): Buffer {
  return Buffer.alloc(paddingOf(size));
}

/** Encodes a small archive in memory. */
export function encodeTar(entries: readonly (TarEntryToWrite & { readonly content?: Uint8Array | string })[]): Buffer {
  const parts: Buffer[] = [];
  for (const { content, ...entry } of entries) {
    const bytes = Buffer.from(content ?? '');
    parts.push(encodeTarEntry({ size: bytes.length, ...entry }), bytes, tarPadding(bytes.length));
  }
  return Buffer.concat([...parts, TAR_END]);
}

function needsPax(text: string): boolean {
  return Buffer.byteLength(text) > 100 || /[^\x20-\x7e]/.test(text);
}

function encodeHeader(entry: TarEntryToWrite & { readonly flag: string }): Buffer {
  const block = Buffer.alloc(BLOCK);
  const text = (field: keyof typeof FIELDS, value: string): void =>
    void block.write(value, FIELDS[field][0], FIELDS[field][1], 'utf8');
  const number = (field: keyof typeof FIELDS, value: number): void => {
    const digits = FIELDS[field][1] - 1;
    const fitting = value < 0 || value >= 8 ** digits ? 0 : Math.floor(value);
    text(field, `${fitting.toString(8).padStart(digits, '0')}\0`);
  };
  text('name', entry.name);
  number('mode', entry.mode ?? (entry.type === 'directory' ? 0o755 : 0o644));
  number('uid', entry.uid ?? 0);
  number('gid', entry.gid ?? 0);
  number('size', entry.size ?? 0);
  number('modified', entry.modified ?? 0);
  text('flag', entry.flag);
  text('target', entry.target ?? '');
  text('magic', 'ustar\x0000');
  number('major', entry.device?.major ?? 0);
  number('minor', entry.device?.minor ?? 0);
  text('checksum', `${checksum(block).toString(8).padStart(6, '0')}\0 `);
  return block;
}
