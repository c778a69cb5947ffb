/** Validates the podFailurePolicy of Jobs. */
import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
} from '../../../api/generated/batch-v1.ts';
import { quote } from '../../../base/index.ts';
import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  OMIT_VALUE,
  type Path,
  required,
  tooMany,
} from '../../errors/index.ts';
import { validateLabelName } from '../label-selector.ts';

const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;
const MAX_PATTERNS = 20;
const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];

const validValues = (values: readonly string[]): string => `valid values: [${values.map(quote).join(' ')}]`;

export function validatePodFailurePolicy(errors: FieldError[], spec: JobSpec, at: Path): void {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const rulesAt = at.child('rules');
  if (rules.length > MAX_RULES) errors.push(tooMany(rulesAt, rules.length, MAX_RULES));
  const pod = spec.template?.spec;
  const containers = new Set(
    [...(pod?.containers ?? []), ...(pod?.initContainers ?? [])].map((container) => container.name),
  );
  for (const [i, rule] of rules.entries()) validateRule(errors, rule, rulesAt.index(i), { spec, containers });
}

interface RuleScope {
  readonly spec: JobSpec;
  readonly containers: ReadonlySet<string>;
}

function validateRule(
  errors: FieldError[],
  rule: PodFailurePolicyRule,
  at: Path,
  { spec, containers }: RuleScope,
): void {
  validateAction(errors, rule.action ?? '', at.child('action'), spec);
  const conditions = rule.onPodConditions ?? [];
  if (rule.onExitCodes) validateExitCodes(errors, rule.onExitCodes, at.child('onExitCodes'), containers);
  if (conditions.length > 0) validatePodConditions(errors, conditions, at.child('onPodConditions'));
  if (rule.onExitCodes && conditions.length > 0) {
    errors.push(invalidValue(at, OMIT_VALUE, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  }
  if (!rule.onExitCodes && conditions.length === 0) {
    errors.push(invalidValue(at, OMIT_VALUE, 'specifying one of OnExitCodes and OnPodConditions is required'));
  }
}

function validateAction(errors: FieldError[], action: string, at: Path, spec: JobSpec): void {
  if (action === '') errors.push(required(at, validValues(ACTIONS)));
  else if (action === 'FailIndex') {
    if (spec.backoffLimitPerIndex == null)
      errors.push(invalidValue(at, action, 'requires the backoffLimitPerIndex to be set'));
  } else if (!ACTIONS.includes(action)) errors.push(notSupported(at, action, ACTIONS));
}

function validatePodConditions(
  errors: FieldError[],
  patterns: readonly PodFailurePolicyOnPodConditionsPattern[],
  at: Path,
): void {
  if (patterns.length > MAX_PATTERNS) errors.push(tooMany(at, patterns.length, MAX_PATTERNS));
  for (const [i, { type = '', status = '' }] of patterns.entries()) {
    validateLabelName(errors, type, at.index(i).child('type'));
    const statusAt = at.index(i).child('status');
    if (status === '') errors.push(required(statusAt, validValues(STATUSES)));
    else if (!STATUSES.includes(status)) errors.push(notSupported(statusAt, status, STATUSES));
  }
}

function validateExitCodes(
  errors: FieldError[],
  { operator = '', containerName, values: given }: PodFailurePolicyOnExitCodesRequirement,
  at: Path,
  containers: ReadonlySet<string>,
): void {
  const values = given ?? [];
  if (operator === '') errors.push(required(at.child('operator'), validValues(OPERATORS)));
  else if (!OPERATORS.includes(operator)) errors.push(notSupported(at.child('operator'), operator, OPERATORS));
  if (containerName != null && !containers.has(containerName)) {
    const detail = 'must be one of the container or initContainer names in the pod template';
    errors.push(invalidValue(at.child('containerName'), containerName, detail));
  }
  const valuesAt = at.child('values');
  if (values.length === 0) errors.push(invalidValue(valuesAt, given ?? null, 'at least one value is required'));
  else if (values.length > MAX_EXIT_CODES) errors.push(tooMany(valuesAt, values.length, MAX_EXIT_CODES));
  const seen = new Set<number>();
  let ordered = true;
  for (const [i, value] of values.entries()) {
    if (operator === 'In' && value === 0)
      errors.push(invalidValue(valuesAt.index(i), value, 'must not be 0 for the In operator'));
    if (seen.has(value)) errors.push(duplicate(valuesAt.index(i), value));
    seen.add(value);
    if (i > 0 && values[i - 1]! > value) ordered = false;
  }
  if (!ordered) errors.push(invalidValue(valuesAt, values, 'must be ordered'));
}
