/**
 * Compiles a schema to a predicate that tells whether a value is valid. Nearly all values are; for the others
 * `validateValue`, with which the predicate must agree, produces the errors.
 */
import type { FieldError } from '../../machinery/errors/index.ts';
import {
  additionalOf,
  compileGoRegexp,
  GoRegexpError,
  isIntOrString,
  isRecognizedFormat,
  itemsOf,
  type Schema,
  stringFormat,
  validateValue,
} from '../../machinery/validation/index.ts';

type Valid = (value: unknown) => boolean;

export function compileValidator(schema: Schema): Valid {
  const checks = [
    typeCheck(schema),
    combinations(schema),
    strings(schema),
    numbers(schema),
    arrays(schema),
    objects(schema),
    enumeration(schema),
  ].filter((check) => check !== undefined);
  if (checks.length === 1) return checks[0]!;
  return (value) => {
    for (const check of checks) if (!check(value)) return false;
    return true;
  };
}

function typeCheck(schema: Schema): Valid | undefined {
  const types = isIntOrString(schema) ? ['integer', 'string'] : schema.type ? [schema.type] : [];
  const format = schema.format && isRecognizedFormat(types.length === 1 ? types[0] : undefined, schema.format);
  if (format && schema.type !== 'string' && schema.type !== 'integer' && schema.type !== 'number')
    return byFullValidation({
      ...(schema.type ? { type: schema.type } : {}),
      ...(schema.format ? { format: schema.format } : {}),
      ...(schema.nullable ? { nullable: true } : {}),
    });
  if (types.length === 0) return undefined;
  const nullable = schema.nullable === true;
  // As upstream: a list is valid for a string with a format, because formats are only checked on strings.
  const listForString = Boolean(format) && schema.type === 'string';
  const wanted = new Set(types);
  return (value) => {
    switch (typeof value) {
      case 'string':
        return wanted.has('string');
      case 'boolean':
        return wanted.has('boolean');
      case 'number':
        return wanted.has('number') || (wanted.has('integer') && Number.isInteger(value) && Math.abs(value) < 2 ** 63);
      case 'bigint':
        return wanted.has('number') || wanted.has('integer');
      case 'object':
        if (value === null) return nullable;
        return Array.isArray(value) ? wanted.has('array') || listForString : wanted.has('object');
      default:
        return nullable;
    }
  };
}

/** Rare keywords use the full validation. */
function byFullValidation(schema: Schema): Valid {
  return (value) => {
    const errors: FieldError[] = [];
    validateValue(errors, value, schema);
    return errors.length === 0;
  };
}

function combinations(schema: Schema): Valid | undefined {
  const { anyOf, oneOf, allOf, not } = schema;
  if (!anyOf?.length && !oneOf?.length && !allOf?.length && !not) return undefined;
  const any = (anyOf ?? []).map(compileValidator);
  const one = (oneOf ?? []).map(compileValidator);
  const all = (allOf ?? []).map(compileValidator);
  const none = not ? compileValidator(not) : undefined;
  return (value) => {
    if (value === null || value === undefined) return true;
    if (any.length > 0 && !any.some((valid) => valid(value))) return false;
    if (one.length > 0 && one.filter((valid) => valid(value)).length !== 1) return false;
    return all.every((valid) => valid(value)) && !none?.(value);
  };
}

function strings(schema: Schema): Valid | undefined {
  const { maxLength, minLength, pattern } = schema;
  const format = schema.type && schema.type !== 'string' ? undefined : stringFormat(schema.format);
  if (maxLength == null && minLength == null && !pattern && !format) return undefined;
  const matches = pattern ? matcher(pattern) : undefined;
  return (value) => {
    if (typeof value !== 'string') return true;
    // There are at most as many characters as code units. Count characters only if that does not decide.
    if (maxLength != null && value.length > maxLength && characters(value) > maxLength) return false;
    if (
      minLength != null &&
      (value.length < minLength || (value.length < minLength * 2 && characters(value) < minLength))
    )
      return false;
    return (!matches || matches(value)) && (!format || format(value));
  };
}

const characters = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

function matcher(pattern: string): (text: string) => boolean {
  try {
    const compiled = compileGoRegexp(pattern);
    return (text) => compiled.test(text);
  } catch (error) {
    if (error instanceof GoRegexpError) return () => false;
    throw error;
  }
}

function numbers(schema: Schema): Valid | undefined {
  const { multipleOf, minimum, maximum } = schema;
  if (schema.type !== 'integer' && multipleOf == null && minimum == null && maximum == null) return undefined;
  const simple = multipleOf == null && (!schema.format || schema.format === 'int32' || schema.format === 'int64');
  const slow = byFullValidation(numericPart(schema));
  const int32 = schema.type === 'integer' && schema.format === 'int32';
  return (value) => {
    if (typeof value === 'bigint') return slow(value);
    if (typeof value !== 'number') return true;
    if (!simple) return slow(value);
    if (int32 && (value < -(2 ** 31) || value >= 2 ** 31)) return false;
    if (minimum != null && (schema.exclusiveMinimum ? value <= minimum : value < minimum)) return false;
    return maximum == null || (schema.exclusiveMaximum ? value < maximum : value <= maximum);
  };
}

function numericPart(schema: Schema): Schema {
  const part: Schema = {};
  for (const name of [
    'type',
    'format',
    'multipleOf',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
  ] as const) {
    if (schema[name] !== undefined) Object.assign(part, { [name]: schema[name] });
  }
  return part;
}

function arrays(schema: Schema): Valid | undefined {
  const items = itemsOf(schema);
  const { minItems, maxItems } = schema;
  if (!items && minItems == null && maxItems == null) return undefined;
  const item = items && compileValidator(items);
  return (value) => {
    if (!Array.isArray(value)) return true;
    if ((minItems != null && value.length < minItems) || (maxItems != null && value.length > maxItems)) return false;
    if (item) for (const one of value) if (!item(one)) return false;
    return true;
  };
}

function objects(schema: Schema): Valid | undefined {
  const { minProperties, maxProperties, required = [] } = schema;
  const properties = new Map(
    Object.entries(schema.properties ?? {}).map(([name, property]) => [name, compileValidator(property)]),
  );
  const additional = additionalOf(schema);
  const others = additional
    ? compileValidator(additional)
    : schema.additionalProperties === false
      ? () => false
      : undefined;
  if (properties.size === 0 && !others && minProperties == null && maxProperties == null && required.length === 0)
    return undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return true;
    for (const name of required) if (!Object.hasOwn(value, name)) return false;
    let count = 0;
    for (const name in value) {
      count++;
      const valid = properties.get(name) ?? others;
      if (valid && !valid((value as Record<string, unknown>)[name])) return false;
    }
    return (minProperties == null || count >= minProperties) && (maxProperties == null || count <= maxProperties);
  };
}

function enumeration(schema: Schema): Valid | undefined {
  const allowed = schema.enum ?? [];
  if (allowed.length === 0) return undefined;
  const plain = allowed.every((entry) => typeof entry === 'string');
  if (!plain) return byFullValidation({ enum: allowed });
  const texts = new Set<unknown>(allowed);
  return (value) => texts.has(value);
}
