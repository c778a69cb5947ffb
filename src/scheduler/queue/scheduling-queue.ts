/**
 * The scheduling queue: pods that wait to be scheduled, in three queues.
 *
 * - active: pods to schedule next, in the order of the QueueSort plugin;
 * - backoff: pods to retry after a backoff that grows with each failure;
 * - unschedulable: pods that no node fits. An event that may change the answer of a plugin that rejected the pod
 *   moves it on; queueing hints decide which event that is. After five minutes a pod is retried in any case.
 */

import type { Pod } from '../../api/generated/core-v1.ts';
import { type Clock, deliveredCauses, type Timer, WakeUp } from '../../kernel/index.ts';
import { PodInfo } from '../cache/pod-info.ts';
import { hasUnchangedShape } from '../cache/pod-shape.ts';
import { UNSCHEDULABLE_TIMEOUT, type ClusterEvent } from '../framework/cluster-event.ts';
import type { Profile } from '../framework/profile.ts';
import { byTwoLabels, type SchedulerMetrics } from '../metrics.ts';
import { InFlightEvents } from './in-flight-events.ts';
import { PodHeap } from './pod-heap.ts';
import { podUpdateEvents } from './pod-update-events.ts';
import { queuedPod, type QueuedPod } from './queued-pod.ts';
import {
  UnschedulablePods,
  queueingStrategyFor,
  type HintMetrics,
  type QueueingStrategy,
} from './unschedulable-pods.ts';

interface SchedulingQueueOptions {
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
  readonly #hintMetrics: HintMetrics;
  readonly #inFlight = new InFlightEvents();
  readonly #wakeUp = new WakeUp();
  #backoffTimer: { at: number; timer: Timer } | undefined;
  #flushTimer: Timer | undefined;

  constructor(options: SchedulingQueueOptions, less: (a: QueuedPod, b: QueuedPod) => boolean) {
    this.#options = options;
    this.#active = new PodHeap(less);
    this.#backoff = new PodHeap((a, b) => this.#backoffUntil(a) < this.#backoffUntil(b));
    const { metrics } = options;
    this.#hintMetrics = hintMetrics(metrics, options.clock);
    this.#unschedulable = new UnschedulablePods(this.#hintMetrics);
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

  /** Starts the timer that flushes pods which were unschedulable for too long. */
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

  /** Replaces the pod. An unschedulable pod is retried when the update may make it schedulable. */
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
    queued.pod = hasUnchangedShape(before, after) ? new PodInfo(after, queued.pod.shape) : new PodInfo(after);
    if (queued.place === 'in-flight')
      for (const clusterEvent of events) this.#inFlight.record({ event: clusterEvent, before, after });
    if (!waiting) return;
    for (const clusterEvent of events) {
      const strategy = queued.gated
        ? this.#strategyOfGated(queued)
        : queueingStrategyFor(queued, { clusterEvent, before, after }, this.#hintMetrics);
      if (strategy === 'skip') continue;
      this.#requeue(queued, strategy, clusterEvent.label);
      return;
    }
    this.#unschedulable.add(queued);
  }

  delete(uid: string): void {
    const queued = this.#pods.get(uid);
    if (queued === undefined) return;
    this.#pods.delete(uid);
    this.#countUnschedulable(queued, -1);
    this.#removeFromQueue(queued);
    queued.place = 'gone';
    this.#inFlight.done(uid);
  }

  /** The next pod to schedule. When no pod is active, one in backoff is popped early, unless it failed with an error. */
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

  /** Pops this pod from any queue; undefined when it is being scheduled or is gated. */
  popPod(uid: string): QueuedPod | undefined {
    const queued = this.#pods.get(uid);
    if (queued === undefined || queued.gated || queued.place === 'in-flight' || queued.place === 'gone')
      return undefined;
    this.#removeFromQueue(queued);
    return this.#start(queued);
  }

  #start(queued: QueuedPod): QueuedPod {
    this.#countUnschedulable(queued, -1);
    queued.move++;
    queued.place = 'in-flight';
    queued.attempts++;
    this.#inFlight.start(queued.pod.uid);
    return queued;
  }

  /** Resolves when there may be a pod to pop. */
  wait(signal: AbortSignal): Promise<void> {
    if (this.#active.size > 0 || this.#canPopBackoff()) return Promise.resolve();
    return this.#wakeUp.wait(signal);
  }

  /** The pod was scheduled, or needs no node any more. */
  done(uid: string): void {
    this.#inFlight.done(uid);
    const queued = this.#pods.get(uid);
    if (queued?.place !== 'in-flight') return;
    queued.place = 'gone';
    this.#pods.delete(uid);
  }

  /** Later events do not matter to the attempt any more, though it has not ended yet. */
  stopRecordingEvents(uid: string): void {
    this.#inFlight.done(uid);
  }

  /** Puts a pod back after a failed attempt. An event during the attempt may cause a retry. */
  addUnschedulable(
    queued: QueuedPod,
    why: { rejectors: ReadonlySet<string>; pendingRejectors: ReadonlySet<string>; failed: boolean },
  ): void {
    const { uid } = queued.pod;
    // The pod was deleted or assigned during the attempt.
    if (queued.place !== 'in-flight') return;
    queued.timestamp = this.#options.clock.monotonic();
    queued.rejectors = why.rejectors;
    queued.pendingRejectors = why.pendingRejectors;
    this.#countUnschedulable(queued, 1);
    if (why.failed) queued.consecutiveErrors++;
    else {
      queued.consecutiveErrors = 0;
      queued.unschedulableCount++;
    }
    const missedEvents = this.#inFlight.since(uid);
    this.#inFlight.done(uid);
    if (why.rejectors.size + why.pendingRejectors.size === 0) {
      this.#requeue(queued, 'after-backoff', 'ScheduleAttemptFailure');
      return;
    }
    for (const { event: clusterEvent, before, after } of missedEvents) {
      const strategy = queueingStrategyFor(queued, { clusterEvent, before, after }, this.#hintMetrics);
      if (strategy === 'skip') continue;
      this.#requeue(queued, strategy, clusterEvent.label);
      return;
    }
    queued.place = 'unschedulable';
    this.#unschedulable.add(queued);
    this.#options.metrics.countIncoming('unschedulable', 'ScheduleAttemptFailure');
  }

  /** Retries the unschedulable pods that an event might help. */
  moveAllToActiveOrBackoff(clusterEvent: ClusterEvent, before?: unknown, after?: unknown): void {
    this.#inFlight.record({ event: clusterEvent, before, after });
    if (this.#unschedulable.size === 0) return;
    for (const { queued, strategy } of this.#unschedulable.helpedBy(clusterEvent, before, after)) {
      if (queued.gated && this.#strategyOfGated(queued) === 'skip') continue;
      this.#unschedulable.delete(queued);
      queued.wokenBy = deliveredCauses();
      this.#requeue(queued, strategy, clusterEvent.label);
    }
  }

  /** Moves pods to the active queue unconditionally. */
  activate(uids: Iterable<string>): void {
    for (const uid of uids) {
      const queued = this.#pods.get(uid);
      if (queued === undefined || (queued.place !== 'unschedulable' && queued.place !== 'backoff')) continue;
      this.#removeFromQueue(queued);
      this.#toActive(queued, 'ForceActivate');
    }
  }

  /** PreEnqueue may let the pod pass now. */
  ungate(uid: string): void {
    const queued = this.#pods.get(uid);
    if (queued?.place === 'unschedulable' && queued.gated) this.activate([uid]);
  }

  #requeue(queued: QueuedPod, strategy: QueueingStrategy, label: string): void {
    if (strategy === 'after-backoff' && this.#backoffUntil(queued) > this.#options.clock.monotonic()) {
      queued.place = 'backoff';
      queued.move++;
      this.#backoff.push(queued);
      this.#options.metrics.countIncoming('backoff', label);
      this.#scheduleBackoff();
      if (this.#canPopBackoff()) this.#wakeUp.wake();
    } else this.#toActive(queued, label);
  }

  #toActive(queued: QueuedPod, label: string): void {
    const { metrics } = this.#options;
    for (const plugin of queued.profile.plugins.preEnqueue) {
      const status = plugin.preEnqueue!(queued.pod);
      if (status === undefined) continue;
      this.#countUnschedulable(queued, -1);
      queued.gated = true;
      queued.rejectors = new Set([plugin.name]);
      queued.pendingRejectors = new Set();
      this.#countUnschedulable(queued, 1);
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
    this.#wakeUp.wake();
  }

  /** Keeps the metric of unschedulable pods by plugin, until the pod is retried. */
  #countUnschedulable(queued: QueuedPod, by: 1 | -1): void {
    if (queued.isCounted === (by === 1)) return;
    queued.isCounted = by === 1;
    const { unschedulablePods } = this.#options.metrics;
    for (const names of [queued.rejectors, queued.pendingRejectors])
      for (const plugin of names) unschedulablePods.inc({ plugin, profile: queued.profile.schedulerName }, by);
  }

  #strategyOfGated(queued: QueuedPod): QueueingStrategy {
    return queued.profile.plugins.preEnqueue.some((plugin) => plugin.preEnqueue!(queued.pod) !== undefined)
      ? 'skip'
      : 'immediately';
  }

  #removeFromQueue(queued: QueuedPod): void {
    if (queued.place === 'unschedulable') this.#unschedulable.delete(queued);
    else if (queued.place === 'active') this.#active.removed();
    else if (queued.place === 'backoff') this.#backoff.removed();
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
    this.#backoffTimer = { at, timer: clock.after(Math.max(0, at - clock.monotonic()), () => this.#flushBackoff()) };
  }

  #flushBackoff(): void {
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

function hintMetrics(metrics: SchedulerMetrics, clock: Clock): HintMetrics {
  const childOf = byTwoLabels((pluginAndHint, event) => {
    const [plugin = '', hint = ''] = pluginAndHint.split(' ');
    return metrics.hintDuration.child({ plugin, event, hint });
  });
  return {
    now: () => clock.monotonic(),
    observe: ({ plugin, event, helps, startedAt }) =>
      childOf(`${plugin} ${helps ? 'Queue' : 'QueueSkip'}`, event).observe((clock.monotonic() - startedAt) / 1000),
  };
}
