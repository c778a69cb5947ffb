import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { type TurnWatchdog, WATCHDOG_NODE_FLAGS, cannotWatchTurns, watchTurns } from './turn-watchdog.ts';

/**
 * Each line on its input is a number of milliseconds of processor time that it is busy for; in its worker, if the line begins
 * with a w. It prints a line when it has been.
 */
const PROGRAM = `
  const { Worker, isMainThread, parentPort } = require('node:worker_threads');
  function busy(ms) {
    const spent = process.cpuUsage();
    for (let now = spent; now.user + now.system < spent.user + spent.system + ms * 1000; ) now = process.cpuUsage();
  }
  if (!isMainThread) parentPort.on('message', (ms) => (busy(ms), parentPort.postMessage('done')));
  else {
    const worker = new Worker(process.env.PROGRAM, { eval: true });
    worker.on('online', () => console.log('ready'));
    worker.on('message', () => console.log('done'));
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      if (line.startsWith('w')) worker.postMessage(line.slice(1));
      else (busy(line), console.log('done'));
    });
  }`;

describe.skipIf(cannotWatchTurns !== undefined)('the watchdog of turns', () => {
  let end: (() => Promise<void>) | undefined;
  afterEach(async () => {
    await end?.();
    end = undefined;
  });

  async function start(): Promise<{ turns: TurnWatchdog; tell: (line: string) => Promise<void> }> {
    const child = spawn(process.execPath, [...WATCHDOG_NODE_FLAGS, '-e', PROGRAM], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, PROGRAM },
    });
    const turns = watchTurns(child.pid!);
    end = async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
      turns.close();
    };
    await once(child.stdout, 'data');
    await turns.reset();
    const tell = async (line: string): Promise<void> => {
      child.stdin.write(`${line}\n`);
      await once(child.stdout, 'data');
    };
    return { turns, tell };
  }

  it('measures a turn of the main thread and of a worker, and forgets them', async () => {
    const { turns, tell } = await start();
    expect(await turns.longestTurnMs()).toBeLessThan(60);
    await tell('200');
    expect((await turns.longestTurns()).get('main')).toBeGreaterThan(150);
    expect((await turns.longestTurns()).get('worker-1')).toBeLessThan(60);
    await turns.reset();
    await tell('w200');
    expect((await turns.longestTurns()).get('worker-1')).toBeGreaterThan(150);
    expect((await turns.longestTurns()).get('main')).toBeLessThan(60);
    await turns.reset();
    expect(await turns.longestTurnMs()).toBeLessThan(60);
  });

  it('counts short turns one by one', async () => {
    const { turns, tell } = await start();
    for (let i = 0; i < 30; i++) await tell('5');
    expect(await turns.longestTurnMs()).toBeLessThan(60);
  });

  it('reports that a process is not watched', async () => {
    await expect(watchTurns(process.pid).longestTurnMs()).rejects.toThrow('is not watched');
  });
});
