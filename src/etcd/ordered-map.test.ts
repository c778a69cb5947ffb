import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrderedMap } from './ordered-map.ts';

type Step = { do: 'set'; key: number } | { do: 'delete'; key: number };

const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('set' as const), key: fc.nat(400) }),
    fc.record({ do: fc.constant('delete' as const), key: fc.nat(400) }),
  ),
  { maxLength: 1500, size: 'max' },
);

function entries(map: OrderedMap<number, string>, start?: number, end?: number): [number, string][] {
  const found: [number, string][] = [];
  map.scan(start, end, (value, key) => void found.push([key, value]));
  return found;
}

function build(list: Step[]): { map: OrderedMap<number, string>; model: Map<number, string> } {
  let map = OrderedMap.empty<number, string>();
  const model = new Map<number, string>();
  list.forEach((step, i) => {
    if (step.do === 'set') {
      map = map.set(step.key, `v${i}`);
      model.set(step.key, `v${i}`);
    } else {
      map = map.delete(step.key);
      model.delete(step.key);
    }
  });
  return { map, model };
}

const sorted = (model: Map<number, string>): [number, string][] => [...model].sort((a, b) => a[0] - b[0]);

describe('OrderedMap', () => {
  it('has the entries of a plain map, in key order', () => {
    fc.assert(
      fc.property(steps, fc.nat(400), fc.nat(400), (list, a, b) => {
        const { map, model } = build(list);
        const all = sorted(model);
        expect(entries(map)).toEqual(all);
        expect(map.size).toBe(all.length);
        const inside = all.filter(([key]) => key >= a && key < b);
        expect(entries(map, a, b)).toEqual(inside);
        expect(map.count(a, b)).toBe(inside.length);
        expect(map.count(a, undefined)).toBe(all.filter(([key]) => key >= a).length);
        const backwards: [number, string][] = [];
        map.scanBackwards(a, b, (value, key) => void backwards.push([key, value]));
        expect(backwards).toEqual(inside.toReversed());
        expect(map.get(a)).toBe(model.get(a));
        expect(map.has(b)).toBe(model.has(b));
        expect(entries(map.from(a))).toEqual(all.filter(([key]) => key >= a));
        expect(map.first()).toEqual(all[0]);
      }),
      { numRuns: 150 },
    );
  });

  it('leaves older versions as they were', () => {
    fc.assert(
      fc.property(steps, steps, (before, after) => {
        const { map } = build(before);
        const then = entries(map);
        let later = map;
        for (const step of after) later = step.do === 'set' ? later.set(step.key, 'later') : later.delete(step.key);
        expect(entries(map)).toEqual(then);
      }),
      { numRuns: 50 },
    );
  });

  it('stops when the visitor returns false', () => {
    const { map } = build(Array.from({ length: 100 }, (_, key) => ({ do: 'set' as const, key })));
    const seen: number[] = [];
    map.scan(10, undefined, (_, key) => {
      seen.push(key);
      return seen.length < 3;
    });
    expect(seen).toEqual([10, 11, 12]);
  });
});
