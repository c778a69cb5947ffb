/**
 * What changed in the cache, in order, so that whoever worked something out earlier can bring it up to date instead of
 * starting over. Old changes are dropped; who comes too late has to start over after all.
 */
import type { PodInfo } from './pod-info.ts';

export type Change =
  | { readonly kind: 'pod-added' | 'pod-removed'; readonly slot: number; readonly pod: PodInfo }
  /** A node's numbers, taints or images. */
  | { readonly kind: 'node'; readonly slot: number }
  /** Room is being made on a node, or no longer. */
  | { readonly kind: 'nominated'; readonly slot: number }
  /** A node came, went or got other labels: domains may have changed. */
  | { readonly kind: 'topology'; readonly slot: number }
  /** Something that concerns every node, such as the labels of a namespace. */
  | { readonly kind: 'everything' };

const KEPT = 8192;

export class ChangeLog {
  #changes: Change[] = [];
  /** The sequence number of the first change that is still here. */
  #first = 0;

  /** The number of the next change. */
  get next(): number {
    return this.#first + this.#changes.length;
  }

  append(change: Change): void {
    this.#changes.push(change);
    if (this.#changes.length >= 2 * KEPT) {
      this.#changes = this.#changes.slice(KEPT);
      this.#first += KEPT;
    }
  }

  /** Whether every change from that number on is still here. */
  reaches(sequence: number): boolean {
    return sequence >= this.#first;
  }

  at(sequence: number): Change {
    return this.#changes[sequence - this.#first]!;
  }
}
