import { formatCidr, overlaps, parseCidr, sizeOf, type Cidr } from './cidr.ts';

/** The cluster's range, cut into equal ranges for nodes, and which of them are given away. */
export class CidrSet {
  readonly #range: Cidr;
  readonly #nodePrefix: number;
  readonly #taken = new Map<bigint, number>();
  #next = 0n;

  constructor(range: string, nodePrefix: number) {
    this.#range = parseCidr(range);
    this.#nodePrefix = nodePrefix;
    if (nodePrefix < this.#range.prefix) throw new Error(`the cluster range ${range} has no room for a range of /${nodePrefix} per node`);
  }

  get bits(): number {
    return this.#range.bits;
  }

  /** Given away, or not to be: as often as it is occupied it must be released. */
  occupy(text: string): void {
    for (const index of this.#indexesOf(text)) this.#taken.set(index, (this.#taken.get(index) ?? 0) + 1);
  }

  release(text: string): void {
    for (const index of this.#indexesOf(text)) {
      const count = (this.#taken.get(index) ?? 0) - 1;
      if (count > 0) this.#taken.set(index, count);
      else this.#taken.delete(index);
    }
  }

  /** The next free range, round and round, so that one that was just released is used last. */
  allocate(): string | undefined {
    for (let tried = 0n; tried < this.#count; tried++) {
      const index = (this.#next + tried) % this.#count;
      if (this.#taken.has(index)) continue;
      this.#next = (index + 1n) % this.#count;
      this.#taken.set(index, 1);
      return formatCidr(this.#at(index));
    }
    return undefined;
  }

  get #count(): bigint {
    return 1n << BigInt(this.#nodePrefix - this.#range.prefix);
  }

  #at(index: bigint): Cidr {
    const { first, bits } = this.#range;
    return { first: first + (index << BigInt(bits - this.#nodePrefix)), prefix: this.#nodePrefix, bits };
  }

  #indexesOf(text: string): bigint[] {
    const cidr = parseCidr(text);
    if (!overlaps(cidr, this.#range)) return [];
    const step = BigInt(cidr.bits - this.#nodePrefix);
    const from = cidr.first < this.#range.first ? this.#range.first : cidr.first;
    const rangeEnd = this.#range.first + sizeOf(this.#range);
    const end = cidr.first + sizeOf(cidr) < rangeEnd ? cidr.first + sizeOf(cidr) : rangeEnd;
    const indexes: bigint[] = [];
    for (let index = (from - this.#range.first) >> step; index <= (end - 1n - this.#range.first) >> step; index++) indexes.push(index);
    return indexes;
  }
}
