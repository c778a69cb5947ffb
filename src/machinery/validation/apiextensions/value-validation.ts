/**
 * Validates a value against the schema of a custom resource: types, ranges, patterns, formats, enums, required
 * properties and combined schemas. Used for custom resources and for defaults in definitions.
 */
import { append, isRecord, quote } from '../../../base/index.ts';
import { FieldError, type FieldErrorType, OMIT_VALUE, type Path } from '../../errors/index.ts';
import { MAX_ERRORS } from '../collect-errors.ts';
import { semanticEqual } from '../equality.ts';
import { compileGoRegexp, GoRegexpError } from './go-regexp.ts';
import { isIntOrString, itemsOf, additionalOf, propertiesOf, propertyOf, type Schema } from './schema-props.ts';
import { isRecognizedFormat, stringFormat } from './value-formats.ts';

/** `path` is relative to the value: empty, `.spec.a`, `[0]`; absent for errors without a field. */
interface Finding {
  readonly type: FieldErrorType;
  readonly path: string | undefined;
  readonly value: unknown;
  readonly detail: string;
}

/** The errors, and the number of passed checks: of several alternatives, the closest one is reported. */
interface Result {
  readonly findings: Finding[];
  matches: number;
}

/**
 * Adds the errors of the value. `at` is the field of the value, absent for a whole object. With an old value, errors
 * in unchanged parts are ignored (ratcheting).
 */
export function validateValue(errors: FieldError[], value: unknown, schema: Schema, at?: Path, old?: unknown): void {
  const base = at?.toString();
  const before = old === undefined ? undefined : { value: old };
  for (const { type, path, value: shown, detail } of validate(value, schema, '', before).findings) {
    errors.push(new FieldError(type, fieldOf(base, path), shown, detail));
  }
}

function fieldOf(base: string | undefined, path: string | undefined): string {
  if (path === undefined || path === '' || path === '.') return base ?? '<nil>';
  const step = path.startsWith('.') ? path.slice(1) : path;
  return base === undefined ? step : `${base}.${step}`;
}

type TypeName = 'array' | 'boolean' | 'integer' | 'null' | 'number' | 'object' | 'string';

function typeOf(value: unknown): TypeName {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return isInt64(value) ? 'integer' : 'number';
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? 'integer' : 'number';
  return typeof value === 'object' ? 'object' : typeof value === 'boolean' ? 'boolean' : 'string';
}

const isInt64 = (value: bigint): boolean => value >= -(2n ** 63n) && value < 2n ** 63n;

const shownPath = (path: string): string => (path.startsWith('.') ? path.slice(1) : path);

/** The correlated old value; absent if there was none or it cannot be correlated. */
type Before = { readonly value: unknown } | undefined;

function validate(value: unknown, schema: Schema, path: string, before: Before): Result {
  const result = validateAnew(value, schema, path, before);
  if (before && result.findings.length > 0 && semanticEqual(value, before.value)) result.findings.length = 0;
  return result;
}

function validateAnew(value: unknown, schema: Schema, path: string, before: Before): Result {
  const result: Result = { findings: [], matches: 0 };
  const type = typeOf(value);
  checkType(result, type, schema, path, value);
  if (type === 'null') {
    checkEnum(result, value, schema, path);
    return result;
  }
  checkCombinations(result, value, schema, { path, before });
  if (type === 'string') checkString(result, value as string, schema, path);
  else if (type === 'integer' || type === 'number') checkNumber(result, value as number | bigint, schema, path);
  else if (type === 'array') checkArray(result, value as unknown[], schema, { path, before });
  checkEnum(result, value, schema, path);
  if (type === 'object' && isRecord(value)) checkObject(result, value, schema, { path, before });
  return result;
}

function merge(result: Result, other: Result): void {
  append(result.findings, other.findings);
  result.matches += other.matches;
}

/** Runs a check and counts it as passed if it finds nothing. */
function counted(result: Result, check: () => Finding | undefined): void {
  const finding = check();
  if (finding) result.findings.push(finding);
  else result.matches++;
}

const invalid = (path: string, value: unknown, detail: string): Finding => ({
  type: 'FieldValueInvalid',
  path,
  value,
  detail,
});
const withoutField = (detail: string): Finding => ({ type: 'FieldValueInvalid', path: undefined, value: '', detail });

function checkType(result: Result, type: TypeName, schema: Schema, path: string, value: unknown): void {
  const types = isIntOrString(schema) ? ['integer', 'string'] : schema.type ? [schema.type] : [];
  const numeric = types.includes('number') || types.includes('integer');
  const format =
    schema.format && isRecognizedFormat(types.length === 1 ? types[0] : undefined, schema.format) ? schema.format : '';
  counted(result, () => {
    if (types.length === 0 && format === '') return undefined;
    const wrong = (wanted: string, found: string): Finding => ({
      type: 'FieldValueTypeInvalid',
      path,
      value: found,
      detail: `${shownPath(path)} in body must be of type ${wanted}: ${quote(found)}`,
    });
    if (type === 'null') {
      return types.length > 0 && !types.includes('null') && !schema.nullable
        ? wrong(types.join(','), 'null')
        : undefined;
    }
    const wholeNumber =
      type === 'number' && typeof value === 'number' && Number.isInteger(value) && Number.isSafeInteger(value);
    const fits =
      types.includes(type) ||
      (wholeNumber && types.includes('integer')) ||
      (type === 'integer' && types.includes('number'));
    if (type !== 'string' && type !== 'array' && format !== '' && !fits) {
      const found = type === 'integer' ? 'int64' : type === 'number' ? 'float64' : '';
      return wrong(format, found);
    }
    if (!numeric && format !== '' && (type === 'string' || type === 'array')) return undefined;
    return fits ? undefined : wrong(types.join(','), type);
  });
}

function checkString(result: Result, value: string, schema: Schema, path: string): void {
  counted(result, () => {
    const { maxLength, minLength, pattern } = schema;
    const length = maxLength != null || minLength != null ? [...value].length : 0;
    const shown = shownPath(path);
    if (maxLength != null && length > maxLength) {
      return {
        type: 'FieldValueTooLong',
        path,
        value: OMIT_VALUE,
        detail: `may not be more than ${maxLength} ${maxLength === 1 ? 'byte' : 'bytes'}`,
      };
    }
    if (minLength != null && length < minLength)
      return invalid(path, value, `${shown} in body should be at least ${minLength} chars long`);
    if (pattern && !matchesPattern(pattern, value))
      return invalid(path, value, `${shown} in body should match '${pattern}'`);
    return undefined;
  });
  const format = stringFormat(schema.format);
  if (!format || (schema.type && schema.type !== 'string')) return;
  counted(result, () => {
    if (format(value)) return undefined;
    const detail = `${shownPath(path)} in body must be of type ${schema.format}: ${quote(value)}`;
    return { type: 'FieldValueTypeInvalid', path, value, detail };
  });
}

function matchesPattern(pattern: string, value: string): boolean {
  try {
    return compileGoRegexp(pattern).test(value);
  } catch (error) {
    if (error instanceof GoRegexpError) return false;
    throw error;
  }
}

function checkNumber(result: Result, value: number | bigint, schema: Schema, path: string): void {
  const number = Number(value);
  const shown = shownPath(path);
  const rangeType = schema.type === 'integer' || schema.type === 'number' ? schema.type : '';
  const format = schema.format && isRecognizedFormat(schema.type, schema.format) ? schema.format : '';
  const found: Finding[] = [];
  if (rangeType === 'integer' && !fitsInteger(value, format)) {
    const kind = format === '' ? 'integer (default format)' : `integer with format ${format}`;
    found.push(withoutField(`Checked value must be of type ${kind} in ${shown}`));
  }
  const { multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (multipleOf != null) {
    const problem = multipleOfProblem(number, multipleOf, path, Number.isInteger(number));
    if (problem) found.push(problem);
  }
  /** Go shows the bound of an integer as one. */
  const bound = (given: number): number => (Number.isInteger(number) ? Math.trunc(given) : given);
  if (minimum != null && (exclusiveMinimum ? number <= minimum : number < minimum)) {
    found.push(
      invalid(
        path,
        value,
        `${shown} in body should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${bound(minimum)}`,
      ),
    );
  }
  if (maximum != null && (exclusiveMaximum ? number >= maximum : number > maximum)) {
    found.push(
      invalid(
        path,
        value,
        `${shown} in body should be less than ${exclusiveMaximum ? '' : 'or equal to '}${bound(maximum)}`,
      ),
    );
  }
  append(result.findings, found);
  if (found.length === 0) result.matches++;
}

function fitsInteger(value: number | bigint, format: string): boolean {
  if (typeof value === 'bigint') return format !== 'int32' && isInt64(value);
  if (!Number.isInteger(value)) return false;
  return format === 'int32' ? value >= -(2 ** 31) && value < 2 ** 31 : value >= -(2 ** 63) && value < 2 ** 63;
}

/** As upstream, an integer is divided by the integer part of the factor, which may be 0. */
function multipleOfProblem(number: number, multipleOf: number, path: string, integer: boolean): Finding | undefined {
  const factor = integer ? Math.trunc(multipleOf) : multipleOf;
  const shown = shownPath(path);
  if (factor <= 0) return invalid(path, factor, `factor MultipleOf declared for ${shown} must be positive: ${factor}`);
  const quotient = integer ? number / factor : factor < 1 ? (1 / factor) * number : number / factor;
  const whole = integer ? number % factor === 0 : isNearlyWhole(quotient);
  return whole ? undefined : invalid(path, number, `${shown} in body should be a multiple of ${factor}`);
}

const isNearlyWhole = (number: number): boolean =>
  Math.abs(number - Math.round(number)) <= 1e-9 * Math.max(1, Math.abs(number));

interface Place {
  readonly path: string;
  readonly before: Before;
}

/** The old element with the same keys in a list of type map; elements of other lists cannot be correlated. */
function elementBefore(before: Before, schema: Schema, item: unknown): Before {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (!before || !Array.isArray(before.value) || schema['x-kubernetes-list-type'] !== 'map' || !isRecord(item))
    return undefined;
  const old = before.value.find((one) => isRecord(one) && keys.every((key) => one[key] === item[key]));
  return old === undefined ? undefined : { value: old };
}

function fieldBefore(before: Before, name: string, path: string): Before {
  // kind and apiVersion of an object never count as changed.
  if (path === '' && (name === 'kind' || name === 'apiVersion')) return undefined;
  return before && isRecord(before.value) && Object.hasOwn(before.value, name)
    ? { value: before.value[name] }
    : undefined;
}

function checkArray(result: Result, value: readonly unknown[], schema: Schema, { path, before }: Place): void {
  const items = itemsOf(schema);
  for (let i = 0; items && i < value.length && result.findings.length < MAX_ERRORS; i++) {
    merge(result, validate(value[i], items, `${path}[${i}]`, elementBefore(before, schema, value[i])));
  }
  const shown = shownPath(path);
  const { minItems, maxItems } = schema;
  if (minItems != null && value.length < minItems) {
    result.findings.push(invalid(path, value.length, `${shown} in body should have at least ${minItems} items`));
  }
  if (maxItems != null && value.length > maxItems) result.findings.push(tooManyEntries(path, value.length, maxItems));
  result.matches++;
}

const tooManyEntries = (path: string, actual: number, max: number): Finding => ({
  type: 'FieldValueTooMany',
  path,
  value: actual,
  detail: `must have at most ${max} ${max === 1 ? 'item' : 'items'}`,
});

function checkEnum(result: Result, value: unknown, schema: Schema, path: string): void {
  const allowed = schema.enum ?? [];
  if (allowed.length === 0) return;
  counted(result, () => {
    const { texts, detail } = enumerationOf(allowed);
    return texts.has(JSON.stringify(value, bigintsAsText))
      ? undefined
      : { type: 'FieldValueNotSupported', path, value, detail };
  });
}

/** The texts of the values of each enum, for lookup and messages. */
const enumerations = new WeakMap<
  readonly unknown[],
  { readonly texts: ReadonlySet<string>; readonly detail: string }
>();

function enumerationOf(allowed: readonly unknown[]): { readonly texts: ReadonlySet<string>; readonly detail: string } {
  const known = enumerations.get(allowed);
  if (known) return known;
  const texts = allowed.map((entry) => JSON.stringify(entry, bigintsAsText));
  const shown = allowed.map((entry, i) => quote(typeof entry === 'string' ? entry : texts[i]!));
  const made = { texts: new Set(texts), detail: `supported values: ${shown.join(', ')}` };
  enumerations.set(allowed, made);
  return made;
}

const bigintsAsText = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);

function checkObject(result: Result, value: Record<string, unknown>, schema: Schema, { path, before }: Place): void {
  const names = Object.keys(value);
  const shown = shownPath(path);
  const { minProperties, maxProperties } = schema;
  if (minProperties != null && names.length < minProperties) {
    result.findings.push(
      invalid(path, names.length, `${shown} in body should have at least ${minProperties} properties`),
    );
  }
  if (maxProperties != null && names.length > maxProperties)
    result.findings.push(tooManyEntries(path, names.length, maxProperties));
  const additional = additionalOf(schema);
  for (const name of names.sort()) {
    if (result.findings.length >= MAX_ERRORS) break;
    if (propertyOf(schema, name)) continue;
    if (schema.additionalProperties === false) {
      result.findings.push(invalid(path, '', `${shown}.${name} in body is a forbidden property`));
    } else if (additional)
      merge(result, validate(value[name], additional, `${path}.${name}`, fieldBefore(before, name, path)));
  }
  for (const [name, property] of propertiesOf(schema)) {
    if (Object.hasOwn(value, name))
      merge(result, validate(value[name], property, `${path}.${name}`, fieldBefore(before, name, path)));
  }
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name))
      result.findings.push({ type: 'FieldValueRequired', path: `${path}.${name}`, value: '', detail: '' });
  }
  result.matches++;
}

function checkCombinations(result: Result, value: unknown, schema: Schema, { path, before }: Place): void {
  const shown = quote(shownPath(path));
  const place = { path, shown, before };
  if (schema.anyOf?.length) checkAnyOf(result, value, schema.anyOf, place);
  if (schema.oneOf?.length) checkOneOf(result, value, schema.oneOf, place);
  if (schema.allOf?.length) checkAllOf(result, value, schema.allOf, place);
  if (schema.not && validateAnew(value, schema.not, path, before).findings.length === 0) {
    result.findings.push(withoutField(`${shown} must not validate the schema (not)`));
  }
  result.matches++;
}

interface CombinationPlace extends Place {
  readonly shown: string;
}

const closest = (results: readonly Result[]): Result | undefined =>
  results.reduce<Result | undefined>((best, next) => (!best || next.matches > best.matches ? next : best), undefined);

function checkAnyOf(
  result: Result,
  value: unknown,
  schemas: readonly Schema[],
  { path, shown, before }: CombinationPlace,
): void {
  const results: Result[] = [];
  for (const schema of schemas) {
    const one = validateAnew(value, schema, path, before);
    if (one.findings.length === 0) {
      merge(result, one);
      return;
    }
    results.push(one);
  }
  result.findings.push(withoutField(`${shown} must validate at least one schema (anyOf)`));
  merge(result, closest(results)!);
}

function checkOneOf(
  result: Result,
  value: unknown,
  schemas: readonly Schema[],
  { path, shown, before }: CombinationPlace,
): void {
  const results = schemas.map((schema) => validateAnew(value, schema, path, before));
  const valid = results.filter(({ findings }) => findings.length === 0);
  if (valid.length === 1) {
    merge(result, valid[0]!);
    return;
  }
  const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
  result.findings.push(withoutField(`${shown} must validate one and only one schema (oneOf). ${found}`));
  if (valid.length === 0) merge(result, closest(results)!);
}

function checkAllOf(
  result: Result,
  value: unknown,
  schemas: readonly Schema[],
  { path, shown, before }: CombinationPlace,
): void {
  const results = schemas.map((schema) => validateAnew(value, schema, path, before));
  for (const one of results) merge(result, one);
  const valid = results.filter(({ findings }) => findings.length === 0).length;
  if (valid === schemas.length) return;
  result.findings.push(
    withoutField(`${shown} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`),
  );
}
