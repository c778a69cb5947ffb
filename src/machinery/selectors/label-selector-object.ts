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

/** No selector matches nothing, an empty one everything. Throws a StatusError. */
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

/** The plain labels that it asks for. Throws a StatusError if it asks for anything else. */
export function labelSelectorAsMap(selector: LabelSelector | undefined): Record<string, string> {
  const labels: Record<string, string> = { ...selector?.matchLabels };
  for (const { key, operator, values = [] } of selector?.matchExpressions ?? []) {
    if (operator !== 'In')
      throw badRequest(`operator ${quote(operator)} cannot be converted into the old label selector format`);
    if (values.length !== 1) {
      throw badRequest(
        `operator ${quote(operator)} without a single value cannot be converted into the old label selector format`,
      );
    }
    labels[key] = values[0]!;
  }
  return labels;
}

/** For table cells. */
export function formatLabelSelector(selector: LabelSelector | undefined): string {
  try {
    const text = labelSelectorAsSelector(selector).toString();
    return text === '' ? '<none>' : text;
  } catch {
    return '<error>';
  }
}
