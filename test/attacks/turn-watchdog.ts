/**
 * The longest turn of a process' event loops, in processor time: how long nobody else could be served. Wall time would
 * measure the machine's other work as well.
 *
 *   const k8ts = await startWatchedK8ts({ flags: ['--controllers', 'none'] });
 *   await k8ts.turns.reset();                      // forgets the start
 *   await request(k8ts.server);
 *   expect(await k8ts.turns.longestTurnMs()).toBeLessThan(50);    // of all threads, since the reset
 *   await k8ts.turns.longestTurns();               // Map { 'main' => 12.5, 'front-thread-1' => 3.1 }
 *
 * Any other Node process can be watched as well: start it with `...WATCHDOG_NODE_FLAGS` before its program, then `watchTurns(pid)`.
 * The product needs no hook: the flags load turn-watchdog-preload.cjs into the process and its worker threads.
 *
 * A turn is one round of an event loop: a few requests that arrive together share one. Send requests one after another to
 * learn what each of them costs. The kernel counts a running thread's time in ticks: values are exact to about 4 ms.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type K8tsOptions, type K8tsProcess, startK8ts } from '../k8ts-process.ts';
import { everything } from '../requires.ts';

export const WATCHDOG_NODE_FLAGS: readonly string[] = [
  '--require',
  join(import.meta.dirname, 'turn-watchdog-preload.cjs'),
];

/** The longest turn that a request may cause. */
export const MAX_TURN_MS = 50;

/** Beside the other tests caches are cold and the kernel counts its own work to threads: only the long form runs alone. */
export const ALLOWANCE = everything ? 1 : 2;

/** The reason to skip a test that measures turns; undefined where it can. */
export const cannotWatchTurns = existsSync('/proc/thread-self/schedstat')
  ? undefined
  : 'needs /proc/thread-self/schedstat';

export interface WatchedK8ts extends K8tsProcess {
  readonly turns: TurnWatchdog;
}

export async function startWatchedK8ts(options: K8tsOptions = {}): Promise<WatchedK8ts> {
  const k8ts = await startK8ts({ ...options, nodeFlags: [...WATCHDOG_NODE_FLAGS, ...(options.nodeFlags ?? [])] });
  const turns = watchTurns(k8ts.pid);
  const stop: K8tsProcess['stop'] = async (signal) => {
    await k8ts.stop(signal);
    turns.close();
  };
  // Not a spread: `exit` is a getter.
  return Object.create(k8ts, { turns: { value: turns }, stop: { value: stop } }) as WatchedK8ts;
}

/** Watches a process that was started with WATCHDOG_NODE_FLAGS. */
export const watchTurns = (pid: number): TurnWatchdog => new TurnWatchdog(pid);

/** Threads that read YAML, run stages of large requests and unpack layers. */
const BACKGROUND = /^(?:yaml-thread|stage-thread|layer-worker)-/;

const SETTLE_LIMIT_MS = 120_000;

export class TurnWatchdog {
  readonly #directory: string;
  readonly #pid: number;
  /** How much of each thread's file was there at the last reset. */
  readonly #skipped = new Map<string, number>();

  constructor(pid: number) {
    this.#pid = pid;
    this.#directory = join(tmpdir(), `k8ts-turns-${pid}`);
  }

  /** Forgets the turns so far, with those that are running. */
  async reset(): Promise<void> {
    await this.#settle();
    for (const thread of this.#threads()) this.#skipped.set(thread, this.#read(thread).length);
  }

  /**
   * The longest turn since the last reset, in milliseconds of processor time, of the threads that serve: nobody waits for
   * those that were started to do long work. Waits until running turns are over.
   */
  async longestTurnMs(): Promise<number> {
    const serving = [...(await this.longestTurns())].filter(([thread]) => !BACKGROUND.test(thread));
    return Math.max(0, ...serving.map(([, milliseconds]) => milliseconds));
  }

  /** By thread: `main`, and PROGRAM-N or `worker-N` with Node's number. */
  async longestTurns(): Promise<Map<string, number>> {
    await this.#settle();
    const longest = new Map<string, number>();
    for (const thread of this.#threads()) {
      const turns = this.#read(thread)
        .slice(this.#skipped.get(thread) ?? 0)
        .split('\n')
        .filter(Boolean)
        .map(Number);
      longest.set(
        thread,
        turns.reduce((most, turn) => Math.max(most, turn), 0),
      );
    }
    return longest;
  }

  /** Removes what the watched process wrote. */
  close(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #threads(): string[] {
    const files = existsSync(this.#directory) ? readdirSync(this.#directory) : [];
    return files.filter((file) => file.endsWith('.turns')).map((file) => file.slice(0, -'.turns'.length));
  }

  #read(thread: string): string {
    return readFileSync(join(this.#directory, `${thread}.turns`), 'latin1');
  }

  /** 0 for a thread that has just started. */
  #beats(thread: string): number {
    const file = join(this.#directory, `${thread}.beat`);
    return existsSync(file) ? Number(readFileSync(file, 'latin1').split('\n', 1)[0]) : 0;
  }

  /** Waits until every thread has ended the turn that it is in: the second beat from now is in a later one. */
  async #settle(): Promise<void> {
    const started = performance.now();
    if (this.#threads().length === 0)
      throw new Error(`process ${this.#pid} is not watched: start it with WATCHDOG_NODE_FLAGS`);
    for (const [thread, beats] of this.#threads().map((name) => [name, this.#beats(name)] as const)) {
      while (this.#beats(thread) < beats + 2) {
        if (performance.now() - started > SETTLE_LIMIT_MS)
          throw new Error(`${thread} of process ${this.#pid} did not end its turn`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
  }
}
