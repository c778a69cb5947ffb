/** Validates labels, label selectors and the field selectors of access reviews. */
import type { FieldSelectorRequirement, LabelSelector, LabelSelectorRequirement } from '../../api/generated/meta-v1.ts';
import { ownValue } from '../../base/index.ts';
import { type FieldError, forbiddenField, invalidValue, type Path, required } from '../errors/index.ts';
import { labelValue, qualifiedName } from '../names/index.ts';

export interface SelectorAllowances {
  /** Accept invalid values that are stored already. */
  readonly invalidValues?: boolean;
  /** Accept unknown operators, for reviews. */
  readonly unknownOperators?: boolean;
}

const NO_ALLOWANCES: SelectorAllowances = {};

export function validateLabelName(errors: FieldError[], name: string, at: Path): void {
  for (const message of qualifiedName(name)) errors.push(invalidValue(at, name, message));
}

export function validateLabels(errors: FieldError[], labels: Readonly<Record<string, string>>, at: Path): void {
  for (const key in labels) {
    validateLabelName(errors, key, at);
    for (const message of labelValue(ownValue(labels, key)!))
      errors.push(invalidValue(at, ownValue(labels, key), message));
  }
}

export function validateLabelSelector(
  errors: FieldError[],
  selector: LabelSelector | undefined | null,
  at: Path,
  allowances: SelectorAllowances = NO_ALLOWANCES,
): void {
  if (!selector) return;
  if (selector.matchLabels) validateLabels(errors, selector.matchLabels, at.child('matchLabels'));
  if (!selector.matchExpressions) return;
  for (const [i, requirement] of selector.matchExpressions.entries()) {
    validateLabelSelectorRequirement(errors, requirement, at.child('matchExpressions').index(i), allowances);
  }
}

export function validateLabelSelectorRequirement(
  errors: FieldError[],
  requirement: LabelSelectorRequirement,
  at: Path,
  allowances: SelectorAllowances = NO_ALLOWANCES,
): void {
  validateOperator(errors, requirement, at, allowances);
  validateLabelName(errors, requirement.key ?? '', at.child('key'));
  if (allowances.invalidValues || !requirement.values) return;
  for (const [i, value] of requirement.values.entries()) {
    for (const message of labelValue(value)) errors.push(invalidValue(at.child('values').index(i), value, message));
  }
}

export function validateFieldSelectorRequirement(
  errors: FieldError[],
  requirement: FieldSelectorRequirement,
  at: Path,
  allowances: SelectorAllowances = NO_ALLOWANCES,
): void {
  if (!requirement.key) errors.push(required(at.child('key'), 'must be specified'));
  validateOperator(errors, requirement, at, allowances);
}

function validateOperator(
  errors: FieldError[],
  { operator = '', values }: LabelSelectorRequirement | FieldSelectorRequirement,
  at: Path,
  allowances: SelectorAllowances,
): void {
  const count = values?.length ?? 0;
  if (operator === 'In' || operator === 'NotIn') {
    if (count === 0) errors.push(required(at.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (count > 0)
      errors.push(
        forbiddenField(at.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      );
  } else if (!allowances.unknownOperators) {
    errors.push(invalidValue(at.child('operator'), operator, 'not a valid selector operator'));
  }
}
