/**
 * Streaming tar reader: POSIX ustar, pax and GNU long names. Sparse files, multi-volume archives and other types that
 * image layers do not use are refused with an error. All lengths are checked before they are used.
 */
import { ByteReader } from './byte-reader.ts';
import { decodePax, type PaxRecords } from './pax-records.ts';
import { BLOCK, paddingOf, TarError, type TarEntry } from './tar-entry.ts';
import { decodeHeader, TYPE_OF_FLAG, type TarHeader } from './tar-header.ts';

/** Real pax headers are much smaller; a larger one is an attack on our memory. */
const MAX_EXTENDED_HEADER_BYTES = 1024 * 1024;

const truncated = (): TarError => new TarError('the archive ends in the middle of an entry');

export interface TarItem {
  readonly entry: TarEntry;
  /** The content; it must be read before the next item. The unread rest is skipped. */
  readonly content: AsyncIterable<Buffer>;
}

/** Reads the source to its end, past the end of the archive, so that a digest covers everything. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarItem> {
  const reader = new ByteReader(source);
  const extended = new ExtendedHeaders();
  try {
    for (;;) {
      const block = await reader.exactly(BLOCK, truncated);
      if (block === undefined) break;
      const header = decodeHeader(block);
      if (header === undefined) break;
      if (ExtendedHeaders.is(header)) {
        extended.add(header, await readExtended(reader, header));
        continue;
      }
      const entry = extended.apply(header);
      const content = new EntryContent(reader, entry.size);
      yield { entry, content };
      await content.finish();
      await reader.skip(paddingOf(entry.size), truncated);
    }
    await reader.drain();
  } finally {
    await reader.close();
  }
}

async function readExtended(reader: ByteReader, header: TarHeader): Promise<Buffer> {
  if (header.size > MAX_EXTENDED_HEADER_BYTES) {
    throw new TarError(
      `the archive has an extended header of ${header.size} bytes; at most ${MAX_EXTENDED_HEADER_BYTES} are taken`,
    );
  }
  const content = header.size === 0 ? Buffer.alloc(0) : await reader.exactly(header.size, truncated);
  if (content === undefined) throw truncated();
  await reader.skip(paddingOf(header.size), truncated);
  return content;
}

class EntryContent implements AsyncIterable<Buffer> {
  readonly #reader: ByteReader;
  #left: number;

  constructor(reader: ByteReader, size: number) {
    this.#reader = reader;
    this.#left = size;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    while (this.#left > 0) {
      const piece = await this.#reader.some(this.#left);
      if (piece.length === 0) throw truncated();
      this.#left -= piece.length;
      yield piece;
    }
  }

  async finish(): Promise<void> {
    await this.#reader.skip(this.#left, truncated);
    this.#left = 0;
  }
}

const EXTENDED_FLAGS = new Set(['x', 'g', 'L', 'K']);

/** Collects the pax and GNU headers before an entry. */
class ExtendedHeaders {
  #global: PaxRecords = { values: new Map(), attributes: new Map() };
  #local: PaxRecords | undefined;
  #longName: string | undefined;
  #longTarget: string | undefined;

  static is(header: TarHeader): boolean {
    return EXTENDED_FLAGS.has(header.flag);
  }

  add(header: TarHeader, content: Buffer): void {
    if (header.flag === 'L') this.#longName = untilNul(content);
    else if (header.flag === 'K') this.#longTarget = untilNul(content);
    else if (header.flag === 'x') this.#local = decodePax(content);
    else {
      const { values, attributes } = decodePax(content);
      this.#global = {
        values: new Map([...this.#global.values, ...values]),
        attributes: new Map([...this.#global.attributes, ...attributes]),
      };
    }
  }

  /** Applies the headers to the entry and resets those for a single entry. */
  apply(header: TarHeader): TarEntry {
    const value = (key: string): string | undefined => this.#local?.values.get(key) ?? this.#global.values.get(key);
    for (const key of [...(this.#local?.values.keys() ?? []), ...this.#global.values.keys()]) {
      if (key.startsWith('GNU.sparse.'))
        throw new TarError(`the archive has the sparse file ${header.name}; sparse files are not taken`);
    }
    const name = value('path') ?? this.#longName ?? header.name;
    const target = value('linkpath') ?? this.#longTarget ?? header.target;
    if (name.includes('\0') || target.includes('\0')) throw new TarError('the archive has a name with a NUL in it');
    let type = TYPE_OF_FLAG[header.flag];
    if (type === undefined)
      throw new TarError(`the archive has ${describeFlag(header.flag)} ${name}, which is not taken`);
    // Archives older than ustar have no flag for directories.
    if (type === 'file' && name.endsWith('/')) type = 'directory';
    const attributes = new Map([...this.#global.attributes, ...(this.#local?.attributes ?? [])]);
    const declared = integer(value('size'), 'size') ?? header.size;
    const entry: TarEntry = {
      type,
      name,
      mode: header.mode,
      uid: integer(value('uid'), 'uid') ?? header.uid,
      gid: integer(value('gid'), 'gid') ?? header.gid,
      size: declared,
      modified: decimal(value('mtime')) ?? header.modified,
      target,
      ...(type === 'character-device' || type === 'block-device'
        ? { device: { major: header.major, minor: header.minor } }
        : {}),
      ...(attributes.size > 0 ? { attributes } : {}),
    };
    if (type !== 'file' && type !== 'link' && declared !== 0) {
      throw new TarError(`the archive has a ${type} ${name} with ${declared} bytes of content`);
    }
    // Some writers give a hard link the size of its target, without content.
    const size = type === 'link' ? 0 : declared;
    this.#local = undefined;
    this.#longName = undefined;
    this.#longTarget = undefined;
    return size === declared ? entry : { ...entry, size };
  }
}

function describeFlag(flag: string): string {
  if (flag === 'S') return 'the sparse file';
  return `an entry of the unknown type ${JSON.stringify(flag)},`;
}

function untilNul(content: Buffer): string {
  const end = content.indexOf(0);
  return content.toString('utf8', 0, end === -1 ? content.length : end);
}

function integer(text: string | undefined, field: string): number | undefined {
  if (text === undefined || text === '') return undefined;
  const number = Number(text);
  if (!/^[0-9]+$/.test(text) || !Number.isSafeInteger(number))
    throw new TarError(`the archive has a pax ${field} that is out of range`);
  return number;
}

function decimal(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (!/^-?[0-9]{1,15}(\.[0-9]*)?$/.test(text)) throw new TarError('the archive has a pax time that is not a number');
  return Number(text);
}
