import { expect, it } from 'vitest';
import { SequenceMemory } from './sequence-memory.ts';

it('remembers each sequence for itself', () => {
  const memory = new SequenceMemory<string | number | boolean, number>(100);
  const sequences = [
    [],
    ['a'],
    ['a', 'b'],
    ['b', 'a'],
    ['b'],
    ['a', 'b', ''],
    ['', 'a', 'b'],
    ['ab'],
    [1],
    ['1'],
    [true],
    ['true'],
  ];
  for (const turn of [1, 2])
    for (const [i, keys] of sequences.entries()) {
      const found = memory.of(keys)!;
      expect(found.remembered).toBe(turn === 1 ? undefined : i);
      found.remembered = i;
    }
});

it('has room for so many, and keeps those', () => {
  const memory = new SequenceMemory<number, number>(10);
  const found = (): boolean[] => Array.from({ length: 30 }, (_, i) => memory.of([i]) !== undefined);
  const expected = Array.from({ length: 30 }, (_, i) => i < 10);
  expect(found()).toEqual(expected);
  expect(found()).toEqual(expected);
  expect(memory.of([3, 4])).toBeUndefined();
});
