import { describe, expect, it } from 'vitest';
import type { Schema } from '../../machinery/validation/apiextensions/index.ts';
import { applySchemaDefaults, prune, compileIsNormalized } from './prune-and-default.ts';

const spec = (properties: Record<string, Schema>, more: Schema = {}): Schema => ({
  type: 'object',
  properties: { spec: { type: 'object', properties, ...more } },
});
const thing = (value: unknown): Record<string, unknown> => ({
  kind: 'Thing',
  apiVersion: 'example.com/v1',
  metadata: { name: 'a' },
  spec: value,
});

const s: Schema = { type: 'string' };

describe('pruning', () => {
  it.each<[name: string, schema: Schema, given: unknown, left: unknown, unknown: string[]]>([
    ['keeps what is described', spec({ a: s }), { a: 'x' }, { a: 'x' }, []],
    ['drops and names the rest', spec({ a: s }), { a: 'x', b: 1, c: { d: 1 } }, { a: 'x' }, ['spec.b', 'spec.c']],
    [
      'looks into lists',
      spec({ l: { type: 'array', items: { type: 'object', properties: { a: s } } } }),
      { l: [{ a: 'x', b: 1 }] },
      { l: [{ a: 'x' }] },
      ['spec.l[0].b'],
    ],
    [
      'looks into maps',
      spec({ m: { type: 'object', additionalProperties: { type: 'object', properties: { a: s } } } }),
      { m: { k: { b: 1 } } },
      { m: { k: {} } },
      ['spec.m.k.b'],
    ],
    ['empties objects where none is wanted', spec({ a: s }), { a: { b: 1 } }, { a: {} }, ['spec.a.b']],
    [
      'keeps what is to be preserved',
      spec({ a: s }, { 'x-kubernetes-preserve-unknown-fields': true }),
      { a: 'x', b: { c: 1 } },
      { a: 'x', b: { c: 1 } },
      [],
    ],
    [
      'prunes what is described inside of that',
      spec({ a: { type: 'object', properties: { b: s } } }, { 'x-kubernetes-preserve-unknown-fields': true }),
      { a: { z: 1 } },
      { a: {} },
      ['spec.a.z'],
    ],
    [
      'drops null where it cannot be',
      spec({ a: s, b: { ...s, nullable: true } }),
      { a: null, b: null },
      { b: null },
      [],
    ],
    ['keeps null that has a default', spec({ a: { ...s, default: 'x' } }), { a: null }, { a: null }, []],
    [
      'knows embedded resources',
      spec({ e: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } } }),
      { e: { kind: 'K', apiVersion: 'v1', metadata: { name: 'n', bad: 1 }, x: 1 } },
      { e: { kind: 'K', apiVersion: 'v1', metadata: { name: 'n' } } },
      ['spec.e.metadata.bad', 'spec.e.x'],
    ],
    [
      'keeps names that every object has',
      spec({ constructor: s }),
      { constructor: 'x', toString: 'y' },
      { constructor: 'x' },
      ['spec.toString'],
    ],
  ])('%s', (_name, schema, given, left, unknown) => {
    const { object, strictErrors } = prune(thing(given), schema);
    expect(object['spec']).toEqual(left);
    expect(strictErrors).toEqual(unknown.map((path) => `unknown field "${path}"`));
  });

  it('keeps nulls of what was applied, for validation to refuse', () => {
    const { object } = prune(thing({ a: null }), spec({ a: s }), { keepNulls: true });
    expect(object['spec']).toEqual({ a: null });
  });

  it('prunes metadata like that of any object', () => {
    const { object, strictErrors } = prune({ ...thing({}), metadata: { name: 'a', unknown: 1 } }, spec({}));
    expect(object['metadata']).toEqual({ name: 'a' });
    expect(strictErrors).toEqual(['unknown field "metadata.unknown"']);
  });

  it('is skipped for objects that need no change', () => {
    const schema = spec({ a: s, l: { type: 'array', items: s }, d: { ...s, default: 'x' } });
    const isNormalized = compileIsNormalized(schema);
    for (const [value, expected] of [
      [{ a: 'x', d: 'y' }, true],
      [{ a: 'x' }, false],
      [{ d: 'y', z: 1 }, false],
      [{ d: 'y', a: null }, false],
      [{ d: 'y', l: [{}] }, true],
      [{ d: 'y', l: [{ q: 1 }] }, false],
    ] as const) {
      expect(isNormalized(thing(value)), JSON.stringify(value)).toBe(expected);
    }
  });
});

describe('defaults', () => {
  it.each<[name: string, schema: Schema, given: unknown, result: unknown]>([
    [
      'fill in what is absent',
      spec({ a: { ...s, default: 'x' }, n: { type: 'integer', default: 0 } }),
      {},
      { a: 'x', n: 0 },
    ],
    ['replace null', spec({ a: { ...s, default: 'x' } }), { a: null }, { a: 'x' }],
    ['leave null where it can be', spec({ a: { ...s, nullable: true, default: 'x' } }), { a: null }, { a: null }],
    [
      'go into defaults',
      spec({ o: { type: 'object', default: {}, properties: { a: { ...s, default: 'x' } } } }),
      {},
      { o: { a: 'x' } },
    ],
    [
      'do not make what is around them',
      spec({ o: { type: 'object', properties: { a: { ...s, default: 'x' } } } }),
      {},
      {},
    ],
    [
      'reach items and values',
      spec({ l: { type: 'array', items: { type: 'object', properties: { a: { ...s, default: 'x' } } } } }),
      { l: [{}, { a: 'y' }] },
      { l: [{ a: 'x' }, { a: 'y' }] },
    ],
  ])('%s', (_name, schema, given, result) => {
    const object = thing(given);
    applySchemaDefaults(object, schema);
    expect(object['spec']).toEqual(result);
  });
});
