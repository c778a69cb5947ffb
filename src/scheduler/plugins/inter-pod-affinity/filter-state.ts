/** InterPodAffinity's PreFilter state: the topology domains where required terms match. */
import { ownValue } from '../../../base/index.ts';
import { termMatches, type AffinityTerm, type NamespaceLabels } from '../../cache/affinity-term.ts';
import type { Cache } from '../../cache/cache.ts';
import type { NodeInfo } from '../../cache/node-info.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { PodShape } from '../../cache/pod-shape.ts';
import type { BoundFilter, TouchedNodes } from '../../framework/plugin.ts';
import { unresolvable, unschedulable } from '../../framework/status.ts';
import { TopologyCounts } from './topology-counts.ts';

const AFFINITY = unresolvable("node(s) didn't match pod affinity rules");
const ANTI_AFFINITY = unschedulable("node(s) didn't match pod anti-affinity rules");
const EXISTING_ANTI_AFFINITY = unschedulable("node(s) didn't satisfy existing pods anti-affinity rules");

export class AffinityFilterState {
  readonly #pod: PodInfo;
  readonly #labelsOf: NamespaceLabels;
  /** Domains of existing pods whose anti-affinity terms match the pod. */
  readonly #existingAntiAffinity: TopologyCounts;
  /** Domains of existing pods that the pod's affinity and anti-affinity terms match. */
  readonly #affinity: TopologyCounts;
  readonly #antiAffinity: TopologyCounts;
  readonly #matchesItself: boolean;

  constructor(cache: Cache, pod: PodInfo, labelsOf: NamespaceLabels) {
    const { table, placements } = cache;
    this.#pod = pod;
    this.#labelsOf = labelsOf;
    this.#existingAntiAffinity = new TopologyCounts(table);
    this.#affinity = new TopologyCounts(table);
    this.#antiAffinity = new TopologyCounts(table);
    const { requiredAffinity, requiredAntiAffinity } = pod.shape.terms;
    this.#matchesItself = this.#matchesAll(requiredAffinity, pod.shape);
    const hasOwn = requiredAffinity.length + requiredAntiAffinity.length > 0;
    for (const { shape, counts } of hasOwn ? placements.all() : placements.withRequiredAntiAffinity()) {
      for (const [slot, count] of counts) this.#count(shape, slot, count);
    }
  }

  change(other: PodInfo, node: NodeInfo, touched: TouchedNodes, by: 1 | -1): void {
    if (!this.#concerns(other.shape)) return;
    const hadAffinity = this.#affinity.size > 0;
    this.#count(other.shape, node.slot, by, touched);
    // The first pod of a series that matches its own terms fits anywhere, the next ones only near it.
    if (hadAffinity !== this.#affinity.size > 0) touched.all();
  }

  bind(): BoundFilter {
    const { requiredAffinity, requiredAntiAffinity } = this.#pod.shape.terms;
    return (node) => {
      if (requiredAffinity.length > 0 && !this.#satisfiesAffinity(node, requiredAffinity)) return AFFINITY;
      if (this.#antiAffinity.size > 0) {
        for (const term of requiredAntiAffinity)
          if (this.#antiAffinity.at(term.topologyKey, node.slot) > 0) return ANTI_AFFINITY;
      }
      if (this.#existingAntiAffinity.size > 0) {
        for (const { topology, counts } of this.#existingAntiAffinity.columns()) {
          const domain = topology.domainOf[node.slot]!;
          if (domain >= 0 && (counts[domain] ?? 0) > 0) return EXISTING_ANTI_AFFINITY;
        }
      }
      return undefined;
    };
  }

  #concerns(shape: PodShape): boolean {
    const { requiredAffinity, requiredAntiAffinity } = this.#pod.shape.terms;
    return requiredAffinity.length > 0 || requiredAntiAffinity.length > 0 || shape.hasRequiredAntiAffinity;
  }

  #count(shape: PodShape, slot: number, by: number, touched?: TouchedNodes): void {
    const own = this.#pod.shape;
    for (const term of shape.terms.requiredAntiAffinity) {
      if (termMatches(term, own.namespace, own.labels, this.#labelsOf))
        this.#existingAntiAffinity.add(term.topologyKey, slot, by, touched);
    }
    const { requiredAffinity, requiredAntiAffinity } = own.terms;
    if (requiredAffinity.length > 0 && this.#matchesAll(requiredAffinity, shape)) {
      for (const term of requiredAffinity) this.#affinity.add(term.topologyKey, slot, by, touched);
    }
    for (const term of requiredAntiAffinity) {
      if (termMatches(term, shape.namespace, shape.labels, this.#labelsOf))
        this.#antiAffinity.add(term.topologyKey, slot, by, touched);
    }
  }

  #matchesAll(terms: readonly AffinityTerm[], shape: PodShape): boolean {
    return terms.length > 0 && terms.every((term) => termMatches(term, shape.namespace, shape.labels, this.#labelsOf));
  }

  #satisfiesAffinity(node: NodeInfo, terms: readonly AffinityTerm[]): boolean {
    let found = true;
    for (const term of terms) {
      if (ownValue(node.labels, term.topologyKey) === undefined) return false;
      if (this.#affinity.at(term.topologyKey, node.slot) <= 0) found = false;
    }
    return found || (this.#affinity.size === 0 && this.#matchesItself);
  }
}
