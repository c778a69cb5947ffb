import { describe, expect, it } from 'vitest';
import { schema, type Message } from '../../api/index.ts';
import { encodeJson, stringifyJson } from '../../base/index.ts';
import { canonicalize } from '../decode/index.ts';
import { isBadInput, StatusError } from '../errors/status.ts';
import { objectGenerator } from '../testing/index.ts';
import { decodeMessage, decodeProtobufObject, encodeMessage, encodeProtobuf } from './index.ts';

const OBJECTS_OF_EACH = 15;
const GARBAGE_OF_EACH = 100;
const messages = [...schema.messages.values()];

/**
 * What protobuf cannot tell apart: an empty list or map from none, and the type of an object within an object. Both
 * sides are brought to the form without them.
 */
function withoutEmpty(message: Message, value: Record<string, unknown>): string {
  return stringifyJson(canonicalize(message, strip(value, true) as Record<string, unknown>));
}

function strip(value: unknown, top: boolean): unknown {
  if (Array.isArray(value)) return value.map((element) => strip(element, false));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => top || !isTypeOfInnerObject(value, key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, strip(inner, false)]));
}

const isTypeOfInnerObject = (value: object, key: string): boolean =>
  (key === 'kind' || key === 'apiVersion') && 'metadata' in value;

describe('round trip', () => {
  it.each(messages.map((message) => ({ name: message.fullName, message })))('$name', ({ message }) => {
    const generator = objectGenerator(1);
    for (let i = 0; i < OBJECTS_OF_EACH; i++) {
      const object = generator.message(message);
      const bytes = encodeMessage(message, object);
      const decoded = decodeMessage(message, bytes);
      expect(withoutEmpty(message, decoded)).toBe(withoutEmpty(message, object));
      expect(encodeMessage(message, decoded).equals(bytes)).toBe(true);
    }
  });

  it('returns objects of every kind with their type and in the order of JSON', () => {
    const generator = objectGenerator(2);
    for (const resource of schema.resources) {
      const { message, group, version, kind } = resource;
      const object = generator.object(message, { group, version, kind });
      const typeMeta = { apiVersion: String(object['apiVersion']), kind };
      const decoded = decodeProtobufObject(schema, encodeProtobuf(message, object, typeMeta));
      expect(decoded).toMatchObject(typeMeta);
      expect(encodeJson(canonicalize(message, decoded as Record<string, unknown>)).toString()).toBe(
        encodeJson(decoded).toString(),
      );
    }
  });
});

describe('garbage', () => {
  it('is refused or read', () => {
    const generator = objectGenerator(3);
    let refused = 0;
    for (const resource of schema.resources) {
      const { message, group, version, kind } = resource;
      const typeMeta = { apiVersion: group === '' ? version : `${group}/${version}`, kind };
      for (let i = 0; i < GARBAGE_OF_EACH; i++) {
        const bytes = damaged(encodeProtobuf(message, generator.message(message), typeMeta), generator.integer);
        try {
          decodeProtobufObject(schema, bytes);
        } catch (error) {
          if (!isBadInput(error)) throw error;
          if (error instanceof StatusError) expect(error.code).toBe(400);
          refused++;
        }
      }
    }
    expect(refused).toBeGreaterThan(100);
  });

  it('is refused when it is nested without end', () => {
    const props = schema.message('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps');
    const not = props.wireFields.find((field) => field.name === 'not')!;
    const tag = Buffer.from([(((not.number << 3) | 2) & 0x7f) | 0x80, not.number >> 4]);
    let bytes = Buffer.alloc(0);
    for (let depth = 0; depth < 3000; depth++) bytes = Buffer.concat([tag, varint(bytes.length), bytes]);
    expect(() => decodeMessage(props, bytes)).toThrow(StatusError);
  });
});

/** Cut short, a byte changed, or a stretch replaced. */
function damaged(bytes: Buffer, integer: (limit: number) => number): Buffer {
  const copy = Buffer.from(bytes);
  const at = integer(copy.length);
  const how = integer(3);
  if (how === 0) return copy.subarray(0, at);
  if (how === 1) copy[at] = integer(256);
  else for (let i = at; i < Math.min(at + 8, copy.length); i++) copy[i] = integer(256);
  return copy;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (; value >= 0x80; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return Buffer.from([...bytes, value]);
}
