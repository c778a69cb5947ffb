/** The list of bugs that worlds must find is current, and in the long form worlds find them. */
import process from 'node:process';
import { expect, it } from 'vitest';
import { mutated, mutations } from './mutations.mjs';
import { runMutations } from './run-mutations.mjs';

const everything = process.env['K8TS_EVERYTHING'] === '1';

it('has at least thirty bugs, each with a name of its own', () => {
  expect(mutations.length).toBeGreaterThanOrEqual(30);
  expect(new Set(mutations.map(({ name }) => name)).size).toBe(mutations.length);
});

it.each(mutations)('$name changes what is in its file', (mutation) => {
  expect(mutated(mutation)).toContain(mutation.instead);
});

it.runIf(everything)(
  'finds each of them within its seeds (long form)',
  async () => {
    const results = await runMutations({ workers: 2 });
    expect(results.filter(({ check }) => check === undefined)).toEqual([]);
    expect(results).toHaveLength(mutations.length);
  },
  7_200_000,
);
