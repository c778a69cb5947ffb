/** Validates the metrics of HorizontalPodAutoscalers. */
import type {
  ContainerResourceMetricSource,
  ExternalMetricSource,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from '../../../api/generated/autoscaling-v2.ts';
import { ownValue } from '../../../base/index.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  type Path,
  required,
} from '../../errors/index.ts';
import { dns1123Label, pathSegmentName } from '../../names/index.ts';
import { validateContainerResourceName } from '../core/resources.ts';
import { isPositiveQuantity } from '../quantities.ts';
import { validateObjectReference } from './object-reference.ts';

/** Each metric type has its own source field. */
const SOURCES = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
} as const;
const TYPES = Object.keys(SOURCES);
/** Upstream's order of validation: of several sources only the first is validated. */
const SOURCE_ORDER = ['object', 'external', 'pods', 'resource', 'containerResource'] as const;
const ONLY_ONE = 'must populate the given metric source only';

export function validateMetrics(
  errors: FieldError[],
  metrics: readonly MetricSpec[],
  at: Path,
  minReplicas: number | undefined,
): void {
  for (const [i, metric] of metrics.entries()) validateMetric(errors, metric, at.index(i));
  if (minReplicas !== 0 || metrics.some(({ type }) => type === 'Object' || type === 'External')) return;
  errors.push(
    forbiddenField(at, 'must specify at least one Object or External metric to support scaling to zero replicas'),
  );
}

function validateMetric(errors: FieldError[], metric: MetricSpec, at: Path): void {
  const type = metric.type ?? '';
  const expected = ownValue(SOURCES, type);
  if (type === '') errors.push(required(at.child('type'), 'must specify a metric source type'));
  if (!expected) errors.push(notSupported(at.child('type'), type, TYPES));
  const present = SOURCE_ORDER.filter((name) => metric[name] != null);
  const [first] = present;
  if (first) validateSource(errors, metric, first, at.child(first));
  if (!expected) errors.push(notSupported(at.child('type'), type, TYPES));
  else if (metric[expected] == null)
    errors.push(required(at.child(expected), 'must populate information for the given metric source'));
  if (present.length === 1) return;
  for (const name of present) if (name !== expected) errors.push(forbiddenField(at.child(name), ONLY_ONE));
}

function validateSource(errors: FieldError[], metric: MetricSpec, name: (typeof SOURCE_ORDER)[number], at: Path): void {
  if (name === 'object') validateObjectSource(errors, metric.object!, at);
  else if (name === 'external') validateExternalSource(errors, metric.external!, at);
  else if (name === 'pods') validatePodsSource(errors, metric.pods!, at);
  else validateResourceSource(errors, metric[name]!, at, name);
}

function validateObjectSource(errors: FieldError[], source: ObjectMetricSource, at: Path): void {
  validateObjectReference(errors, source.describedObject, at.child('describedObject'), {
    emptyGroup: true,
    invalidApiVersion: false,
  });
  validateIdentifier(errors, source.metric, at.child('metric'));
  validateTarget(errors, source.target, at.child('target'));
  if (source.target?.value == null && source.target?.averageValue == null) {
    errors.push(required(at.child('target', 'averageValue'), 'must set either a target value or averageValue'));
  }
}

function validateExternalSource(errors: FieldError[], source: ExternalMetricSource, at: Path): void {
  const { value, averageValue } = source.target ?? {};
  validateIdentifier(errors, source.metric, at.child('metric'));
  validateTarget(errors, source.target, at.child('target'));
  if (value == null && averageValue == null) {
    errors.push(
      required(at.child('target', 'averageValue'), 'must set either a target value for metric or a per-pod target'),
    );
  }
  if (value != null && averageValue != null) {
    errors.push(
      forbiddenField(at.child('target', 'value'), 'may not set both a target value for metric and a per-pod target'),
    );
  }
}

function validatePodsSource(errors: FieldError[], source: PodsMetricSource, at: Path): void {
  validateIdentifier(errors, source.metric, at.child('metric'));
  validateTarget(errors, source.target, at.child('target'));
  if (source.target?.averageValue == null) {
    errors.push(required(at.child('target', 'averageValue'), 'must specify a positive target averageValue'));
  }
}

function validateResourceSource(
  errors: FieldError[],
  source: ResourceMetricSource | ContainerResourceMetricSource,
  at: Path,
  kind: 'resource' | 'containerResource',
): void {
  if (!source.name) errors.push(required(at.child('name'), 'must specify a resource name'));
  else if (kind === 'containerResource') validateContainerResourceName(errors, source.name, at.child('name'));
  if (kind === 'containerResource') {
    const { container } = source as ContainerResourceMetricSource;
    if (!container) errors.push(required(at.child('container'), 'must specify a container'));
    else
      for (const message of dns1123Label(container))
        errors.push(invalidValue(at.child('container'), container, message));
  }
  const { averageUtilization, averageValue } = source.target ?? {};
  validateTarget(errors, source.target, at.child('target'));
  if (averageUtilization == null && averageValue == null) {
    errors.push(
      required(at.child('target', 'averageUtilization'), 'must set either a target raw value or a target utilization'),
    );
  }
  if (averageUtilization != null && averageValue != null) {
    errors.push(
      forbiddenField(
        at.child('target', 'averageValue'),
        'may not set both a target raw value and a target utilization',
      ),
    );
  }
}

const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue'];

function validateTarget(errors: FieldError[], target: MetricTarget | undefined, at: Path): void {
  const type = target?.type ?? '';
  if (type === '') errors.push(required(at.child('type'), 'must specify a metric target type'));
  if (!TARGET_TYPES.includes(type))
    errors.push(invalidValue(at.child('type'), type, 'must be either Utilization, Value, or AverageValue'));
  for (const name of ['value', 'averageValue'] as const) {
    const value = target?.[name];
    if (value != null && !isPositiveQuantity(value))
      errors.push(invalidValue(at.child(name), value, 'must be positive'));
  }
  const share = target?.averageUtilization;
  if (share != null && share < 1)
    errors.push(invalidValue(at.child('averageUtilization'), share, 'must be greater than 0'));
}

function validateIdentifier(errors: FieldError[], metric: MetricIdentifier | undefined, at: Path): void {
  const name = metric?.name ?? '';
  if (name === '') errors.push(required(at.child('name'), 'must specify a metric name'));
  else for (const message of pathSegmentName(name)) errors.push(invalidValue(at.child('name'), name, message));
}
