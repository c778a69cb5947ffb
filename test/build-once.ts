import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, warmUp } from '../scripts/build.mjs';
import { newestIn, root } from '../scripts/toolchain.mjs';
import { errorMessage } from '../src/base/index.ts';
import { until } from '../src/kernel/testing/index.ts';

const BUILDS = join(root, 'node_modules', '.cache', 'k8ts-test');
const BUILD_LIMIT_MS = 180_000;

/**
 * A bundle of this working copy, built by whichever test process needs it first: the processes of a run share it. It lies
 * inside the project, where it finds the native modules. Resolves to its folder.
 */
export async function buildOnce(name: string, entryPoints: Record<string, string>): Promise<string> {
  mkdirSync(BUILDS, { recursive: true });
  // Test processes are often killed: each clears up after runs that are gone.
  for (const run of readdirSync(BUILDS))
    if (!isRunning(Number(run.split('-')[0]))) rmSync(join(BUILDS, run), { recursive: true, force: true });
  // Vitest's own process is the parent of all that run tests. It may watch sources, and run them again when they change.
  const run = join(BUILDS, `${process.ppid}-${Math.floor(newestIn(join(root, 'src')))}`);
  mkdirSync(run, { recursive: true });
  const folder = join(run, name);
  const failure = `${folder}.failure`;
  if (claim(`${folder}.pid`)) {
    try {
      await build({ entryPoints, outdir: `${folder}.new` });
      // Hundreds of processes need not compile it again.
      if (entryPoints['k8ts'] !== undefined) await warmUp(`${folder}.new`);
      renameSync(`${folder}.new`, folder);
    } catch (error) {
      writeFileSync(failure, errorMessage(error));
    }
  }
  await until(`${name} is built`, () => existsSync(folder) || existsSync(failure) || !isBuilding(`${folder}.pid`), {
    limitMs: BUILD_LIMIT_MS,
    intervalMs: 50,
  });
  if (!existsSync(folder))
    throw new Error(
      `${name} was not built: ${existsSync(failure) ? readFileSync(failure, 'utf8') : 'its builder ended'}`,
    );
  return folder;
}

/** Whether this process is the first to create the file, which names it. */
function claim(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** An empty file is of a process that has just created it. */
function isBuilding(file: string): boolean {
  const pid = Number(readFileSync(file, 'utf8'));
  return pid === 0 || isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
