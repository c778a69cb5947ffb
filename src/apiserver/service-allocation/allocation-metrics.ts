/** Metrics of the allocators of cluster IPs and node ports, under upstream's names. */
import type { Context, MetricsRegistry } from '../../kernel/index.ts';

/** Whether the client chose the address or port, or the allocator did. */
export type AllocationScope = 'static' | 'dynamic';

interface RangeUsage {
  readonly cidr: string;
  readonly allocated: number;
  readonly size: number;
}

interface PortUsage {
  readonly range: { readonly size: number };
  readonly allocated: number | undefined;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class ClusterIpMetrics {
  readonly #clock: Context['clock'];
  readonly #total;
  readonly #errors;
  readonly #duration;

  constructor({ clock, metrics }: Pick<Context, 'clock' | 'metrics'>, usage: () => readonly RangeUsage[]) {
    this.#clock = clock;
    const prefix = 'kube_apiserver_clusterip_allocator';
    const gauge = (name: string, help: string, value: (range: RangeUsage) => number): void =>
      metrics
        .gauge({ name: `${prefix}_${name}`, help, labels: ['cidr'] })
        .collectEach(() => usage().map((range) => ({ labels: { cidr: range.cidr }, value: value(range) })));
    gauge('allocated_ips', 'Number of allocated addresses of a range.', ({ allocated }) => allocated);
    gauge('available_ips', 'Number of free addresses of a range.', ({ allocated, size }) => size - allocated);
    this.#total = metrics.counter({
      name: `${prefix}_allocation_total`,
      help: 'Number of allocated addresses, by range and who chose them.',
      labels: ['cidr', 'scope'],
    });
    this.#errors = metrics.counter({
      name: `${prefix}_allocation_errors_total`,
      help: 'Number of failed allocations, by range and who chose the address.',
      labels: ['cidr', 'scope'],
    });
    this.#duration = metrics.histogram({
      name: `${prefix}_allocation_duration_seconds`,
      help: 'How long allocations took.',
      labels: ['cidr'],
      buckets: SECONDS,
    });
  }

  allocated(cidr: string, scope: AllocationScope, startedAt: number): void {
    this.#total.inc({ cidr, scope });
    this.#duration.observe((this.#clock.monotonic() - startedAt) / 1000, { cidr });
  }

  failed(cidr: string, scope: AllocationScope): void {
    this.#errors.inc({ cidr, scope });
  }
}

export class NodePortMetrics {
  readonly #total;
  readonly #errors;

  constructor(metrics: MetricsRegistry, allocator: () => PortUsage) {
    const prefix = 'kube_apiserver_nodeport_allocator';
    const allocated = (): number => allocator().allocated ?? 0;
    metrics.gauge({ name: `${prefix}_allocated_ports`, help: 'Number of allocated node ports.' }).collect(allocated);
    metrics
      .gauge({ name: `${prefix}_available_ports`, help: 'Number of free node ports.' })
      .collect(() => allocator().range.size - allocated());
    this.#total = metrics.counter({
      name: `${prefix}_allocation_total`,
      help: 'Number of allocated node ports, by who chose them.',
      labels: ['scope'],
    });
    this.#errors = metrics.counter({
      name: `${prefix}_allocation_errors_total`,
      help: 'Number of failed allocations of node ports, by who chose them.',
      labels: ['scope'],
    });
  }

  allocated(scope: AllocationScope): void {
    this.#total.inc({ scope });
  }

  failed(scope: AllocationScope): void {
    this.#errors.inc({ scope });
  }
}
