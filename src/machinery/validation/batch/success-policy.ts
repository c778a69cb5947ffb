/** Validates the successPolicy of Indexed Jobs. */
import type { JobSpec, SuccessPolicyRule } from '../../../api/generated/batch-v1.ts';
import { type FieldError, invalidValue, type Path, required, tooLong, tooMany } from '../../errors/index.ts';
import { utf8Longer } from '../../names/index.ts';
import { goStruct } from '../go-struct.ts';
import { validateNonnegative } from '../object-meta.ts';
import { parseIndexes } from './indexes.ts';

const MAX_RULES = 20;
const MAX_INDEXES_BYTES = 64 * 1024;

export function validateSuccessPolicy(errors: FieldError[], spec: JobSpec, at: Path): void {
  const policy = spec.successPolicy;
  if (!policy) return;
  if (spec.completionMode !== 'Indexed') {
    errors.push(
      invalidValue(at, goStruct('io.k8s.api.batch.v1.SuccessPolicy', policy), 'requires indexed completion mode'),
    );
    return;
  }
  const rules = policy.rules ?? [];
  const rulesAt = at.child('rules');
  if (rules.length === 0) {
    errors.push(required(rulesAt, 'at least one rules must be specified when the successPolicy is specified'));
  }
  if (rules.length > MAX_RULES) errors.push(tooMany(rulesAt, rules.length, MAX_RULES));
  for (const [i, rule] of rules.entries()) validateRule(errors, rule, rulesAt.index(i), spec.completions ?? 0);
}

function validateRule(
  errors: FieldError[],
  { succeededCount, succeededIndexes }: SuccessPolicyRule,
  at: Path,
  completions: number,
): void {
  if (succeededCount == null && succeededIndexes == null) {
    errors.push(required(at, 'at least one of succeededCount or succeededIndexes must be specified'));
  }
  let total = 0;
  if (succeededIndexes != null) {
    const indexesAt = at.child('succeededIndexes');
    if (utf8Longer(succeededIndexes, MAX_INDEXES_BYTES)) errors.push(tooLong(indexesAt, MAX_INDEXES_BYTES));
    const parsed = parseIndexes(succeededIndexes, completions);
    if (typeof parsed === 'string')
      errors.push(invalidValue(indexesAt, succeededIndexes, `error parsing succeededIndexes: ${parsed}`));
    else total = parsed.total;
  }
  if (succeededCount == null) return;
  const countAt = at.child('succeededCount');
  validateNonnegative(errors, succeededCount, countAt);
  if (succeededCount > completions) {
    errors.push(
      invalidValue(
        countAt,
        succeededCount,
        `must be less than or equal to ${completions} (the number of specified completions)`,
      ),
    );
  }
  if (succeededIndexes != null && succeededCount > total) {
    const detail = `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`;
    errors.push(invalidValue(countAt, succeededCount, detail));
  }
}
