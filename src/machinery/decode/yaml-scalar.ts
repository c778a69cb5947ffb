/**
 * The meaning of plain YAML scalars: YAML 1.1, as upstream's library reads it. `yes`, `on` and `y` are booleans,
 * `0755` is octal, a number that no double can hold (`1e400`) is a string, and dates stay strings.
 */
export type YamlScalar = string | number | bigint | boolean | null;

const TRUE = new Set(['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON']);
const FALSE = new Set(['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF']);
const NULL = new Set(['', '~', 'null', 'Null', 'NULL']);
const NOT_FINITE = /^(?:\.(?:nan|NaN|NAN)|[-+]?\.(?:inf|Inf|INF))$/;
const FLOAT = /^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/;
const INTEGER = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)$/;
/** Longer texts are not parsed as numbers. */
const MAX_NUMBER_LENGTH = 400;
const MAX_UINT64 = (1n << 64n) - 1n;
const MIN_INT64 = -(1n << 63n);

export function resolvePlainScalar(text: string): YamlScalar {
  if (NULL.has(text)) return null;
  if (TRUE.has(text)) return true;
  if (FALSE.has(text)) return false;
  if (!/^[-+.0-9]/.test(text) || text.length > MAX_NUMBER_LENGTH) return text;
  if (NOT_FINITE.test(text)) return notFinite(text);
  const digits = text.replaceAll('_', '');
  const integer = parseInteger(digits);
  if (integer !== undefined) return integer;
  if (!FLOAT.test(digits)) return text;
  const number = Number(digits);
  return Number.isFinite(number) ? number : text;
}

function notFinite(text: string): number {
  if (/nan$/i.test(text)) return NaN;
  return text.startsWith('-') ? -Infinity : Infinity;
}

function parseInteger(text: string): number | bigint | undefined {
  const match = INTEGER.exec(text);
  if (!match) return undefined;
  const [, sign, digits] = match;
  const octal = /^0[0-7]+$/.test(digits!) ? `0o${digits!.slice(1)}` : digits!;
  const value = sign === '-' ? -BigInt(octal) : BigInt(octal);
  if (value > MAX_UINT64 || value < MIN_INT64) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** A scalar with an explicit tag. */
export function resolveTaggedScalar(tag: string, text: string): YamlScalar {
  switch (tag) {
    case 'tag:yaml.org,2002:str':
      return text;
    case 'tag:yaml.org,2002:binary':
      return Buffer.from(text, 'base64').toString('utf8');
    case 'tag:yaml.org,2002:null':
      return null;
    case 'tag:yaml.org,2002:float': {
      const value = resolvePlainScalar(text);
      return typeof value === 'bigint' ? Number(value) : value;
    }
    default:
      return resolvePlainScalar(text);
  }
}
