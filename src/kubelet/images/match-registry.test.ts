import { expect, it } from 'vitest';
import { matchRegistry } from './match-registry.ts';

it.each([
  ['example.com', 'example.com/a', true],
  ['*.example.com', 'x.example.com/a', true],
  ['*.example.com', 'x.y.example.com/a', false],
  ['a*b*c.io', 'axxbyyc.io/a', true],
  ['a*b*c.io', 'abc.io/a', true],
  ['a*b*c.io', 'acb.io/a', false],
  ['ab*ba.io', 'aba.io/a', false],
  ['*a*.io', 'xay.io/a', true],
  ['x.io', 'y.io/a', false],
])('%s matches %s: %s', (pattern, image, matches) => {
  expect(matchRegistry(pattern, image) !== undefined).toBe(matches);
});

it('takes linear time for many wildcards', () => {
  const before = process.cpuUsage();
  expect(matchRegistry(`${'*a'.repeat(60)}b.io`, `${'a'.repeat(60)}.io/x`)).toBeUndefined();
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(500);
});
