/** What containers have written, counted on disk: not again while they sleep, and never for much of the time. */
import type { Clock } from '../../kernel/index.ts';
import type { DiskUsage } from '../images/image-store.ts';
import type { UsageReading } from './usage-readings.ts';

/** A container that runs by what was just read of its cgroup, undefined where that cannot be read; one that has ended writes no more. */
export type ContainerState = UsageReading | 'ended' | undefined;

interface Counted {
  /** When counting began. */
  readonly state: ContainerState;
  readonly usage: Promise<DiskUsage>;
  /** When counting ended, and how long it took; undefined while it is under way. */
  done: { readonly at: number; readonly tookMs: number } | undefined;
}

/** A large layer takes seconds to count: of its time at most this part is spent on that. */
const SHARE_OF_TIME = 20;

export class LayerUsages {
  readonly #clock: Clock;
  readonly #count: (id: string) => Promise<DiskUsage>;
  readonly #counted = new Map<string, Counted>();

  constructor(clock: Clock, count: (id: string) => Promise<DiskUsage>) {
    this.#clock = clock;
    this.#count = count;
  }

  async of(id: string, state: ContainerState): Promise<DiskUsage> {
    const before = this.#counted.get(id);
    if (before !== undefined && this.#isGood(before, state)) return before.usage;
    const startedAt = this.#clock.monotonic();
    const counted: Counted = { state, usage: this.#count(id), done: undefined };
    this.#counted.set(id, counted);
    try {
      const usage = await counted.usage;
      const at = this.#clock.monotonic();
      counted.done = { at, tookMs: at - startedAt };
      return usage;
    } catch (error) {
      this.#counted.delete(id);
      throw error;
    }
  }

  #isGood({ state, done }: Counted, now: ContainerState): boolean {
    if (done === undefined || (state !== undefined && state === now)) return true;
    return this.#clock.monotonic() - done.at < SHARE_OF_TIME * done.tookMs;
  }

  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#counted.keys()) if (!ids.has(id)) this.#counted.delete(id);
  }
}
