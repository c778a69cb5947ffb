/** Label selectors: requirements on labels, matching, and the canonical text. */
import { ownValue } from '../../base/index.ts';
import {
  aggregateMessage,
  badRequest,
  type FieldError,
  invalidValue,
  notSupported,
  path,
  type Path,
  Verbatim,
} from '../errors/index.ts';
import { labelValue, qualifiedName } from '../names/index.ts';

export type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!';

type Labels = Readonly<Record<string, string>>;

const INTEGER = /^[-+]?\d+$/;
const MAX_INT64 = (1n << 63n) - 1n;

/** One condition on one label. Values are sorted. */
export class LabelRequirement {
  readonly values: readonly string[];

  constructor(
    readonly key: string,
    readonly operator: LabelOperator,
    values: readonly string[],
  ) {
    this.values = values.length > 1 ? [...values].sort() : values;
  }

  /** With upstream's checks. Throws a StatusError. */
  static checked(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
    const errors = requirementErrors(key, operator, values);
    if (errors.length > 0) throw badRequest(aggregateMessage(errors));
    return new LabelRequirement(key, operator, values);
  }

  matches(labels: Labels): boolean {
    const value = ownValue(labels, this.key);
    switch (this.operator) {
      case 'in':
      case '=':
      case '==':
        return value !== undefined && this.values.includes(value);
      case 'notin':
      case '!=':
        return value === undefined || !this.values.includes(value);
      case 'exists':
        return value !== undefined;
      case '!':
        return value === undefined;
      case 'gt':
      case 'lt': {
        const left = parseInt64(value ?? '');
        const right = parseInt64(this.values[0] ?? '');
        if (left === undefined || right === undefined) return false;
        return this.operator === 'gt' ? left > right : left < right;
      }
    }
  }

  toString(): string {
    const values = this.values.join(',');
    switch (this.operator) {
      case 'exists':
        return this.key;
      case '!':
        return `!${this.key}`;
      case 'in':
      case 'notin':
        return `${this.key} ${this.operator} (${values})`;
      case 'gt':
        return `${this.key}>${values}`;
      case 'lt':
        return `${this.key}<${values}`;
      default:
        return `${this.key}${this.operator}${values}`;
    }
  }
}

/** All requirements must hold. They are sorted by key. */
export class LabelSelectorMatcher {
  readonly requirements: readonly LabelRequirement[];

  constructor(
    requirements: readonly LabelRequirement[],
    /** Matches no object, whatever the requirements. */
    readonly matchesNothing = false,
  ) {
    this.requirements = [...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  }

  get isEmpty(): boolean {
    return this.requirements.length === 0 && !this.matchesNothing;
  }

  matches(labels: Labels | undefined): boolean {
    if (this.matchesNothing) return false;
    const { requirements } = this;
    for (let i = 0; i < requirements.length; i++) if (!requirements[i]!.matches(labels ?? {})) return false;
    return true;
  }

  /** The only value that the label may have, if the selector requires one. */
  requiresExactMatch(label: string): string | undefined {
    const found = this.requirements.find((r) => r.key === label);
    return found && ['=', '==', 'in'].includes(found.operator) && found.values.length === 1
      ? found.values[0]
      : undefined;
  }

  toString(): string {
    return this.requirements.map(String).join(',');
  }
}

export const EVERYTHING = new LabelSelectorMatcher([]);
export const NOTHING = new LabelSelectorMatcher([], true);

/** Requires every label of the set, like the selectors of Services and ReplicationControllers. */
export const selectorFromLabels = (labels: Labels | undefined): LabelSelectorMatcher =>
  new LabelSelectorMatcher(Object.entries(labels ?? {}).map(([key, value]) => new LabelRequirement(key, '=', [value])));

function requirementErrors(key: string, operator: LabelOperator, values: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  const keyErrors = qualifiedName(key);
  if (keyErrors.length > 0) errors.push(invalidValue(path('key'), key, keyErrors.join('; ')));
  const at = path('values');
  const wrongCount = (detail: string): void =>
    void errors.push(invalidValue(at, new Verbatim(JSON.stringify(values)), detail));
  switch (operator) {
    case 'in':
    case 'notin':
      if (values.length === 0) wrongCount("for 'in', 'notin' operators, values set can't be empty");
      break;
    case '=':
    case '==':
    case '!=':
      if (values.length !== 1) wrongCount('exact-match compatibility requires one single value');
      break;
    case 'exists':
    case '!':
      if (values.length !== 0) wrongCount('values set must be empty for exists and does not exist');
      break;
    case 'gt':
    case 'lt':
      if (values.length !== 1) wrongCount("for 'Gt', 'Lt' operators, exactly one value is required");
      values.forEach((value, i) => {
        if (parseInt64(value) === undefined) {
          errors.push(invalidValue(at.index(i), value, "for 'Gt', 'Lt' operators, the value must be an integer"));
        }
      });
      break;
    default:
      errors.push(
        notSupported(path('operator'), operator, ['in', 'notin', '=', '==', '!=', 'gt', 'lt', 'exists', '!']),
      );
  }
  values.forEach((value, i) => checkValue(key, value, at.index(i), errors));
  return errors;
}

function checkValue(key: string, value: string, at: Path, errors: FieldError[]): void {
  const messages = labelValue(value);
  if (messages.length > 0) errors.push(invalidValue(at.key(key), value, messages.join('; ')));
}

function parseInt64(text: string): bigint | undefined {
  if (!INTEGER.test(text) || text.length > 32) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return value > MAX_INT64 || value < -MAX_INT64 - 1n ? undefined : value;
}
