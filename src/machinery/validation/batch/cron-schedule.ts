/**
 * Validates cron schedules: five fields, or a descriptor such as `@daily` or `@every 1h`, optionally after a time
 * zone. Messages are those of upstream's parser, robfig/cron.
 */
import { ownValue, parseDurationNanos } from '../../../base/index.ts';

interface FieldBounds {
  readonly min: number;
  readonly max: number;
  readonly names: Readonly<Record<string, number>>;
}

const MONTHS = { jan: 1, feb: 2, mar: 3, apr: 4, may: 5, jun: 6, jul: 7, aug: 8, sep: 9, oct: 10, nov: 11, dec: 12 };
const DAYS = { sun: 0, mon: 1, tue: 2, wed: 3, thu: 4, fri: 5, sat: 6 };

const FIELDS: readonly FieldBounds[] = [
  { min: 0, max: 59, names: {} },
  { min: 0, max: 23, names: {} },
  { min: 1, max: 31, names: {} },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];

const DESCRIPTORS = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']);

/** The error of the schedule; undefined if it is valid. */
export function cronScheduleProblem(schedule: string, knownTimeZone: (zone: string) => boolean): string | undefined {
  if (schedule === '') return 'empty spec string';
  let spec = schedule;
  if (spec.startsWith('TZ=') || spec.startsWith('CRON_TZ=')) {
    const end = spec.indexOf(' ');
    const zone = spec.slice(spec.indexOf('=') + 1, end < 0 ? undefined : end);
    if (!knownTimeZone(zone)) return `provided bad location ${zone}: unknown time zone ${zone}`;
    spec = end < 0 ? '' : spec.slice(end).trim();
  }
  if (spec.startsWith('@')) return descriptorProblem(spec);
  const fields = spec.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== 5) return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  for (const [i, bounds] of FIELDS.entries()) {
    const problem = fieldProblem(fields[i]!, bounds);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function descriptorProblem(descriptor: string): string | undefined {
  if (DESCRIPTORS.has(descriptor)) return undefined;
  if (!descriptor.startsWith('@every ')) return `unrecognized descriptor: ${descriptor}`;
  const duration = descriptor.slice('@every '.length);
  try {
    parseDurationNanos(duration);
    return undefined;
  } catch (error) {
    return `failed to parse duration ${descriptor}: ${(error as Error).message}`;
  }
}

function fieldProblem(field: string, bounds: FieldBounds): string | undefined {
  for (const expression of field.split(',').filter((part) => part !== '')) {
    const problem = rangeProblem(expression, bounds);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** `*`, `5`, `mon-fri`, `1-30/5`. */
function rangeProblem(expression: string, { min, max, names }: FieldBounds): string | undefined {
  const [span = '', ...steps] = expression.split('/');
  const ends = span.split('-');
  let start = min;
  let end = max;
  if (ends[0] !== '*' && ends[0] !== '?') {
    const first = number(ends[0]!, names);
    if (typeof first === 'string') return first;
    start = first;
    if (ends.length > 2) return `too many hyphens: ${expression}`;
    const last = ends.length === 2 ? number(ends[1]!, names) : start;
    if (typeof last === 'string') return last;
    end = last;
  }
  let step = 1;
  if (steps.length > 1) return `too many slashes: ${expression}`;
  if (steps.length === 1) {
    const given = number(steps[0]!, {});
    if (typeof given === 'string') return given;
    step = given;
    if (ends.length === 1 && ends[0] !== '*' && ends[0] !== '?') end = max;
  }
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${expression}`;
  if (end > max) return `end of range (${end}) above maximum (${max}): ${expression}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${expression}`;
  if (step === 0) return `step of range should be a positive number: ${expression}`;
  return undefined;
}

function number(text: string, names: Readonly<Record<string, number>>): number | string {
  const named = ownValue(names, text.toLowerCase());
  if (named !== undefined) return named;
  if (!/^[+-]?\d+$/.test(text))
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  const value = Number(text);
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value;
}
