import { describe, expect, it } from 'vitest';
import { decodeMergePatch } from './decode-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import { createMergePatch } from './testing/create-merge-patch.ts';

type JsonRecord = Record<string, unknown>;

describe('applyMergePatch', () => {
  it.each<[string, JsonRecord, JsonRecord, JsonRecord]>([
    ['sets', { a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    ['replaces', { a: 1 }, { a: 'x' }, { a: 'x' }],
    ['null removes', { a: 1, b: 2 }, { a: null, c: null }, { b: 2 }],
    ['merges below', { a: { x: 1, y: 2 } }, { a: { y: null, z: 3 } }, { a: { x: 1, z: 3 } }],
    ['lists are replaced', { a: [1, 2] }, { a: [3] }, { a: [3] }],
    ['nulls in new objects go', {}, { a: { b: null, c: { d: null } } }, { a: { c: {} } }],
    ['nulls in lists stay', {}, { a: [null, { b: null }] }, { a: [null, {}] }],
    ['an object takes a scalar’s place', { a: 1 }, { a: { b: 2 } }, { a: { b: 2 } }],
    [
      'inherited names are ordinary keys',
      { toString: 'a' },
      { constructor: { x: 1 }, valueOf: null },
      { toString: 'a', constructor: { x: 1 } },
    ],
  ])('%s', (_name, target, patch, expected) => {
    const before = structuredClone(target);
    expect(applyMergePatch(target, patch)).toEqual(expected);
    expect(target).toEqual(before);
  });

  it('keeps a key named __proto__', () => {
    const merged = applyMergePatch({}, JSON.parse('{"labels":{"__proto__":"x"}}') as JsonRecord);
    expect(JSON.stringify(merged)).toBe('{"labels":{"__proto__":"x"}}');
  });
});

describe('createMergePatch', () => {
  it.each<[string, JsonRecord, JsonRecord, JsonRecord]>([
    ['nothing', { a: { b: 1 } }, { a: { b: 1 } }, {}],
    ['added, changed, removed', { a: 1, b: 2 }, { a: 3, c: 4 }, { a: 3, b: null, c: 4 }],
    ['below', { a: { x: 1, y: 2 } }, { a: { x: 1 } }, { a: { y: null } }],
    ['lists', { a: [1] }, { a: [1, 2] }, { a: [1, 2] }],
  ])('%s', (_name, from, to, expected) => {
    expect(createMergePatch(from, to)).toEqual(expected);
  });
});

describe('decodeMergePatch', () => {
  it.each<[string, string, 'Warn' | 'Ignore', string]>([
    [
      'list',
      '[1]',
      'Warn',
      'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    ['null', 'null', 'Warn', 'Invalid JSON Patch'],
    ['broken', '{"data":', 'Warn', 'error decoding patch: unexpected end of JSON input'],
    ['broken, unvalidated', '{"data":', 'Ignore', 'Invalid JSON Patch'],
    ['YAML', 'data:\n', 'Warn', "error decoding patch: invalid character 'd' looking for beginning of value"],
  ])('%s', (_name, body, validation, message) => {
    expect(() => decodeMergePatch(body, validation)).toThrow(expect.objectContaining({ message, code: 400 }));
  });

  it('reports duplicate fields; the last one counts', () => {
    expect(decodeMergePatch('{"data":{"one":"2","one":"3"}}', 'Warn')).toEqual({
      patch: { data: { one: '3' } },
      strictErrors: ['duplicate field "data.one"'],
    });
  });
});
