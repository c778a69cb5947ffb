/**
 * Whole clusters: how long they take to start, what they cost at rest. `Cluster.start()` is measured in a process of its own,
 * its first time and later times, with the library as it is published (bundled).
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, warmUp } from '../scripts/build.mjs';
import type { BenchOptions, Row } from './harness.ts';

export const name = 'cluster';

/** Long enough that V8 also gives back what the start has left, which costs a tenth of a second once. */
const AT_REST_MS = 60_000;
const SETTLE_MS = 5_000;
const STARTS = 3;
const HERTZ = 100;

/** Starts, forks and stops clusters; prints milliseconds, and milliseconds of processor time. */
const STARTS_PROGRAM = `
import { Cluster } from 'k8ts-bench-library';
const measured = async (work) => {
  const [at, cpu] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { result, ms: performance.now() - at, cpuMs: (user + system) / 1000 };
};
const out = { starts: [], forks: [] };
for (let i = 0; i < 6; i++) {
  const { result: cluster, ...start } = await measured(() => Cluster.start());
  const { result: fork, ...forked } = await measured(() => cluster.fork());
  await fork.stop();
  await cluster.stop();
  out.starts.push(start);
  out.forks.push(forked);
}
console.log(JSON.stringify(out));
`;

interface Measured {
  readonly ms: number;
  readonly cpuMs: number;
}

export async function run(_: BenchOptions): Promise<Row[]> {
  const cache = join(import.meta.dirname, '..', 'node_modules', '.cache', `k8ts-bench-${process.pid}`);
  const scratch = mkdtempSync(join(tmpdir(), 'k8ts-bench-'));
  try {
    await build({ entryPoints: { k8ts: 'src/cli/index.ts', index: 'src/index.ts' }, outdir: cache });
    await warmUp(cache);
    return [...startRows(cache), ...(await upRows(join(cache, 'k8ts.js'), scratch))];
  } finally {
    rmSync(cache, { recursive: true, force: true });
    rmSync(scratch, { recursive: true, force: true });
  }
}

function startRows(cache: string): Row[] {
  mkdirSync(cache, { recursive: true });
  const program = join(cache, 'starts.mjs');
  writeFileSync(program, STARTS_PROGRAM.replace('k8ts-bench-library', './index.js'));
  const { stdout, stderr, status } = spawnSync(process.execPath, [program], { encoding: 'utf8', timeout: 120_000 });
  if (status !== 0) throw new Error(`the starts failed: ${stderr}`);
  const { starts, forks } = JSON.parse(stdout) as { starts: Measured[]; forks: Measured[] };
  const least = (all: readonly Measured[], of: keyof Measured): number => Math.min(...all.map((one) => one[of]));
  return [
    { work: 'Cluster.start(), the first of a process', value: starts[0]!.ms, unit: 'ms', atMost: 300 },
    { work: 'Cluster.start(), the first: processor time', value: starts[0]!.cpuMs, unit: 'ms' },
    { work: 'Cluster.start(), later ones', value: least(starts.slice(1), 'ms'), unit: 'ms', atMost: 300 },
    { work: 'Cluster.start(), later ones: processor time', value: least(starts.slice(1), 'cpuMs'), unit: 'ms' },
    { work: 'cluster.fork()', value: least(forks, 'ms'), unit: 'ms', atMost: 100 },
    { work: 'cluster.fork(): processor time', value: least(forks, 'cpuMs'), unit: 'ms' },
  ];
}

async function upRows(program: string, scratch: string): Promise<Row[]> {
  const readySeconds: number[] = [];
  let atRest: { megabytes: number; percent: number } | undefined;
  for (let i = 0; i < STARTS; i++) {
    const measure = i === STARTS - 1;
    const { ms, rest } = await upOnce(program, join(scratch, `cluster-${i}`), measure);
    readySeconds.push(ms / 1000);
    atRest ??= rest;
  }
  return [
    { work: 'k8ts up, control plane, from nothing to ready', value: Math.min(...readySeconds), unit: 's', atMost: 1 },
    { work: 'k8ts up at rest: resident memory', value: atRest!.megabytes, unit: 'MB', atMost: 150 },
    { work: 'k8ts up at rest: of a core', value: atRest!.percent, unit: '%', atMost: 1 },
  ];
}

async function upOnce(
  program: string,
  directory: string,
  measure: boolean,
): Promise<{ ms: number; rest: { megabytes: number; percent: number } | undefined }> {
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    [program, 'up', '--data-dir', directory, '--port', '0', '--nodes', '0', '--addons', 'none'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    await new Promise<void>((resolve, reject) => {
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
        if (text.includes('ready in')) resolve();
      });
      child.once('exit', () => reject(new Error(`k8ts up ended:\n${text}`)));
    });
    const ms = performance.now() - startedAt;
    return { ms, rest: measure ? await costAtRest(child.pid!) : undefined };
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
  }
}

async function costAtRest(pid: number): Promise<{ megabytes: number; percent: number }> {
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  await pause(SETTLE_MS);
  const ticks = (): number => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
    return Number(fields[11]) + Number(fields[12]);
  };
  const before = ticks();
  const at = performance.now();
  await pause(AT_REST_MS);
  const percent = (((ticks() - before) / HERTZ) * 1000 * 100) / (performance.now() - at);
  const megabytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  return { megabytes, percent };
}
