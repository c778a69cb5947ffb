/** Defaults of HorizontalPodAutoscalers. */
import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerV1 } from '../../api/generated/autoscaling-v1.ts';
import type {
  HorizontalPodAutoscalerBehavior,
  HorizontalPodAutoscalerSpec,
  HPAScalingRules,
  MetricSpec,
} from '../../api/generated/autoscaling-v2.ts';
import { parseJson } from '../decode/index.ts';
import { inOrderOf } from './declared-order.ts';

const DEFAULT_CPU_UTILIZATION = 80;

const SCALE_UP: HPAScalingRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};

/** The stabilization window of scaling down is a setting of the controller. */
const SCALE_DOWN: HPAScalingRules = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

const CPU_METRIC: MetricSpec = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: DEFAULT_CPU_UTILIZATION } },
};

export const defaultHorizontalPodAutoscalerSpec = (
  spec: HorizontalPodAutoscalerSpec,
): Partial<HorizontalPodAutoscalerSpec> => (spec.metrics ? {} : { metrics: [CPU_METRIC] });

/** Only applied if the spec has a behavior. */
export const defaultHorizontalPodAutoscalerBehavior = ({
  scaleUp,
  scaleDown,
}: HorizontalPodAutoscalerBehavior): HorizontalPodAutoscalerBehavior => ({
  scaleUp: withRules(SCALE_UP, scaleUp),
  scaleDown: withRules(SCALE_DOWN, scaleDown),
});

const withRules = (defaults: HPAScalingRules, given: HPAScalingRules | undefined): HPAScalingRules =>
  inOrderOf('io.k8s.api.autoscaling.v2.HPAScalingRules', { ...defaults, ...given });

const METRICS_ANNOTATION = 'autoscaling.alpha.kubernetes.io/metrics';

/** autoscaling/v1 defaults to CPU utilization unless the annotation has other metrics. */
export function defaultAutoscalerV1({ metadata, spec }: HorizontalPodAutoscalerV1): Partial<HorizontalPodAutoscalerV1> {
  if (
    !spec ||
    spec.targetCPUUtilizationPercentage !== undefined ||
    hasOtherMetrics(metadata?.annotations?.[METRICS_ANNOTATION])
  )
    return {};
  return { spec: { ...spec, targetCPUUtilizationPercentage: DEFAULT_CPU_UTILIZATION } };
}

function hasOtherMetrics(annotation: string | undefined): boolean {
  try {
    const { value: metrics } = parseJson(annotation ?? '[]');
    return Array.isArray(metrics) && metrics.length > 0;
  } catch {
    return false;
  }
}
