/**
 * autoscaling/v1 HorizontalPodAutoscalers are views of the stored v2 objects. Fields that v1 lacks (other metrics,
 * behavior, conditions) travel in annotations, so that a v1 client that writes back what it read loses nothing.
 */
import { isRecord, ownValue } from '../../../base/index.ts';
import { parseJson } from '../../../machinery/decode/index.ts';
import { behaviorFromAnnotation, behaviorToAnnotation, type KubeObject } from '../../../machinery/index.ts';
import { metricToV1, metricToV2 } from './convert-metrics.ts';

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

const DEFAULT_CPU_UTILIZATION = 80;

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
  for (const name of [METRICS, BEHAVIOR, CURRENT_METRICS, CONDITIONS]) delete annotations[name];
  const otherMetrics = metrics?.filter((metric) => !isCpuUtilization(metric)) ?? [];
  const toV1 = (metric: Metric): Fields => metricToV1(metric as unknown as Fields);
  if (otherMetrics.length > 0) annotations[METRICS] = JSON.stringify(otherMetrics.map(toV1));
  if (behavior) annotations[BEHAVIOR] = behaviorToAnnotation(behavior as Fields);
  if (currentMetrics && currentMetrics.length > 0) {
    annotations[CURRENT_METRICS] = JSON.stringify(currentMetrics.map(toV1));
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
  const metrics = readMetrics(annotations, METRICS, 'target') ?? [];
  if (cpu !== undefined || metrics.length === 0) {
    metrics.push({
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: cpu ?? DEFAULT_CPU_UTILIZATION } },
    });
  }
  spec['metrics'] = metrics;
  const behavior = behaviorFromAnnotation(readAnnotation(annotations, BEHAVIOR));
  if (behavior) spec['behavior'] = behavior;
  if (status['currentReplicas'] === 0) delete status['currentReplicas'];
  const currentMetrics = readMetrics(annotations, CURRENT_METRICS, 'current');
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
function readMetrics(
  annotations: Record<string, string>,
  name: string,
  word: 'target' | 'current',
): Metric[] | undefined {
  const read = readAnnotation(annotations, name);
  return isListOfRecords(read) ? read.map((metric) => metricToV2(metric, word) as unknown as Metric) : undefined;
}
