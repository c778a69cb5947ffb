/** CRI metrics of containers and sandboxes, under cAdvisor's names. */
import type { ContainerStats, Metric, MetricDescriptor, MetricType, PodSandboxStats } from '../../cri/index.ts';
import type { SandboxRecord } from '../records/sandbox-record.ts';

interface ContainerMetric {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  value(stats: ContainerStats): number | undefined;
}

const CONTAINER_LABELS = ['id', 'name', 'pod', 'namespace', 'container'];
const NETWORK_LABELS = ['id', 'name', 'pod', 'namespace', 'interface'];
const NANOSECONDS = 1e9;

const CONTAINER_METRICS: readonly ContainerMetric[] = [
  {
    name: 'container_cpu_usage_seconds_total',
    help: 'Cumulative cpu time consumed in seconds',
    type: 'COUNTER',
    value: ({ cpu }) =>
      cpu?.usageCoreNanoSeconds?.value === undefined
        ? undefined
        : Math.floor(cpu.usageCoreNanoSeconds.value / NANOSECONDS),
  },
  {
    name: 'container_memory_usage_bytes',
    help: 'Current memory usage in bytes, including all memory',
    type: 'GAUGE',
    value: ({ memory }) => memory?.usageBytes?.value,
  },
  {
    name: 'container_memory_working_set_bytes',
    help: 'Current working set in bytes',
    type: 'GAUGE',
    value: ({ memory }) => memory?.workingSetBytes?.value,
  },
  {
    name: 'container_memory_rss',
    help: 'Size of RSS in bytes',
    type: 'GAUGE',
    value: ({ memory }) => memory?.rssBytes?.value,
  },
  {
    name: 'container_memory_swap',
    help: 'Container swap usage in bytes',
    type: 'GAUGE',
    value: ({ swap }) => swap?.swapUsageBytes?.value,
  },
  {
    name: 'container_fs_usage_bytes',
    help: 'Bytes consumed by the container on its writable layer',
    type: 'GAUGE',
    value: ({ writableLayer }) => writableLayer?.usedBytes?.value,
  },
  {
    name: 'container_fs_inodes_used',
    help: 'Inodes used by the container on its writable layer',
    type: 'GAUGE',
    value: ({ writableLayer }) => writableLayer?.inodesUsed?.value,
  },
];

const NETWORK_METRICS = [
  { name: 'container_network_receive_bytes_total', help: 'Cumulative count of bytes received', field: 'rxBytes' },
  {
    name: 'container_network_receive_errors_total',
    help: 'Cumulative count of errors while receiving',
    field: 'rxErrors',
  },
  { name: 'container_network_transmit_bytes_total', help: 'Cumulative count of bytes transmitted', field: 'txBytes' },
  {
    name: 'container_network_transmit_errors_total',
    help: 'Cumulative count of errors while transmitting',
    field: 'txErrors',
  },
] as const;

export const METRIC_DESCRIPTORS: readonly MetricDescriptor[] = [
  ...CONTAINER_METRICS.map(({ name, help }) => ({ name, help, labelKeys: CONTAINER_LABELS })),
  ...NETWORK_METRICS.map(({ name, help }) => ({ name, help, labelKeys: NETWORK_LABELS })),
];

export function containerMetrics(
  stats: ContainerStats,
  { config: { metadata: pod = {} } }: SandboxRecord,
  timestamp: number,
): Metric[] {
  const { id = '', metadata = {} } = stats.attributes ?? {};
  const labelValues = [id, metadata.name ?? '', pod.name ?? '', pod.namespace ?? '', metadata.name ?? ''];
  return CONTAINER_METRICS.flatMap(({ name, type, value }) => {
    const number = value(stats);
    return number === undefined ? [] : [{ name, timestamp, metricType: type, labelValues, value: { value: number } }];
  });
}

export function sandboxNetworkMetrics({ attributes, linux }: PodSandboxStats, timestamp: number): Metric[] {
  const { id = '', metadata: pod = {} } = attributes ?? {};
  const { defaultInterface, interfaces = [] } = linux?.network ?? {};
  return [...(defaultInterface ? [defaultInterface] : []), ...interfaces].flatMap((usage) =>
    NETWORK_METRICS.map(({ name, field }) => ({
      name,
      timestamp,
      metricType: 'COUNTER' as const,
      labelValues: [id, pod.name ?? '', pod.name ?? '', pod.namespace ?? '', usage.name ?? ''],
      value: { value: usage[field]?.value ?? 0 },
    })),
  );
}
