// npm run simulate: worlds of many seeds, each a whole cluster under faults on virtual time, in a process per core.
//   npm run simulate -- --seeds 1000
//   npm run simulate -- --seed 74 --trace
import { fork } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { ensureInstalled, root } from './toolchain.mjs';

/** @typedef {import('../src/simulation/index.ts').SimulationReport} SimulationReport */

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    trace: { type: 'boolean' },
    workers: { type: 'string', default: String(os.availableParallelism()) },
    json: { type: 'boolean' },
  },
});
ensureInstalled();

const built = path.join(root, 'node_modules', '.cache', 'k8ts-simulation', String(process.pid));
await build({ entryPoints: { 'simulate-worker': 'scripts/simulate-worker.ts' }, outdir: built });
const seeds =
  values.seed === undefined
    ? Array.from({ length: Number(values.seeds) }, (_, i) => Number(values.from) + i)
    : [Number(values.seed)];
const workers = Math.max(1, Math.min(Number(values.workers), seeds.length));
const startedAt = performance.now();
try {
  const reports = await Promise.all(
    Array.from({ length: workers }, (_, worker) => run(seeds.filter((_, i) => i % workers === worker))),
  );
  process.exitCode = print(merge(reports));
} finally {
  fs.rmSync(built, { recursive: true, force: true });
}

/**
 * @param {readonly number[]} mine
 * @returns {Promise<SimulationReport>}
 */
function run(mine) {
  return new Promise((resolve, reject) => {
    const options = JSON.stringify({ seeds: mine, trace: values.trace ?? false });
    const child = fork(path.join(built, 'simulate-worker.js'), [options], { execArgv: process.execArgv });
    /** @type {SimulationReport | undefined} */
    let report;
    child.on('message', (message) => (report = /** @type {SimulationReport} */ (message)));
    child.on('exit', (code) => (report ? resolve(report) : reject(new Error(`a worker ended with code ${code}`))));
  });
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

/** @param {ReturnType<typeof merge>} report */
function print({ texts, unexercised, ...report }) {
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
    seeds.length < 200 ? [] : (unexercised[0] ?? []).filter((name) => unexercised.every((list) => list.includes(name)));
  for (const name of never) console.log(`never exercised: ${name}`);
  console.log(
    `${report.worlds - report.failures.length} worlds passed, ${report.failures.length} failed, ${seconds.toFixed(0)} s`,
  );
  return report.failures.length > 0 || never.length > 0 ? 1 : 0;
}
