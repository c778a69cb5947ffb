/** Validates node selectors. */
import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from '../../../../api/generated/core-v1.ts';
import { type FieldError, forbiddenField, invalidValue, type Path, required } from '../../../errors/index.ts';
import { labelValue, nameIsDnsSubdomain } from '../../../names/index.ts';
import { validateLabelName } from '../../label-selector.ts';

interface NodeSelectorAllowances {
  /** Accept invalid values: in stored selectors and in preferences. */
  readonly invalidValues: boolean;
}

export function validateNodeSelector(
  errors: FieldError[],
  selector: NodeSelector,
  at: Path,
  allowances: NodeSelectorAllowances,
): void {
  const terms = selector.nodeSelectorTerms ?? [];
  const here = at.child('nodeSelectorTerms');
  if (terms.length === 0) errors.push(required(here, 'must have at least one node selector term'));
  for (const [i, term] of terms.entries()) validateNodeSelectorTerm(errors, term, here.index(i), allowances);
}

export function validateNodeSelectorTerm(
  errors: FieldError[],
  term: NodeSelectorTerm,
  at: Path,
  allowances: NodeSelectorAllowances,
): void {
  for (const [i, requirement] of (term.matchExpressions ?? []).entries()) {
    validateRequirement(errors, requirement, at.child('matchExpressions').index(i), allowances);
  }
  for (const [i, requirement] of (term.matchFields ?? []).entries()) {
    validateFieldRequirement(errors, requirement, at.child('matchFields').index(i));
  }
}

function validateRequirement(
  errors: FieldError[],
  requirement: NodeSelectorRequirement,
  at: Path,
  allowances: NodeSelectorAllowances,
): void {
  const { key = '', operator = '' } = requirement;
  const values = requirement.values ?? [];
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0)
        errors.push(required(at.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) {
        errors.push(
          forbiddenField(at.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
        );
      }
      break;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1)
        errors.push(required(at.child('values'), "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      break;
    default:
      errors.push(invalidValue(at.child('operator'), operator, 'not a valid selector operator'));
  }
  validateLabelName(errors, key, at.child('key'));
  if (allowances.invalidValues) return;
  for (const [i, value] of values.entries()) {
    for (const message of labelValue(value)) errors.push(invalidValue(at.child('values').index(i), value, message));
  }
}

function validateFieldRequirement(errors: FieldError[], requirement: NodeSelectorRequirement, at: Path): void {
  const { key = '', operator = '' } = requirement;
  const values = requirement.values ?? [];
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(invalidValue(at.child('operator'), operator, 'not a valid selector operator'));
  } else if (values.length !== 1) {
    errors.push(
      required(at.child('values'), "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
    );
  }
  if (key !== 'metadata.name') {
    errors.push(invalidValue(at.child('key'), key, 'not a valid field selector key'));
    return;
  }
  for (const [i, value] of values.entries()) {
    for (const message of nameIsDnsSubdomain(value))
      errors.push(invalidValue(at.child('values').index(i), value, message));
  }
}

export const hasInvalidNodeSelectorValue = (terms: readonly NodeSelectorTerm[]): boolean =>
  terms.some((term) =>
    term.matchExpressions?.some(({ values }) => values?.some((value) => labelValue(value).length > 0)),
  );
