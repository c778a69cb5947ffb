import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/index.ts';
import { path, type FieldError } from '../../errors/field-error.ts';
import { validateEmbeddedMetadata } from './embedded-metadata.ts';
import { followFieldPath } from './field-path.ts';
import { validateListTypes } from './list-types.ts';
import { pruned } from './pruning.ts';
import type { Schema as RealSchema } from './schema-props.ts';
import { isRecognizedFormat, stringFormat } from './value-formats.ts';
import { validateValue } from './value-validation.ts';

function collected(check: (errors: FieldError[]) => void): string[] {
  const errors: FieldError[] = [];
  check(errors);
  return errors.map(String);
}

/** As it is written; the generated type asks for items everywhere. */
type Schema = JsonObject;

const real = (schema: Schema): RealSchema => schema as unknown as RealSchema;

const p = (schema: Schema): Schema => ({ type: 'object', properties: { p: schema } });

describe('values against their schema', () => {
  const cases: [name: string, value: unknown, schema: Schema, errors: string[]][] = [
    ['right', { p: 'x' }, p({ type: 'string' }), []],
    [
      'another type',
      { p: 1 },
      p({ type: 'string' }),
      ['p: Invalid value: "integer": p in body must be of type string: "integer"'],
    ],
    [
      'null',
      { p: null },
      p({ type: 'string' }),
      ['p: Invalid value: "null": p in body must be of type string: "null"'],
    ],
    ['null where it may be', { p: null }, p({ type: 'string', nullable: true }), []],
    ['a whole number', { p: 2 }, p({ type: 'number' }), []],
    [
      'a fraction',
      { p: 1.5 },
      p({ type: 'integer' }),
      [
        'p: Invalid value: "number": p in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in p',
      ],
    ],
    ['text or an integer', { p: 'a' }, p({ 'x-kubernetes-int-or-string': true }), []],
    [
      'neither text nor an integer',
      { p: true },
      p({ 'x-kubernetes-int-or-string': true }),
      ['p: Invalid value: "boolean": p in body must be of type integer,string: "boolean"'],
    ],
    ['too long', { p: 'abc' }, p({ type: 'string', maxLength: 2 }), ['p: Too long: may not be more than 2 bytes']],
    [
      'too short',
      { p: '' },
      p({ type: 'string', minLength: 1 }),
      ['p: Invalid value: "": p in body should be at least 1 chars long'],
    ],
    ['characters are counted', { p: '🚀🚀' }, p({ type: 'string', maxLength: 2 }), []],
    [
      'no match',
      { p: 'b' },
      p({ type: 'string', pattern: '^a$' }),
      ['p: Invalid value: "b": p in body should match \'^a$\''],
    ],
    [
      'too small',
      { p: 0 },
      p({ type: 'integer', minimum: 1 }),
      ['p: Invalid value: 0: p in body should be greater than or equal to 1'],
    ],
    [
      'not above',
      { p: 1 },
      p({ type: 'integer', minimum: 1, exclusiveMinimum: true }),
      ['p: Invalid value: 1: p in body should be greater than 1'],
    ],
    [
      'too large',
      { p: 2 },
      p({ type: 'integer', maximum: 1 }),
      ['p: Invalid value: 2: p in body should be less than or equal to 1'],
    ],
    [
      'no multiple',
      { p: 5 },
      p({ type: 'integer', multipleOf: 2 }),
      ['p: Invalid value: 5: p in body should be a multiple of 2'],
    ],
    [
      'beyond 32 bits',
      { p: 2 ** 31 },
      p({ type: 'integer', format: 'int32' }),
      ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in p'],
    ],
    [
      'not in the enumeration',
      { p: 'c' },
      p({ type: 'string', enum: ['a', 'b'] }),
      ['p: Unsupported value: "c": supported values: "a", "b"'],
    ],
    [
      'a format',
      { p: 'x' },
      p({ type: 'string', format: 'ipv4' }),
      ['p: Invalid value: "x": p in body must be of type ipv4: "x"'],
    ],
    ['a format that nobody knows', { p: 'x' }, p({ type: 'string', format: 'rocket' }), []],
    [
      'few items',
      { p: [] },
      p({ type: 'array', minItems: 1, items: { type: 'string' } }),
      ['p: Invalid value: 0: p in body should have at least 1 items'],
    ],
    [
      'many items',
      { p: ['a', 'b'] },
      p({ type: 'array', maxItems: 1, items: { type: 'string' } }),
      ['p: Too many: 2: must have at most 1 item'],
    ],
    [
      'an item',
      { p: ['a', 1] },
      p({ type: 'array', items: { type: 'string' } }),
      ['p[1]: Invalid value: "integer": p[1] in body must be of type string: "integer"'],
    ],
    ['a missing field', {}, { ...p({ type: 'string' }), required: ['p'] }, ['p: Required value']],
    [
      'an additional field',
      { a: 1 },
      { type: 'object', additionalProperties: { type: 'string' } },
      ['a: Invalid value: "integer": a in body must be of type string: "integer"'],
    ],
    [
      'none of any',
      { p: 'x' },
      p({ type: 'string', anyOf: [{ minLength: 2 }, { pattern: 'y' }] }),
      [
        '<nil>: Invalid value: "": "p" must validate at least one schema (anyOf)',
        'p: Invalid value: "x": p in body should be at least 2 chars long',
      ],
    ],
    [
      'two of one',
      { p: 'x' },
      p({ type: 'string', oneOf: [{ minLength: 1 }, { maxLength: 1 }] }),
      ['<nil>: Invalid value: "": "p" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ],
    [
      'what must not be',
      { p: 'x' },
      p({ type: 'string', not: { minLength: 1 } }),
      ['<nil>: Invalid value: "": "p" must not validate the schema (not)'],
    ],
  ];
  it.each(cases)('%s', (_name, value, schema, errors) => {
    expect(collected((found) => validateValue(found, value, real(schema)))).toEqual(errors);
  });
  it('names the field of the value', () => {
    expect(collected((found) => validateValue(found, { p: 1 }, real(p({ type: 'string' })), path('spec')))).toEqual([
      'spec.p: Invalid value: "integer": p in body must be of type string: "integer"',
    ]);
  });
});

describe('formats', () => {
  const cases: [format: string, right: string[], wrong: string[]][] = [
    ['date', ['2024-02-29'], ['2023-02-29', '2024-1-1', 'x']],
    ['date-time', ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00.5+01:00'], ['2024-01-01', '2024-01-01T25:00:00Z']],
    ['duration', ['1h', '2 days'], ['x', '']],
    ['uri', ['https://a.io/x', '/x'], ['a b', '']],
    ['hostname', ['a.io'], ['-a', 'a..b']],
    ['email', ['ann@a.io'], ['ann', '@a.io']],
    ['ipv4', ['10.0.0.1'], ['::1', '10.0.0']],
    ['ipv6', ['::1'], ['10.0.0.1']],
    ['cidr', ['10.0.0.0/8'], ['10.0.0.0']],
    ['mac', ['00:11:22:33:44:55', '0011.2233.4455'], ['00:11:22', 'x']],
    ['uuid', ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'], ['a0eebc99']],
    ['uuid4', ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'], ['a0eebc99-9c0b-3ef8-bb6d-6bb9bd380a11']],
    ['byte', ['YQ==', ''], ['YQ', '!']],
    ['creditcard', ['4111 1111 1111 1111'], ['4111 1111 1111 1112']],
    ['isbn10', ['0306406152'], ['0306406153']],
    ['isbn13', ['9780306406157'], ['9780306406158']],
    ['ssn', ['111-22-3333'], ['111']],
    ['hexcolor', ['#fff', 'ABCDEF'], ['#ff']],
    ['rgbcolor', ['rgb(1, 2, 255)'], ['rgb(1,2,256)']],
    ['k8s-short-name', ['a-b'], ['a.b']],
    ['k8s-long-name', ['a.b'], ['A']],
    ['password', ['anything'], []],
  ];
  it.each(cases)('%s', (format, right, wrong) => {
    const check = stringFormat(format)!;
    expect(right.filter((text) => !check(text))).toEqual([]);
    expect(wrong.filter((text) => check(text))).toEqual([]);
    expect(isRecognizedFormat('string', format)).toBe(true);
  });
  it('of numbers are for numbers', () => {
    expect([
      isRecognizedFormat('integer', 'int32'),
      isRecognizedFormat('string', 'int32'),
      isRecognizedFormat('number', 'double'),
      isRecognizedFormat('object', 'date'),
    ]).toEqual([true, false, true, false]);
  });
});

describe('pruning', () => {
  const open: Schema = {
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    properties: { a: p({ type: 'string' }) },
  };
  const cases: [name: string, value: unknown, schema: Schema, isResource: boolean, result: unknown][] = [
    ['unknown fields', { p: 'x', q: 1 }, p({ type: 'string' }), false, { p: 'x' }],
    [
      'inside of lists',
      { p: [{ p: 1, q: 2 }] },
      p({ type: 'array', items: p({ type: 'integer' }) }),
      false,
      { p: [{ p: 1 }] },
    ],
    [
      'inside of maps',
      { x: { p: 1, q: 2 } },
      { type: 'object', additionalProperties: p({ type: 'integer' }) },
      false,
      { x: { p: 1 } },
    ],
    [
      'not what is a resource',
      { apiVersion: 'v1', kind: 'K', metadata: { a: 1 }, q: 1 },
      p({ type: 'string' }),
      true,
      { apiVersion: 'v1', kind: 'K', metadata: { a: 1 } },
    ],
    ['not what is preserved', { z: { y: 1 } }, open, false, { z: { y: 1 } }],
    ['what is known in what is preserved', { a: { p: 'x', q: 1 } }, open, false, { a: { p: 'x' } }],
    [
      'a key of any name',
      JSON.parse('{"__proto__":{"p":1,"q":2}}'),
      { type: 'object', additionalProperties: p({ type: 'integer' }) },
      false,
      JSON.parse('{"__proto__":{"p":1}}'),
    ],
  ];
  it.each(cases)('%s', (_name, value, schema, isResource, result) => {
    expect(JSON.stringify(pruned(value, real(schema), isResource))).toBe(JSON.stringify(result));
  });
});

describe('list types', () => {
  const list = (change: Schema): Schema => ({ type: 'array', ...change });
  const map = list({
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
    items: { type: 'object', properties: { k: { type: 'string' } } },
  });
  const set = list({ 'x-kubernetes-list-type': 'set', items: { type: 'string' } });
  const cases: [name: string, value: unknown, schema: Schema, errors: string[]][] = [
    ['a set', ['a', 'b'], set, []],
    ['a set with something twice', ['a', 'a', 'a'], set, ['l[1]: Duplicate value: "a"']],
    [
      'a map',
      [
        { k: 'a', v: 1 },
        { k: 'b', v: 1 },
      ],
      map,
      [],
    ],
    [
      'a map with a key twice',
      [
        { k: 'a', v: 1 },
        { k: 'a', v: 2 },
      ],
      map,
      ['l[1]: Duplicate value: {"k":"a"}'],
    ],
    ['a map of text', ['a'], map, ['l[0]: Invalid value: "a": must be an object for an array of list-type map']],
    ['a list of lists', [['a', 'a']], list({ items: set }), ['l[0][1]: Duplicate value: "a"']],
    [
      'objects in another order',
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      list({ 'x-kubernetes-list-type': 'set', items: { type: 'object' } }),
      ['l[1]: Duplicate value: {"b":2,"a":1}'],
    ],
  ];
  it.each(cases)('%s', (_name, value, schema, errors) => {
    expect(collected((found) => validateListTypes(found, value, real(schema), path('l')))).toEqual(errors);
  });
});

describe('paths into a schema', () => {
  const schema = p({ type: 'object', additionalProperties: { type: 'integer' } });
  const cases: [text: string, result: readonly string[] | string][] = [
    ['.p', ['p']],
    ['.p.x', ['p', 'x']],
    [".p['a.b']", ['p', 'a.b']],
    [".p['it\\'s']", ['p', "it's"]],
    ['p', 'expected [ or . but got: p'],
    ['.', 'unexpected end of JSON path'],
    ['.q', 'does not refer to a valid field'],
    ['.p[0]', 'expected single quoted string but got 0'],
    [".p['a'", 'unexpected end of JSON path'],
  ];
  it.each(cases)('%s', (text, result) => {
    const found = followFieldPath(text, real(schema), { brackets: true });
    expect(typeof found === 'string' ? found : found.steps).toEqual(result);
  });
});

describe('embedded resources', () => {
  const embedded: Schema = {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  };
  const cases: [name: string, value: unknown, errors: string[]][] = [
    ['right', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', labels: { a: 'b' } } }, []],
    ['nothing', {}, ['p.apiVersion: Required value', 'p.kind: Required value']],
    [
      'of no version',
      { apiVersion: 'a/b/c', kind: 'Pod' },
      ['p.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
    ],
    ['of an empty kind', { apiVersion: 'v1', kind: '' }, ['p.kind: Invalid value: "": must not be empty']],
    [
      'with a label of another type',
      { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { '/': 'b' } } },
      [
        expect.stringMatching(
          /^p\.metadata\.labels: Invalid value: "\/": prefix part must be non-empty/,
        ) as unknown as string,
      ],
    ],
  ];
  it.each(cases)('%s', (_name, value, errors) => {
    expect(
      collected((found) => validateEmbeddedMetadata(found, { p: value }, real(p(embedded)), path(), false)).slice(
        0,
        Math.max(1, errors.length),
      ),
    ).toEqual(errors);
  });
});
