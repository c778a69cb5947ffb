import { describe, expect, it } from 'vitest';
import { schema } from '../../api/index.ts';
import { decodeMessage, encodeMessage } from './index.ts';

const core = 'io.k8s.api.core.v1.';
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const hex = (text: string): string => text.replace(/\s+/g, '');

interface Vector {
  readonly name: string;
  readonly message: string;
  readonly object: Record<string, unknown>;
  /** Worked out from the wire format: tag = number << 3 | wire type, then the value. */
  readonly bytes: string;
}

const vectors: Vector[] = [
  {
    name: 'scalars that are no pointers are written even when they are zero, an absent pointer is not',
    message: `${core}ContainerPort`,
    object: { containerPort: 80 },
    bytes: '0a 00  10 00  18 50  22 00  2a 00',
  },
  {
    name: 'a varint of two bytes',
    message: `${core}ContainerPort`,
    object: { name: 'web', containerPort: 8080, protocol: 'TCP' },
    bytes: '0a 03 77 65 62  10 00  18 90 3f  22 03 54 43 50  2a 00',
  },
  {
    name: 'a negative integer takes ten bytes',
    message: `${core}PreferredSchedulingTerm`,
    object: { weight: -1, preference: {} },
    bytes: '08 ff ff ff ff ff ff ff ff ff 01  12 00',
  },
  {
    name: 'a map is a list of entries in the order of their keys',
    message: `${meta}LabelSelector`,
    object: { matchLabels: { b: '2', a: '1' } },
    bytes: '0a 06 0a 01 61 12 01 31  0a 06 0a 01 62 12 01 32',
  },
  {
    name: 'quantities are messages around their text',
    message: `${core}ResourceRequirements`,
    object: { limits: { cpu: '500m' } },
    bytes: '0a 0d 0a 03 63 70 75 12 06 0a 04 35 30 30 6d',
  },
  {
    name: 'an integer as int-or-string',
    message: `${core}TCPSocketAction`,
    object: { port: 80 },
    bytes: '0a 06 08 00 10 50 1a 00  12 00',
  },
  {
    name: 'a string as int-or-string',
    message: `${core}TCPSocketAction`,
    object: { port: 'http' },
    bytes: '0a 0a 08 01 10 00 1a 04 68 74 74 70  12 00',
  },
  {
    name: 'a time is its seconds and no nanoseconds',
    message: `${core}ContainerStateRunning`,
    object: { startedAt: '1970-01-01T00:02:08Z' },
    bytes: '0a 05 08 80 01 10 00',
  },
  {
    name: 'the zero time is an empty message',
    message: `${core}ContainerStateRunning`,
    object: { startedAt: null },
    bytes: '0a 00',
  },
  {
    name: 'an inlined message is a message of its own on the wire',
    message: `${core}ConfigMapKeySelector`,
    object: { name: 'n', key: 'k', optional: true },
    bytes: '0a 03 0a 01 6e  12 01 6b  18 01',
  },
  {
    name: 'bytes are base64 in JSON, their absence is not written',
    message: `${core}Secret`,
    object: { metadata: {}, data: { k: 'AQI=' }, type: 'Opaque' },
    bytes:
      '0a 10 0a 00 12 00 1a 00 22 00 2a 00 32 00 38 00 42 00' +
      '12 07 0a 01 6b 12 02 01 02' +
      '1a 06 4f 70 61 71 75 65',
  },
  {
    name: 'a list in a message of its own',
    message: 'io.k8s.api.authentication.v1.UserInfo',
    object: { username: 'u', groups: ['g', 'h'], extra: { x: ['1', '2'] } },
    bytes: '0a 01 75  12 00  1a 01 67 1a 01 68  22 0b 0a 01 78 12 06 0a 01 31 0a 01 32',
  },
  {
    name: 'a microtime keeps microseconds',
    message: 'io.k8s.api.coordination.v1.LeaseSpec',
    object: { renewTime: '1970-01-01T00:00:01.000002Z' },
    bytes: '22 05 08 01 10 d0 0f',
  },
  {
    name: 'any JSON is text in a message',
    message: 'io.k8s.api.apps.v1.ControllerRevision',
    object: { metadata: {}, data: { a: 1 }, revision: 3 },
    bytes: '0a 10 0a 00 12 00 1a 00 22 00 2a 00 32 00 38 00 42 00  12 09 0a 07 7b 22 61 22 3a 31 7d  18 03',
  },
  {
    name: 'text beyond ASCII is UTF-8',
    message: `${meta}StatusCause`,
    object: { message: 'naïve €', field: '😀' },
    bytes: '0a 00  12 0a 6e 61 c3 af 76 65 20 e2 82 ac  1a 04 f0 9f 98 80',
  },
];

describe('bytes', () => {
  it.each(vectors)('$name: encodes', ({ message, object, bytes }) => {
    expect(encodeMessage(schema.message(message), object).toString('hex')).toBe(hex(bytes));
  });

  it.each(vectors)('$name: decodes', ({ message, object, bytes }) => {
    expect(decodeMessage(schema.message(message), Buffer.from(hex(bytes), 'hex'))).toEqual(object);
  });
});

const props = schema.message('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps');
const unions: { name: string; object: Record<string, unknown> }[] = [
  { name: 'items: a schema', object: { items: { type: 'string' } } },
  { name: 'items: schemas', object: { items: [{ type: 'string' }, { type: 'integer' }] } },
  { name: 'additionalProperties: true', object: { additionalProperties: true } },
  { name: 'additionalProperties: false', object: { additionalProperties: false } },
  { name: 'additionalProperties: a schema', object: { additionalProperties: { type: 'string' } } },
  { name: 'dependencies: strings and schemas', object: { dependencies: { a: ['b', 'c'], d: { type: 'string' } } } },
  { name: 'default: any JSON', object: { default: { a: [1, null, 'x'] } } },
  { name: 'minimum: a double', object: { minimum: -0.5 } },
];

describe('JSON schemas', () => {
  it.each(unions)('$name', ({ object }) => {
    expect(decodeMessage(props, encodeMessage(props, object))).toEqual(object);
  });

  it('has true beside a schema for additional properties', () => {
    expect(encodeMessage(props, { additionalProperties: { type: 'string' } }).toString('hex')).toContain('0801');
  });
});

describe('decoding', () => {
  it('orders fields as declared, in any order on the wire', () => {
    const message = schema.message(`${meta}OwnerReference`);
    const bytes = encodeMessage(message, { apiVersion: 'v1', kind: 'Pod', name: 'n', uid: 'u' });
    expect(Object.keys(decodeMessage(message, bytes))).toEqual(['apiVersion', 'kind', 'name', 'uid']);
  });

  it('reads repeated integers, packed or not', () => {
    const message = schema.message(`${core}PodSecurityContext`);
    const field = message.byName.get('supplementalGroups')!;
    const tag = (wireType: number) => ((field.number << 3) | wireType).toString(16).padStart(2, '0');
    const unpacked = Buffer.from(`${tag(0)}01${tag(0)}ac02`, 'hex');
    const packed = Buffer.from(`${tag(2)}0301ac02`, 'hex');
    expect(decodeMessage(message, unpacked)).toEqual({ supplementalGroups: [1, 300] });
    expect(decodeMessage(message, packed)).toEqual({ supplementalGroups: [1, 300] });
  });

  it('skips fields that the schema does not have', () => {
    const message = schema.message(`${meta}StatusCause`);
    const unknown = 'f83f01' + 'f93f0000000000000000' + 'fa3f020102' + 'fb3f0801fc3f' + 'fd3f00000000';
    expect(decodeMessage(message, Buffer.from(`${unknown}1a0166`, 'hex'))).toEqual({ field: 'f' });
  });

  it('keeps a key named __proto__', () => {
    const message = schema.message(`${meta}LabelSelector`);
    const decoded = decodeMessage(message, Buffer.from(hex('0a 0e 0a 09 5f 5f 70 72 6f 74 6f 5f 5f 12 01 78'), 'hex'));
    expect(Object.keys(decoded['matchLabels'] as object)).toEqual(['__proto__']);
  });

  it('reads integers up to 2^53 exactly', () => {
    const message = schema.message(`${meta}Condition`);
    for (const observedGeneration of [1, 2 ** 31, 2 ** 32 + 5, 2 ** 53 - 1, -(2 ** 53) + 1, -(2 ** 31) - 1]) {
      const decoded = decodeMessage(message, encodeMessage(message, { observedGeneration }));
      expect(decoded['observedGeneration']).toBe(observedGeneration);
    }
  });
});
