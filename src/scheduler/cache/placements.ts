/**
 * The number of pods of each shape on each node, so that a selector is matched once for each shape instead of once for
 * each pod.
 */
import type { PodInfo } from './pod-info.ts';
import type { PodShape } from './pod-shape.ts';

interface Placement {
  readonly shape: PodShape;
  /** The number of pods of the shape, by node slot. */
  readonly counts: Map<number, number>;
  /** The number of those that are being deleted, by node slot. */
  readonly terminating: Map<number, number>;
}

export class Placements {
  readonly #byShape = new Map<PodShape, Placement>();
  readonly #withAffinity = new Set<Placement>();
  readonly #withAntiAffinity = new Set<Placement>();

  all(): Iterable<Placement> {
    return this.#byShape.values();
  }

  /** Placements of pods with affinity or anti-affinity terms. */
  withAffinity(): Iterable<Placement> {
    return this.#withAffinity;
  }

  /** Placements of pods with required anti-affinity terms. */
  withRequiredAntiAffinity(): Iterable<Placement> {
    return this.#withAntiAffinity;
  }

  add(pod: PodInfo, slot: number): void {
    let placement = this.#byShape.get(pod.shape);
    if (placement === undefined) {
      placement = { shape: pod.shape, counts: new Map(), terminating: new Map() };
      this.#byShape.set(pod.shape, placement);
      if (pod.shape.hasAffinity) this.#withAffinity.add(placement);
      if (pod.shape.hasRequiredAntiAffinity) this.#withAntiAffinity.add(placement);
    }
    count(placement.counts, slot, 1);
    if (pod.terminating) count(placement.terminating, slot, 1);
  }

  remove(pod: PodInfo, slot: number): void {
    const placement = this.#byShape.get(pod.shape);
    if (placement === undefined) return;
    count(placement.counts, slot, -1);
    if (pod.terminating) count(placement.terminating, slot, -1);
    if (placement.counts.size > 0) return;
    this.#byShape.delete(pod.shape);
    this.#withAffinity.delete(placement);
    this.#withAntiAffinity.delete(placement);
  }
}

function count(map: Map<number, number>, slot: number, by: number): void {
  const now = (map.get(slot) ?? 0) + by;
  if (now > 0) map.set(slot, now);
  else map.delete(slot);
}
