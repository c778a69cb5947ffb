/**
 * The latest changes of the cache, in order, so that a cached evaluation can be updated instead of computed anew. Old
 * changes are dropped; an evaluation that is older has to be computed anew.
 */
import type { PodInfo } from './pod-info.ts';

type Change =
  | { readonly kind: 'pod-added' | 'pod-removed'; readonly slot: number; readonly pod: PodInfo }
  /** A node's numbers, taints or images. */
  | { readonly kind: 'node'; readonly slot: number }
  /** A pod was nominated to a node, or is no longer. */
  | { readonly kind: 'nominated'; readonly slot: number }
  /** A node was added, deleted or relabelled: topology domains may have changed. */
  | { readonly kind: 'topology'; readonly slot: number }
  /** Something that concerns every node, such as the labels of a namespace. */
  | { readonly kind: 'everything' };

const MAX_CHANGES = 4096;
const MIN_CHANGES = 128;

export class ChangeLog {
  readonly #nodeCount: () => number;
  #changes: Change[] = [];
  /** The sequence number of the oldest change in the log. */
  #first = 0;

  constructor(nodeCount: () => number) {
    this.#nodeCount = nodeCount;
  }

  /** The sequence number of the next change. */
  get next(): number {
    return this.#first + this.#changes.length;
  }

  append(change: Change): void {
    this.#changes.push(change);
    const dropped = this.#changes.length - this.#limit();
    if (dropped < this.#limit()) return;
    this.#changes = this.#changes.slice(dropped);
    this.#first += dropped;
  }

  /**
   * How many changes are worth keeping: beyond about one for each node, an evaluation is sooner computed anew than
   * updated, and every change of a pod holds that pod as it was.
   */
  #limit(): number {
    return Math.min(MAX_CHANGES, Math.max(MIN_CHANGES, this.#nodeCount()));
  }

  /** Whether the log has every change from that sequence number on. */
  reaches(sequence: number): boolean {
    return sequence >= this.#first;
  }

  at(sequence: number): Change {
    return this.#changes[sequence - this.#first]!;
  }
}
