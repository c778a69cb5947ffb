import { setMaxListeners } from 'node:events';
import type { Logger } from './logger.ts';

/**
 * Tasks that end together. The first one that fails aborts the others; so does the parent's signal. `wait` resolves
 * only when every task has ended: nothing is left running.
 */
export class RunGroup {
  readonly #controller = new AbortController();
  readonly #running = new Map<Promise<void>, string>();
  readonly #logger: Logger | undefined;
  readonly #parent: AbortSignal | undefined;
  readonly #onParentAbort = (): void => this.#controller.abort(this.#parent?.reason);
  #failure: { error: unknown } | undefined;

  constructor(options: { signal?: AbortSignal; logger?: Logger } = {}) {
    this.#logger = options.logger;
    this.#parent = options.signal;
    setMaxListeners(0, this.#controller.signal);
    if (this.#parent?.aborted) this.#onParentAbort();
    else this.#parent?.addEventListener('abort', this.#onParentAbort, { once: true });
  }

  /** Aborts when the group stops for whatever reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The names of the tasks that have not ended. */
  get running(): string[] {
    return [...this.#running.values()];
  }

  /** Starts a task; in a group that has been stopped it is not started at all. */
  start(name: string, task: (signal: AbortSignal) => Promise<void> | void): void {
    if (this.signal.aborted) return;
    const run = (async () => task(this.signal))().then(
      () => {},
      (error: unknown) => this.#ended(name, error),
    );
    const tracked = run.finally(() => this.#running.delete(tracked));
    this.#running.set(tracked, name);
  }

  /** Aborts every task. */
  stop(reason?: unknown): void {
    this.#controller.abort(reason);
  }

  /** Resolves when all tasks have ended, or then rejects with the first failure. */
  async wait(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.keys());
    this.#parent?.removeEventListener('abort', this.#onParentAbort);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** `stop` and `wait`. */
  async close(reason?: unknown): Promise<void> {
    this.stop(reason);
    await this.wait();
  }

  #ended(name: string, error: unknown): void {
    if (this.signal.aborted && isAbort(error, this.signal)) return;
    if (this.#failure !== undefined) {
      this.#logger?.error(error, 'Another task failed while the group was stopping', { task: name });
      return;
    }
    this.#failure = { error };
    this.#logger?.v(2).info('Task failed; stopping the group', { task: name, err: error });
    this.#controller.abort(error);
  }
}

/** Whether an error means only that the signal aborted. */
export function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError');
}
