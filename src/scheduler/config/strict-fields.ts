/** Strict decoding of the configuration: unknown fields and wrong types are errors. */
import { errorMessage, parseDuration } from '../../base/index.ts';

export class SchedulerConfigurationError extends Error {
  readonly code = 'scheduler-configuration';

  constructor(message: string) {
    super(message);
    this.name = 'SchedulerConfigurationError';
  }
}

type FieldKind =
  | 'string'
  | 'number'
  | 'boolean'
  | 'duration'
  | 'any'
  | { readonly object: Fields }
  | { readonly list: FieldKind };
export type Fields = Readonly<Record<string, FieldKind>>;

/** Returns the value with durations in milliseconds, and collects errors as strict decoding reports them. */
export function readFields(value: unknown, fields: Fields, at: string, problems: string[]): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  if (value === undefined || value === null) return read;
  if (typeof value !== 'object' || Array.isArray(value)) {
    problems.push(wrongType(value, at));
    return read;
  }
  for (const [name, entry] of Object.entries(value)) {
    const path = at === '' ? name : `${at}.${name}`;
    const kind = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (kind === undefined) problems.push(`unknown field ${JSON.stringify(path)}`);
    else if (entry !== null) read[name] = readValue(entry, kind, path, problems);
  }
  return read;
}

function readValue(value: unknown, kind: FieldKind, at: string, problems: string[]): unknown {
  if (kind === 'any') return value;
  if (kind === 'duration') {
    try {
      return parseDuration(String(value));
    } catch (error) {
      problems.push(errorMessage(error));
      return undefined;
    }
  }
  if (typeof kind === 'string') {
    if (typeof value !== kind) problems.push(wrongType(value, at));
    return value;
  }
  if ('object' in kind) return readFields(value, kind.object, at, problems);
  if (!Array.isArray(value)) {
    problems.push(wrongType(value, at));
    return [];
  }
  return value.map((item, i) => readValue(item, kind.list, `${at}[${i}]`, problems));
}

const wrongType = (value: unknown, at: string): string =>
  `json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value} into Go struct field ${at}`;
