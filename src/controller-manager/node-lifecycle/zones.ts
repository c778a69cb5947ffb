/**
 * The eviction rate of a zone. When most nodes of a zone are not ready, the network is probably at fault, so pods are
 * evicted slowly or not at all; when no node of the cluster is ready, none are evicted.
 */
import type { Node } from '../../api/generated/core-v1.ts';
import { TokenBucket, type Clock } from '../../kernel/index.ts';
import type { EvictionRates } from './eviction-rates.ts';
import { readyCondition } from './taints.ts';

export type ZoneState = 'Initial' | 'Normal' | 'FullDisruption' | 'PartialDisruption';

export const zoneOf = ({ metadata: { labels = {} } }: Node): string => {
  const region = labels['topology.kubernetes.io/region'] ?? labels['failure-domain.beta.kubernetes.io/region'] ?? '';
  const zone = labels['topology.kubernetes.io/zone'] ?? labels['failure-domain.beta.kubernetes.io/zone'] ?? '';
  return region === '' && zone === '' ? '' : `${region}:\u0000:${zone}`;
};

export function zoneState(nodes: readonly Node[], rates: EvictionRates): ZoneState {
  const ready = nodes.filter((node) => readyCondition(node)?.status === 'True').length;
  const notReady = nodes.length - ready;
  if (ready === 0 && notReady > 0) return 'FullDisruption';
  return notReady > 2 && notReady / nodes.length >= rates.unhealthyThreshold ? 'PartialDisruption' : 'Normal';
}

/** The rate limiter of each zone: whether one more node may be evicted now. */
export class EvictionLimits {
  readonly #buckets = new Map<string, { rate: number; bucket: TokenBucket }>();

  readonly #clock: Clock;
  readonly #rates: EvictionRates;

  constructor(clock: Clock, rates: EvictionRates) {
    this.#clock = clock;
    this.#rates = rates;
  }

  tryTake(zone: string, state: ZoneState, size: number): boolean {
    const rate = this.#rateOf(state, size);
    if (rate === 0) return false;
    let limit = this.#buckets.get(zone);
    if (limit?.rate !== rate)
      this.#buckets.set(zone, (limit = { rate, bucket: new TokenBucket(this.#clock, { qps: rate, burst: 1 }) }));
    return limit.bucket.tryTake();
  }

  #rateOf(state: ZoneState, size: number): number {
    if (state !== 'PartialDisruption') return this.#rates.primary;
    return size > this.#rates.largeClusterSize ? this.#rates.secondary : 0;
  }
}
