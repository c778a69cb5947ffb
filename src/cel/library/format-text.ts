/** The format() function of strings: `"%s is %d".format([a, b])`. */
import { quote } from '../../base/index.ts';
import { timestampText, formatSeconds } from '../time-text.ts';
import { CelError, Duration, Timestamp, TypeValue, typeNameOf, Uint, type MapKey, type Value } from '../values.ts';
import { doubleText } from './conversions.ts';
import { fixedText, scientificParts } from './decimal-text.ts';

const DEFAULT_PRECISION = 6;
const MAX_PRECISION = 1000;
const GROUP_DIGITS = 3;

/** One `%…` of a format. */
interface Clause {
  readonly verb: string;
  readonly precision: number | undefined;
}

/**
 * Calls `format` for each clause with the number of its argument, and returns the text. `count` is the number of
 * arguments; throws a CelError for a broken clause or a missing argument.
 */
export function eachClause(
  text: string,
  { count, literal = false }: { readonly count: number; readonly literal?: boolean },
  format: (clause: Clause, index: number) => string,
): string {
  let out = '';
  let index = 0;
  for (let at = 0; at < text.length;) {
    if (text[at] !== '%') {
      out += text[at++];
      continue;
    }
    if (text[at + 1] === '%') {
      out += '%';
      at += 2;
      continue;
    }
    // At run time a missing argument is noticed before the end of the text.
    if (at + 1 >= text.length && (literal || index < count)) throw new CelError('unexpected end of string');
    if (index >= count) throw new CelError(`index ${index} out of range`);
    const clause = clauseAt(text, at + 1);
    out += format(clause, index++);
    at = clause.end;
  }
  return out;
}

const broken = (why: string): CelError => new CelError(`could not parse formatting clause: ${why}`);

function clauseAt(text: string, start: number): Clause & { end: number } {
  let at = start;
  let precision: number | undefined;
  if (text[at] === '.') {
    const digits = /^\d*/.exec(text.slice(at + 1))![0];
    at += 1 + digits.length;
    if (at >= text.length) throw broken('error while parsing precision: could not find end of precision specifier');
    if (digits === '')
      throw broken(
        'error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
      );
    precision = Math.min(Number(digits), MAX_PRECISION);
  }
  // As upstream, a clause is a byte, also where a character has more.
  const verb = String.fromCharCode(Buffer.from(String.fromCodePoint(text.codePointAt(at)!))[0]!);
  if (!'sdfebxXo'.includes(verb)) throw broken(`unrecognized formatting clause "${verb}"`);
  return { verb, precision, end: at + 1 };
}

export const formatText = (text: string, args: readonly Value[]): string =>
  eachClause(text, { count: args.length }, (clause, index) => formatOne(args[index]!, clause));

/** What a clause says of a value that it cannot show. */
export const CLAUSE_PROBLEMS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
    d: 'decimal clause can only be used on integers',
    f: 'fixed-point clause can only be used on doubles',
    e: 'scientific clause can only be used on doubles',
    b: 'only integers and bools can be formatted as binary',
    o: 'octal clause can only be used on integers',
    x: 'only integers, byte buffers, and strings can be formatted as hex',
    X: 'only integers, byte buffers, and strings can be formatted as hex',
  }),
);

function formatOne(value: Value, { verb, precision = DEFAULT_PRECISION }: Clause): string {
  switch (verb) {
    case 's':
      return show(value);
    case 'd':
      return integer(value, verb).toString();
    case 'f':
      return localFixed(double(value, verb), precision);
    case 'e':
      return localScientific(double(value, verb), precision);
    case 'b':
      return typeof value === 'boolean' ? (value ? '1' : '0') : integer(value, verb).toString(2);
    case 'o':
      return integer(value, verb).toString(8);
    default: {
      const hex =
        typeof value === 'string' || value instanceof Uint8Array
          ? Buffer.from(value as string).toString('hex')
          : integer(value, verb).toString(16);
      return verb === 'x' ? hex : hex.toUpperCase();
    }
  }
}

const wrong = (verb: string, value: Value): CelError =>
  new CelError(`error during formatting: ${CLAUSE_PROBLEMS.get(verb)}, was given ${typeNameOf(value)}`);

function integer(value: Value, verb: string): bigint {
  if (typeof value === 'bigint') return value;
  if (value instanceof Uint) return value.value;
  throw wrong(verb, value);
}

const SPECIAL: ReadonlyMap<string, number> = new Map([
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
]);

/** A double, or one of the texts for what is no number. */
function double(value: Value, verb: string): number {
  if (typeof value === 'number') return value;
  const special = typeof value === 'string' ? SPECIAL.get(value) : undefined;
  if (special === undefined) throw wrong(verb, value);
  return special;
}

const notFinite = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? '∞' : '-∞');

/** In the locale en-US: `12,345.600000`. */
function localFixed(value: number, precision: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  return fixedText(value, precision).replace(/\d+/, grouped);
}

function grouped(whole: string): string {
  const first = whole.length % GROUP_DIGITS || GROUP_DIGITS;
  let out = whole.slice(0, first);
  for (let at = first; at < whole.length; at += GROUP_DIGITS) out += `,${whole.slice(at, at + GROUP_DIGITS)}`;
  return out;
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** In the locale en-US: `1.234560 × 10⁰⁴`. */
function localScientific(value: number, precision: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  const { mantissa, exponent } = scientificParts(value, precision);
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  const power = [...digits].map((digit) => SUPERSCRIPTS[Number(digit)]).join('');
  return `${mantissa} × 10${exponent < 0 ? '⁻' : ''}${power}`;
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
  if (Array.isArray(value)) return `[${(value as readonly Value[]).map(showInside).join(', ')}]`;
  if (value instanceof Map) {
    const entries = [...(value as ReadonlyMap<MapKey, Value>)]
      .map(([key, held]): [string, string] => [showInside(key as Value), showInside(held)])
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return `{${entries.map(([key, held]) => `${key}:${held}`).join(', ')}}`;
  }
  throw wrong('s', value);
}

/** As a literal of CEL. */
function showInside(value: Value): string {
  if (typeof value === 'string') return quote(value);
  if (value instanceof Uint8Array) return `b${quote(show(value))}`;
  if (value instanceof Timestamp) return `timestamp(${quote(show(value))})`;
  if (value instanceof Duration) return `duration(${quote(show(value))})`;
  if (typeof value === 'number')
    return Number.isFinite(value) ? fixedText(value, DEFAULT_PRECISION) : quote(doubleText(value));
  const isKnown =
    value === null ||
    typeof value !== 'object' ||
    value instanceof Uint ||
    value instanceof TypeValue ||
    Array.isArray(value) ||
    value instanceof Map;
  if (!isKnown) throw new CelError(`error during formatting: no formatting function for ${typeNameOf(value)}`);
  return show(value);
}
