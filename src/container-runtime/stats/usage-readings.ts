/**
 * What cgroups use, read as a whole only where something has run since the last time: processor time is one file, and
 * who got none has neither taken memory nor written anything. On a node at rest that is nearly everybody.
 */
import type { Clock } from '../../kernel/index.ts';
import type { CgroupTree } from './cgroup-tree.ts';
import { readCgroupUsage, readCpuNanoseconds, type CgroupUsage } from './cgroup-usage.ts';

/** Good until the cgroup runs again: whoever sees the same one twice knows that nothing happened in between. */
export interface UsageReading {
  /** When it was read, on the clock that only goes forward. */
  readonly at: number;
  readonly usage: CgroupUsage;
}

/** The kernel takes memory back from those that sleep, too: this long after a reading that may matter. */
const MAX_AGE_MS = 60_000;

export class UsageReadings {
  readonly #clock: Clock;
  readonly #tree: CgroupTree;
  readonly #readings = new Map<string, UsageReading>();

  constructor(clock: Clock, tree: CgroupTree) {
    this.#clock = clock;
    this.#tree = tree;
  }

  /** `within`: what was just read of a cgroup that contains this one. Undefined for a cgroup that is not there. */
  read(cgroup: string, within?: UsageReading): UsageReading | undefined {
    const at = this.#clock.monotonic();
    const before = this.#readings.get(cgroup);
    if (
      before !== undefined &&
      at - before.at < MAX_AGE_MS &&
      ((within !== undefined && within.at <= before.at) ||
        readCpuNanoseconds(this.#tree, cgroup) === before.usage.cpuNanoseconds)
    )
      return before;
    const usage = readCgroupUsage(this.#tree, cgroup);
    if (usage === undefined) {
      this.#readings.delete(cgroup);
      return undefined;
    }
    const reading = { at, usage };
    this.#readings.set(cgroup, reading);
    return reading;
  }

  keepOnly(cgroups: ReadonlySet<string>): void {
    for (const cgroup of this.#readings.keys()) if (!cgroups.has(cgroup)) this.#readings.delete(cgroup);
  }
}
