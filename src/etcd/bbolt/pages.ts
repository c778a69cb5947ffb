/**
 * The file format of bbolt, which etcd keeps its data in: pages of a B+ tree for each bucket, and a bucket of buckets.
 *
 *   page     id(8) flags(2) count(2) overflow(4) …       overflow: how many pages more belong to it
 *   meta     magic(4) version(4) pageSize(4) flags(4) root(8) sequence(8) freelist(8) pages(8) txid(8) checksum(8)
 *   branch   count × { position(4) keySize(4) page(8) } keys      a position counts from its element
 *   leaf     count × { flags(4) position(4) keySize(4) valueSize(4) } keys and values
 *   bucket   root(8) sequence(8) [leaf page, if root is 0]        the value of a leaf element with the flag 1
 */
export const PAGE_BYTES = 4096;
export const PAGE_HEADER_BYTES = 16;
export const BRANCH_ELEMENT_BYTES = 16;
export const LEAF_ELEMENT_BYTES = 16;
export const BUCKET_HEADER_BYTES = 16;
export const META_BYTES = 64;
const CHECKED_META_BYTES = 56;

export const BRANCH_PAGE = 0x01;
export const LEAF_PAGE = 0x02;
export const META_PAGE = 0x04;
export const FREELIST_PAGE = 0x10;
export const BUCKET_ELEMENT = 0x01;

export const MAGIC = 0xed0cdaed;
export const VERSION = 2;

const FNV64_OFFSET = 0xcbf29ce484222325n;
const FNV64_PRIME = 0x100000001b3n;

/** FNV-1a of 64 bits over the fields before the checksum. */
export function metaChecksum(meta: Buffer): bigint {
  let hash = FNV64_OFFSET;
  for (const byte of meta.subarray(0, CHECKED_META_BYTES))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV64_PRIME);
  return hash;
}
