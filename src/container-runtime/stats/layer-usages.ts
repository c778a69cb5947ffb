/**
 * Disk usage of containers' writable layers. It is not measured again while a container is idle, and never takes much
 * of the time.
 */
import type { Clock } from '../../kernel/index.ts';
import type { DiskUsage } from '../images/image-store.ts';
import type { UsageReading } from './usage-readings.ts';

/**
 * The last cgroup reading of a running container (undefined if it cannot be read), or 'ended' for one that writes no
 * more.
 */
export type ContainerState = UsageReading | 'ended' | undefined;

interface Measurement {
  /** The container's state when the measurement began. */
  readonly state: ContainerState;
  readonly usage: Promise<DiskUsage>;
  /** When the measurement ended and how long it took; undefined while it runs. */
  done: { readonly at: number; readonly tookMs: number } | undefined;
}

/** A large layer takes seconds to measure. A result stays valid for this multiple of its duration. */
const VALIDITY_FACTOR = 20;

export class LayerUsages {
  readonly #clock: Clock;
  readonly #measure: (id: string) => Promise<DiskUsage>;
  readonly #measurements = new Map<string, Measurement>();

  constructor(clock: Clock, measure: (id: string) => Promise<DiskUsage>) {
    this.#clock = clock;
    this.#measure = measure;
  }

  async of(id: string, state: ContainerState): Promise<DiskUsage> {
    const before = this.#measurements.get(id);
    if (before !== undefined && this.#isValid(before, state)) return before.usage;
    const startedAt = this.#clock.monotonic();
    const measurement: Measurement = { state, usage: this.#measure(id), done: undefined };
    this.#measurements.set(id, measurement);
    try {
      const usage = await measurement.usage;
      const at = this.#clock.monotonic();
      measurement.done = { at, tookMs: at - startedAt };
      return usage;
    } catch (error) {
      this.#measurements.delete(id);
      throw error;
    }
  }

  #isValid({ state, done }: Measurement, now: ContainerState): boolean {
    if (done === undefined || (state !== undefined && state === now)) return true;
    return this.#clock.monotonic() - done.at < VALIDITY_FACTOR * done.tookMs;
  }

  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#measurements.keys()) if (!ids.has(id)) this.#measurements.delete(id);
  }
}
