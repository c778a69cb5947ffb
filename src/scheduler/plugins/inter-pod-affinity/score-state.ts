/** InterPodAffinity's PreScore state: the sum of weights of matching preferred terms by topology domain. */
import { termMatches, type AffinityTerm, type NamespaceLabels } from '../../cache/affinity-term.ts';
import type { Cache } from '../../cache/cache.ts';
import type { NodeInfo } from '../../cache/node-info.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { PodShape } from '../../cache/pod-shape.ts';
import { MAX_NODE_SCORE, type FeasibleNodes } from '../../framework/plugin.ts';
import { TopologyCounts } from './topology-counts.ts';

interface AffinityScoreOptions {
  readonly cache: Cache;
  readonly labelsOf: NamespaceLabels;
  /** The weight of an existing pod's required affinity term that matches the pod. */
  readonly hardPodAffinityWeight: number;
  readonly ignorePreferredTermsOfExistingPods: boolean;
}

/** Counts the terms of the pod that match existing pods, and the terms of existing pods that match the pod. */
export class AffinityScoreState {
  readonly #pod: PodInfo;
  readonly #options: AffinityScoreOptions;
  readonly #weights: TopologyCounts;
  readonly #hasPreferences: boolean;

  constructor(pod: PodInfo, options: AffinityScoreOptions) {
    this.#pod = pod;
    this.#options = options;
    const { cache } = options;
    this.#weights = new TopologyCounts(cache.table);
    const { preferredAffinity, preferredAntiAffinity } = pod.shape.terms;
    this.#hasPreferences = preferredAffinity.length + preferredAntiAffinity.length > 0;
    if (options.ignorePreferredTermsOfExistingPods && !this.#hasPreferences) return;
    for (const { shape, counts } of this.#hasPreferences ? cache.placements.all() : cache.placements.withAffinity()) {
      if (!this.concerns(shape)) continue;
      for (const [slot, count] of counts) if (cache.table.nodes[slot]?.exists) this.#count(shape, slot, count);
    }
  }

  get isEmpty(): boolean {
    return this.#weights.size === 0;
  }

  concerns(shape: PodShape): boolean {
    if (this.#hasPreferences) return true;
    return shape.hasAffinity && !this.#options.ignorePreferredTermsOfExistingPods;
  }

  change(other: PodInfo, node: NodeInfo, by: 1 | -1): void {
    if (this.concerns(other.shape)) this.#count(other.shape, node.slot, by);
  }

  scoreAll({ slots, count }: FeasibleNodes, scores: Float64Array): void {
    scores.fill(0, 0, count);
    for (const { topology, counts } of this.#weights.columns()) {
      const { domainOf } = topology;
      for (let i = 0; i < count; i++) {
        const domain = domainOf[slots[i]!]!;
        if (domain >= 0 && domain < counts.length) scores[i]! += counts[domain]!;
      }
    }
  }

  normalize(count: number, scores: Float64Array): void {
    let max = -Infinity;
    let min = Infinity;
    for (let i = 0; i < count; i++) {
      if (scores[i]! > max) max = scores[i]!;
      if (scores[i]! < min) min = scores[i]!;
    }
    const range = max - min;
    for (let i = 0; i < count; i++)
      scores[i] = range > 0 ? Math.trunc(MAX_NODE_SCORE * ((scores[i]! - min) / range)) : 0;
  }

  #count(shape: PodShape, slot: number, by: number): void {
    const own = this.#pod.shape;
    this.#countTerms(own.terms.preferredAffinity, shape, slot, by);
    this.#countTerms(own.terms.preferredAntiAffinity, shape, slot, -by);
    if (!shape.hasAffinity) return;
    const { hardPodAffinityWeight } = this.#options;
    if (hardPodAffinityWeight > 0) this.#countTerms(shape.terms.requiredAffinity, own, slot, by, hardPodAffinityWeight);
    this.#countTerms(shape.terms.preferredAffinity, own, slot, by);
    this.#countTerms(shape.terms.preferredAntiAffinity, own, slot, -by);
  }

  #countTerms(terms: readonly AffinityTerm[], target: PodShape, slot: number, by: number, weight?: number): void {
    for (const term of terms) {
      if (termMatches(term, target.namespace, target.labels, this.#options.labelsOf))
        this.#weights.add(term.topologyKey, slot, by * (weight ?? term.weight));
    }
  }
}
