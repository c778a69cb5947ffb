/** Keeps the node from running out: when a threshold is met it frees what nobody uses, and then ends pods one by one. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { childContext, type Context } from '../../kernel/index.ts';
import { Quantity } from '../../machinery/quantity/index.ts';
import { formatTime } from '../../machinery/time/index.ts';
import type { ImageGarbageCollector } from '../images/image-garbage-collector.ts';
import type { KubeletConfig } from '../kubelet-options.ts';
import { threshold as thresholdBytes } from '../node/capacity.ts';
import { filesystemUse, memoryAvailable, processCounts, type Machine } from '../node/machine.ts';
import type { NodeReporter } from '../node/node-reporter.ts';
import type { PodEvents } from '../pod/pod-events.ts';
import type { PodManager } from '../pod/pod-manager.ts';
import { isCriticalPod } from '../pod/pod-resources.ts';
import { uidOf } from '../pod/pod-text.ts';
import type { StatsProvider } from '../server/stats/stats-provider.ts';
import type { PodSummary } from '../server/stats/summary-types.ts';
import { limitsStorage, storageViolation } from './local-storage.ts';
import { rankPods } from './rank-pods.ts';
import { isMet, SIGNALS, thresholdsOf, type Observations, type Threshold } from './thresholds.ts';

export interface EvictionOptions {
  readonly config: KubeletConfig;
  readonly machine: Machine;
  readonly stats: StatsProvider;
  readonly manager: PodManager;
  readonly events: PodEvents;
  readonly reporter: NodeReporter;
  readonly images: ImageGarbageCollector;
  /** What is observed instead of the machine itself. */
  readonly observe?: () => Promise<Observations>;
}

const PERIOD_MS = 10_000;
const DISK = new Set(['ephemeral-storage', 'inodes']);

export class EvictionManager {
  readonly #ctx: Context;
  readonly #options: EvictionOptions;
  readonly #thresholds: Threshold[];
  /** When each threshold was met first. */
  readonly #metSince = new Map<Threshold, number>();
  readonly #conditionSeenAt = new Map<string, number>();
  #pressures: ReadonlySet<string> = new Set();

  constructor(ctx: Context, options: EvictionOptions) {
    this.#ctx = childContext(ctx, 'eviction');
    this.#options = options;
    this.#thresholds = thresholdsOf(options.config);
  }

  /** The node's conditions that are true. */
  get pressures(): ReadonlySet<string> {
    return this.#pressures;
  }

  async run(): Promise<void> {
    const { clock, signal, logger } = this.#ctx;
    while (!signal.aborted) {
      await this.synchronize().catch((error: unknown) => {
        if (!signal.aborted) logger.error(error, 'Eviction manager: the node could not be looked at');
      });
      await clock.sleep(PERIOD_MS, signal).catch(() => {});
    }
  }

  async synchronize(): Promise<void> {
    const { clock } = this.#ctx;
    const observations = await (this.#options.observe ?? (() => this.#observe()))();
    const now = clock.monotonic();
    for (const threshold of this.#thresholds) {
      const reclaiming = this.#metSince.has(threshold);
      if (!isMet(threshold, observations, { reclaiming })) this.#metSince.delete(threshold);
      else if (!reclaiming) this.#metSince.set(threshold, now);
    }
    this.#updatePressures(now);
    await this.#evictForLocalStorage();
    const due = this.#thresholds.filter((threshold) => now - (this.#metSince.get(threshold) ?? Infinity) >= threshold.graceMs);
    const [first] = due.toSorted(memoryFirst);
    if (first !== undefined) await this.#relieve(first, observations);
  }

  #updatePressures(now: number): void {
    for (const threshold of this.#metSince.keys()) this.#conditionSeenAt.set(SIGNALS[threshold.signal].condition, now);
    const pressures = new Set<string>();
    // A condition stays for a while after its cause has gone, so that pods do not come and go with it.
    for (const [condition, seenAt] of this.#conditionSeenAt) if (now - seenAt < this.#options.config.evictionPressureTransitionPeriod || now === seenAt) pressures.add(condition);
    const changed = [...pressures].toSorted().join() !== [...this.#pressures].toSorted().join();
    this.#pressures = pressures;
    if (changed) this.#options.reporter.changed();
  }

  async #relieve(threshold: Threshold, observations: Observations): Promise<void> {
    const { manager, images, reporter, stats } = this.#options;
    const { resource } = SIGNALS[threshold.signal];
    reporter.event('Warning', 'EvictionThresholdMet', `Attempting to reclaim ${resource}`);
    if (DISK.has(resource)) {
      await images.free(Infinity);
      const after = await (this.#options.observe ?? (() => this.#observe()))();
      if (!isMet(threshold, after, { reclaiming: true })) return;
    }
    const summary = await stats.summary({ cpuAndMemory: !DISK.has(resource) });
    const active = manager.activePods().filter((pod) => manager.worker(uidOf(pod))?.isTerminating === false);
    const ranked = rankPods(active.map((pod) => ({ pod, summary: summary.pods.find(({ podRef }) => podRef.uid === uidOf(pod)) })), resource);
    const victim = ranked.find(({ pod }) => !isCriticalPod(pod));
    if (victim === undefined) return;
    const observed = observations[threshold.signal];
    this.#evict(victim.pod, evictionMessage(threshold, observed, victim.pod, victim.summary), threshold.hard ? 0 : this.#options.config.evictionMaxPodGracePeriod);
  }

  async #evictForLocalStorage(): Promise<void> {
    const { manager, stats, config } = this.#options;
    if (!config.localStorageCapacityIsolation) return;
    const limited = manager.activePods().filter((pod) => limitsStorage(pod) && manager.worker(uidOf(pod))?.isTerminating === false);
    if (limited.length === 0) return;
    const summary = await stats.summary();
    for (const pod of limited) {
      const found = summary.pods.find(({ podRef }) => podRef.uid === uidOf(pod));
      const violation = found === undefined ? undefined : storageViolation(pod, found);
      if (violation !== undefined) this.#evict(pod, violation, 0);
    }
  }

  #evict(pod: Pod, message: string, graceSeconds: number): void {
    const { manager, events } = this.#options;
    if (isCriticalPod(pod)) return;
    events.pod(pod, 'Warning', 'Evicted', message);
    const condition = { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message, observedGeneration: pod.metadata.generation, lastTransitionTime: formatTime(this.#ctx.clock.now()) };
    manager.terminate(uidOf(pod), { graceSeconds: Math.max(1, graceSeconds), verdict: { phase: 'Failed', reason: 'Evicted', message, conditions: [condition] } });
  }

  async #observe(): Promise<Observations> {
    const { config, machine } = this.#options;
    const [available, nodefs, processes] = await Promise.all([memoryAvailable(), filesystemUse(config.rootDirectory), processCounts()]);
    const disk = { available: nodefs.availableBytes, capacity: nodefs.capacityBytes };
    const inodes = { available: nodefs.inodesFree, capacity: nodefs.inodes };
    return {
      'memory.available': { available, capacity: machine.memoryBytes },
      'nodefs.available': disk,
      ...(nodefs.inodes > 0 ? { 'nodefs.inodesFree': inodes, 'imagefs.inodesFree': inodes } : {}),
      'imagefs.available': disk,
      'pid.available': { available: processes.max - processes.running, capacity: processes.max },
    };
  }
}

/** Memory runs out in seconds, disks in minutes. */
const memoryFirst = (a: Threshold, b: Threshold): number => Number(b.signal === 'memory.available') - Number(a.signal === 'memory.available');

function evictionMessage(threshold: Threshold, observed: { available: number; capacity: number } | undefined, pod: Pod, summary: PodSummary | undefined): string {
  const { resource } = SIGNALS[threshold.signal];
  let message = `The node was low on resource: ${resource}. `;
  if (observed !== undefined) message += `Threshold quantity: ${quantity(thresholdBytes(threshold.value, observed.capacity), resource)}, available: ${quantity(observed.available, resource)}. `;
  for (const container of pod.spec?.containers ?? []) {
    const found = summary?.containers.find(({ name }) => name === container.name);
    const used = resource === 'memory' ? found?.memory?.workingSetBytes : resource === 'ephemeral-storage' ? (found?.rootfs?.usedBytes ?? 0) + (found?.logs?.usedBytes ?? 0) : undefined;
    const request = container.resources?.requests?.[resource] ?? '0';
    if (used !== undefined && found !== undefined && used > Quantity.of(0).value()) message += `Container ${container.name} was using ${quantity(used, resource)}, request is ${request}, has larger consumption of ${resource}. `;
  }
  return message;
}

const quantity = (amount: number, resource: string): string => (resource === 'inodes' || resource === 'pids' ? String(amount) : resource === 'memory' || resource === 'ephemeral-storage' ? `${Math.floor(amount / 1024)}Ki` : String(amount));
