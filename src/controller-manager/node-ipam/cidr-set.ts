import { AddressRange } from '../../base/index.ts';
import type { CidrSetMetrics } from './metrics.ts';

/** A cluster CIDR, divided into equal CIDRs for nodes, with those that are allocated. */
export class CidrSet {
  readonly #range: AddressRange;
  readonly #nodePrefix: number;
  readonly #allocated = new Map<bigint, number>();
  readonly #metrics: CidrSetMetrics;
  #next = 0n;

  constructor(range: string, nodePrefix: number, metrics: CidrSetMetrics) {
    this.#metrics = metrics;
    this.#range = AddressRange.parse(range);
    this.#nodePrefix = nodePrefix;
    if (nodePrefix < this.#range.prefixLength)
      throw new Error(`the cluster range ${range} has no room for a range of /${nodePrefix} per node`);
    metrics.created(this.#label, this.#count);
  }

  get bits(): number {
    return this.#range.bits;
  }

  /** Marks all node CIDRs that overlap as allocated. Each call needs its own release. */
  occupy(text: string): void {
    for (const index of this.#indexesOf(text)) {
      const count = this.#allocated.get(index) ?? 0;
      this.#allocated.set(index, count + 1);
      if (count === 0) this.#metrics.allocated(this.#label, this.#usage);
    }
  }

  release(text: string): void {
    for (const index of this.#indexesOf(text)) {
      const count = (this.#allocated.get(index) ?? 0) - 1;
      if (count > 0) this.#allocated.set(index, count);
      else if (this.#allocated.delete(index)) this.#metrics.released(this.#label, this.#usage);
    }
  }

  /** The next free CIDR, round robin, so that one that was just released is reused last. */
  allocate(): string | undefined {
    for (let tried = 0n; tried < this.#count; tried++) {
      const index = (this.#next + tried) % this.#count;
      if (this.#allocated.has(index)) continue;
      this.#next = (index + 1n) % this.#count;
      this.#allocated.set(index, 1);
      this.#metrics.allocated(this.#label, this.#usage, Number(tried));
      return this.#range.part(index, this.#nodePrefix).toString();
    }
    return undefined;
  }

  get #label(): string {
    return this.#range.toString();
  }

  get #usage(): number {
    return this.#allocated.size / Number(this.#count);
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
