import { describe, expect, it } from 'vitest';
import { NAME_SUFFIX_ALPHABET, type Random } from './random.ts';
import { SeededRandom } from './seeded-random.ts';
import { SystemRandom } from './system-random.ts';

const implementations: [string, () => Random][] = [
  ['SeededRandom', () => new SeededRandom(7)],
  ['SystemRandom', () => new SystemRandom()],
];

describe.each(implementations)('%s', (_name, create) => {
  it('spreads evenly over [0, 1)', () => {
    const random = create();
    const buckets = new Array<number>(10).fill(0);
    for (let i = 0; i < 20_000; i++) {
      const value = random.next();
      expect(value >= 0 && value < 1).toBe(true);
      const bucket = Math.floor(value * 10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    for (const count of buckets) expect(Math.abs(count - 2000)).toBeLessThan(300);
  });

  it('draws integers below the bound, every one of them', () => {
    const random = create();
    const seen = new Set(Array.from({ length: 500 }, () => random.integer(6)));
    expect(seen).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    for (const bound of [0, -1, 1.5, NaN]) expect(() => random.integer(bound)).toThrow(RangeError);
  });

  it('creates different version 4 UUIDs', () => {
    const random = create();
    const uids = Array.from({ length: 1000 }, () => random.uid());
    for (const uid of uids)
      expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(uids).size).toBe(1000);
  });

  it('creates name suffixes from the safe alphabet', () => {
    const random = create();
    expect(random.nameSuffix()).toHaveLength(5);
    for (const character of random.nameSuffix(200)) expect(NAME_SUFFIX_ALPHABET).toContain(character);
  });

  it('fills any number of bytes', () => {
    const random = create();
    for (const length of [0, 1, 3, 4, 17, 5000]) expect(random.bytes(length)).toHaveLength(length);
    expect(new Set(random.bytes(5000)).size).toBe(256);
  });
});

describe('SeededRandom', () => {
  const draw = (seed: number | string): number[] => {
    const random = new SeededRandom(seed);
    return Array.from({ length: 5 }, () => random.integer(1000));
  };

  it('repeats itself for the same seed only', () => {
    expect(draw(1)).toEqual(draw('1'));
    expect(draw(1)).not.toEqual(draw(2));
  });

  it('keeps its sequence across versions', () => {
    expect(draw(42)).toMatchInlineSnapshot(`
      [
        569,
        337,
        528,
        198,
        467,
      ]
    `);
    expect(new SeededRandom(42).uid()).toMatchInlineSnapshot(`"8c06e391-1cd0-4b04-bf3c-7a56479e18bd"`);
    expect(new SeededRandom(42).nameSuffix()).toMatchInlineSnapshot(`"tmshq"`);
  });

  it('forks streams that depend on the label and not on earlier draws', () => {
    const parent = new SeededRandom(1);
    const before = parent.fork('kubelet').next();
    parent.next();
    expect(parent.fork('kubelet').next()).toBe(before);
    expect(parent.fork('scheduler').next()).not.toBe(before);
  });
});
