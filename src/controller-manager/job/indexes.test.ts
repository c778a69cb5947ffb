import { describe, expect, it } from 'vitest';
import { formatIndexes, parseIndexes } from './indexes.ts';

describe('indexes', () => {
  for (const { text, completions, members } of [
    { text: '', completions: 5, members: [] },
    { text: '0', completions: 5, members: [0] },
    { text: '0,1', completions: 5, members: [0, 1] },
    { text: '0-2', completions: 5, members: [0, 1, 2] },
    { text: '1,3-5,7', completions: 9, members: [1, 3, 4, 5, 7] },
  ]) {
    it(`reads and writes "${text}"`, () => {
      expect([...parseIndexes(text, completions)]).toEqual(members);
      expect(formatIndexes(new Set(members))).toBe(text);
    });
  }

  it('drops indexes beyond the completions', () => {
    expect([...parseIndexes('0-9,20', 3)]).toEqual([0, 1, 2]);
  });
});
