// npm run simulate: worlds of many seeds, each a whole cluster under faults on virtual time, in a process per core.
//   npm run simulate -- --seeds 1000
//   npm run simulate -- --seed 74 --trace
//   npm run simulate -- --seed 74 --inspect
//   npm run simulate -- --mutations
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { runMutations } from './run-mutations.mjs';
import { runWorlds } from './run-worlds.mjs';
import { ensureInstalled, root } from './toolchain.mjs';

/** @typedef {import('../src/simulation/index.ts').SimulationReport} SimulationReport */

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    world: { type: 'string', default: '{}' },
    trace: { type: 'boolean' },
    strict: { type: 'boolean' },
    inspect: { type: 'boolean' },
    workers: { type: 'string', default: String(os.availableParallelism()) },
    json: { type: 'boolean' },
    mutations: { type: 'boolean' },
    filter: { type: 'string', default: '' },
    'time-limit': { type: 'string' },
  },
});
ensureInstalled();

const world = JSON.parse(values.world);
const startedAt = performance.now();
process.exitCode = values.mutations ? await findMutations() : await simulateSeeds();

async function findMutations() {
  const seconds = values['time-limit'] === undefined ? undefined : Number(values['time-limit']);
  const results = await runMutations({ filter: values.filter, workers: Number(values.workers), seconds });
  const found = results.filter(({ check }) => check !== undefined).length;
  console.log(`${found} of ${results.length} mutations were found`);
  return results.some(({ check, skipped }) => check === undefined && !skipped) ? 1 : 0;
}

async function simulateSeeds() {
  const seeds =
    values.seed === undefined
      ? Array.from({ length: Number(values.seeds) }, (_, i) => Number(values.from) + i)
      : [Number(values.seed)];
  const built = path.join(root, 'node_modules', '.cache', 'k8ts-simulation', String(process.pid));
  await build({ entryPoints: { 'simulate-worker': 'scripts/simulate-worker.ts' }, outdir: built });
  const workers = Math.max(1, Math.min(Number(values.workers), seeds.length));
  try {
    const reports = await Promise.all(
      Array.from({ length: workers }, (_, worker) => {
        const mine = seeds.filter((_, i) => i % workers === worker);
        const how = { inspect: values.inspect ?? false };
        const { trace = false, strict = false } = values;
        return runWorlds(built, { seeds: mine, world, trace, strict }, how);
      }),
    );
    return print(merge(reports), seeds.length);
  } finally {
    fs.rmSync(built, { recursive: true, force: true });
  }
}

/** @param {readonly SimulationReport[]} reports */
function merge(reports) {
  /** @param {'looked' | 'struck' | 'done'} what */
  const total = (what) => {
    /** @type {Record<string, number>} */
    const sums = {};
    for (const report of reports)
      for (const [name, count] of Object.entries(report[what])) sums[name] = (sums[name] ?? 0) + count;
    return sums;
  };
  return {
    worlds: reports.reduce((sum, { worlds }) => sum + worlds, 0),
    looked: total('looked'),
    struck: total('struck'),
    done: total('done'),
    failures: reports.flatMap(({ failure }) => (failure ? [failure] : [])),
    texts: reports.flatMap((report) => ('failureText' in report ? [String(report.failureText)] : [])),
    unexercised: reports.map((report) => ('unexercised' in report ? /** @type {string[]} */ (report.unexercised) : [])),
  };
}

/**
 * @param {ReturnType<typeof merge>} report
 * @param {number} count of seeds that were asked for
 */
function print({ texts, unexercised, ...report }, count) {
  const seconds = (performance.now() - startedAt) / 1000;
  if (values.json) console.log(JSON.stringify({ ...report, seconds }, null, 2));
  else {
    for (const [title, counts] of Object.entries({
      checks: report.looked,
      faults: report.struck,
      operations: report.done,
    })) {
      console.log(`\n${title}`);
      for (const [name, count] of Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)))
        console.log(`  ${String(count).padStart(9)}  ${name}`);
    }
    for (const text of texts) console.log(`\n${text}`);
  }
  // With few seeds some faults do not come up.
  const never =
    count < 200 ? [] : (unexercised[0] ?? []).filter((name) => unexercised.every((list) => list.includes(name)));
  for (const name of never) console.log(`never exercised: ${name}`);
  console.log(
    `${report.worlds - report.failures.length} worlds passed, ${report.failures.length} failed, ${seconds.toFixed(0)} s`,
  );
  return report.failures.length > 0 || never.length > 0 ? 1 : 0;
}
