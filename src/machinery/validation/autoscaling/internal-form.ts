/**
 * Converts an autoscaling/v1 HorizontalPodAutoscaler to v2, the form that is validated. v1 has only CPU utilization;
 * annotations hold the other metrics and the behavior. Invalid annotations are ignored.
 */
import type { HorizontalPodAutoscaler as V1 } from '../../../api/generated/autoscaling-v1.ts';
import type {
  HorizontalPodAutoscalerBehavior,
  HorizontalPodAutoscalerSpec,
  MetricSpec,
  MetricTarget,
} from '../../../api/generated/autoscaling-v2.ts';
import { isRecord } from '../../../base/index.ts';
import { behaviorFromAnnotation } from '../../autoscaler-behavior.ts';
import { parseJson } from '../../decode/index.ts';

const METRICS_ANNOTATION = 'autoscaling.alpha.kubernetes.io/metrics';
const BEHAVIOR_ANNOTATION = 'autoscaling.alpha.kubernetes.io/behavior';

export function specOfV1({ metadata, spec }: V1): HorizontalPodAutoscalerSpec {
  const { targetCPUUtilizationPercentage: share, ...rest } = spec ?? {
    scaleTargetRef: { kind: '', name: '' },
    maxReplicas: 0,
  };
  const cpu: MetricSpec[] =
    share == null
      ? []
      : [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: share } } }];
  const annotated = parsed(metadata.annotations?.[METRICS_ANNOTATION]);
  const more = Array.isArray(annotated) ? annotated.filter(isRecord).map(metricOfV1) : [];
  const behavior = behaviorFromAnnotation(parsed(metadata.annotations?.[BEHAVIOR_ANNOTATION]));
  return {
    ...rest,
    metrics: [...more, ...cpu],
    ...(behavior ? { behavior: behavior as HorizontalPodAutoscalerBehavior } : {}),
  };
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return parseJson(text).value;
  } catch {
    return undefined;
  }
}

type Fields = Record<string, unknown>;
const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
const fieldsOf = (value: unknown): Fields | undefined => (isRecord(value) ? value : undefined);

function targetOf(fields: Fields, valueField: string, averageField: string): MetricTarget {
  const utilization = fields['targetAverageUtilization'];
  const [value, average] = [fields[valueField], fields[averageField]];
  const zero = value === undefined || value === null || value === '0';
  return {
    type: typeof utilization === 'number' ? 'Utilization' : zero ? 'AverageValue' : 'Value',
    ...(typeof utilization === 'number' ? { averageUtilization: utilization } : {}),
    ...(zero ? {} : { value: textOf(value) }),
    ...(average == null ? {} : { averageValue: textOf(average) }),
  };
}

function metricOfV1(metric: Fields): MetricSpec {
  const out: MetricSpec = { type: textOf(metric['type']) };
  const [object, pods, resource] = [fieldsOf(metric['object']), fieldsOf(metric['pods']), fieldsOf(metric['resource'])];
  const [container, external] = [fieldsOf(metric['containerResource']), fieldsOf(metric['external'])];
  if (object) {
    const described = fieldsOf(object['target']) ?? {};
    out.object = {
      describedObject: {
        kind: textOf(described['kind']),
        name: textOf(described['name']),
        apiVersion: textOf(described['apiVersion']),
      },
      metric: { name: textOf(object['metricName']) },
      target: targetOf(object, 'targetValue', 'averageValue'),
    };
  }
  if (pods)
    out.pods = { metric: { name: textOf(pods['metricName']) }, target: targetOf(pods, '', 'targetAverageValue') };
  if (resource) out.resource = { name: textOf(resource['name']), target: targetOf(resource, '', 'targetAverageValue') };
  if (container) {
    out.containerResource = {
      name: textOf(container['name']),
      container: textOf(container['container']),
      target: targetOf(container, '', 'targetAverageValue'),
    };
  }
  if (external) {
    out.external = {
      metric: { name: textOf(external['metricName']) },
      target: targetOf(external, 'targetValue', 'targetAverageValue'),
    };
  }
  return out;
}
