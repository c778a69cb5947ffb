/**
 * Pods that wait to be scheduled, in three places:
 *
 * - active: to be tried, in the order of the QueueSort plugin;
 * - backoff: worth another try, but not before a while that grows with each failure;
 * - unschedulable: no node fits, until an event comes that could change the mind of a plugin that turned the pod down.
 *
 * Nothing is tried again without a reason that could help, and whatever has waited five minutes is.
 */

import type { Pod } from '../../api/generated/core-v1.ts';
import type { Clock, Timer } from '../../kernel/index.ts';
import { PodInfo } from '../cache/pod-info.ts';
import { surelySameShape } from '../cache/pod-shape.ts';
import { UNSCHEDULABLE_TIMEOUT, type ClusterEvent } from '../framework/cluster-event.ts';
import type { Profile } from '../framework/profile.ts';
import { byTwoLabels, type SchedulerMetrics } from '../metrics.ts';
import { InFlightEvents } from './in-flight-events.ts';
import { PodHeap } from './pod-heap.ts';
import { podUpdateEvents } from './pod-update-events.ts';
import { queuedPod, type QueuedPod } from './queued-pod.ts';
import { UnschedulablePods, worthOf, type HintTiming, type Worth } from './unschedulable-pods.ts';

export interface SchedulingQueueOptions {
  readonly clock: Clock;
  readonly initialBackoffMs: number;
  readonly maxBackoffMs: number;
  readonly maxInUnschedulableMs: number;
  readonly metrics: SchedulerMetrics;
  readonly profileOf: (schedulerName: string) => Profile | undefined;
}

const FLUSH_MS = 30_000;

export class SchedulingQueue {
  readonly #options: SchedulingQueueOptions;
  readonly #pods = new Map<string, QueuedPod>();
  readonly #active: PodHeap;
  readonly #backoff: PodHeap;
  readonly #unschedulable: UnschedulablePods;
  readonly #hintTiming: HintTiming;
  readonly #inFlight = new InFlightEvents();
  #wake: (() => void) | undefined;
  #backoffTimer: { at: number; timer: Timer } | undefined;
  #flushTimer: Timer | undefined;

  constructor(options: SchedulingQueueOptions, less: (a: QueuedPod, b: QueuedPod) => boolean) {
    this.#options = options;
    this.#active = new PodHeap(less);
    this.#backoff = new PodHeap((a, b) => this.#backoffUntil(a) < this.#backoffUntil(b));
    const { metrics } = options;
    this.#hintTiming = hintTiming(metrics, options.clock);
    this.#unschedulable = new UnschedulablePods(this.#hintTiming);
    metrics.pendingPods.collect(() => this.#active.size, { queue: 'active' });
    metrics.pendingPods.collect(() => this.#backoff.size, { queue: 'backoff' });
    metrics.pendingPods.collect(() => this.#gatedCount(), { queue: 'gated' });
    metrics.pendingPods.collect(() => this.#unschedulable.size - this.#gatedCount(), { queue: 'unschedulable' });
    metrics.inFlightEvents.collect(() => this.#inFlight.size);
  }

  get activeCount(): number {
    return this.#active.size;
  }

  get counts(): { active: number; backoff: number; unschedulable: number; inFlight: number } {
    return {
      active: this.#active.size,
      backoff: this.#backoff.size,
      unschedulable: this.#unschedulable.size,
      inFlight: this.#inFlight.podCount,
    };
  }

  get(uid: string): QueuedPod | undefined {
    return this.#pods.get(uid);
  }

  pending(): Iterable<QueuedPod> {
    return this.#pods.values();
  }

  /** Starts the clock for what has waited too long. */
  start(): void {
    this.#flushTimer ??= this.#options.clock.every(FLUSH_MS, () => this.#flushUnschedulable());
  }

  stop(): void {
    this.#flushTimer?.cancel();
    this.#backoffTimer?.timer.cancel();
    this.#flushTimer = this.#backoffTimer = undefined;
  }

  add(pod: PodInfo): void {
    const profile = this.#options.profileOf(pod.schedulerName);
    if (profile === undefined || this.#pods.has(pod.uid)) return;
    const queued = queuedPod(pod, profile, this.#options.clock.monotonic());
    this.#pods.set(pod.uid, queued);
    this.#toActive(queued, 'PodAdd');
  }

  /** The pod itself changed: in place when it is to be tried anyway, otherwise perhaps a reason to try it. */
  update(before: Pod, after: Pod): void {
    const uid = after.metadata.uid ?? '';
    const queued = this.#pods.get(uid);
    if (queued === undefined) {
      this.add(new PodInfo(after));
      return;
    }
    const events = podUpdateEvents(before, after);
    const waiting = queued.place === 'unschedulable';
    if (waiting) this.#unschedulable.delete(queued);
    queued.pod = surelySameShape(before, after) ? new PodInfo(after, queued.pod.shape) : new PodInfo(after);
    if (queued.place === 'in-flight')
      for (const happened of events) this.#inFlight.record({ event: happened, before, after });
    if (!waiting) return;
    for (const happened of events) {
      const worth = queued.gated
        ? this.#stillGated(queued)
        : worthOf(queued, { happened, before, after }, this.#hintTiming);
      if (worth === 'no') continue;
      this.#requeue(queued, worth, happened.label);
      return;
    }
    this.#unschedulable.add(queued);
  }

  delete(uid: string): void {
    const queued = this.#pods.get(uid);
    if (queued === undefined) return;
    this.#pods.delete(uid);
    this.#countRejectors(queued, -1);
    this.#leave(queued);
    queued.place = 'gone';
    this.#inFlight.done(uid);
  }

  /** The next pod to try; from those in backoff when nobody else waits, for then backing off helps nobody. */
  pop(): QueuedPod | undefined {
    let queued = this.#active.pop();
    if (queued === undefined) {
      const next = this.#backoff.peek();
      if (next === undefined || next.consecutiveErrors > 0) return undefined;
      this.#backoff.pop();
      queued = next;
    }
    return this.#start(queued);
  }

  /** This pod, wherever it waits; undefined when it is under way or held back. */
  take(uid: string): QueuedPod | undefined {
    const queued = this.#pods.get(uid);
    if (queued === undefined || queued.gated || queued.place === 'in-flight' || queued.place === 'gone')
      return undefined;
    this.#leave(queued);
    return this.#start(queued);
  }

  #start(queued: QueuedPod): QueuedPod {
    this.#countRejectors(queued, -1);
    queued.move++;
    queued.place = 'in-flight';
    queued.attempts++;
    this.#inFlight.start(queued.pod.uid);
    return queued;
  }

  /** Resolves when there may be something to pop. */
  wait(signal: AbortSignal): Promise<void> {
    if (this.#active.size > 0 || this.#canPopBackoff() || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.#wake = undefined;
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#wake = done;
      signal.addEventListener('abort', done, { once: true });
    });
  }

  /** The pod has a node, or will be tried no more. */
  done(uid: string): void {
    this.#inFlight.done(uid);
    const queued = this.#pods.get(uid);
    if (queued?.place !== 'in-flight') return;
    queued.place = 'gone';
    this.#pods.delete(uid);
  }

  /** Nothing that happens from now on matters to how the attempt ends, though it has not ended yet. */
  decided(uid: string): void {
    this.#inFlight.done(uid);
  }

  /** An attempt ended without a node. What happened meanwhile may be worth another one at once. */
  retryLater(
    queued: QueuedPod,
    why: { rejectors: ReadonlySet<string>; pendingRejectors: ReadonlySet<string>; failed: boolean },
  ): void {
    const { uid } = queued.pod;
    /** It was deleted, or got a node from somebody else, meanwhile. */
    if (queued.place !== 'in-flight') return;
    queued.timestamp = this.#options.clock.monotonic();
    queued.rejectors = why.rejectors;
    queued.pendingRejectors = why.pendingRejectors;
    this.#countRejectors(queued, 1);
    if (why.failed) queued.consecutiveErrors++;
    else {
      queued.consecutiveErrors = 0;
      queued.unschedulableCount++;
    }
    const meanwhile = this.#inFlight.since(uid);
    this.#inFlight.done(uid);
    if (why.rejectors.size + why.pendingRejectors.size === 0) {
      this.#requeue(queued, 'after-backoff', 'ScheduleAttemptFailure');
      return;
    }
    for (const { event: happened, before, after } of meanwhile) {
      const worth = worthOf(queued, { happened, before, after }, this.#hintTiming);
      if (worth === 'no') continue;
      this.#requeue(queued, worth, happened.label);
      return;
    }
    queued.place = 'unschedulable';
    this.#unschedulable.add(queued);
    this.#options.metrics.countIncoming('unschedulable', 'ScheduleAttemptFailure');
  }

  /** Something happened: those that it might help are tried again. */
  moveOn(happened: ClusterEvent, before?: unknown, after?: unknown): void {
    this.#inFlight.record({ event: happened, before, after });
    if (this.#unschedulable.size === 0) return;
    for (const { queued, worth } of this.#unschedulable.helpedBy(happened, before, after)) {
      if (queued.gated && this.#stillGated(queued) === 'no') continue;
      this.#unschedulable.delete(queued);
      this.#requeue(queued, worth, happened.label);
    }
  }

  /** Tries these now, whatever they wait for: their companions have arrived. */
  activate(uids: Iterable<string>): void {
    for (const uid of uids) {
      const queued = this.#pods.get(uid);
      if (queued === undefined || (queued.place !== 'unschedulable' && queued.place !== 'backoff')) continue;
      this.#leave(queued);
      this.#toActive(queued, 'ForceActivate');
    }
  }

  /** What held the pod back before it was tried is over. */
  ungate(uid: string): void {
    const queued = this.#pods.get(uid);
    if (queued?.place === 'unschedulable' && queued.gated) this.activate([uid]);
  }

  #requeue(queued: QueuedPod, worth: Worth, label: string): void {
    if (worth === 'after-backoff' && this.#backoffUntil(queued) > this.#options.clock.monotonic()) {
      queued.place = 'backoff';
      queued.move++;
      this.#backoff.push(queued);
      this.#options.metrics.countIncoming('backoff', label);
      this.#scheduleBackoff();
      if (this.#canPopBackoff()) this.#wake?.();
    } else this.#toActive(queued, label);
  }

  #toActive(queued: QueuedPod, label: string): void {
    const { metrics } = this.#options;
    for (const plugin of queued.profile.plugins.preEnqueue) {
      const status = plugin.preEnqueue!(queued.pod);
      if (status === undefined) continue;
      this.#countRejectors(queued, -1);
      queued.gated = true;
      queued.rejectors = new Set([plugin.name]);
      queued.pendingRejectors = new Set();
      this.#countRejectors(queued, 1);
      queued.place = 'unschedulable';
      queued.move++;
      this.#unschedulable.add(queued);
      metrics.countIncoming('unschedulable', label);
      return;
    }
    queued.gated = false;
    queued.place = 'active';
    queued.move++;
    this.#active.push(queued);
    metrics.countIncoming('active', label);
    this.#wake?.();
  }

  /** Who turned the pod down counts it until it is tried again. */
  #countRejectors(queued: QueuedPod, by: 1 | -1): void {
    if (queued.countedRejectors === (by === 1)) return;
    queued.countedRejectors = by === 1;
    const { unschedulablePods } = this.#options.metrics;
    for (const names of [queued.rejectors, queued.pendingRejectors])
      for (const plugin of names) unschedulablePods.inc({ plugin, profile: queued.profile.schedulerName }, by);
  }

  #stillGated(queued: QueuedPod): Worth {
    return queued.profile.plugins.preEnqueue.some((plugin) => plugin.preEnqueue!(queued.pod) !== undefined)
      ? 'no'
      : 'at-once';
  }

  #leave(queued: QueuedPod): void {
    if (queued.place === 'unschedulable') this.#unschedulable.delete(queued);
    else if (queued.place === 'active') this.#active.left();
    else if (queued.place === 'backoff') this.#backoff.left();
    queued.move++;
  }

  #canPopBackoff(): boolean {
    const next = this.#backoff.peek();
    return next !== undefined && next.consecutiveErrors === 0;
  }

  #backoffUntil(queued: QueuedPod): number {
    const { initialBackoffMs, maxBackoffMs } = this.#options;
    const failures = queued.consecutiveErrors > 0 ? queued.consecutiveErrors : queued.unschedulableCount;
    if (failures === 0 || initialBackoffMs === 0) return queued.timestamp;
    return queued.timestamp + Math.min(maxBackoffMs, initialBackoffMs * 2 ** (failures - 1));
  }

  #scheduleBackoff(): void {
    const next = this.#backoff.peek();
    if (next === undefined) return;
    const at = this.#backoffUntil(next);
    if (this.#backoffTimer !== undefined && this.#backoffTimer.at <= at) return;
    this.#backoffTimer?.timer.cancel();
    const { clock } = this.#options;
    this.#backoffTimer = { at, timer: clock.after(Math.max(0, at - clock.monotonic()), () => this.#backoffOver()) };
  }

  #backoffOver(): void {
    this.#backoffTimer = undefined;
    const now = this.#options.clock.monotonic();
    for (
      let next = this.#backoff.peek();
      next !== undefined && this.#backoffUntil(next) <= now;
      next = this.#backoff.peek()
    ) {
      this.#backoff.pop();
      this.#toActive(next, 'BackoffComplete');
    }
    this.#scheduleBackoff();
  }

  #flushUnschedulable(): void {
    const oldest = this.#options.clock.monotonic() - this.#options.maxInUnschedulableMs;
    for (const queued of this.#unschedulable.values()) {
      if (queued.gated || queued.timestamp > oldest) continue;
      this.#unschedulable.delete(queued);
      queued.flushed = true;
      this.#requeue(queued, 'after-backoff', UNSCHEDULABLE_TIMEOUT.label);
    }
  }

  #gatedCount(): number {
    let count = 0;
    for (const queued of this.#unschedulable.values()) if (queued.gated) count++;
    return count;
  }
}

function hintTiming(metrics: SchedulerMetrics, clock: Clock): HintTiming {
  const childOf = byTwoLabels((pluginAndHint, event) => {
    const [plugin = '', hint = ''] = pluginAndHint.split(' ');
    return metrics.hintDuration.child({ plugin, event, hint });
  });
  return {
    now: () => clock.monotonic(),
    told: ({ plugin, event, helps, startedAt }) =>
      childOf(`${plugin} ${helps ? 'Queue' : 'QueueSkip'}`, event).observe((clock.monotonic() - startedAt) / 1000),
  };
}
