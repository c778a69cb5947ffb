/** Validates the scaling behavior of HorizontalPodAutoscalers. */
import type {
  HPAScalingPolicy,
  HPAScalingRules,
  HorizontalPodAutoscalerBehavior,
} from '../../../api/generated/autoscaling-v2.ts';
import { type FieldError, invalidValue, notSupported, type Path, required } from '../../errors/index.ts';
import { NEGATIVE_MESSAGE } from '../../names/index.ts';
import { isNegativeQuantity } from '../quantities.ts';

const MAX_WINDOW_SECONDS = 3600;
const MAX_PERIOD_SECONDS = 1800;
const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const POLICY_TYPES = ['Percent', 'Pods'];

export function validateBehavior(
  errors: FieldError[],
  behavior: HorizontalPodAutoscalerBehavior | undefined,
  at: Path,
): void {
  for (const name of ['scaleUp', 'scaleDown'] as const)
    if (behavior?.[name]) validateRules(errors, behavior[name], at.child(name));
}

function validateRules(errors: FieldError[], rules: HPAScalingRules, at: Path): void {
  const { stabilizationWindowSeconds: window, selectPolicy, policies, tolerance } = rules;
  const windowAt = at.child('stabilizationWindowSeconds');
  if (window != null && window < 0)
    errors.push(invalidValue(windowAt, window, 'must be greater than or equal to zero'));
  if (window != null && window > MAX_WINDOW_SECONDS) {
    errors.push(invalidValue(windowAt, window, `must be less than or equal to ${MAX_WINDOW_SECONDS}`));
  }
  if (selectPolicy != null && !SELECT_POLICIES.includes(selectPolicy)) {
    errors.push(notSupported(at.child('selectPolicy'), selectPolicy, SELECT_POLICIES));
  }
  if (!policies || policies.length === 0)
    errors.push(required(at.child('policies'), 'must specify at least one Policy'));
  else for (const [i, policy] of policies.entries()) validatePolicy(errors, policy, at.child('policies').index(i));
  if (tolerance != null && isNegativeQuantity(tolerance))
    errors.push(invalidValue(at.child('tolerance'), tolerance, NEGATIVE_MESSAGE));
}

function validatePolicy(
  errors: FieldError[],
  { type = '', value = 0, periodSeconds = 0 }: HPAScalingPolicy,
  at: Path,
): void {
  if (!POLICY_TYPES.includes(type)) errors.push(notSupported(at.child('type'), type, POLICY_TYPES));
  if (value <= 0) errors.push(invalidValue(at.child('value'), value, 'must be greater than zero'));
  if (periodSeconds <= 0)
    errors.push(invalidValue(at.child('periodSeconds'), periodSeconds, 'must be greater than zero'));
  if (periodSeconds > MAX_PERIOD_SECONDS) {
    errors.push(
      invalidValue(at.child('periodSeconds'), periodSeconds, `must be less than or equal to ${MAX_PERIOD_SECONDS}`),
    );
  }
}
