/**
 * PodTopologySpread's PreFilter state: the number of matching pods in each domain, for DoNotSchedule constraints.
 */
import type { Cache } from '../../cache/cache.ts';
import type { NodeInfo } from '../../cache/node-info.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { BoundFilter, TouchedNodes } from '../../framework/plugin.ts';
import { unresolvable, unschedulable } from '../../framework/status.ts';
import { counted, type SpreadConstraint } from './spread-constraint.ts';

const TOO_MANY = unschedulable("node(s) didn't match pod topology spread constraints");
const NO_LABEL = unresolvable("node(s) didn't match pod topology spread constraints (missing required label)");

interface Counted {
  readonly constraint: SpreadConstraint;
  /** Matching pods by domain; -1 for domains without an eligible node. */
  readonly pods: Int32Array;
  /** 1 when the constraint's selector matches the pod itself. */
  readonly self: 0 | 1;
  domains: number;
  minimum: number;
}

export class SpreadFilterState {
  readonly #pod: PodInfo;
  readonly #counted: Counted[];

  constructor(cache: Cache, pod: PodInfo, constraints: readonly SpreadConstraint[]) {
    this.#pod = pod;
    const { table } = cache;
    this.#counted = constraints.map((constraint) => ({
      constraint,
      pods: new Int32Array(constraint.topology.domains).fill(-1),
      self: constraint.selector.matches(pod.shape.labels) ? 1 : 0,
      domains: 0,
      minimum: 0,
    }));
    const counting = this.#counted.map(() => new Uint8Array(table.end));
    for (const node of table.existing()) {
      if (!this.#hasAllLabels(node)) continue;
      this.#counted.forEach((c, i) => {
        if (!c.constraint.counts(node)) return;
        counting[i]![node.slot] = 1;
        const domain = c.constraint.topology.domainOf[node.slot]!;
        if (c.pods[domain] === -1) {
          c.pods[domain] = 0;
          c.domains++;
        }
      });
    }
    for (const { shape, counts, terminating } of cache.placements.all()) {
      if (shape.namespace !== pod.namespace) continue;
      this.#counted.forEach((c, i) => {
        if (!c.constraint.selector.matches(shape.labels)) return;
        for (const [slot, count] of counts) {
          if (counting[i]![slot] === 1)
            c.pods[c.constraint.topology.domainOf[slot]!]! += count - (terminating.get(slot) ?? 0);
        }
      });
    }
    for (const c of this.#counted) c.minimum = minimumOf(c);
  }

  bind(): BoundFilter {
    const all = this.#counted;
    return ({ slot }) => {
      for (let i = 0; i < all.length; i++) {
        const c = all[i]!;
        const domain = c.constraint.topology.domainOf[slot]!;
        if (domain < 0) return NO_LABEL;
        if (c.domains === 0) continue;
        if (excess(c, domain) > 0) return TOO_MANY;
      }
      return undefined;
    };
  }

  change(other: PodInfo, node: NodeInfo, touched: TouchedNodes, by: 1 | -1): void {
    if (other.terminating || !this.#hasAllLabels(node)) return;
    for (const c of this.#counted) {
      if (!counted(c.constraint.selector, this.#pod.namespace, other.shape) || !c.constraint.counts(node)) continue;
      this.#count(c, node, touched, by);
    }
  }

  /** Touches only the nodes of domains that become full, or are no longer. */
  #count(c: Counted, node: NodeInfo, touched: TouchedNodes, by: 1 | -1): void {
    const { domainOf } = c.constraint.topology;
    const domain = domainOf[node.slot]!;
    const before = c.minimum;
    const wasOpen = excess(c, domain) <= 0;
    c.pods[domain]! += by;
    c.minimum = minimumOf(c);
    if (c.minimum === before) {
      if (wasOpen !== excess(c, domain) <= 0) touchDomain(domainOf, domain, touched, node.table.end);
      return;
    }
    for (let d = 0; d < c.pods.length; d++) {
      if (c.pods[d] === -1) continue;
      const count = c.pods[d]! - (d === domain ? by : 0);
      const open = count + c.self - before <= c.constraint.maxSkew;
      if (open !== excess(c, d) <= 0) touchDomain(domainOf, d, touched, node.table.end);
    }
  }

  #hasAllLabels(node: NodeInfo): boolean {
    return this.#counted.every((c) => c.constraint.topology.domainOf[node.slot]! >= 0);
  }
}

/** By how much the skew would exceed maxSkew with the pod in the domain. */
function excess(c: Counted, domain: number): number {
  return Math.max(0, c.pods[domain] ?? 0) + c.self - c.minimum - c.constraint.maxSkew;
}

/** The global minimum is 0 when there are fewer domains than minDomains. */
function minimumOf(c: Counted): number {
  if (c.domains < c.constraint.minDomains) return 0;
  let minimum = Infinity;
  for (let d = 0; d < c.pods.length; d++) if (c.pods[d]! >= 0 && c.pods[d]! < minimum) minimum = c.pods[d]!;
  return minimum === Infinity ? 0 : minimum;
}

function touchDomain(domainOf: Int32Array, domain: number, touched: TouchedNodes, end: number): void {
  for (let slot = 0; slot < end; slot++) if (domainOf[slot] === domain) touched.add(slot);
}
