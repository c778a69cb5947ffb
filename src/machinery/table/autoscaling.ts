/** Table cells of the group autoscaling. */
import type {
  HorizontalPodAutoscaler as HorizontalPodAutoscalerV1,
  Scale,
} from '../../api/generated/autoscaling-v1.ts';
import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus } from '../../api/generated/autoscaling-v2.ts';
import { isRecord } from '../../base/index.ts';
import { parseJson } from '../decode/index.ts';
import { age, firstFew, nameOf, NONE, UNKNOWN, UNSET } from './cell-text.ts';
import type { Cell } from './table-printer.ts';

const MAX_METRICS = 2;
const METRICS_ANNOTATION = 'autoscaling.alpha.kubernetes.io/metrics';
const CURRENT_METRICS_ANNOTATION = 'autoscaling.alpha.kubernetes.io/current-metrics';

interface Amount {
  readonly value?: string;
  readonly averageValue?: string;
  readonly averageUtilization?: number;
}

/** A metric of any type with its target and current value. */
interface Metric {
  readonly type: string;
  readonly name: string;
  readonly target: Amount;
  readonly current: Amount;
}

const percent = (value: number | undefined): string | undefined => (value === undefined ? undefined : `${value}%`);

/** `cpu: 33%/60%`, `100/500 (avg)`: the current value over the target. */
function metricText({ type, name, target, current }: Metric): string {
  const average = `${current.averageValue ?? UNKNOWN}/${target.averageValue ?? '0'}`;
  const hasAverage = target.averageValue !== undefined;
  switch (type) {
    case 'External':
    case 'Object':
      return hasAverage ? `${average} (avg)` : `${current.value ?? UNKNOWN}/${target.value ?? '0'}`;
    case 'Pods':
      return average;
    case 'Resource':
    case 'ContainerResource':
      if (hasAverage) return `${name}: ${average}`;
      return `${name}: ${percent(current.averageUtilization) ?? UNKNOWN}/${percent(target.averageUtilization) ?? '<auto>'}`;
    default:
      return '<unknown type>';
  }
}

/** The source or status of a metric: the field that its type names. */
const SOURCES: ReadonlyMap<string, 'external' | 'object' | 'pods' | 'resource' | 'containerResource'> = new Map(
  Object.entries<'external' | 'object' | 'pods' | 'resource' | 'containerResource'>({
    External: 'external',
    Object: 'object',
    Pods: 'pods',
    Resource: 'resource',
    ContainerResource: 'containerResource',
  }),
);

function metricOf(spec: MetricSpec, status: MetricStatus | undefined): Metric {
  const field = SOURCES.get(spec.type);
  const source = field && spec[field];
  return {
    type: spec.type,
    name: source && 'name' in source ? source.name : '',
    target: source?.target ?? {},
    current: (field && status?.[field]?.current) ?? {},
  };
}

type AnyAutoscaler = HorizontalPodAutoscaler | HorizontalPodAutoscalerV1;

function autoscalerCells(autoscaler: AnyAutoscaler, metrics: readonly Metric[], now: number): Cell[] {
  const { spec, status } = autoscaler;
  return [
    nameOf(autoscaler),
    `${spec?.scaleTargetRef.kind ?? ''}/${spec?.scaleTargetRef.name ?? ''}`,
    metrics.length === 0 ? NONE : firstFew(metrics.map(metricText), MAX_METRICS, ', '),
    spec?.minReplicas === undefined ? UNSET : `${spec.minReplicas}`,
    spec?.maxReplicas ?? 0,
    status?.currentReplicas ?? 0,
    age(autoscaler, now),
  ];
}

export function horizontalPodAutoscalerCells(autoscaler: HorizontalPodAutoscaler, now: number): Cell[] {
  const current = autoscaler.status?.currentMetrics ?? [];
  const metrics = (autoscaler.spec?.metrics ?? []).map((spec, index) => metricOf(spec, current[index]));
  return autoscalerCells(autoscaler, metrics, now);
}

/** autoscaling/v1 has only a CPU utilization; annotations hold the other metrics. */
export function horizontalPodAutoscalerV1Cells(autoscaler: HorizontalPodAutoscalerV1, now: number): Cell[] {
  const { metadata, spec, status } = autoscaler;
  const targetCpu = spec?.targetCPUUtilizationPercentage;
  const cpu: Metric = {
    type: 'Resource',
    name: 'cpu',
    target: { averageUtilization: targetCpu },
    current: { averageUtilization: status?.currentCPUUtilizationPercentage },
  };
  const current = parseMetrics(metadata?.annotations?.[CURRENT_METRICS_ANNOTATION]);
  const others = parseMetrics(metadata?.annotations?.[METRICS_ANNOTATION]).map((metric, index) =>
    version1Metric(metric, current[index]),
  );
  return autoscalerCells(autoscaler, targetCpu === undefined ? others : [...others, cpu], now);
}

function parseMetrics(text: string | undefined): Record<string, unknown>[] {
  try {
    const { value: parsed } = parseJson(text ?? '[]');
    return Array.isArray(parsed) ? parsed.filter(isRecord) : [];
  } catch {
    return [];
  }
}

/** `{ type: Pods, pods: { targetAverageValue } }`. */
function version1Metric(spec: Record<string, unknown>, status: Record<string, unknown> | undefined): Metric {
  const type = String(spec['type']);
  const field = SOURCES.get(type) ?? '';
  const source = isRecord(spec[field]) ? spec[field] : {};
  const state = isRecord(status?.[field]) ? status[field] : {};
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const amount = (from: Record<string, unknown>, prefix: string): Amount => {
    const utilization = from[`${prefix}AverageUtilization`];
    return {
      value: text(from[`${prefix}Value`]),
      averageValue: text(from[`${prefix}AverageValue`] ?? from['averageValue']),
      averageUtilization: typeof utilization === 'number' ? utilization : undefined,
    };
  };
  return {
    type,
    name: text(source['name']) ?? '',
    target: amount(source, 'target'),
    current: amount(state, 'current'),
  };
}

export const scaleCells = (scale: Scale, now: number): Cell[] => [
  nameOf(scale),
  scale.spec?.replicas ?? 0,
  scale.status?.replicas ?? 0,
  age(scale, now),
];
