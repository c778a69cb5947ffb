/** Field and label selectors of a request for authorizers: a node may list its own pods, but not all pods. */
import type { FieldSelectorAttributes, LabelSelectorAttributes } from '../../api/generated/authorization-v1.ts';
import {
  LabelRequirement,
  parseFieldSelector,
  parseLabelSelector,
  type FieldRequirement,
  type LabelOperator,
} from '../../machinery/selectors/index.ts';

export type { FieldRequirement, LabelRequirement };

/** A selector that cannot be parsed is ignored: the request needs the permission for all objects. */
export function fieldRequirements(text: string | null): readonly FieldRequirement[] | undefined {
  if (!text) return undefined;
  return attempt(() => parseFieldSelector(text).requirements);
}

export function labelRequirements(text: string | null): readonly LabelRequirement[] | undefined {
  if (!text) return undefined;
  return attempt(() => parseLabelSelector(text).requirements);
}

interface ReviewedSelector<T> {
  readonly requirements?: readonly T[];
  readonly error?: string;
}

const IGNORED = (name: string, { partially = false } = {}): string =>
  `spec.resourceAttributes.${name} ${partially ? 'partially ' : ''}ignored due to parse error`;

/** The selector of a SubjectAccessReview: the requirements, or their text. */
export function reviewedFields(selector: FieldSelectorAttributes | undefined): ReviewedSelector<FieldRequirement> {
  if (!selector?.requirements?.length) return rawRequirements(selector, 'fieldSelector', fieldRequirements);
  const requirements: FieldRequirement[] = [];
  let failed = false;
  for (const { key = '', operator, values = [] } of selector.requirements) {
    const one = operator === 'In' ? '=' : operator === 'NotIn' ? '!=' : undefined;
    if (one && values.length === 1) requirements.push({ field: key, operator: one, value: values[0]! });
    else failed = true;
  }
  return {
    ...(requirements.length > 0 ? { requirements } : {}),
    ...(failed ? { error: IGNORED('fieldSelector', { partially: requirements.length > 0 }) } : {}),
  };
}

/** No URL holds a longer selector, and parsing a megabyte of them would hold up others. */
const MAX_RAW_SELECTOR = 64 * 1024;

function rawRequirements<T>(
  selector: { readonly rawSelector?: string } | undefined,
  name: string,
  parse: (text: string) => readonly T[] | undefined,
): ReviewedSelector<T> {
  if (!selector?.rawSelector) return {};
  const requirements = selector.rawSelector.length > MAX_RAW_SELECTOR ? undefined : parse(selector.rawSelector);
  return requirements ? { requirements } : { error: IGNORED(name) };
}

const LABEL_OPERATORS: ReadonlyMap<string, LabelOperator> = new Map(
  Object.entries<LabelOperator>({ In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' }),
);

export function reviewedLabels(selector: LabelSelectorAttributes | undefined): ReviewedSelector<LabelRequirement> {
  if (!selector?.requirements?.length) return rawRequirements(selector, 'labelSelector', labelRequirements);
  const requirements: LabelRequirement[] = [];
  let failed = false;
  for (const { key = '', operator = '', values = [] } of selector.requirements) {
    const known = LABEL_OPERATORS.get(operator);
    const requirement = known && attempt(() => LabelRequirement.checked(key, known, values));
    if (requirement) requirements.push(requirement);
    else failed = true;
  }
  return {
    ...(requirements.length > 0 ? { requirements } : {}),
    ...(failed ? { error: IGNORED('labelSelector', { partially: requirements.length > 0 }) } : {}),
  };
}

function attempt<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}
