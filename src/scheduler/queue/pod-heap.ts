/**
 * A heap of pods. A pod that moves to another queue leaves a stale entry behind, which is skipped when it is popped.
 */
import { Heap } from '../../kernel/index.ts';
import type { QueuedPod } from './queued-pod.ts';

interface Entry {
  readonly queued: QueuedPod;
  readonly move: number;
  readonly order: number;
}

export class PodHeap {
  readonly #heap: Heap<Entry>;
  #order = 0;
  #live = 0;

  constructor(before: (a: QueuedPod, b: QueuedPod) => boolean) {
    this.#heap = new Heap<Entry>((a, b) => {
      if (before(a.queued, b.queued)) return true;
      return !before(b.queued, a.queued) && a.order < b.order;
    });
  }

  get size(): number {
    return this.#live;
  }

  push(queued: QueuedPod): void {
    this.#heap.push({ queued, move: queued.move, order: this.#order++ });
    this.#live++;
  }

  peek(): QueuedPod | undefined {
    for (;;) {
      const top = this.#heap.peek();
      if (top === undefined) return undefined;
      if (top.move === top.queued.move) return top.queued;
      this.#heap.pop();
    }
  }

  pop(): QueuedPod | undefined {
    const top = this.peek();
    if (top === undefined) return undefined;
    this.#heap.pop();
    this.#live--;
    return top;
  }

  /** To be called when a pod has moved to another queue. Its entry stays until it is popped. */
  removed(): void {
    this.#live--;
  }
}
