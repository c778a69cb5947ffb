/**
 * PodTopologySpread's PreScore state: the number of matching pods near each node, for ScheduleAnyway constraints.
 */
import type { Cache } from '../../cache/cache.ts';
import type { NodeInfo } from '../../cache/node-info.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import { MAX_NODE_SCORE, type FeasibleNodes } from '../../framework/plugin.ts';
import { counted, type SpreadConstraint } from './spread-constraint.ts';

const HOSTNAME = 'kubernetes.io/hostname';

interface Counted {
  readonly constraint: SpreadConstraint;
  readonly isHostname: boolean;
  /** Matching pods by domain, on eligible nodes; for the hostname key all of them, by slot. */
  readonly pods: Int32Array;
  /** The last round in which the domain had a feasible node. */
  readonly seen: Int32Array;
}

export class SpreadScoreState {
  readonly #pod: PodInfo;
  readonly #cache: Cache;
  readonly #counted: Counted[];
  readonly #requireAllLabels: boolean;
  #round = 0;
  /** Which feasible nodes are ignored. */
  #ignored = new Uint8Array(0);

  constructor(cache: Cache, pod: PodInfo, constraints: readonly SpreadConstraint[], requireAllLabels: boolean) {
    this.#pod = pod;
    this.#cache = cache;
    this.#requireAllLabels = requireAllLabels;
    const { table } = cache;
    this.#counted = constraints.map((constraint) => {
      const isHostname = constraint.topology.key === HOSTNAME;
      return {
        constraint,
        isHostname,
        pods: new Int32Array(isHostname ? table.capacity : constraint.topology.domains),
        seen: new Int32Array(constraint.topology.domains),
      };
    });
    for (const { shape, counts, terminating } of cache.placements.all()) {
      if (shape.namespace !== pod.namespace) continue;
      for (const c of this.#counted) {
        if (!c.constraint.selector.matches(shape.labels)) continue;
        for (const [slot, count] of counts) {
          const node = table.nodes[slot];
          if (node?.exists) this.#add(c, node, count - (terminating.get(slot) ?? 0));
        }
      }
    }
  }

  change(other: PodInfo, node: NodeInfo, by: 1 | -1): void {
    if (other.terminating) return;
    for (const c of this.#counted)
      if (counted(c.constraint.selector, this.#pod.namespace, other.shape)) this.#add(c, node, by);
  }

  scoreAll({ slots, count }: FeasibleNodes, scores: Float64Array): void {
    this.#round++;
    if (this.#ignored.length < count) this.#ignored = new Uint8Array(this.#cache.table.capacity);
    const ignored = this.#ignored;
    let considered = 0;
    for (let i = 0; i < count; i++) {
      ignored[i] = this.#requireAllLabels && !this.#hasAllLabels(slots[i]!) ? 1 : 0;
      if (ignored[i] === 0) considered++;
    }
    scores.fill(0, 0, count);
    for (const c of this.#counted) {
      const weight = Math.log((c.isHostname ? considered : this.#domainsAmong(c, slots, count, ignored)) + 2);
      const { domainOf } = c.constraint.topology;
      const more = c.constraint.maxSkew - 1;
      for (let i = 0; i < count; i++) {
        if (ignored[i] === 1) continue;
        const slot = slots[i]!;
        const domain = domainOf[slot]!;
        if (domain < 0) continue;
        scores[i]! += c.pods[c.isHostname ? slot : domain]! * weight + more;
      }
    }
    for (let i = 0; i < count; i++) scores[i] = Math.round(scores[i]!);
  }

  normalize(count: number, scores: Float64Array): void {
    let max = 0;
    let min = Infinity;
    for (let i = 0; i < count; i++) {
      if (this.#ignored[i] === 1) continue;
      if (scores[i]! > max) max = scores[i]!;
      if (scores[i]! < min) min = scores[i]!;
    }
    for (let i = 0; i < count; i++) {
      if (this.#ignored[i] === 1) scores[i] = 0;
      else scores[i] = max === 0 ? MAX_NODE_SCORE : Math.floor((MAX_NODE_SCORE * (max + min - scores[i]!)) / max);
    }
  }

  #add(c: Counted, node: NodeInfo, by: number): void {
    const { slot } = node;
    if (c.isHostname) {
      c.pods[slot]! += by;
      return;
    }
    if ((this.#requireAllLabels && !this.#hasAllLabels(slot)) || !c.constraint.counts(node)) return;
    const domain = c.constraint.topology.domainOf[slot]!;
    if (domain >= 0) c.pods[domain]! += by;
  }

  #domainsAmong(c: Counted, slots: Int32Array, count: number, ignored: Uint8Array): number {
    const { domainOf } = c.constraint.topology;
    let domains = 0;
    for (let i = 0; i < count; i++) {
      if (ignored[i] === 1) continue;
      const domain = domainOf[slots[i]!]!;
      if (domain < 0 || c.seen[domain] === this.#round) continue;
      c.seen[domain] = this.#round;
      domains++;
    }
    return domains;
  }

  #hasAllLabels(slot: number): boolean {
    for (const c of this.#counted) if (c.constraint.topology.domainOf[slot]! < 0) return false;
    return true;
  }
}
