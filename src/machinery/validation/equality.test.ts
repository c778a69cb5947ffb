import { describe, expect, it } from 'vitest';
import { semanticEqual } from './equality.ts';

describe('semanticEqual', () => {
  it.each<readonly [name: string, a: unknown, b: unknown, equal: boolean]>([
    ['the same', { a: [1, { b: 'c' }] }, { a: [1, { b: 'c' }] }, true],
    ['absent and null', {}, { a: null }, true],
    ['absent and an empty list', { a: [] }, {}, true],
    ['an empty message is something', { a: {} }, {}, false],
    ['another order of a list', [1, 2], [2, 1], false],
    ['another order of fields', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ['a field more', { a: 1 }, { a: 1, b: 2 }, false],
    ['as much memory', { limits: { memory: '1Gi' } }, { limits: { memory: '1073741824' } }, true],
    ['more memory', { limits: { memory: '1Gi' } }, { limits: { memory: '2Gi' } }, false],
    ['a resource more', { limits: { cpu: '1' } }, { limits: { cpu: '1', memory: '1' } }, false],
    ['texts that look like quantities', { value: '1Ki' }, { value: '1024' }, false],
    ['a size', { sizeLimit: '1Ki' }, { sizeLimit: '1024' }, true],
    ['a key that every object has', { constructor: 'a' }, {}, false],
    ['a key that every object has, the other way', {}, { constructor: 'a' }, false],
  ])('%s', (_, a, b, equal) => {
    expect(semanticEqual(a, b)).toBe(equal);
  });
});
