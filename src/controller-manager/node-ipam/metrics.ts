/** How much of the cluster CIDRs nodes have, by the CIDR. */
import { exponentialBuckets, type MetricsRegistry } from '../../kernel/index.ts';

const SUBSYSTEM = 'node_ipam_controller';

export class CidrSetMetrics {
  readonly #allocations;
  readonly #releases;
  readonly #maximum;
  readonly #usage;
  readonly #tries;

  constructor(metrics: MetricsRegistry) {
    const labels = ['clusterCIDR'] as const;
    const named = (name: string, help: string) => ({ name: `${SUBSYSTEM}_${name}`, help, labels });
    this.#allocations = metrics.counter(named('cidrset_cidrs_allocations_total', 'CIDRs that were allocated.'));
    this.#releases = metrics.counter(named('cidrset_cidrs_releases_total', 'CIDRs that were released.'));
    // Upstream's name has this spelling.
    this.#maximum = metrics.gauge(named('cirdset_max_cidrs', 'CIDRs that the cluster CIDR has.'));
    this.#usage = metrics.gauge(named('cidrset_usage_cidrs', 'The share of the CIDRs that is allocated.'));
    this.#tries = metrics.histogram({
      ...named('cidrset_allocation_tries_per_request', 'Allocated CIDRs that were looked at before a free one.'),
      buckets: exponentialBuckets(1, 5, 5),
    });
  }

  created(clusterCIDR: string, count: bigint): void {
    this.#maximum.set(Number(count), { clusterCIDR });
  }

  allocated(clusterCIDR: string, usage: number, tries?: number): void {
    this.#allocations.inc({ clusterCIDR });
    this.#usage.set(usage, { clusterCIDR });
    if (tries !== undefined) this.#tries.observe(tries, { clusterCIDR });
  }

  released(clusterCIDR: string, usage: number): void {
    this.#releases.inc({ clusterCIDR });
    this.#usage.set(usage, { clusterCIDR });
  }
}
