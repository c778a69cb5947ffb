import type { Pod } from '../../api/generated/core-v1.ts';
import { deepEqual } from '../../base/index.ts';
import { schedulerRequests } from './pod-requests.ts';
import { partsOf, PodShape } from './pod-shape.ts';

interface PodShapes {
  of(pod: Pod): PodShape;
}

const MIN_SWEEP_SIZE = 1024;
const MIN_SWEEP_LENGTH = 16 * 1024 * 1024;
const MAX_RECENT = 4;
/** Comparing larger shapes takes longer than building a key. */
const MAX_RECENT_LENGTH = 16 * 1024;

/**
 * One shape for all equal pods. The plain counterpart builds a shape for every pod. Pays for the bench row `10,000 plain pods
 * on 5,000 nodes`.
 */
class SharedShapes implements PodShapes {
  readonly #shapes = new Map<string, WeakRef<PodShape>>();
  #sweepAt = MIN_SWEEP_SIZE;
  /** The keys of a pod with a long selector are as long as that. */
  #keysLength = 0;
  #sweepAtLength = MIN_SWEEP_LENGTH;
  /** The shapes of the last pods: most pods equal one of them, and comparing is faster than building a key. */
  readonly #recent: { readonly parts: readonly unknown[]; readonly shape: PodShape }[] = [];

  of(pod: Pod): PodShape {
    const parts = partsOf(pod, undefined);
    for (const known of this.#recent) if (deepEqual(known.parts, parts)) return known.shape;
    const text = JSON.stringify(parts);
    const shape = this.#intern(pod, text);
    if (text.length > MAX_RECENT_LENGTH) return shape;
    this.#recent.unshift({ parts, shape });
    if (this.#recent.length > MAX_RECENT) this.#recent.pop();
    return shape;
  }

  #intern(pod: Pod, textKey: string): PodShape {
    const shapes = this.#shapes;
    const known = shapes.get(textKey)?.deref();
    if (known !== undefined) return known;
    const created = ownShapes.of(pod);
    const shape = shapes.get(created.key)?.deref() ?? created;
    for (const key of [shape.key, textKey]) {
      shapes.set(key, new WeakRef(shape));
      this.#keysLength += key.length;
    }
    if (shapes.size > this.#sweepAt || this.#keysLength > this.#sweepAtLength) this.#sweep();
    return shape;
  }

  #sweep(): void {
    this.#keysLength = 0;
    for (const [key, reference] of this.#shapes) {
      if (reference.deref() === undefined) this.#shapes.delete(key);
      else this.#keysLength += key.length;
    }
    this.#sweepAt = Math.max(MIN_SWEEP_SIZE, this.#shapes.size * 2);
    this.#sweepAtLength = Math.max(MIN_SWEEP_LENGTH, this.#keysLength * 2);
  }
}

/** Equal quantities can be written in many ways, so the key of a shape has the parsed requests. */
export const ownShapes: PodShapes = {
  of(pod) {
    const requests = schedulerRequests(pod);
    return new PodShape(JSON.stringify(partsOf(pod, requests)), pod, requests);
  },
};

let shapes: PodShapes = new SharedShapes();

/** The process has one source of shapes. Returns a function that restores the one before. */
export function usePodShapes(source: PodShapes): () => void {
  const before = shapes;
  shapes = source;
  return () => void (shapes = before);
}

export function shapeOf(pod: Pod): PodShape {
  return shapes.of(pod);
}
