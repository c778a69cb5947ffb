/**
 * Checks a store's file before LMDB maps it: LMDB trusts the file, and a truncated or overwritten one would crash the
 * process without an error.
 *
 *     page:  number (8) … magic (24) version (28) … page size (48) … root of free pages (88) … root (136) last page (144) transaction (152)
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { missingPage, NO_PAGE } from './missing-pages.ts';

const MAGIC = 0xbeefc0de;
const AT = { magic: 24, pageSize: 48, freeRoot: 88, root: 136, lastPage: 144, transaction: 152 } as const;
const HEADER_BYTES = 160;
const PAGE_SIZES = [4096, 8192, 16384, 32768, 65536];

/** Describes the damage of the file; undefined when none is visible from its headers. */
export function damageOf(path: string): string | undefined {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    if (size === 0) return undefined;
    const metas = [0, 1].flatMap((page) => readMeta(file, page * pageSizeOf(file)) ?? []);
    const [current] = metas.toSorted((a, b) => (a.transaction > b.transaction ? -1 : 1));
    if (current === undefined) return 'its first pages are not those of a store';
    return damageOfPages(file, size, current);
  } finally {
    closeSync(file);
  }
}

function damageOfPages(file: number, size: number, { pageSize, lastPage, root, freeRoot }: Meta): string | undefined {
  const wholeSize = (Number(lastPage) + 1) * pageSize;
  for (const page of [root, freeRoot]) {
    if (page === NO_PAGE) continue;
    const position = Number(page) * pageSize;
    if (position >= size && size < wholeSize) return `it is truncated: ${size} bytes of ${wholeSize}`;
    if (page > lastPage || readPageNumber(file, position) !== page) return `its page ${page} is not where it should be`;
  }
  if (size >= wholeSize) return undefined;
  const pages = {
    pageSize,
    count: Math.floor(size / pageSize),
    read: (page: number) => read(file, page * pageSize, pageSize),
  };
  const missing = missingPage(pages, root) ?? missingPage(pages, freeRoot);
  return missing === undefined
    ? undefined
    : `it is truncated: ${size} bytes of ${wholeSize}, page ${missing} is missing`;
}

interface Meta {
  readonly pageSize: number;
  readonly root: bigint;
  readonly freeRoot: bigint;
  readonly lastPage: bigint;
  readonly transaction: bigint;
}

function readMeta(file: number, position: number): Meta | undefined {
  const bytes = read(file, position, HEADER_BYTES);
  if (bytes.length < HEADER_BYTES || bytes.readUInt32LE(AT.magic) !== MAGIC) return undefined;
  const pageSize = bytes.readUInt32LE(AT.pageSize);
  if (!PAGE_SIZES.includes(pageSize)) return undefined;
  const number = (at: number): bigint => bytes.readBigUInt64LE(at);
  return {
    pageSize,
    root: number(AT.root),
    freeRoot: number(AT.freeRoot),
    lastPage: number(AT.lastPage),
    transaction: number(AT.transaction),
  };
}

/** The page size that the first meta page names; the default when that page is unreadable. */
function pageSizeOf(file: number): number {
  return readMeta(file, 0)?.pageSize ?? PAGE_SIZES[0]!;
}

function readPageNumber(file: number, position: number): bigint | undefined {
  const bytes = read(file, position, 8);
  return bytes.length === 8 ? bytes.readBigUInt64LE(0) : undefined;
}

function read(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, position));
}
