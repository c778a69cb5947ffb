/** Writes the planned NetworkPolicy rules: the differences in one transaction, the whole table after a failure. */
import { exponentialBuckets, type Context } from '../kernel/index.ts';
import { runIn } from '../net/netns/index.ts';
import { renderChanges, renderTable, TABLE, type Ruleset } from './ruleset.ts';

interface SyncOptions {
  /** The node's network namespace; undefined is the process's own. */
  readonly netns: string | undefined;
  readonly plan: () => Ruleset;
  /** Called after every sync, also when nothing had to change. */
  readonly onSynced?: () => void;
}

/** Changes that come in a burst are written together. */
const MIN_SYNC_PERIOD_MS = 30;
/** Rest after each sync as a multiple of its duration, so that planning takes at most a fifth of a core. */
const REST_FACTOR = 4;
const RETRY_MS = 1000;
const ENDED = 'network policies are no longer written';

export class PolicySync {
  readonly #ctx: Context;
  readonly #options: SyncOptions;
  readonly #metrics: ReturnType<typeof syncMetrics>;
  #current: Ruleset | undefined;
  #dirty = true;
  #wake: (() => void) | undefined;
  /** Callers of `flush` that wait for the next transaction. */
  #waiting: { resolve(): void; reject(error: unknown): void }[] = [];
  #ended = false;
  #urgent = new AbortController();

  constructor(ctx: Context, options: SyncOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.#metrics = syncMetrics(ctx);
  }

  /** Something that the plan depends on has changed. */
  changed(): void {
    this.#dirty = true;
    this.#wake?.();
  }

  /** Resolves when all changes up to now are in force, without waiting for the rest period. */
  flush(): Promise<void> {
    if (this.#ended) return Promise.reject(new Error(ENDED));
    const written = new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    this.#urgent.abort();
    this.changed();
    return written;
  }

  /** Runs until the signal aborts. The rules stay in force after that. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#loop(signal);
    } finally {
      this.#ended = true;
      for (const { reject } of this.#waiting.splice(0)) reject(new Error(ENDED));
    }
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#ctx;
    for (;;) {
      await this.#untilDirty(signal);
      this.#dirty = false;
      this.#urgent = new AbortController();
      const start = clock.monotonic();
      const waiting = this.#waiting;
      this.#waiting = [];
      try {
        await this.#sync();
        for (const { resolve } of waiting) resolve();
        this.#metrics.duration.observe((clock.monotonic() - start) / 1000);
        this.#options.onSynced?.();
      } catch (error) {
        this.#waiting.push(...waiting);
        signal.throwIfAborted();
        logger.error(error, 'Failed to write network policy rules; retrying with the whole table');
        this.#metrics.failures.inc();
        this.#current = undefined;
        this.#dirty = true;
        await clock.sleep(RETRY_MS, signal);
        continue;
      }
      await clock
        .sleep(
          Math.max(MIN_SYNC_PERIOD_MS, (clock.monotonic() - start) * REST_FACTOR),
          AbortSignal.any([signal, this.#urgent.signal]),
        )
        .catch(() => signal.throwIfAborted());
    }
  }

  async #sync(): Promise<void> {
    const wanted = this.#options.plan();
    const input = this.#current === undefined ? renderTable(wanted) : renderChanges(this.#current, wanted);
    if (input !== '') await runIn('nft', ['-f', '-'], { netns: this.#options.netns, input });
    this.#current = wanted;
  }

  async #untilDirty(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#dirty) return;
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#wake = () => {
        signal.removeEventListener('abort', onAbort);
        this.#wake = undefined;
        resolve();
      };
    });
  }
}

function syncMetrics({ metrics }: Context) {
  return {
    duration: metrics.histogram({
      name: 'k8ts_network_policy_sync_duration_seconds',
      help: 'How long it took to plan and write network policies',
      buckets: exponentialBuckets(0.001, 2, 15),
    }),
    failures: metrics.counter({
      name: 'k8ts_network_policy_sync_failures_total',
      help: 'Transactions with network policies that the kernel refused',
    }),
  };
}

/** Removes the rules; for a node that leaves. */
export async function removePolicies(netns?: string): Promise<void> {
  await runIn('nft', ['-f', '-'], { netns, input: `table inet ${TABLE}\ndelete table inet ${TABLE}\n` });
}
