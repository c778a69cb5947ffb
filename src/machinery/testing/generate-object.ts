/**
 * Random objects of any message, in canonical form, for property tests: every field of every type can occur, with values
 * at the edges of its type more often than chance would have it. The same seed gives the same objects.
 */
import {
  apiVersionOf,
  type Field,
  type GroupVersionKind,
  type Message,
  type ScalarType,
  type Type,
} from '../../api/schema.ts';
import { canonicalize } from '../decode/index.ts';

export interface ObjectGenerator {
  /** A canonical value of the message; without apiVersion and kind unless the message is an object and chance says so. */
  message(message: Message): Record<string, unknown>;
  /** A canonical object with its apiVersion and kind. */
  object(message: Message, gvk: GroupVersionKind): Record<string, unknown>;
  /** Any JSON value. */
  json(): unknown;
  /** At least 0, less than `limit`. */
  integer(limit: number): number;
}

export function objectGenerator(seed: number): ObjectGenerator {
  const generator = new Generator(seed);
  return {
    message: (message) => canonicalize(message, generator.message(message, 0)),
    object: (message, gvk) =>
      canonicalize(message, { ...generator.message(message, 0), kind: gvk.kind, apiVersion: apiVersionOf(gvk) }),
    json: () => generator.json(0),
    integer: (limit) => generator.integer(limit),
  };
}

const MAX_DEPTH = 7;
const INT32 = [0, 1, -1, 7, 80, 2_147_483_647, -2_147_483_648];
const INT64 = [...INT32, 4_294_967_296, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
const DOUBLES = [0, 1, -1, 0.5, -2.25, 1e21, 1e-7, 123456.789];
const STRINGS = [
  '',
  'a',
  'web-1',
  'example.com/part',
  'Größe',
  '日本',
  '😀',
  'a"b\\c',
  'line\nbreak',
  '\u0001',
  '</script>',
  '__proto__',
  '0',
  'true',
];
const QUANTITIES = [
  '0',
  '1',
  '100m',
  '1500m',
  '1Gi',
  '128Mi',
  '1k',
  '2.5',
  '1e3',
  '-5',
  '999999999999n',
  '1023Ki',
  '12E',
];
const TIMES = [
  '2026-01-31T10:00:00Z',
  '1970-01-01T00:00:00Z',
  '1969-12-31T23:59:59Z',
  '9999-12-31T23:59:59Z',
  '2024-02-29T00:00:01Z',
];
const MICRO_TIMES = ['2026-01-31T10:00:00.000000Z', '2026-01-31T10:00:00.123456Z', '1970-01-01T00:00:00.000001Z'];
const DURATIONS = ['0s', '1m0s', '1h2m3.5s', '300ms'];
const BYTES = ['', 'AA==', 'aGVsbG8=', '/+8='];
const KEYS = ['a', 'b', 'cpu', 'memory', 'example.com/key', 'A.b_c-d', '1', '__proto__', 'ключ'];

class Generator {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  message(message: Message, depth: number): Record<string, unknown> {
    const value: Record<string, unknown> = {};
    // Some objects full, most of them sparse, so that both kinds are met.
    const share = depth >= MAX_DEPTH ? 0 : this.#oneOf([0.1, 0.3, 0.7]);
    for (const field of message.fields) if (this.#chance(share)) value[field.name] = this.#field(field, depth);
    return value;
  }

  #field(field: Field, depth: number): unknown {
    return this.#value(field.type, depth + 1);
  }

  #value(type: Type, depth: number): unknown {
    switch (type.kind) {
      case 'message':
        return this.message(type, depth);
      case 'list':
        return Array.from({ length: this.#length(depth) }, () => this.#value(type.element, depth + 1));
      case 'map':
        return Object.fromEntries(
          Array.from({ length: this.#length(depth) }, () => [this.#oneOf(KEYS), this.#value(type.value, depth + 1)]),
        );
      case 'union':
        if (type.union === 'JSONSchemaPropsOrBool' && this.#chance(0.5)) return this.#chance(0.5);
        if (type.union === 'JSONSchemaPropsOrStringArray' && this.#chance(0.5)) return [this.#oneOf(KEYS), 'x'];
        if (type.union === 'JSONSchemaPropsOrArray' && this.#chance(0.3)) return [this.message(type.schema, depth + 2)];
        return this.message(type.schema, depth + 1);
      case 'scalar':
        return this.#scalar(type);
    }
  }

  #scalar(type: ScalarType): unknown {
    switch (type.scalar) {
      case 'string':
        return type.values.length > 0 && this.#chance(0.8) ? this.#oneOf(type.values) : this.#oneOf(STRINGS);
      case 'bool':
        return this.#chance(0.5);
      case 'int32':
        return this.#oneOf(INT32);
      case 'int64':
        return this.#oneOf(INT64);
      case 'double':
        return this.#oneOf(DOUBLES);
      case 'bytes':
        return this.#oneOf(BYTES);
      case 'Quantity':
        return this.#oneOf(QUANTITIES);
      case 'IntOrString':
        return this.#chance(0.5) ? this.#oneOf(INT32) : this.#oneOf(['http', '25%', '', '0']);
      case 'Time':
        return this.#oneOf(TIMES);
      case 'MicroTime':
        return this.#oneOf(MICRO_TIMES);
      case 'Duration':
        return this.#oneOf(DURATIONS);
      case 'RawExtension':
      case 'FieldsV1':
        return Object.fromEntries([[this.#oneOf(KEYS), this.json(MAX_DEPTH - 3)]]);
      case 'JSON':
        return this.json(MAX_DEPTH - 3) ?? 'x';
    }
  }

  json(depth: number): unknown {
    const kind = this.integer(depth >= MAX_DEPTH ? 5 : 7);
    switch (kind) {
      case 0:
        return null;
      case 1:
        return this.#chance(0.5);
      case 2:
        return this.#oneOf(INT64);
      case 3:
        return this.#oneOf(DOUBLES);
      case 4:
        return this.#oneOf(STRINGS);
      case 5:
        return Array.from({ length: this.integer(3) }, () => this.json(depth + 1));
      default:
        return Object.fromEntries(
          Array.from({ length: this.integer(3) }, () => [this.#oneOf(KEYS), this.json(depth + 1)]),
        );
    }
  }

  integer(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #length(depth: number): number {
    return depth >= MAX_DEPTH ? 0 : this.integer(4);
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  #oneOf<T>(choices: readonly T[]): T {
    return choices[this.integer(choices.length)]!;
  }

  /** Mulberry32: small, even, and the same everywhere. */
  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }
}
