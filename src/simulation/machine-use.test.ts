import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { promisify } from 'node:util';
import { runInThisContext } from 'node:vm';
import { gzip } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { drawPlan, runWorld, type Operator } from './index.ts';
import { watchMachineUse } from './machine-use.ts';

/** As a loader of modules does that looks after its cache, in a promise. */
const readByAnotherPackage = runInThisContext('(fs) => new Promise((resolve) => resolve(fs.readFile("/dev/null")))', {
  filename: '/project/node_modules/loader/index.js',
}) as (files: typeof fs) => void;

async function usesOf(work: () => unknown): Promise<string[]> {
  const uses: string[] = [];
  const stop = watchMachineUse((use) => uses.push(use));
  try {
    await work();
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    stop();
  }
  return uses;
}

describe('the machine is used by', () => {
  it.each<[string, () => unknown]>([
    ['a file', () => fs.readFile('/dev/null')],
    ['a thread that draws random bytes', () => promisify(randomBytes)(8)],
    ['a thread that compresses', () => promisify(gzip)('x')],
    ['a timer', () => clearTimeout(setTimeout(() => undefined, 1000))],
  ])('%s', async (_, work) => {
    const uses = await usesOf(work);
    expect(uses[0]).toContain('machine-use.test.ts');
  });
});

describe('the machine is not used by', () => {
  it.each<[string, () => unknown]>([
    ['promises', () => Promise.all([1, 2].map((n) => Promise.resolve(n)))],
    ['a turn of the event loop', () => new Promise((resolve) => setImmediate(resolve))],
    ['a tick', () => new Promise<void>((resolve) => process.nextTick(resolve))],
    ['what is done at once', () => readFileSync('/dev/null')],
    ['another package, called by nobody of a world', () => void setImmediate(readByAnotherPackage, fs)],
  ])('%s', async (_, work) => {
    expect(await usesOf(work)).toEqual([]);
  });
});

describe('a world whose process reads a file', () => {
  const plan = drawPlan(1, { durationMs: 1_000, operations: 0, faultCount: 0 });

  it('fails where it is strict, with the place', async () => {
    const operator: Operator = async (_, { clock, signal }) => {
      await fs.readFile('/dev/null');
      await clock.sleep(1e9, signal);
    };
    const { violation } = await runWorld(plan, { operator, strict: true });
    expect(violation?.check).toBe('worlds-use-no-machine');
    expect(violation?.message).toContain('machine-use.test.ts');
  }, 60_000);

  it('names the process when the world ends before the file is read', async () => {
    // However fast the machine is.
    let finish: (() => void) | undefined;
    const read = new Promise<void>((resolve) => (finish = resolve));
    const operator: Operator = async (_, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await read;
    };
    const { violation } = await runWorld(plan, { operator });
    finish?.();
    expect(violation?.check).toBe('processes-end');
    expect(violation?.message).toBe('still running: operator-0, operator-1');
  }, 60_000);
});
