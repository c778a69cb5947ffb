/** Validates bindingConditions and bindingFailureConditions of devices. */
import { duplicate, type FieldError, invalidValue, type Path } from '../../errors/index.ts';
import { validateLabelName } from '../label-selector.ts';
import { validateBoundedList } from './bounded.ts';

const MAX_CONDITIONS = 4;

interface BindingConditions {
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
}

export function validateBindingConditions(
  errors: FieldError[],
  { bindingConditions, bindingFailureConditions }: BindingConditions,
  at: Path,
): void {
  const [wanted, failures] = [bindingConditions ?? [], bindingFailureConditions ?? []];
  const [wantedAt, failuresAt] = [at.child('bindingConditions'), at.child('bindingFailureConditions')];
  validateBoundedList(errors, wanted, wantedAt, { max: MAX_CONDITIONS, item: validateLabelName });
  validateBoundedList(errors, failures, failuresAt, { max: MAX_CONDITIONS, item: validateLabelName });
  const seen = new Set<string>();
  for (const [i, condition] of wanted.entries()) {
    if (seen.has(condition)) errors.push(duplicate(wantedAt.index(i), condition));
    seen.add(condition);
  }
  const seenFailures = new Set<string>();
  for (const [i, condition] of failures.entries()) {
    if (seenFailures.has(condition)) errors.push(duplicate(failuresAt.index(i), condition));
    seenFailures.add(condition);
    if (seen.has(condition)) {
      errors.push(
        invalidValue(
          failuresAt.index(i),
          condition,
          'bindingFailureConditions must not overlap with bindingConditions',
        ),
      );
    }
  }
  if (wanted.length === 0 && failures.length > 0) {
    errors.push(
      invalidValue(wantedAt, bindingConditions, 'bindingConditions are required to use bindingFailureConditions'),
    );
  }
  if (failures.length === 0 && wanted.length > 0) {
    errors.push(
      invalidValue(
        failuresAt,
        bindingFailureConditions,
        'bindingFailureConditions are required to use bindingConditions',
      ),
    );
  }
}
