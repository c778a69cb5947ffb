/**
 * autoscaling/v1 HorizontalPodAutoscalers are views of the stored v2 objects. Fields that v1 lacks (other metrics,
 * behavior, conditions) travel in annotations, so that a v1 client that writes back what it read loses nothing.
 */
import { isRecord, ownValue } from '../../base/index.ts';
import { parseJson } from '../../machinery/decode/index.ts';
import type { KubeObject } from '../../machinery/index.ts';

const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const CURRENT_METRICS = 'autoscaling.alpha.kubernetes.io/current-metrics';
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions';
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';

/** The annotations that stand for fields of the spec, and of the status. */
export const SPEC_ANNOTATIONS: readonly string[] = [METRICS, BEHAVIOR];
export const STATUS_ANNOTATIONS: readonly string[] = [CURRENT_METRICS, CONDITIONS];

interface Metric {
  type: string;
  resource?: {
    name: string;
    target?: { type?: string; averageUtilization?: number };
    current?: { averageUtilization?: number; averageValue?: string };
  };
}

type Fields = Record<string, unknown>;

const isCpuUtilization = (metric: Metric): boolean =>
  metric.type === 'Resource' &&
  metric.resource?.name === 'cpu' &&
  metric.resource.target?.averageUtilization !== undefined;

export function autoscalerFromV2(hpa: KubeObject): KubeObject {
  const { metrics, behavior, ...spec } = (hpa['spec'] ?? {}) as Fields & { metrics?: Metric[]; behavior?: unknown };
  const { currentMetrics, conditions, ...status } = (hpa['status'] ?? {}) as Fields & {
    currentMetrics?: Metric[] | null;
    conditions?: unknown[];
  };
  const annotations: Record<string, string> = { ...hpa.metadata.annotations };
  const cpu = metrics?.find(isCpuUtilization);
  if (cpu) spec['targetCPUUtilizationPercentage'] = cpu.resource!.target!.averageUtilization;
  const otherMetrics = metrics?.filter((metric) => metric !== cpu) ?? [];
  if (otherMetrics.length > 0) annotations[METRICS] = JSON.stringify(otherMetrics.map(metricToV1));
  if (behavior) annotations[BEHAVIOR] = JSON.stringify(behavior);
  if (currentMetrics && currentMetrics.length > 0) {
    annotations[CURRENT_METRICS] = JSON.stringify(currentMetrics.map(metricToV1));
    const current = currentMetrics.find((m) => m.type === 'Resource' && m.resource?.name === 'cpu');
    const utilization = current?.resource?.current?.averageUtilization;
    if (utilization !== undefined) status['currentCPUUtilizationPercentage'] = utilization;
  }
  if (conditions && conditions.length > 0) annotations[CONDITIONS] = JSON.stringify(conditions);
  status['currentReplicas'] ??= 0;
  status['desiredReplicas'] ??= 0;
  return withAnnotations({ ...hpa, apiVersion: 'autoscaling/v1', spec, status }, annotations);
}

export function autoscalerToV2(hpa: KubeObject): KubeObject {
  const { targetCPUUtilizationPercentage: cpu, ...spec } = (hpa['spec'] ?? {}) as Fields & {
    targetCPUUtilizationPercentage?: number;
  };
  const { currentCPUUtilizationPercentage: currentCpu, ...status } = (hpa['status'] ?? {}) as Fields & {
    currentCPUUtilizationPercentage?: number;
  };
  const annotations: Record<string, string> = { ...hpa.metadata.annotations };
  const metrics = readMetrics(annotations, METRICS) ?? [];
  if (cpu !== undefined) {
    metrics.unshift({
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: cpu } },
    });
  }
  if (metrics.length > 0) spec['metrics'] = metrics;
  const behavior = readAnnotation(annotations, BEHAVIOR);
  if (isRecord(behavior)) spec['behavior'] = behavior;
  const currentMetrics = readMetrics(annotations, CURRENT_METRICS);
  status['currentMetrics'] =
    currentMetrics ??
    (currentCpu === undefined
      ? null
      : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: currentCpu } } }]);
  const conditions = readAnnotation(annotations, CONDITIONS);
  if (isListOfRecords(conditions)) status['conditions'] = conditions;
  for (const name of [METRICS, BEHAVIOR, CURRENT_METRICS, CONDITIONS]) delete annotations[name];
  return withAnnotations({ ...hpa, apiVersion: 'autoscaling/v2', spec, status }, annotations);
}

function withAnnotations(hpa: KubeObject, annotations: Record<string, string>): KubeObject {
  const { annotations: _, ...metadata } = hpa.metadata;
  return { ...hpa, metadata: Object.keys(annotations).length > 0 ? { ...metadata, annotations } : metadata };
}

function readAnnotation(annotations: Record<string, string>, name: string): unknown {
  try {
    const text = ownValue(annotations, name);
    return text === undefined ? undefined : parseJson(text).value;
  } catch {
    return undefined;
  }
}

const isListOfRecords = (value: unknown): value is Fields[] => Array.isArray(value) && value.every(isRecord);

/** undefined for an annotation that is not a list of metrics. */
function readMetrics(annotations: Record<string, string>, name: string): Metric[] | undefined {
  const read = readAnnotation(annotations, name);
  return isListOfRecords(read) ? read.map(metricToV2) : undefined;
}

/** The annotations use the form of v2beta1: targets and current values are fields of the source itself. */
function metricToV1(metric: Metric): Fields {
  const sourceName = Object.keys(metric).find((key) => key !== 'type');
  if (!sourceName) return { ...metric };
  const {
    target,
    current,
    metric: identifier,
    describedObject,
    ...source
  } = (metric as unknown as Record<string, Fields>)[sourceName]! as Fields & {
    target?: Fields;
    current?: Fields;
    metric?: { name: string; selector?: unknown };
    describedObject?: unknown;
  };
  const flat: Fields = { ...source };
  if (describedObject) flat['target'] = describedObject;
  if (identifier) {
    flat['metricName'] = identifier.name;
    if (identifier.selector) flat[sourceName === 'external' ? 'metricSelector' : 'selector'] = identifier.selector;
  }
  if (target?.['averageUtilization'] !== undefined) flat['targetAverageUtilization'] = target['averageUtilization'];
  if (target?.['averageValue'] !== undefined)
    flat[describedObject ? 'averageValue' : 'targetAverageValue'] = target['averageValue'];
  if (target?.['value'] !== undefined) flat['targetValue'] = target['value'];
  if (current?.['averageUtilization'] !== undefined) flat['currentAverageUtilization'] = current['averageUtilization'];
  // v1 always writes the average, 0 when it is unknown.
  if (current && !describedObject && sourceName !== 'external')
    flat['currentAverageValue'] = current['averageValue'] ?? '0';
  else if (current?.['averageValue'] !== undefined) flat['currentAverageValue'] = current['averageValue'];
  if (current?.['value'] !== undefined) flat['currentValue'] = current['value'];
  return { type: metric.type, [sourceName]: flat };
}

function metricToV2(metric: Fields): Metric {
  const sourceName = Object.keys(metric).find((key) => key !== 'type');
  const described = sourceName === undefined ? undefined : metric[sourceName];
  if (sourceName === undefined || !isRecord(described)) return metric as unknown as Metric;
  const {
    metricName,
    metricSelector,
    selector,
    target: describedObject,
    averageValue,
    targetAverageUtilization,
    targetAverageValue,
    targetValue,
    currentAverageUtilization,
    currentAverageValue,
    currentValue,
    ...source
  } = described;
  const deep: Fields = { ...source };
  if (describedObject) deep['describedObject'] = describedObject;
  if (metricName !== undefined)
    deep['metric'] = {
      name: metricName,
      ...((metricSelector ?? selector) ? { selector: metricSelector ?? selector } : {}),
    };
  const target: Fields = {};
  if (targetAverageUtilization !== undefined)
    Object.assign(target, { type: 'Utilization', averageUtilization: targetAverageUtilization });
  if (targetAverageValue !== undefined || averageValue !== undefined)
    Object.assign(target, { type: 'AverageValue', averageValue: targetAverageValue ?? averageValue });
  if (targetValue !== undefined) Object.assign(target, { type: 'Value', value: targetValue });
  if (Object.keys(target).length > 0) deep['target'] = target;
  const current: Fields = {};
  if (currentAverageUtilization !== undefined) current['averageUtilization'] = currentAverageUtilization;
  if (currentAverageValue !== undefined) current['averageValue'] = currentAverageValue;
  if (currentValue !== undefined) current['value'] = currentValue;
  if (Object.keys(current).length > 0) deep['current'] = current;
  return { type: metric['type'] as string, [sourceName]: deep } as unknown as Metric;
}
