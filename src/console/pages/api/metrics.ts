/** Rates and latencies from two readings of the API server's /metrics, ours or upstream's. */

/** Who sends the requests, by the flow schemas that all API servers have. */
const CLIENTS = {
  scheduler: ['kube-scheduler'],
  controllers: ['kube-controller-manager', 'kube-system-service-accounts', 'system-leader-election'],
  kubelets: ['system-nodes', 'system-node-high'],
  others: ['service-accounts', 'probes'],
  // Administrators are exempt from flow control.
  clients: ['global-default', 'exempt', 'catch-all'],
} as const satisfies Record<string, readonly string[]>;

export type Client = keyof typeof CLIENTS;

interface Sums {
  count: number;
  seconds: number;
  timed: number;
}

export interface Metrics {
  readonly at: number;
  readonly all: Readonly<Sums>;
  readonly store: Readonly<Sums>;
  readonly writes: number;
  readonly clients: Readonly<Record<Client, Sums>>;
}

interface Rate {
  readonly rate: number;
  readonly latencyMs?: number;
}

export interface Rates extends Rate {
  readonly store: Rate;
  readonly clients: Readonly<Record<Client, Rate>>;
}

/** The samples that are read here. Our API server sends no others then; upstream's sends all. */
const SAMPLES = [
  'apiserver_request_total',
  'apiserver_request_duration_seconds_sum',
  'apiserver_request_duration_seconds_count',
  'etcd_request_duration_seconds_sum',
  'etcd_request_duration_seconds_count',
  'apiserver_flowcontrol_dispatched_requests_total',
  'apiserver_flowcontrol_request_execution_seconds_sum',
  'apiserver_flowcontrol_request_execution_seconds_count',
] as const;

export const METRICS_PATH = `/metrics?${new URLSearchParams(SAMPLES.map((name) => ['name[]', name])).toString()}`;

const names = Object.keys(CLIENTS) as Client[];
const clientOf = new Map(names.flatMap((name) => CLIENTS[name].map((schema) => [schema as string, name] as const)));
const none = (): Sums => ({ count: 0, seconds: 0, timed: 0 });

export function readMetrics(text: string): Metrics {
  const [all, store] = [none(), none()];
  const clients = Object.fromEntries(names.map((name) => [name, none()])) as Record<Client, Sums>;
  let writes = 0;
  for (const line of text.split('\n')) {
    if (line.startsWith('#') || line.includes('_bucket{')) continue;
    const value = (): number => Number(line.slice(line.lastIndexOf(' ') + 1)) || 0;
    if (line.startsWith('apiserver_request_total')) {
      all.count += value();
      if (/verb="(?:POST|PUT|PATCH|DELETE|APPLY)"/.test(line)) writes += value();
    } else if (line.startsWith('apiserver_request_duration_seconds_')) {
      // Watches last as long as their clients want.
      if (/verb="(?:WATCH|CONNECT)"/.test(line)) continue;
      if (line.startsWith('apiserver_request_duration_seconds_sum')) all.seconds += value();
      else if (line.startsWith('apiserver_request_duration_seconds_count')) all.timed += value();
    } else if (line.startsWith('etcd_request_duration_seconds_sum')) store.seconds += value();
    else if (line.startsWith('etcd_request_duration_seconds_count')) {
      store.count += value();
      store.timed += value();
    } else if (line.startsWith('apiserver_flowcontrol_')) {
      const schema = /flow_schema="([^"]*)"/.exec(line)?.[1];
      const client = schema === undefined ? undefined : (clientOf.get(schema) ?? 'others');
      if (client === undefined) continue;
      const sums = clients[client];
      if (line.startsWith('apiserver_flowcontrol_dispatched_requests_total')) sums.count += value();
      else if (line.startsWith('apiserver_flowcontrol_request_execution_seconds_sum')) sums.seconds += value();
      else if (line.startsWith('apiserver_flowcontrol_request_execution_seconds_count')) sums.timed += value();
    }
  }
  return { at: performance.now(), all, store, writes, clients };
}

export function ratesBetween(before: Metrics, after: Metrics): Rates {
  const seconds = Math.max(0.001, (after.at - before.at) / 1000);
  const rate = (a: Sums, b: Sums): Rate => {
    const timed = b.timed - a.timed;
    return {
      rate: Math.max(0, b.count - a.count) / seconds,
      ...(timed > 0 ? { latencyMs: ((b.seconds - a.seconds) / timed) * 1000 } : {}),
    };
  };
  const clients = Object.fromEntries(names.map((name) => [name, rate(before.clients[name], after.clients[name])]));
  // An embedded store has no metrics of its own: every write reaches it.
  const store =
    after.store.count > 0
      ? rate(before.store, after.store)
      : { rate: Math.max(0, after.writes - before.writes) / seconds };
  return { ...rate(before.all, after.all), store, clients: clients as Record<Client, Rate> };
}
