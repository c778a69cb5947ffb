import { expect, it } from 'vitest';
import { readRange } from './read-range.ts';
import type { View } from './view.ts';

const keys = ['a', 'b', 'c'];
const pair = (key: string) => ({
  ...{ key, value: new Uint8Array(0), createRevision: 1, modRevision: 1, version: 1, lease: 0n },
});

function viewOf(counted: string[]): View {
  return {
    get: (key) => (keys.includes(key) ? pair(key) : undefined),
    scan(start, end, visit) {
      for (const key of keys)
        if (key >= start && (end === undefined || key < end) && visit(pair(key)) === false) return;
    },
    count(start) {
      counted.push(start);
      return keys.filter((key) => key >= start).length;
    },
    has: (key) => keys.includes(key),
  };
}

it('counts the whole range beyond the limit', () => {
  const counted: string[] = [];
  const { kvs, count, more } = readRange(viewOf(counted), { key: 'a', rangeEnd: 'd', limit: 1 }, 1);
  expect({ keys: kvs.map(({ key }) => key), count, more, counted }).toEqual({
    ...{ keys: ['a'], count: 3, more: true, counted: ['a'] },
  });
});

it('does not count for a reader who goes through everything', () => {
  const counted: string[] = [];
  const request = { key: 'a', rangeEnd: 'd', limit: 1, isSweep: true };
  const { kvs, more } = readRange(viewOf(counted), request, 1);
  expect({ keys: kvs.map(({ key }) => key), more, counted }).toEqual({ keys: ['a'], more: true, counted: [] });
});
