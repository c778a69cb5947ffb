import { describe, expect, it } from 'vitest';
import type { Taint, Toleration } from '../api/generated/core-v1.ts';
import { findUntoleratedTaint, toleratesTaint } from './index.ts';

const taint = (value: string | undefined, effect = 'NoSchedule'): Taint => ({
  key: 'a',
  ...(value === undefined ? {} : { value }),
  effect,
});

describe('a toleration', () => {
  it.each([
    [
      'with the same key, value and effect',
      { key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' },
      taint('b'),
      true,
    ],
    ['without an operator compares values', { key: 'a', value: 'b' }, taint('c'), false],
    ['with an empty operator compares values', { key: 'a', operator: '', value: 'b' }, taint('b'), true],
    ['Equal without a value matches a taint without one', { key: 'a' }, taint(undefined), true],
    ['Exists matches every value', { key: 'a', operator: 'Exists' }, taint('b'), true],
    ['Exists without a key matches every taint', { operator: 'Exists' }, taint('b'), true],
    ['of another key', { key: 'x', operator: 'Exists' }, taint('b'), false],
    ['of another effect', { key: 'a', operator: 'Exists', effect: 'NoExecute' }, taint('b'), false],
    ['with an unknown operator', { key: 'a', operator: 'Like', value: 'b' }, taint('b'), false],
    ['Lt with a smaller taint', { key: 'a', operator: 'Lt', value: '10' }, taint('9'), true],
    ['Lt with an equal taint', { key: 'a', operator: 'Lt', value: '10' }, taint('10'), false],
    ['Gt with a larger taint', { key: 'a', operator: 'Gt', value: '-5' }, taint('-4'), true],
    [
      'Gt beyond what a double holds',
      { key: 'a', operator: 'Gt', value: '9007199254740993' },
      taint('9007199254740994'),
      true,
    ],
    ['Lt with a leading zero', { key: 'a', operator: 'Lt', value: '010' }, taint('9'), false],
    ['Gt with more than 64 bits', { key: 'a', operator: 'Gt', value: '1' }, taint('9223372036854775808'), false],
    ['Gt without numbers', { key: 'a', operator: 'Gt', value: '' }, taint('x'), false],
  ] as [string, Toleration, Taint, boolean][])('%s', (_name, toleration, of, expected) => {
    expect(toleratesTaint(toleration, of)).toBe(expected);
  });
});

describe('findUntoleratedTaint', () => {
  it('leaves PreferNoSchedule out', () => {
    expect(findUntoleratedTaint([taint('b', 'PreferNoSchedule')], [])).toBeUndefined();
  });

  it('finds the first that counts', () => {
    const evicting = taint('b', 'NoExecute');
    expect(findUntoleratedTaint([taint('b'), evicting], [], ({ effect }) => effect === 'NoExecute')).toBe(evicting);
  });
});
