/**
 * Writes a bbolt file from pairs that come in order: pages of a bucket's leaves as they fill, then the branches above them.
 * Memory holds one page, and the first key of each.
 */
import type { FileHandle } from 'node:fs/promises';
import {
  BRANCH_ELEMENT_BYTES,
  BRANCH_PAGE,
  BUCKET_ELEMENT,
  BUCKET_HEADER_BYTES,
  FREELIST_PAGE,
  LEAF_ELEMENT_BYTES,
  LEAF_PAGE,
  MAGIC,
  META_BYTES,
  META_PAGE,
  metaChecksum,
  PAGE_BYTES,
  PAGE_HEADER_BYTES,
  VERSION,
} from './pages.ts';

export interface Pair {
  readonly key: Buffer;
  readonly value: Buffer;
}

interface Child {
  readonly key: Buffer;
  readonly page: number;
}

/** Pages 0 and 1 are for the metas, and 2 for the list of free pages, which is empty. */
const FIRST_PAGE = 3;
const FREELIST = 2;
const META_PAGES = 2;

export class BboltWriter {
  readonly #file: FileHandle;
  readonly #buckets: Pair[] = [];
  #nextPage = FIRST_PAGE;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** `pairs` come in the order of their keys, and buckets in the order of their names. */
  async bucket(name: string, pairs: AsyncIterable<Pair> | Iterable<Pair>): Promise<void> {
    const value = Buffer.alloc(BUCKET_HEADER_BYTES);
    value.writeBigUInt64LE(BigInt(await this.#tree(pairs, 0)));
    this.#buckets.push({ key: Buffer.from(name), value });
  }

  /** Writes what refers to the buckets. The file is whole after that. */
  async finish(): Promise<void> {
    const root = await this.#tree(this.#buckets, BUCKET_ELEMENT);
    await this.#write(FREELIST, page(FREELIST_PAGE, 0, PAGE_BYTES));
    for (let i = 0; i < META_PAGES; i++) {
      const bytes = page(META_PAGE, 0, PAGE_BYTES);
      const meta = bytes.subarray(PAGE_HEADER_BYTES, PAGE_HEADER_BYTES + META_BYTES);
      meta.writeUInt32LE(MAGIC, 0);
      meta.writeUInt32LE(VERSION, 4);
      meta.writeUInt32LE(PAGE_BYTES, 8);
      meta.writeBigUInt64LE(BigInt(root), 16);
      meta.writeBigUInt64LE(BigInt(FREELIST), 32);
      meta.writeBigUInt64LE(BigInt(this.#nextPage), 40);
      meta.writeBigUInt64LE(BigInt(i), 48);
      meta.writeBigUInt64LE(metaChecksum(meta), 56);
      await this.#write(i, bytes);
    }
  }

  /** The page of the root. */
  async #tree(pairs: AsyncIterable<Pair> | Iterable<Pair>, flags: number): Promise<number> {
    let level: Child[] = [];
    let waiting: Pair[] = [];
    let bytes = PAGE_HEADER_BYTES;
    const flush = async (): Promise<void> => {
      const first = waiting[0]?.key ?? Buffer.alloc(0);
      level.push({ key: first, page: await this.#append(leafPage(waiting, bytes, flags)) });
      waiting = [];
      bytes = PAGE_HEADER_BYTES;
    };
    for await (const pair of pairs) {
      const size = LEAF_ELEMENT_BYTES + pair.key.length + pair.value.length;
      if (waiting.length > 0 && bytes + size > PAGE_BYTES) await flush();
      waiting.push(pair);
      bytes += size;
    }
    if (waiting.length > 0 || level.length === 0) await flush();
    while (level.length > 1) level = await this.#branches(level);
    return level[0]!.page;
  }

  async #branches(children: readonly Child[]): Promise<Child[]> {
    const above: Child[] = [];
    let waiting: Child[] = [];
    let bytes = PAGE_HEADER_BYTES;
    const flush = async (): Promise<void> => {
      above.push({ key: waiting[0]!.key, page: await this.#append(branchPage(waiting, bytes)) });
      waiting = [];
      bytes = PAGE_HEADER_BYTES;
    };
    for (const child of children) {
      const size = BRANCH_ELEMENT_BYTES + child.key.length;
      // A branch has two children at least, so that the tree ends.
      if (waiting.length > 1 && bytes + size > PAGE_BYTES) await flush();
      waiting.push(child);
      bytes += size;
    }
    await flush();
    return above;
  }

  async #append(bytes: Buffer): Promise<number> {
    const id = this.#nextPage;
    this.#nextPage += bytes.length / PAGE_BYTES;
    await this.#write(id, bytes);
    return id;
  }

  async #write(id: number, bytes: Buffer): Promise<void> {
    bytes.writeBigUInt64LE(BigInt(id), 0);
    bytes.writeUInt32LE(bytes.length / PAGE_BYTES - 1, 12);
    await this.#file.write(bytes, 0, bytes.length, id * PAGE_BYTES);
  }
}

/** As many pages as `bytes` need, with their header. */
function page(flags: number, count: number, bytes: number): Buffer {
  const pages = Buffer.alloc(Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES);
  pages.writeUInt16LE(flags, 8);
  pages.writeUInt16LE(count, 10);
  return pages;
}

function leafPage(pairs: readonly Pair[], bytes: number, flags: number): Buffer {
  const leaf = page(LEAF_PAGE, pairs.length, bytes);
  let data = PAGE_HEADER_BYTES + pairs.length * LEAF_ELEMENT_BYTES;
  for (const [i, { key, value }] of pairs.entries()) {
    const element = PAGE_HEADER_BYTES + i * LEAF_ELEMENT_BYTES;
    leaf.writeUInt32LE(flags, element);
    leaf.writeUInt32LE(data - element, element + 4);
    leaf.writeUInt32LE(key.length, element + 8);
    leaf.writeUInt32LE(value.length, element + 12);
    data += key.copy(leaf, data);
    data += value.copy(leaf, data);
  }
  return leaf;
}

function branchPage(children: readonly Child[], bytes: number): Buffer {
  const branch = page(BRANCH_PAGE, children.length, bytes);
  let data = PAGE_HEADER_BYTES + children.length * BRANCH_ELEMENT_BYTES;
  for (const [i, { key, page: child }] of children.entries()) {
    const element = PAGE_HEADER_BYTES + i * BRANCH_ELEMENT_BYTES;
    branch.writeUInt32LE(data - element, element);
    branch.writeUInt32LE(key.length, element + 4);
    branch.writeBigUInt64LE(BigInt(child), element + 8);
    data += key.copy(branch, data);
  }
  return branch;
}
