/** LabelSelector objects of the API, converted to matchers and text. */
import type { LabelSelector } from '../../api/generated/meta-v1.ts';
import { quote } from '../../base/index.ts';
import { badRequest } from '../errors/index.ts';
import { EVERYTHING, LabelRequirement, LabelSelectorMatcher, NOTHING, type LabelOperator } from './label-selector.ts';

const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/** A missing selector matches nothing, an empty one everything. Throws a StatusError. */
export function labelSelectorAsSelector(selector: LabelSelector | undefined | null): LabelSelectorMatcher {
  if (!selector) return NOTHING;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const requirements = Object.entries(matchLabels ?? {}).map(([key, value]) =>
    LabelRequirement.checked(key, '=', [value]),
  );
  for (const { key, operator, values } of matchExpressions ?? []) {
    const known = OPERATORS.get(operator);
    if (known === undefined) throw badRequest(`${quote(operator)} is not a valid label selector operator`);
    requirements.push(LabelRequirement.checked(key, known, values ?? []));
  }
  return requirements.length === 0 ? EVERYTHING : new LabelSelectorMatcher(requirements);
}

/** The text of a selector in tables. */
export function formatLabelSelector(selector: LabelSelector | undefined): string {
  try {
    const text = labelSelectorAsSelector(selector).toString();
    return text === '' ? '<none>' : text;
  } catch {
    return '<error>';
  }
}
