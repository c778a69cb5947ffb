/** Computes the replicas that each metric of a HorizontalPodAutoscaler proposes; the largest proposal counts. */
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
} from '../../api/generated/autoscaling-v2.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { errorMessage, parseQuantity, Quantity } from '../../base/index.ts';
import { isPodReady } from '../../component-helpers/index.ts';
import { labelSelectorAsSelector } from '../../machinery/selectors/index.ts';
import type { DescribedObject, MetricsClient } from './metrics-client.ts';
import {
  byAverage,
  byShare,
  byUtilization,
  byValue,
  requestsOf,
  type StartUpPeriods,
  type Tolerance,
} from './replica-calculator.ts';

export interface MetricContext {
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly metrics: MetricsClient;
  /** The pods that the scale's selector matches. */
  readonly pods: readonly Pod[];
  readonly selector: string;
  /** The replicas of the scale's spec, and of its status. */
  readonly current: number;
  readonly statusReplicas: number;
  readonly tolerance: Tolerance;
  readonly now: number;
  readonly startUp: StartUpPeriods;
  describe(reference: { apiVersion?: string; kind: string; name: string }): Promise<DescribedObject>;
}

export interface MetricProposal {
  readonly replicas: number;
  /** `cpu resource utilization (percentage of request)`. */
  readonly name: string;
  readonly status: MetricStatus;
}

export class MetricFailure extends Error {
  constructor(
    readonly reason: string,
    cause: unknown,
  ) {
    super(errorMessage(cause), { cause });
    this.name = 'MetricFailure';
  }
}

const milli = (text: string | undefined): number => parseQuantity(text ?? '0').milliValue();
const text = (value: number): string => Quantity.ofMilli(value).toString();
const selectorText = (metric: { selector?: Parameters<typeof labelSelectorAsSelector>[0] }): string =>
  metric.selector ? labelSelectorAsSelector(metric.selector).toString() : '';

const METRIC_SOURCES: ReadonlySet<string> = new Set(['Object', 'Pods', 'Resource', 'ContainerResource', 'External']);

/** Throws a MetricFailure with the reason of the condition. */
export async function proposalOf(spec: MetricSpec, context: MetricContext): Promise<MetricProposal> {
  try {
    return await compute(spec, context);
  } catch (error) {
    throw new MetricFailure(
      METRIC_SOURCES.has(spec.type) ? `FailedGet${spec.type}Metric` : 'InvalidMetricSourceType',
      error,
    );
  }
}

async function compute(spec: MetricSpec, context: MetricContext): Promise<MetricProposal> {
  const { metrics, pods, selector, current, statusReplicas, tolerance, autoscaler } = context;
  const { namespace = '' } = autoscaler.metadata;
  switch (spec.type) {
    case 'Resource':
    case 'ContainerResource':
      return resourceProposal(spec, context);
    case 'Pods': {
      const { metric, target } = required(spec.pods, 'pods');
      const { milliByPod } = await metrics.pods({
        metric: metric.name,
        namespace,
        selector,
        metricSelector: selectorText(metric),
      });
      const { replicas, value } = byAverage({ ...context, milliByPod, isCpu: false }, milli(target.averageValue));
      return {
        replicas,
        name: `pods metric ${metric.name}`,
        status: { type: 'Pods', pods: { metric, current: { averageValue: text(value) } } },
      };
    }
    case 'Object': {
      const { metric, target, describedObject } = required(spec.object, 'object');
      const value = await metrics.object({
        metric: metric.name,
        namespace,
        object: await context.describe(describedObject),
        metricSelector: selectorText(metric),
      });
      const { replicas, current: now } = single(target, value, {
        current,
        statusReplicas,
        tolerance,
        readyPods: pods.filter(isPodReady).length,
      });
      return {
        replicas,
        name: `${describedObject.kind} metric ${metric.name}`,
        status: { type: 'Object', object: { metric, describedObject, current: now } },
      };
    }
    case 'External': {
      const { metric, target } = required(spec.external, 'external');
      const values = await metrics.external({ metric: metric.name, namespace, metricSelector: selectorText(metric) });
      const { replicas, current: now } = single(
        target,
        values.reduce((sum, value) => sum + value, 0),
        { current, statusReplicas, tolerance, readyPods: pods.filter(isPodReady).length },
      );
      return {
        replicas,
        name: `external metric ${metric.name}(${selectorText(metric)})`,
        status: { type: 'External', external: { metric, current: now } },
      };
    }
    default:
      throw new Error(`unknown metric source type "${spec.type}"`);
  }
}

async function resourceProposal(spec: MetricSpec, context: MetricContext): Promise<MetricProposal> {
  const { metrics, selector, pods, autoscaler } = context;
  const source = required(spec.type === 'Resource' ? spec.resource : spec.containerResource, 'resource');
  const container = spec.type === 'ContainerResource' ? spec.containerResource?.container : undefined;
  const { name, target } = source;
  const { milliByPod } = await metrics.resource({
    resource: name,
    namespace: autoscaler.metadata.namespace ?? '',
    selector,
    container,
  });
  const usage = { ...context, milliByPod, isCpu: name === 'cpu' };
  const statusOf = (current: { averageValue: string; averageUtilization?: number }): MetricStatus =>
    container === undefined
      ? { type: 'Resource', resource: { name, current } }
      : { type: 'ContainerResource', containerResource: { name, container, current } };
  const what = container === undefined ? `${name} resource` : `${name} container resource`;
  if (target.averageValue !== undefined) {
    const { replicas, value } = byAverage(usage, milli(target.averageValue));
    return { replicas, name: what, status: statusOf({ averageValue: text(value) }) };
  }
  const { replicas, value, averageMilli } = byUtilization(
    usage,
    target.averageUtilization ?? 0,
    requestsOf(pods, name, container),
  );
  return {
    replicas,
    name: `${what} utilization (percentage of request)`,
    status: statusOf({ averageUtilization: value, averageValue: text(averageMilli) }),
  };
}

function single(
  target: MetricTarget,
  value: number,
  at: { current: number; statusReplicas: number; readyPods: number; tolerance: Tolerance },
): { replicas: number; current: { value?: string; averageValue?: string } } {
  if (target.value !== undefined)
    return {
      replicas: byValue({ milli: value, targetMilli: milli(target.value), ...at }).replicas,
      current: { value: text(value) },
    };
  if (target.averageValue === undefined) throw new Error('a target needs a value or an average value');
  const { replicas, value: average } = byShare({
    milli: value,
    targetMilli: milli(target.averageValue),
    current: at.statusReplicas,
    tolerance: at.tolerance,
  });
  return { replicas, current: { averageValue: text(average) } };
}

function required<T>(value: T | undefined, field: string): T {
  if (value === undefined) throw new Error(`the metric lacks its field ${field}`);
  return value;
}
