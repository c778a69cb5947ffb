import { AddressRange } from '../../base/index.ts';

/** The cluster's range, cut into equal ranges for nodes, and which of them are given away. */
export class CidrSet {
  readonly #range: AddressRange;
  readonly #nodePrefix: number;
  readonly #taken = new Map<bigint, number>();
  #next = 0n;

  constructor(range: string, nodePrefix: number) {
    this.#range = AddressRange.parse(range);
    this.#nodePrefix = nodePrefix;
    if (nodePrefix < this.#range.prefixLength)
      throw new Error(`the cluster range ${range} has no room for a range of /${nodePrefix} per node`);
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
      return this.#range.part(index, this.#nodePrefix).toString();
    }
    return undefined;
  }

  get #count(): bigint {
    return 1n << BigInt(this.#nodePrefix - this.#range.prefixLength);
  }

  #indexesOf(text: string): bigint[] {
    const range = AddressRange.parse(text);
    if (!range.overlaps(this.#range)) return [];
    const step = BigInt(range.bits - this.#nodePrefix);
    const first = this.#range.offsetOf(range.at(0)) ?? 0n;
    const last = this.#range.offsetOf(range.at(range.size - 1n)) ?? this.#range.size - 1n;
    const indexes: bigint[] = [];
    for (let index = first >> step; index <= last >> step; index++) indexes.push(index);
    return indexes;
  }
}
