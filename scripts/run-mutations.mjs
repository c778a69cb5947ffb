// Puts each bug of `mutations.mjs` into a bundle, and runs worlds until a check finds it.
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { build } from './build.mjs';
import { mutate, mutations } from './mutations.mjs';
import { runWorlds } from './run-worlds.mjs';
import { root } from './toolchain.mjs';

/** A bug must be found within so many seeds. */
const MAX_SEEDS = 2_000;
/** Worlds of mutations are smaller than others, and so more of them run. */
const WORLD = { durationMs: 60_000, operations: 20, faultCount: 5 };

/** @typedef {{ name: string, check?: string, seed?: string, skipped?: boolean }} Found */

/**
 * @param {{ filter?: string, workers: number, seconds?: number | undefined }} options with `seconds`, what is not begun by then is skipped
 * @returns {Promise<Found[]>}
 */
export async function runMutations({ filter = '', workers, seconds }) {
  const startedAt = performance.now();
  const queue = mutations.filter(({ name }) => name.includes(filter));
  /** @type {Found[]} */
  const results = [];
  const worker = async () => {
    for (let mutation = queue.shift(); mutation; mutation = queue.shift()) {
      const isLate = seconds !== undefined && performance.now() - startedAt > seconds * 1000;
      const result = isLate ? { name: mutation.name, skipped: true } : await find(mutation);
      results.push(result);
      console.log(describe(result));
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, workers) }, worker));
  return results;
}

/**
 * @param {import('./mutations.mjs').Mutation} mutation
 * @returns {Promise<Found>}
 */
async function find(mutation) {
  const { name } = mutation;
  const built = path.join(root, 'node_modules', '.cache', 'k8ts-simulation', `${process.pid}-${name}`);
  try {
    await build({
      entryPoints: { 'simulate-worker': 'scripts/simulate-worker.ts' },
      outdir: built,
      plugins: [mutate(mutation)],
    });
    const seeds = Array.from({ length: MAX_SEEDS }, (_, i) => i + 1);
    const { failure } = await runWorlds(built, { seeds, world: { ...WORLD, ...mutation.world }, shrinkTries: 0 });
    return failure ? { name, check: failure.violation.check, seed: failure.seed } : { name };
  } finally {
    fs.rmSync(built, { recursive: true, force: true });
  }
}

/** @param {Found} found */
function describe({ name, check, seed, skipped }) {
  if (skipped) return `skipped    ${name}`;
  return check === undefined ? `NOT FOUND  ${name}` : `found      ${name}: ${check}, seed ${seed}`;
}
