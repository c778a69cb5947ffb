/** Validates requestPolicy: the amounts of capacity that claims may consume of a shared device. */
import type {
  CapacityRequestPolicy,
  CapacityRequestPolicyRange,
  DeviceCapacity,
} from '../../../api/generated/resource-v1.ts';
import { type FieldError, forbiddenField, invalidValue, type Path, required } from '../../errors/index.ts';
import { compareQuantities, quantityOf } from '../quantities.ts';
import { validateBoundedSet } from './bounded.ts';

const MAX_VALUES = 10;

export function validateRequestPolicy(
  errors: FieldError[],
  { value, requestPolicy: policy }: DeviceCapacity,
  at: Path,
): void {
  if (!policy) return;
  const capacity = value ?? '0';
  const values = policy.validValues ?? [];
  if (values.length > 0 && policy.validRange) {
    const both = 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    errors.push(forbiddenField(at, both));
  } else if (values.length > 0) {
    if (policy.default == null) errors.push(required(at.child('default'), 'required when validValues is defined'));
    else validateValues(errors, policy, at.child('validValues'), capacity);
  } else if (policy.validRange) {
    if (policy.default == null) errors.push(required(at.child('default'), 'required when validRange is defined'));
    else validateRange(errors, policy.validRange, at.child('validRange'), { capacity, fallback: policy.default });
  }
}

function validateValues(
  errors: FieldError[],
  { default: fallback, validValues }: CapacityRequestPolicy,
  at: Path,
  capacity: string,
): void {
  const values = validValues ?? [];
  for (let i = 1; i < values.length; i++) {
    if (compareQuantities(values[i - 1], values[i]) > 0) {
      errors.push(invalidValue(at.index(i), values[i], 'values must be sorted in ascending order'));
    }
  }
  validateBoundedSet(errors, values, at, {
    max: MAX_VALUES,
    item: (found, value, valueAt) => {
      if (compareQuantities(value, capacity) > 0) {
        found.push(invalidValue(valueAt, value, `option is larger than capacity value: ${capacity}`));
      }
    },
    key: (value) => String(quantityOf(value).scaledValue(0)),
  });
  const offered = values.length <= MAX_VALUES && values.some((value) => compareQuantities(value, fallback) === 0);
  if (!offered) errors.push(invalidValue(at, fallback, 'default value is not valid according to the requestPolicy'));
}

interface RangeScope {
  readonly capacity: string;
  readonly fallback: string;
}

function validateRange(
  errors: FieldError[],
  { min, max, step }: CapacityRequestPolicyRange,
  at: Path,
  { capacity, fallback }: RangeScope,
): void {
  if (min == null) {
    errors.push(required(at.child('min'), 'required when validRange is defined'));
    return;
  }
  if (compareQuantities(min, capacity) > 0)
    errors.push(invalidValue(at.child('min'), min, `min is larger than capacity value: ${capacity}`));
  if (compareQuantities(fallback, min) < 0)
    errors.push(invalidValue(at.child('min'), fallback, `default is less than min: ${min}`));
  if (max != null) {
    if (compareQuantities(min, max) > 0)
      errors.push(invalidValue(at.child('max'), min, `min is larger than max: ${max}`));
    if (compareQuantities(max, capacity) > 0)
      errors.push(invalidValue(at.child('max'), max, `max is larger than capacity value: ${capacity}`));
    if (compareQuantities(fallback, max) > 0)
      errors.push(invalidValue(at.child('max'), fallback, `default is more than max: ${max}`));
  }
  if (step == null) return;
  const stepAt = at.child('step');
  const next = quantityOf(min).add(quantityOf(step));
  if (next.cmp(quantityOf(capacity)) > 0) {
    errors.push(invalidValue(stepAt, step, `one step ${next.toString()} is larger than capacity value: ${capacity}`));
  }
  validateStep(errors, fallback, stepAt, { min, step });
  if (max != null) validateStep(errors, max, stepAt, { min, step });
}

function validateStep(
  errors: FieldError[],
  value: string,
  at: Path,
  { min, step }: { min: string; step: string },
): void {
  const size = quantityOf(step).scaledValue(0);
  const distance = quantityOf(value).scaledValue(0) - quantityOf(min).scaledValue(0);
  if (size !== 0n && distance % size === 0n) return;
  errors.push(invalidValue(at, value, `value is not a multiple of a given step (${step}) from (${min})`));
}
