/**
 * Cached cgroup readings. A cgroup is read completely only if its CPU time, a single file, has changed: without CPU
 * time it cannot have used more memory or written anything. On an idle node this skips almost all reads.
 */
import type { Clock } from '../../kernel/index.ts';
import type { CgroupTree } from './cgroup-tree.ts';
import { readCgroupUsage, readCpuNanoseconds, type CgroupUsage } from './cgroup-usage.ts';

/** The same object is returned until the cgroup runs again, so callers can compare readings by identity. */
export interface UsageReading {
  /** The monotonic time of the reading. */
  readonly at: number;
  readonly usage: CgroupUsage;
}

/** The kernel reclaims memory of idle cgroups too, so a reading is repeated after this time. */
const MAX_AGE_MS = 60_000;

export class UsageReadings {
  readonly #clock: Clock;
  readonly #tree: CgroupTree;
  readonly #readings = new Map<string, UsageReading>();

  constructor(clock: Clock, tree: CgroupTree) {
    this.#clock = clock;
    this.#tree = tree;
  }

  /** `parent` is a current reading of a parent cgroup. Undefined if the cgroup does not exist. */
  read(cgroup: string, parent?: UsageReading): UsageReading | undefined {
    const at = this.#clock.monotonic();
    const before = this.#readings.get(cgroup);
    if (
      before !== undefined &&
      at - before.at < MAX_AGE_MS &&
      ((parent !== undefined && parent.at <= before.at) ||
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
