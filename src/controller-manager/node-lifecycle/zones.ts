/**
 * How fast the nodes of a zone may be emptied. When most of a zone is away the fault is rather in the network than in the
 * nodes, and moving all their pods would make it worse; when everything is away nothing is moved at all.
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
  const away = nodes.length - ready;
  if (ready === 0 && away > 0) return 'FullDisruption';
  return away > 2 && away / nodes.length >= rates.unhealthyThreshold ? 'PartialDisruption' : 'Normal';
}

/** Whether one more node of a zone may be emptied now. */
export class EvictionLimits {
  readonly #buckets = new Map<string, { rate: number; bucket: TokenBucket }>();

  constructor(
    private readonly clock: Clock,
    private readonly rates: EvictionRates,
  ) {}

  tryTake(zone: string, state: ZoneState, size: number): boolean {
    const rate = this.#rateOf(state, size);
    if (rate === 0) return false;
    let limit = this.#buckets.get(zone);
    if (limit?.rate !== rate)
      this.#buckets.set(zone, (limit = { rate, bucket: new TokenBucket(this.clock, { qps: rate, burst: 1 }) }));
    return limit.bucket.tryTake();
  }

  #rateOf(state: ZoneState, size: number): number {
    if (state !== 'PartialDisruption') return this.rates.primary;
    return size > this.rates.largeClusterSize ? this.rates.secondary : 0;
  }
}
