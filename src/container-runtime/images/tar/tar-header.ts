/** Decodes tar header blocks: the 512 bytes before an entry's content. */
import { BLOCK, TarError, type TarEntryType } from './tar-entry.ts';

/** A header block; `flag` is its type. */
export interface TarHeader {
  readonly flag: string;
  readonly name: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly modified: number;
  readonly target: string;
  readonly major: number;
  readonly minor: number;
}

/** Offset and length of the fields. */
export const FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  modified: [136, 12],
  checksum: [148, 8],
  flag: [156, 1],
  target: [157, 100],
  magic: [257, 8],
  major: [329, 8],
  minor: [337, 8],
  prefix: [345, 155],
} as const satisfies Record<string, readonly [offset: number, length: number]>;

export const TYPE_OF_FLAG: Readonly<Record<string, TarEntryType | undefined>> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '1': 'link',
  '2': 'symlink',
  '3': 'character-device',
  '4': 'block-device',
  '5': 'directory',
  '6': 'fifo',
};

/** Undefined for a block of zeros, which ends the archive. */
export function decodeHeader(block: Buffer): TarHeader | undefined {
  const sum = checksum(block);
  if (sum === 8 * 0x20 && block.every((byte) => byte === 0)) return undefined;
  if (numberIn(block, 'checksum') !== sum) throw new TarError('the archive has a header with a wrong checksum');
  // Only POSIX headers have a prefix; GNU headers have times there.
  const prefix = block.toString('latin1', 257, 263) === 'ustar\0' ? textIn(block, 'prefix') : '';
  const name = textIn(block, 'name');
  return {
    flag: block.toString('latin1', FIELDS.flag[0], FIELDS.flag[0] + 1),
    name: prefix === '' ? name : `${prefix}/${name}`,
    mode: numberIn(block, 'mode') & 0o7777,
    uid: numberIn(block, 'uid'),
    gid: numberIn(block, 'gid'),
    size: numberIn(block, 'size'),
    modified: numberIn(block, 'modified'),
    target: textIn(block, 'target'),
    major: numberIn(block, 'major'),
    minor: numberIn(block, 'minor'),
  };
}

/** The sum of all bytes, counting the checksum field as spaces. */
export function checksum(block: Buffer): number {
  let sum = 8 * 0x20;
  for (let at = 0; at < BLOCK; at++) if (at < 148 || at >= 156) sum += block[at] ?? 0;
  return sum;
}

function textIn(block: Buffer, field: keyof typeof FIELDS): string {
  const [offset, length] = FIELDS[field];
  const bytes = block.subarray(offset, offset + length);
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end === -1 ? length : end);
}

function numberIn(block: Buffer, field: keyof typeof FIELDS): number {
  const [offset, length] = FIELDS[field];
  const bytes = block.subarray(offset, offset + length);
  const first = bytes[0] ?? 0;
  if ((first & 0x80) !== 0) return binaryNumber(bytes, field);
  const text =
    bytes
      .toString('latin1')
      .replace(/(?<![\0 ])[\0 ]+$/, '')
      .replace(/^[\0 ]+/, '')
      .split('\0', 1)[0] ?? '';
  if (text === '') return 0;
  if (!/^[0-7]+$/.test(text)) throw new TarError(`the archive has a header whose ${field} is not a number`);
  return Number.parseInt(text, 8);
}

/** GNU's format for numbers too large for octal digits: big endian, two's complement, with the first bit set. */
function binaryNumber(bytes: Buffer, field: string): number {
  const negative = ((bytes[0] ?? 0) & 0x40) !== 0;
  let value = BigInt((bytes[0] ?? 0) & 0x7f);
  for (const byte of bytes.subarray(1)) value = (value << 8n) | BigInt(byte);
  if (negative) value -= 1n << BigInt(8 * bytes.length - 1);
  const number = Number(value);
  if (!Number.isSafeInteger(number) || (number < 0 && field !== 'modified')) {
    throw new TarError(`the archive has a header whose ${field} is out of range`);
  }
  return number;
}
