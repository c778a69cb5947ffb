/**
 * Whether a file that is shorter than its meta page says lacks data. LMDB counts pages that a transaction allocated and
 * freed again without writing them: a file that ends with such pages is shorter and still complete.
 *
 *     page:  number (8) … flags (18) lower, or pages of a value (20) … offsets of nodes, counted from here on (24)
 *     node:  size or page (0) flags (4) bytes of the key (6) key (8) value
 */
const HEADER_BYTES = 24;
const NODE_HEADER_BYTES = 8;
const PAGE_FLAGS = { branch: 1, leaf: 2, value: 4 } as const;
const NODE_FLAGS = { valueOutside: 1, table: 2 } as const;
/** The offset of the root page in a table's record. */
const TABLE_ROOT = 40;
export const NO_PAGE = 0xffff_ffff_ffff_ffffn;

interface Pages {
  readonly pageSize: number;
  readonly count: number;
  read(page: number): Buffer;
}

/** The first referenced page that is missing or of the wrong kind; undefined when the tree is complete. */
export function missingPage(pages: Pages, root: bigint): bigint | undefined {
  const waiting = [root];
  for (let page = waiting.pop(); page !== undefined; page = waiting.pop()) {
    if (page === NO_PAGE) continue;
    if (page >= BigInt(pages.count)) return page;
    const bytes = pages.read(Number(page));
    if (bytes.length < pages.pageSize || bytes.readBigUInt64LE(0) !== page) return page;
    const flags = bytes.readUInt16LE(18);
    if ((flags & PAGE_FLAGS.branch) !== 0) waiting.push(...nodesOf(bytes).map(branchPage));
    else if ((flags & PAGE_FLAGS.leaf) === 0) return page;
    else
      for (const node of nodesOf(bytes)) {
        const referred = leafPage(pages, node);
        if (typeof referred === 'bigint') waiting.push(referred);
        else if (referred !== undefined) return referred.missing;
      }
  }
  return undefined;
}

function nodesOf(page: Buffer): Buffer[] {
  const count = page.readUInt16LE(20) / 2;
  return Array.from({ length: count }, (_, i) => page.subarray(HEADER_BYTES + page.readUInt16LE(HEADER_BYTES + i * 2)));
}

/** A page number of 48 bits; a branch node has no flags. */
const branchPage = (node: Buffer): bigint => BigInt(node.readUIntLE(0, 6));

/** The root page of a table that the leaf node describes, or the missing overflow page of its value. */
function leafPage(pages: Pages, node: Buffer): bigint | { missing: bigint } | undefined {
  const flags = node.readUInt16LE(4);
  const value = NODE_HEADER_BYTES + node.readUInt16LE(6);
  if ((flags & NODE_FLAGS.valueOutside) !== 0) {
    const first = node.readBigUInt64LE(value);
    if (first >= BigInt(pages.count)) return { missing: first };
    const head = pages.read(Number(first));
    const last = first + BigInt(head.readUInt32LE(20)) - 1n;
    const isValue = head.readBigUInt64LE(0) === first && (head.readUInt16LE(18) & PAGE_FLAGS.value) !== 0;
    return isValue && last < BigInt(pages.count) ? undefined : { missing: isValue ? last : first };
  }
  return (flags & NODE_FLAGS.table) === 0 ? undefined : node.readBigUInt64LE(value + TABLE_ROOT);
}
