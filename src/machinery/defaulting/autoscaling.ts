import type { HorizontalPodAutoscalerBehavior, HorizontalPodAutoscalerSpec, HPAScalingRules } from '../../api/generated/autoscaling-v2.ts';
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

/** The window of scaling down is a setting of the controller. */
const SCALE_DOWN: HPAScalingRules = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };

export function defaultHorizontalPodAutoscalerSpec(draft: HorizontalPodAutoscalerSpec): void {
  draft.metrics ??= [
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: DEFAULT_CPU_UTILIZATION } } },
  ];
}

/** Only where the author says something about behaviour. */
export function defaultHorizontalPodAutoscalerBehavior(draft: HorizontalPodAutoscalerBehavior): void {
  draft.scaleUp = withRules(SCALE_UP, draft.scaleUp);
  draft.scaleDown = withRules(SCALE_DOWN, draft.scaleDown);
}

const withRules = (defaults: HPAScalingRules, given: HPAScalingRules | undefined): HPAScalingRules =>
  inOrderOf('io.k8s.api.autoscaling.v2.HPAScalingRules', { ...defaults, ...given });
