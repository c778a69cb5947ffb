import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { type TurnWatchdog, WATCHDOG_NODE_FLAGS, cannotWatchTurns, watchTurns } from './turn-watchdog.ts';

/** Each line on its input is a number of milliseconds that it is busy for; in its worker, if the line begins with a w. */
const PROGRAM = `
  const { Worker, isMainThread, parentPort } = require('node:worker_threads');
  function busy(ms) {
    for (const end = performance.now() + Number(ms); performance.now() < end; );
  }
  if (!isMainThread) parentPort.on('message', busy);
  else {
    const worker = new Worker(process.env.PROGRAM, { eval: true });
    worker.on('online', () => console.log('ready'));
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      if (line.startsWith('w')) worker.postMessage(line.slice(1));
      else busy(line);
    });
  }`;

describe.skipIf(cannotWatchTurns !== undefined)('the watchdog of turns', () => {
  let end: (() => Promise<void>) | undefined;
  afterEach(async () => {
    await end?.();
    end = undefined;
  });

  async function start(): Promise<{ turns: TurnWatchdog; tell: (line: string) => void }> {
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
    return { turns, tell: (line) => void child.stdin.write(`${line}\n`) };
  }

  const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

  it('measures a turn of the main thread and of a worker, and forgets them', async () => {
    const { turns, tell } = await start();
    expect(await turns.longestTurnMs()).toBeLessThan(20);
    tell('400');
    await pause(200);
    expect((await turns.longestTurns()).get('main')).toBeGreaterThan(60);
    expect((await turns.longestTurns()).get('worker-1')).toBeLessThan(20);
    await turns.reset();
    tell('w400');
    await pause(200);
    expect((await turns.longestTurns()).get('worker-1')).toBeGreaterThan(60);
    expect((await turns.longestTurns()).get('main')).toBeLessThan(20);
    await turns.reset();
    expect(await turns.longestTurnMs()).toBeLessThan(20);
  });

  it('counts short turns one by one', async () => {
    const { turns, tell } = await start();
    for (let i = 0; i < 30; i++) {
      tell('5');
      await pause(10);
    }
    expect(await turns.longestTurnMs()).toBeLessThan(40);
  });

  it('reports that a process is not watched', async () => {
    await expect(watchTurns(process.pid).longestTurnMs()).rejects.toThrow('is not watched');
  });
});
