/** Type conversions: `int()`, `string()`, `timestamp()` and so on. */
import { parseGoBool } from '../../base/index.ts';
import { overload, type Library } from '../function-table.ts';
import { formatSeconds, parseDurationText, parseTimestampText, timestampText } from '../time-text.ts';
import { A, BOOL, BYTES, DOUBLE, DURATION, DYN, INT, STRING, TIMESTAMP, typeOf, UINT } from '../types.ts';
import { CelError, Duration, Timestamp, TypeValue, typeNameOf, Uint, type Value } from '../values.ts';
import { int, truncated, uint } from './integers.ts';
import { timestamp } from './operators.ts';

const same = (value: Value): Value => value;

function parseInt64(text: string): bigint {
  const value = /^[+-]?\d+$/.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined;
  if (value === undefined || BigInt.asIntN(64, value) !== value)
    throw new CelError("type conversion error from 'string' to 'int'");
  return value;
}

function parseUint64(text: string): bigint {
  const value = /^\d+$/.test(text) ? BigInt(text) : undefined;
  if (value === undefined || BigInt.asUintN(64, value) !== value)
    throw new CelError("type conversion error from 'string' to 'uint'");
  return value;
}

/** A double as Go prints it. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const exponent = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  if (exponent >= -4 && exponent < 21) return Number.isInteger(value) ? BigInt(value).toString() : String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

function parseDouble(text: string): number {
  if (!/^[+-]?(\d+(?:\.\d*)?([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf|infinity|nan)$/i.test(text))
    throw new CelError("type conversion error from 'string' to 'double'");
  const plain = text.toLowerCase();
  if (plain.endsWith('nan')) return NaN;
  if (/inf/.test(plain)) return plain.startsWith('-') ? -Infinity : Infinity;
  return Number(text);
}

function parseBool(text: string): boolean {
  const value = parseGoBool(text);
  if (value === undefined) throw new CelError("type conversion error from 'string' to 'bool'");
  return value;
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

const NANOS = 1_000_000_000n;

const floorDivide = (a: bigint, b: bigint): bigint => (a >= 0n ? a / b : -((-a + b - 1n) / b));

export const conversions: Library = {
  functions: {
    int: [
      overload('int64_to_int64', [INT], INT, same),
      overload('uint64_to_int64', [UINT], INT, (value: Uint) => int(value.value)),
      overload('double_to_int64', [DOUBLE], INT, (value: number) => int(truncated(value))),
      overload('string_to_int64', [STRING], INT, (text: string) => int(parseInt64(text))),
      overload('timestamp_to_int64', [TIMESTAMP], INT, (value: Timestamp) => floorDivide(value.nanos, NANOS)),
      overload('duration_to_int64', [DURATION], INT, (value: Duration) => value.nanos),
    ],
    uint: [
      overload('uint64_to_uint64', [UINT], UINT, same),
      overload('int64_to_uint64', [INT], UINT, (value: bigint) => uint(value)),
      overload('double_to_uint64', [DOUBLE], UINT, (value: number) => uint(truncated(value))),
      overload('string_to_uint64', [STRING], UINT, (text: string) => uint(parseUint64(text))),
    ],
    double: [
      overload('double_to_double', [DOUBLE], DOUBLE, same),
      overload('int64_to_double', [INT], DOUBLE, (value: bigint) => Number(value)),
      overload('uint64_to_double', [UINT], DOUBLE, (value: Uint) => Number(value.value)),
      overload('string_to_double', [STRING], DOUBLE, parseDouble),
    ],
    string: [
      overload('string_to_string', [STRING], STRING, same),
      overload('bool_to_string', [BOOL], STRING, (value: boolean) => String(value)),
      overload('int64_to_string', [INT], STRING, (value: bigint) => String(value)),
      overload('uint64_to_string', [UINT], STRING, (value: Uint) => String(value.value)),
      overload('double_to_string', [DOUBLE], STRING, doubleText),
      overload('bytes_to_string', [BYTES], STRING, utf8),
      overload('timestamp_to_string', [TIMESTAMP], STRING, (value: Timestamp) => timestampText(value)),
      overload('duration_to_string', [DURATION], STRING, (value: Duration) => formatSeconds(value)),
    ],
    bytes: [
      overload('bytes_to_bytes', [BYTES], BYTES, same),
      overload('string_to_bytes', [STRING], BYTES, (text: string) => Buffer.from(text)),
    ],
    bool: [overload('bool_to_bool', [BOOL], BOOL, same), overload('string_to_bool', [STRING], BOOL, parseBool)],
    dyn: [overload('to_dyn', [A], DYN, same)],
    type: [overload('type', [A], typeOf(A), (value: Value) => new TypeValue(typeNameOf(value)))],
    duration: [
      overload('duration_to_duration', [DURATION], DURATION, same),
      overload('int64_to_duration', [INT], DURATION, (value: bigint) => new Duration(value)),
      overload('string_to_duration', [STRING], DURATION, parseDurationText),
    ],
    timestamp: [
      overload('timestamp_to_timestamp', [TIMESTAMP], TIMESTAMP, same),
      overload('int64_to_timestamp', [INT], TIMESTAMP, (seconds: bigint) => timestamp(seconds * NANOS)),
      overload('string_to_timestamp', [STRING], TIMESTAMP, parseTimestampText),
    ],
  },
};
