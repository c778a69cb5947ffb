import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { RequestLanesOptions } from './request-lanes.ts';

/** Sends requests from a process of its own, some at a time. */
export class TurnClient {
  readonly #child: ChildProcess;

  constructor(work: RequestLanesOptions) {
    // By the working directory: the module that uses it may be bundled elsewhere.
    this.#child = fork(join(process.cwd(), 'bench', 'load', 'turn-process.ts'), [JSON.stringify(work)], {
      execArgv: ['--import', 'tsx'],
    });
  }

  /** Resolves when `count` requests were answered, with that number. */
  async turn(count: number): Promise<number> {
    const ended = new AbortController();
    const { signal } = ended;
    const died = once(this.#child, 'exit', { signal }).then(([code]) => {
      throw new Error(`the client process ended with ${String(code)}`);
    });
    died.catch(() => undefined);
    const answered = once(this.#child, 'message', { signal }) as Promise<[{ errors: number; firstError?: string }]>;
    this.#child.send(count);
    const [{ errors, firstError }] = await Promise.race([answered, died]);
    ended.abort();
    if (errors > 0) throw new Error(`${errors} requests failed, the first with ${firstError}`);
    return count;
  }

  async end(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.disconnect();
    await exited;
  }
}
