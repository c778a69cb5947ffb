/**
 * The eviction manager: when an eviction threshold is met, it first reclaims dead containers and unused images, then
 * evicts pods one at a time.
 */
import type { Pod } from '../../api/generated/core-v1.ts';
import { errorMessage, formatTime } from '../../base/index.ts';
import { childContext, type Context } from '../../kernel/index.ts';
import type { KubeletConfig } from '../kubelet-options.ts';
import type { NodeReporter } from '../node/node-reporter.ts';
import type { PodEvents } from '../pod/pod-events.ts';
import { uidOf } from '../pod/pod-identity.ts';
import type { PodManager } from '../pod/pod-manager.ts';
import { isCriticalPod } from '../pod/pod-resources.ts';
import type { StatsProvider } from '../server/stats/stats-provider.ts';
import {
  fsStatsToMeasure,
  ignoredContainerFsThresholds,
  reclaimable,
  updateContainerFsThresholds,
  type DiskLayout,
  type Reclaimable,
} from './disk-layout.ts';
import { evictionReason, type EvictionReason } from './eviction-message.ts';
import { limitsStorage, storageViolation } from './local-storage.ts';
import { rankPods } from './rank-pods.ts';
import { isMet, SIGNALS, thresholdsOf, type Observations, type Threshold } from './thresholds.ts';

interface EvictionOptions {
  readonly config: KubeletConfig;
  readonly stats: Pick<StatsProvider, 'summary' | 'podSummaries'>;
  readonly manager: Pick<PodManager, 'activePods' | 'worker' | 'terminate'>;
  readonly events: PodEvents;
  readonly reporter: Pick<NodeReporter, 'event' | 'changed'>;
  readonly observe: () => Promise<Observations>;
  /** Read once. */
  readonly diskLayout: () => Promise<DiskLayout>;
  /** Node-level reclaim: frees what no pod needs. */
  readonly reclaim: { images(): Promise<unknown>; containers(): Promise<unknown> };
  readonly periodMs?: number;
}

const PERIOD_MS = 10_000;
const CLEANUP_POLL_MS = 1000;
const CLEANUP_TIMEOUT_MS = 30_000;
/** Pods that are evicted immediately still get SIGTERM. */
const IMMEDIATE_GRACE_SECONDS = 1;
const DISK = new Set<string>(['ephemeral-storage', 'inodes']);

export class EvictionManager {
  readonly #ctx: Context;
  readonly #options: EvictionOptions;
  readonly #configured: readonly Threshold[];
  #thresholds: readonly Threshold[];
  #layout: DiskLayout | undefined;
  /** When each threshold was first met. */
  readonly #metSince = new Map<Threshold, number>();
  /** Thresholds that are being reclaimed for: they are met until their minimum reclaim is free, too. */
  #reclaiming: ReadonlySet<Threshold> = new Set();
  readonly #conditionSeenAt = new Map<string, number>();
  #pressures: ReadonlySet<string> = new Set();
  readonly #evictions;

  constructor(ctx: Context, options: EvictionOptions) {
    this.#ctx = childContext(ctx, 'eviction');
    this.#options = options;
    this.#configured = thresholdsOf(options.config);
    this.#thresholds = this.#configured;
    this.#evictions = ctx.metrics.counter({
      name: 'kubelet_evictions',
      help: 'Cumulative number of pod evictions by eviction signal',
      labels: ['eviction_signal'],
    });
  }

  /** The pressure conditions of the node that are true. */
  get pressures(): ReadonlySet<string> {
    return this.#pressures;
  }

  async run(): Promise<void> {
    const { clock, signal, logger } = this.#ctx;
    while (!signal.aborted) {
      try {
        const evicted = await this.synchronize();
        if (evicted.length > 0) {
          // The pod's resources are free only after its cleanup; a sync before would evict another pod.
          await this.#waitForPodsCleanup(evicted);
          continue;
        }
      } catch (error) {
        if (!signal.aborted) logger.error(error, 'Eviction manager: failed to synchronize');
      }
      await clock.sleep(this.#options.periodMs ?? PERIOD_MS, signal).catch(() => {});
    }
  }

  /** Compares observations with thresholds and reacts. Returns the evicted pods. */
  async synchronize(): Promise<Pod[]> {
    const { clock } = this.#ctx;
    const layout = await this.#diskLayout();
    const observations = await this.#options.observe();
    const now = clock.monotonic();
    for (const threshold of this.#thresholds) {
      if (!isMet(threshold, observations, { reclaiming: this.#reclaiming.has(threshold) }))
        this.#metSince.delete(threshold);
      else if (!this.#metSince.has(threshold)) this.#metSince.set(threshold, now);
    }
    this.#updatePressures(now);
    const due = this.#thresholds.filter(
      (threshold) => now - (this.#metSince.get(threshold) ?? Infinity) >= threshold.graceMs,
    );
    this.#reclaiming = new Set(due);
    const overLimits = await this.#evictForLocalStorage();
    if (overLimits.length > 0) return overLimits;
    const [first] = due.toSorted(memoryFirst);
    return first === undefined ? [] : this.#reclaim(first, observations, layout);
  }

  async #diskLayout(): Promise<DiskLayout> {
    if (this.#layout !== undefined) return this.#layout;
    const layout = await this.#options.diskLayout();
    for (const err of ignoredContainerFsThresholds(this.#configured))
      this.#ctx.logger.info('Eviction manager: ignoring thresholds of containerfs', { err });
    this.#thresholds = updateContainerFsThresholds(this.#configured, layout);
    return (this.#layout = layout);
  }

  #updatePressures(now: number): void {
    for (const threshold of this.#metSince.keys()) this.#conditionSeenAt.set(SIGNALS[threshold.signal].condition, now);
    const pressures = new Set<string>();
    // A condition stays for the transition period, so that it does not flap.
    for (const [condition, seenAt] of this.#conditionSeenAt)
      if (now - seenAt < this.#options.config.evictionPressureTransitionPeriod || now === seenAt)
        pressures.add(condition);
    const changed = [...pressures].toSorted().join() !== [...this.#pressures].toSorted().join();
    this.#pressures = pressures;
    if (changed) this.#options.reporter.changed();
  }

  async #reclaim(threshold: Threshold, observations: Observations, layout: DiskLayout): Promise<Pod[]> {
    const { reporter, stats, config } = this.#options;
    const { resource } = SIGNALS[threshold.signal];
    reporter.event('Warning', 'EvictionThresholdMet', `Attempting to reclaim ${resource}`);
    if (await this.#reclaimFromNode(reclaimable(threshold.signal, layout))) return [];
    const summary = await stats.summary({ cpuAndMemory: !DISK.has(resource) });
    const candidates = this.#running().map((pod) => ({
      pod,
      summary: summary.pods.find(({ podRef }) => podRef.uid === uidOf(pod)),
    }));
    for (const { pod, summary: ofPod } of rankPods(candidates, resource, fsStatsToMeasure(threshold.signal, layout))) {
      const grace = threshold.hard
        ? IMMEDIATE_GRACE_SECONDS
        : Math.min(config.evictionMaxPodGracePeriod, pod.spec?.terminationGracePeriodSeconds ?? Infinity);
      const reason = evictionReason(threshold, observations, pod, ofPod);
      if (!this.#evict(pod, reason, { graceSeconds: grace, isDisruption: true })) continue;
      this.#evictions.inc({ eviction_signal: threshold.signal });
      return [pod];
    }
    this.#ctx.logger.v(1).info('Eviction manager: unable to evict any pods from the node', { resourceName: resource });
    return [];
  }

  /** Node-level reclaim; true when no threshold is met any more. */
  async #reclaimFromNode(what: readonly Reclaimable[]): Promise<boolean> {
    const { reclaim, observe } = this.#options;
    if (what.length === 0) return false;
    for (const kind of what)
      await reclaim[kind]().catch((error: unknown) =>
        this.#ctx.logger.v(1).info('Eviction manager: unexpected error when attempting to reduce resource pressure', {
          err: errorMessage(error),
        }),
      );
    const after = await observe();
    return (
      !this.#thresholds.some((threshold) => threshold.graceMs === 0 && isMet(threshold, after, { reclaiming: true })) &&
      ![...this.#reclaiming].some((threshold) => isMet(threshold, after, { reclaiming: true }))
    );
  }

  async #evictForLocalStorage(): Promise<Pod[]> {
    const { stats, config } = this.#options;
    if (!config.localStorageCapacityIsolation) return [];
    const limited = this.#running().filter(limitsStorage);
    if (limited.length === 0) return [];
    const summaries = await stats.podSummaries(limited);
    return limited.filter((pod) => {
      const found = summaries.find(({ podRef }) => podRef.uid === uidOf(pod));
      const message = found === undefined ? undefined : storageViolation(pod, found);
      return (
        message !== undefined &&
        this.#evict(pod, { message, annotations: {} }, { graceSeconds: IMMEDIATE_GRACE_SECONDS, isDisruption: false })
      );
    });
  }

  #running(): Pod[] {
    const { manager } = this.#options;
    return manager.activePods().filter((pod) => manager.worker(uidOf(pod))?.isTerminating === false);
  }

  /** False for critical pods, which are never evicted. */
  #evict(
    pod: Pod,
    { message, annotations }: EvictionReason,
    { graceSeconds, isDisruption }: { readonly graceSeconds: number; readonly isDisruption: boolean },
  ): boolean {
    const { manager, events } = this.#options;
    if (isCriticalPod(pod)) return false;
    events.pod(pod, 'Warning', 'Evicted', message, annotations);
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'TerminationByKubelet',
      message,
      observedGeneration: pod.metadata.generation,
      lastTransitionTime: formatTime(this.#ctx.clock.now()),
    };
    manager.terminate(uidOf(pod), {
      graceSeconds,
      failure: { phase: 'Failed', reason: 'Evicted', message, conditions: isDisruption ? [condition] : [] },
    });
    return true;
  }

  async #waitForPodsCleanup(pods: readonly Pod[]): Promise<void> {
    const { clock, signal } = this.#ctx;
    const { manager } = this.#options;
    const end = clock.monotonic() + CLEANUP_TIMEOUT_MS;
    while (
      !signal.aborted &&
      clock.monotonic() < end &&
      pods.some((pod) => manager.worker(uidOf(pod))?.isTerminated === false)
    )
      await clock.sleep(CLEANUP_POLL_MS, signal).catch(() => {});
  }
}

/** Memory pressure is handled first: memory runs out in seconds, disks in minutes. */
const memoryFirst = (a: Threshold, b: Threshold): number =>
  Number(SIGNALS[b.signal].resource === 'memory') - Number(SIGNALS[a.signal].resource === 'memory');
