/**
 * Unschedulable pods, grouped by the plugins that rejected them and by their shape. A queueing hint runs once for each
 * group, so ten thousand equal pods cost as much as one.
 */
import { matchesEvent, type ClusterEvent } from '../framework/cluster-event.ts';
import type { ClusterEventWithHint } from '../framework/plugin.ts';
import type { QueuedPod } from './queued-pod.ts';

/** The effect of an event on an unschedulable pod. */
export type QueueingStrategy = 'skip' | 'after-backoff' | 'immediately';

interface Group {
  readonly representative: QueuedPod;
  readonly pods: Set<QueuedPod>;
}

interface Rejected {
  readonly rejectors: ReadonlySet<string>;
  readonly pendingRejectors: ReadonlySet<string>;
  readonly profile: QueuedPod['profile'];
  readonly groups: Map<unknown, Group>;
}

/** Observes the duration and the result of a queueing hint. */
type HintObserver = (hint: {
  readonly plugin: string;
  readonly event: string;
  readonly helps: boolean;
  readonly startedAt: number;
}) => void;

export interface HintMetrics {
  now(): number;
  readonly observe: HintObserver;
}

export class UnschedulablePods {
  readonly #metrics: HintMetrics;
  readonly #waiting = new Map<string, Rejected>();
  readonly #keys = new Map<QueuedPod, { waiting: string; group: unknown }>();

  constructor(metrics: HintMetrics) {
    this.#metrics = metrics;
  }

  get size(): number {
    return this.#keys.size;
  }

  values(): IterableIterator<QueuedPod> {
    return this.#keys.keys();
  }

  add(queued: QueuedPod): void {
    const { rejectors, pendingRejectors, profile, pod } = queued;
    const key = `${profile.schedulerName}|${[...rejectors].sort().join(',')}|${[...pendingRejectors].sort().join(',')}`;
    // Hints for pods with claims, and for gated pods, depend on the pod itself.
    const group: unknown =
      queued.gated || pod.shape.volumes.length > 0 || pod.pod.spec?.resourceClaims !== undefined ? queued : pod.shape;
    let waiting = this.#waiting.get(key);
    if (waiting === undefined)
      this.#waiting.set(key, (waiting = { rejectors, pendingRejectors, profile, groups: new Map() }));
    const known = waiting.groups.get(group);
    if (known === undefined) waiting.groups.set(group, { representative: queued, pods: new Set([queued]) });
    else known.pods.add(queued);
    this.#keys.set(queued, { waiting: key, group });
  }

  delete(queued: QueuedPod): boolean {
    const keys = this.#keys.get(queued);
    if (keys === undefined) return false;
    this.#keys.delete(queued);
    const waiting = this.#waiting.get(keys.waiting);
    const group = waiting?.groups.get(keys.group);
    group?.pods.delete(queued);
    if (group?.pods.size === 0) waiting?.groups.delete(keys.group);
    if (waiting?.groups.size === 0) this.#waiting.delete(keys.waiting);
    return true;
  }

  /** The pods that an event might make schedulable. */
  helpedBy(
    clusterEvent: ClusterEvent,
    before: unknown,
    after: unknown,
  ): { queued: QueuedPod; strategy: QueueingStrategy }[] {
    const found: { queued: QueuedPod; strategy: QueueingStrategy }[] = [];
    for (const waiting of this.#waiting.values()) {
      const interests = registeredEvents(waiting, clusterEvent);
      if (interests.length === 0) continue;
      for (const { representative, pods } of waiting.groups.values()) {
        const strategy = strategyOf(interests, representative, { clusterEvent, before, after }, this.#metrics);
        if (strategy !== 'skip') for (const queued of pods) found.push({ queued, strategy });
      }
    }
    return found;
  }
}

interface EventContext {
  readonly clusterEvent: ClusterEvent;
  readonly before: unknown;
  readonly after: unknown;
}

/** Whether and how an event moves one pod. */
export function queueingStrategyFor(queued: QueuedPod, context: EventContext, metrics: HintMetrics): QueueingStrategy {
  return strategyOf(registeredEvents(queued, context.clusterEvent), queued, context, metrics);
}

interface RegisteredEvent {
  readonly plugin: string;
  readonly pending: boolean;
  readonly interest: ClusterEventWithHint | undefined;
}

function registeredEvents(
  waiting: Pick<Rejected, 'rejectors' | 'pendingRejectors' | 'profile'>,
  clusterEvent: ClusterEvent,
): RegisteredEvent[] {
  // No plugin rejected the pod: the attempt failed with an error, so any event may help.
  if (waiting.rejectors.size + waiting.pendingRejectors.size === 0)
    return [{ plugin: '', pending: false, interest: undefined }];
  if (clusterEvent.resource === '*') return [{ plugin: '', pending: false, interest: undefined }];
  const found: RegisteredEvent[] = [];
  for (const [names, pending] of [
    [waiting.pendingRejectors, true],
    [waiting.rejectors, false],
  ] as const) {
    for (const name of names) {
      const interests = waiting.profile.interests.get(name);
      if (interests === undefined) found.push({ plugin: name, pending, interest: undefined });
      else
        for (const interest of interests)
          if (matchesEvent(interest, clusterEvent)) found.push({ plugin: name, pending, interest });
    }
  }
  return found;
}

function strategyOf(
  interests: readonly RegisteredEvent[],
  queued: QueuedPod,
  { clusterEvent, before, after }: EventContext,
  metrics: HintMetrics,
): QueueingStrategy {
  let strategy: QueueingStrategy = 'skip';
  for (const { plugin, pending, interest } of interests) {
    if (interest?.hint !== undefined) {
      const startedAt = metrics.now();
      const helps = interest.hint(queued.pod, before, after, clusterEvent);
      metrics.observe({ plugin, event: clusterEvent.label, helps, startedAt });
      if (!helps) continue;
    }
    if (pending) return 'immediately';
    strategy = 'after-backoff';
  }
  return strategy;
}
