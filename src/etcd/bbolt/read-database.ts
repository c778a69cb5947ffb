/** Reads the buckets of a bbolt file. Damaged files are refused: every position is checked against the file's size. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StoreError } from '../store.ts';
import {
  BRANCH_ELEMENT_BYTES,
  BRANCH_PAGE,
  BUCKET_ELEMENT,
  BUCKET_HEADER_BYTES,
  LEAF_ELEMENT_BYTES,
  LEAF_PAGE,
  MAGIC,
  META_BYTES,
  metaChecksum,
  PAGE_HEADER_BYTES,
  VERSION,
} from './pages.ts';

interface Element {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly isBucket: boolean;
}

/** No bbolt file has a deeper tree. */
const MAX_DEPTH = 64;
const MIN_PAGE_BYTES = 512;
const MAX_PAGE_BYTES = 65_536;

export class BboltDatabase {
  readonly #file: number;
  readonly #size: number;
  readonly #pageBytes: number;
  readonly #root: number;
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, 'r');
    try {
      this.#size = fstatSync(this.#file).size;
      const { pageBytes, root } = this.#newestMeta();
      this.#pageBytes = pageBytes;
      this.#root = root;
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  /** The pairs of a bucket in the order of their keys; none if there is no such bucket. */
  *bucket(name: string): Generator<Element> {
    for (const { key, value, isBucket } of this.#tree(this.#page(this.#root), 0)) {
      if (!isBucket || key.toString('latin1') !== name) continue;
      const root = Number(this.#in(value, 0, 8).readBigUInt64LE());
      yield* root === 0 ? leafElements(value.subarray(BUCKET_HEADER_BYTES), this) : this.#tree(this.#page(root), 0);
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  corrupt(reason: string): StoreError {
    return new StoreError('corrupt', `${this.#path} is not a sound bbolt file: ${reason}`);
  }

  #newestMeta(): { pageBytes: number; root: number } {
    const first = this.#metaAt(0);
    // The size of pages is in the metas themselves: without the first one, the second one is looked for.
    const sizes = first ? [first.pageBytes] : [4096, 8192, 16_384, 32_768, MAX_PAGE_BYTES];
    const metas = [first, ...sizes.map((bytes) => this.#metaAt(bytes))].filter((meta) => meta !== undefined);
    const newest = metas.sort((a, b) => Number(b.txid - a.txid))[0];
    if (!newest) throw this.corrupt('it has no valid meta page');
    return newest;
  }

  #metaAt(position: number): { pageBytes: number; root: number; txid: bigint } | undefined {
    const end = position + PAGE_HEADER_BYTES + META_BYTES;
    if (end > this.#size) return undefined;
    const meta = this.#read(position + PAGE_HEADER_BYTES, META_BYTES);
    if (meta.readUInt32LE(0) !== MAGIC || meta.readUInt32LE(4) !== VERSION) return undefined;
    if (meta.readBigUInt64LE(56) !== metaChecksum(meta)) return undefined;
    const pageBytes = meta.readUInt32LE(8);
    if (pageBytes < MIN_PAGE_BYTES || pageBytes > MAX_PAGE_BYTES) return undefined;
    return { pageBytes, root: Number(meta.readBigUInt64LE(16)), txid: meta.readBigUInt64LE(48) };
  }

  #page(id: number): Buffer {
    const position = id * this.#pageBytes;
    const header = this.#read(position, PAGE_HEADER_BYTES);
    return this.#read(position, (header.readUInt32LE(12) + 1) * this.#pageBytes);
  }

  *#tree(page: Buffer, depth: number): Generator<Element> {
    if (depth > MAX_DEPTH) throw this.corrupt('its tree has no end');
    const flags = page.readUInt16LE(8);
    if (flags === LEAF_PAGE) return yield* leafElements(page, this);
    if (flags !== BRANCH_PAGE) throw this.corrupt(`a page has the flags ${flags}`);
    for (let i = 0; i < page.readUInt16LE(10); i++) {
      const element = this.#in(page, PAGE_HEADER_BYTES + i * BRANCH_ELEMENT_BYTES, BRANCH_ELEMENT_BYTES);
      yield* this.#tree(this.#page(Number(element.readBigUInt64LE(8))), depth + 1);
    }
  }

  #in(bytes: Buffer, start: number, length: number): Buffer {
    if (start + length > bytes.length) throw this.corrupt('an element is outside of its page');
    return bytes.subarray(start, start + length);
  }

  #read(position: number, length: number): Buffer {
    if (!Number.isSafeInteger(position) || position + length > this.#size)
      throw this.corrupt('it ends before its last page');
    const bytes = Buffer.alloc(length);
    if (readSync(this.#file, bytes, 0, length, position) !== length) throw this.corrupt('it cannot be read whole');
    return bytes;
  }
}

function* leafElements(page: Buffer, database: { corrupt(reason: string): StoreError }): Generator<Element> {
  const count = page.length < PAGE_HEADER_BYTES ? 0 : page.readUInt16LE(10);
  for (let i = 0; i < count; i++) {
    const start = PAGE_HEADER_BYTES + i * LEAF_ELEMENT_BYTES;
    if (start + LEAF_ELEMENT_BYTES > page.length) throw database.corrupt('an element is outside of its page');
    const keyStart = start + page.readUInt32LE(start + 4);
    const keyEnd = keyStart + page.readUInt32LE(start + 8);
    const valueEnd = keyEnd + page.readUInt32LE(start + 12);
    if (valueEnd > page.length) throw database.corrupt('a value is outside of its page');
    yield {
      key: page.subarray(keyStart, keyEnd),
      value: page.subarray(keyEnd, valueEnd),
      isBucket: (page.readUInt32LE(start) & BUCKET_ELEMENT) !== 0,
    };
  }
}
