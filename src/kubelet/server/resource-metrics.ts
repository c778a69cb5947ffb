/** What pods use in Prometheus' format: /metrics/resource for metrics-server, /metrics/cadvisor for dashboards, and their volumes on /metrics. */
import { parseTime } from '../../base/index.ts';
import type { Machine } from '../node/machine.ts';
import type { ContainerSummary, PodSummary, Summary, VolumeSummary } from './stats/summary-types.ts';

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

class Exposition {
  readonly #lines: string[] = [];

  add(name: string, type: 'counter' | 'gauge', help: string, series: readonly Series[]): void {
    this.#lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    for (const { labels, value } of series) {
      const text = Object.entries(labels)
        .map(([key, label]) => `${key}=${JSON.stringify(label)}`)
        .join(',');
      this.#lines.push(`${name}${text === '' ? '' : `{${text}}`} ${value}`);
    }
  }

  toString(): string {
    return this.#lines.length === 0 ? '' : `${this.#lines.join('\n')}\n`;
  }
}

const seconds = (nanoseconds: number | undefined): number => (nanoseconds ?? 0) / 1e9;

function containers(pods: readonly PodSummary[]) {
  return pods.flatMap((pod) =>
    pod.containers.map((container) => ({
      labels: { container: container.name, namespace: pod.podRef.namespace, pod: pod.podRef.name },
      container,
    })),
  );
}

export function resourceMetrics({ node, pods }: Summary): string {
  const out = new Exposition();
  const all = containers(pods);
  const ofPods = pods.map((pod) => ({ labels: { namespace: pod.podRef.namespace, pod: pod.podRef.name }, pod }));
  out.add(
    'container_cpu_usage_seconds_total',
    'counter',
    '[STABLE] Cumulative cpu time consumed by the container in core-seconds',
    all.map(({ labels, container }) => ({ labels, value: seconds(container.cpu?.usageCoreNanoSeconds) })),
  );
  out.add(
    'container_memory_working_set_bytes',
    'gauge',
    '[STABLE] Current working set of the container in bytes',
    all.map(({ labels, container }) => ({ labels, value: container.memory?.workingSetBytes ?? 0 })),
  );
  out.add(
    'container_start_time_seconds',
    'gauge',
    '[STABLE] Start time of the container since unix epoch in seconds',
    all.map(({ labels, container }) => ({ labels, value: parseTime(container.startTime) / 1000 })),
  );
  out.add(
    'node_cpu_usage_seconds_total',
    'counter',
    '[STABLE] Cumulative cpu time consumed by the node in core-seconds',
    [{ labels: {}, value: seconds(node.cpu.usageCoreNanoSeconds) }],
  );
  out.add('node_memory_working_set_bytes', 'gauge', '[STABLE] Current working set of the node in bytes', [
    { labels: {}, value: node.memory.workingSetBytes ?? 0 },
  ]);
  out.add(
    'pod_cpu_usage_seconds_total',
    'counter',
    '[STABLE] Cumulative cpu time consumed by the pod in core-seconds',
    ofPods.map(({ labels, pod }) => ({ labels, value: seconds(pod.cpu?.usageCoreNanoSeconds) })),
  );
  out.add(
    'pod_memory_working_set_bytes',
    'gauge',
    '[STABLE] Current working set of the pod in bytes',
    ofPods.map(({ labels, pod }) => ({ labels, value: pod.memory?.workingSetBytes ?? 0 })),
  );
  out.add(
    'resource_scrape_error',
    'gauge',
    '[STABLE] 1 if there was an error while getting container metrics, 0 otherwise',
    [{ labels: {}, value: 0 }],
  );
  return out.toString();
}

/** Metrics of cAdvisor that the runtime's statistics can answer, for each container. */
const CADVISOR_METRICS: readonly (readonly [
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  value: (container: ContainerSummary) => number,
])[] = [
  [
    'container_cpu_usage_seconds_total',
    'counter',
    'Cumulative cpu time consumed in seconds.',
    ({ cpu }) => seconds(cpu?.usageCoreNanoSeconds),
  ],
  [
    'container_memory_usage_bytes',
    'gauge',
    'Current memory usage in bytes, including all memory regardless of when it was accessed',
    ({ memory }) => memory?.usageBytes ?? 0,
  ],
  [
    'container_memory_working_set_bytes',
    'gauge',
    'Current working set in bytes.',
    ({ memory }) => memory?.workingSetBytes ?? 0,
  ],
  ['container_memory_rss', 'gauge', 'Size of RSS in bytes.', ({ memory }) => memory?.rssBytes ?? 0],
  [
    'container_fs_usage_bytes',
    'gauge',
    'Number of bytes that are consumed by the container on this filesystem.',
    ({ rootfs }) => rootfs?.usedBytes ?? 0,
  ],
  [
    'container_start_time_seconds',
    'gauge',
    'Start time of the container since unix epoch in seconds.',
    ({ startTime }) => parseTime(startTime) / 1000,
  ],
];

const NETWORK_METRICS = [
  ['receive_bytes', 'rxBytes'],
  ['receive_errors', 'rxErrors'],
  ['transmit_bytes', 'txBytes'],
  ['transmit_errors', 'txErrors'],
] as const;

export function cadvisorMetrics({ pods }: Summary, machine: Machine): string {
  const out = new Exposition();
  const all = containers(pods);
  for (const [name, type, help, read] of CADVISOR_METRICS)
    out.add(
      name,
      type,
      help,
      all.map(({ labels, container }) => ({ labels, value: read(container) })),
    );
  const interfaces = pods.flatMap((pod) =>
    (pod.network?.interfaces ?? []).map((one) => ({
      labels: { interface: one.name, namespace: pod.podRef.namespace, pod: pod.podRef.name },
      one,
    })),
  );
  for (const [name, key] of NETWORK_METRICS)
    out.add(
      `container_network_${name}_total`,
      'counter',
      `Cumulative count of ${name.replace('_', ' ')}.`,
      interfaces.map(({ labels, one }) => ({ labels, value: one[key] ?? 0 })),
    );
  const labels = { boot_id: machine.bootId, machine_id: machine.machineId, system_uuid: machine.systemUuid };
  out.add('machine_cpu_cores', 'gauge', 'Number of logical CPU cores.', [{ labels, value: machine.cpus }]);
  out.add('machine_memory_bytes', 'gauge', 'Amount of memory installed on the machine.', [
    { labels, value: machine.memoryBytes },
  ]);
  return out.toString();
}

const VOLUME_METRICS: readonly (readonly [
  name: string,
  help: string,
  value: (volume: VolumeSummary) => number | undefined,
])[] = [
  ['available_bytes', 'Number of available bytes in the volume', (volume) => volume.availableBytes],
  ['capacity_bytes', 'Capacity in bytes of the volume', (volume) => volume.capacityBytes],
  [
    'health_status_abnormal',
    'Abnormal volume health status. The count is either 1 or 0. 1 indicates the volume is unhealthy, 0 indicates volume is healthy',
    ({ volumeHealthStats }) => volumeHealthStats && Number(volumeHealthStats.abnormal),
  ],
  ['inodes', 'Maximum number of inodes in the volume', (volume) => volume.inodes],
  ['inodes_free', 'Number of free inodes in the volume', (volume) => volume.inodesFree],
  ['inodes_used', 'Number of used inodes in the volume', (volume) => volume.inodesUsed],
  ['used_bytes', 'Number of used bytes in the volume', (volume) => volume.usedBytes],
];

/** Nothing where there are no volumes of claims. */
export function volumeMetrics(volumes: readonly VolumeSummary[]): string {
  const out = new Exposition();
  for (const [name, help, read] of VOLUME_METRICS) {
    const series = volumes.flatMap((volume) => {
      const value = read(volume);
      return value === undefined || volume.pvcRef === undefined
        ? []
        : [{ labels: { namespace: volume.pvcRef.namespace, persistentvolumeclaim: volume.pvcRef.name }, value }];
    });
    if (series.length > 0) out.add(`kubelet_volume_stats_${name}`, 'gauge', `[ALPHA] ${help}`, series);
  }
  return out.toString();
}
