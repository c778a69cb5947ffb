/** Validation of the autoscaling group: HorizontalPodAutoscalers of v1 and v2, and Scales. */
import type { KindValidation } from '../kind-validation.ts';
import { horizontalPodAutoscalerV1, horizontalPodAutoscalerV2 } from './horizontal-pod-autoscaler.ts';
import { scale } from './scale.ts';

export const autoscalingValidations: Readonly<Record<string, KindValidation>> = {
  'autoscaling/v1/horizontalpodautoscalers': horizontalPodAutoscalerV1,
  'autoscaling/v2/horizontalpodautoscalers': horizontalPodAutoscalerV2,
};

export const autoscalingBodies: Readonly<Record<string, KindValidation>> = { Scale: scale };
