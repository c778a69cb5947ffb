/** The format() function of strings: `"%s is %d".format([a, b])`. */
import { timestampText, formatSeconds } from '../time-text.ts';
import {
  CelError,
  CelObject,
  Duration,
  Timestamp,
  TypeValue,
  typeNameOf,
  Uint,
  type MapKey,
  type Value,
} from '../values.ts';
import { doubleText } from './conversions.ts';

const CLAUSE = /%(?:%|(?:\.(\d+))?([a-zA-Z]))/g;
const MAX_PRECISION = 1000;

export function formatText(text: string, args: readonly Value[]): string {
  let next = 0;
  const result = text.replace(CLAUSE, (all, precision?: string, verb?: string) => {
    if (all === '%%') return '%';
    if (next >= args.length) throw new CelError(`index ${next} out of range`);
    return formatOne(
      args[next++]!,
      verb!,
      precision === undefined ? undefined : Math.min(Number(precision), MAX_PRECISION),
    );
  });
  return result;
}

function formatOne(value: Value, verb: string, precision: number | undefined): string {
  switch (verb) {
    case 's':
      return show(value);
    case 'd':
      if (typeof value === 'bigint') return value.toString();
      if (value instanceof Uint) return value.value.toString();
      if (typeof value === 'number' && !Number.isFinite(value))
        return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
      throw wrong('decimal clause can only be used on integers', value);
    case 'f':
    case 'e': {
      const number = typeof value === 'bigint' ? Number(value) : value instanceof Uint ? Number(value.value) : value;
      if (typeof number !== 'number')
        throw wrong(`${verb === 'f' ? 'fixed-point' : 'scientific'} clause can only be used on doubles`, value);
      if (!Number.isFinite(number)) return Number.isNaN(number) ? 'NaN' : number > 0 ? 'Infinity' : '-Infinity';
      const digits = Math.min(precision ?? 6, 100);
      return verb === 'f' ? number.toFixed(digits) : number.toExponential(digits).replace(/e([+-])(\d)$/, 'e$10$2');
    }
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      return integer(value, 'only integers and bools can be formatted as binary').toString(2);
    case 'o':
      return integer(value, 'octal clause can only be used on integers').toString(8);
    case 'x':
    case 'X': {
      const hex =
        typeof value === 'string'
          ? Buffer.from(value).toString('hex')
          : value instanceof Uint8Array
            ? Buffer.from(value).toString('hex')
            : integer(value, 'only integers, byte buffers, and strings can be formatted as hex').toString(16);
      return verb === 'x' ? hex : hex.toUpperCase();
    }
    default:
      throw new CelError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

const wrong = (why: string, value: Value): CelError =>
  new CelError(`error during formatting: ${why}, was given ${typeNameOf(value)}`);

function integer(value: Value, why: string): bigint {
  if (typeof value === 'bigint') return value;
  if (value instanceof Uint) return value.value;
  throw wrong(why, value);
}

function show(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return doubleText(value);
  if (value instanceof Uint) return value.value.toString();
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return formatSeconds(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (value instanceof TypeValue) return value.name;
  if (Array.isArray(value)) return `[${(value as readonly Value[]).map(show).join(', ')}]`;
  if (value instanceof Map) {
    const entries = [...(value as ReadonlyMap<MapKey, Value>)].map(([key, held]) => `${show(key)}: ${show(held)}`);
    return `{${entries.sort().join(', ')}}`;
  }
  throw wrong(
    'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
    value instanceof CelObject ? null : value,
  );
}
