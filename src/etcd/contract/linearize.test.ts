import { describe, expect, it } from 'vitest';
import { findLinearization, type Operation } from './linearize.ts';

const at = (start: number, end: number, rest: Partial<Operation>): Operation => ({
  key: 'k',
  kind: 'read',
  start,
  end,
  ...rest,
});

describe('findLinearization', () => {
  it.each([
    { name: 'nothing', history: [], holds: true },
    {
      name: 'a read after a write',
      history: [at(0, 1, { kind: 'write', written: 'a' }), at(2, 3, { observed: 'a' })],
      holds: true,
    },
    {
      name: 'a stale read',
      history: [at(0, 1, { kind: 'write', written: 'a' }), at(2, 3, { observed: undefined })],
      holds: false,
    },
    {
      name: 'a read of either while writes overlap',
      history: [
        at(0, 5, { kind: 'write', written: 'a' }),
        at(1, 6, { kind: 'write', written: 'b' }),
        at(7, 8, { observed: 'a' }),
      ],
      holds: true,
    },
    {
      name: 'reads that go back',
      history: [
        at(0, 9, { kind: 'write', written: 'a' }),
        at(1, 2, { observed: 'a' }),
        at(3, 4, { observed: undefined }),
      ],
      holds: false,
    },
    {
      name: 'two swaps from the same value',
      history: [at(0, 5, { kind: 'swap', written: 'a' }), at(0, 5, { kind: 'swap', written: 'b' })],
      holds: false,
    },
  ])('$name', ({ history, holds }) => {
    expect(findLinearization(history) !== undefined).toBe(holds);
  });
});
