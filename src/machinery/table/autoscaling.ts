/** Table cells of the group autoscaling. */
import type { Scale } from '../../api/generated/autoscaling-v1.ts';
import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus } from '../../api/generated/autoscaling-v2.ts';
import { age, firstFew, nameOf, NONE, UNKNOWN, UNSET } from './cell-text.ts';
import type { Cell } from './table-printer.ts';

const MAX_METRICS = 2;

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

/** Of the stored version; a table of autoscaling/v1 is made of that, too. */
export function horizontalPodAutoscalerCells(autoscaler: HorizontalPodAutoscaler, now: number): Cell[] {
  const { spec, status } = autoscaler;
  const current = status?.currentMetrics ?? [];
  const metrics = (spec?.metrics ?? []).map((metric, index) => metricOf(metric, current[index]));
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

export const scaleCells = (scale: Scale, now: number): Cell[] => [
  nameOf(scale),
  scale.spec?.replicas ?? 0,
  scale.status?.replicas ?? 0,
  age(scale, now),
];
