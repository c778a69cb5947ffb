import { describe, expect, it } from 'vitest';
import { StatusError } from '../errors/status.ts';
import { decodeJsonPatch } from './decode-patch.ts';
import { applyJsonPatch } from './json-patch.ts';

const target = {
  data: { one: '1', 'a/b': 'slash', 'c~d': 'tilde' },
  list: ['x', 'y', 'z'],
  deep: { nested: [{ a: 1 }] },
};

function statusOf(work: () => unknown): StatusError {
  try {
    work();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('operations that apply', () => {
  it.each<[string, unknown[], unknown]>([
    ['add a key', [{ op: 'add', path: '/data/two', value: '2' }], { ...target, data: { ...target.data, two: '2' } }],
    [
      'add over a key',
      [{ op: 'add', path: '/data/one', value: 'new' }],
      { ...target, data: { ...target.data, one: 'new' } },
    ],
    [
      'add without a value means null',
      [{ op: 'add', path: '/data/one' }],
      { ...target, data: { ...target.data, one: null } },
    ],
    ['add into a list', [{ op: 'add', path: '/list/1', value: 'new' }], { ...target, list: ['x', 'new', 'y', 'z'] }],
    ['add at the end', [{ op: 'add', path: '/list/-', value: 'new' }], { ...target, list: ['x', 'y', 'z', 'new'] }],
    [
      'add behind the last',
      [{ op: 'add', path: '/list/3', value: 'new' }],
      { ...target, list: ['x', 'y', 'z', 'new'] },
    ],
    [
      'add at -1 is behind the last',
      [{ op: 'add', path: '/list/-1', value: 'new' }],
      { ...target, list: ['x', 'y', 'z', 'new'] },
    ],
    [
      'what stands before the slash does not count',
      [{ op: 'add', path: 'data/one', value: 'x' }],
      { ...target, one: 'x' },
    ],
    ['remove', [{ op: 'remove', path: '/list/0' }], { ...target, list: ['y', 'z'] }],
    ['remove from the end', [{ op: 'remove', path: '/list/-1' }], { ...target, list: ['x', 'y'] }],
    ['replace', [{ op: 'replace', path: '/list/-3', value: 'X' }], { ...target, list: ['X', 'y', 'z'] }],
    [
      'replace of a key that is not there',
      [{ op: 'replace', path: '/data/no', value: 'x' }],
      { ...target, data: { ...target.data, no: 'x' } },
    ],
    ['replace of everything', [{ op: 'replace', path: '', value: { a: 1 } }], { a: 1 }],
    [
      'escapes',
      [
        { op: 'remove', path: '/data/a~1b' },
        { op: 'remove', path: '/data/c~0d' },
      ],
      { ...target, data: { one: '1' } },
    ],
    [
      'move',
      [{ op: 'move', from: '/data/one', path: '/list/0' }],
      { ...target, data: { 'a/b': 'slash', 'c~d': 'tilde' }, list: ['1', 'x', 'y', 'z'] },
    ],
    [
      'copy of what is not there is null',
      [{ op: 'copy', from: '/data/no', path: '/data/one' }],
      { ...target, data: { ...target.data, one: null } },
    ],
    ['test', [{ op: 'test', path: '/deep', value: { nested: [{ a: 1 }] } }], target],
    ['test for null where nothing is', [{ op: 'test', path: '/data/no', value: null }], target],
    ['no operations', [], target],
  ])('%s', (_name, operations, expected) => {
    const before = structuredClone(target);
    expect(applyJsonPatch(target, decodeJsonPatch(JSON.stringify(operations), 'Warn').patch)).toEqual(expected);
    expect(target).toEqual(before);
  });

  it('a copy and its source change apart', () => {
    const patch = [
      { op: 'add', path: '/deep/nested/0/b', value: 2 },
      { op: 'copy', from: '/deep', path: '/copy' },
      { op: 'add', path: '/deep/nested/0/c', value: 3 },
    ];
    expect(applyJsonPatch(target, patch)).toMatchObject({
      deep: { nested: [{ a: 1, b: 2, c: 3 }] },
      copy: { nested: [{ a: 1, b: 2 }] },
    });
  });
});

describe('operations that do not apply are all one answer', () => {
  it.each<[string, unknown]>([
    ['test of another value', { op: 'test', path: '/data/one', value: '2' }],
    ['test below nothing', { op: 'test', path: '/no/deep', value: null }],
    ['remove of nothing', { op: 'remove', path: '/data/no' }],
    ['add below nothing', { op: 'add', path: '/no/deep', value: 1 }],
    ['add below a scalar', { op: 'add', path: '/data/one/deep', value: 1 }],
    ['index beyond the end', { op: 'add', path: '/list/4', value: 1 }],
    ['index before the start', { op: 'remove', path: '/list/-4' }],
    ['index that is no number', { op: 'replace', path: '/list/first', value: 1 }],
    ['end mark in replace', { op: 'replace', path: '/list/-', value: 1 }],
    ['scalar for everything', { op: 'replace', path: '', value: 'x' }],
    ['add without a path', { op: 'add', value: 1 }],
    ['path without a slash', { op: 'add', path: 'data', value: 1 }],
    ['copy without from', { op: 'copy', path: '/data/one' }],
    ['unknown operation', { op: 'frobnicate', path: '/data/one' }],
    ['no operation', {}],
    ['null', null],
  ])('%s', (_name, operation) => {
    const error = statusOf(() => applyJsonPatch(target, decodeJsonPatch(JSON.stringify([operation]), 'Warn').patch));
    expect(error.status).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
      details: {},
    });
  });

  it('copies do not grow without bounds', () => {
    const doubling = Array.from({ length: 40 }, () => ({ op: 'copy', from: '', path: '/x' }));
    expect(statusOf(() => applyJsonPatch(target, doubling)).code).toBe(422);
    const growing = Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '/deep', path: `/deep/c${i}` }));
    expect(statusOf(() => applyJsonPatch(target, growing)).code).toBe(422);
  });
});

describe('bodies that are no JSON patch', () => {
  it.each<[string, string, 'Warn' | 'Ignore', number, string]>([
    [
      'object',
      '{}',
      'Warn',
      400,
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    ],
    ['object, unvalidated', '{}', 'Ignore', 400, 'json: cannot unmarshal object into Go value of type jsonpatch.Patch'],
    [
      'numbers',
      '[1]',
      'Warn',
      400,
      'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp',
    ],
    [
      'op of another type',
      '[{"op":5}]',
      'Warn',
      400,
      'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
    ],
    ['broken', '[{"op":', 'Warn', 400, 'error decoding patch: unexpected end of JSON input'],
    ['empty', '', 'Ignore', 400, 'unexpected end of JSON input'],
    [
      'too many',
      `[${'{},'.repeat(10_000)}{}]`,
      'Warn',
      413,
      'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    ],
  ])('%s', (_name, body, validation, code, message) => {
    expect(statusOf(() => decodeJsonPatch(body, validation)).status).toMatchObject({ code, message });
  });

  it('strict validation reports unknown fields', () => {
    const { strictErrors } = decodeJsonPatch(
      '[{"op":"add","op":"add","path":"/a","value":{"x":1},"extra":true}]',
      'Strict',
    );
    expect(strictErrors).toEqual(['json patch duplicate field "[0].op"', 'json patch unknown field "[0].extra"']);
  });
});
