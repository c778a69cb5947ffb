/**
 * Pods that wait for something to happen, grouped by who turned them down and by their shape: an event is matched against
 * groups, so that ten thousand equal pods that fit nowhere cost as much as one.
 */
import { matchesEvent, type ClusterEvent } from '../framework/cluster-event.ts';
import type { EventInterest } from '../framework/plugin.ts';
import type { QueuedPod } from './queued-pod.ts';

export type Worth = 'no' | 'after-backoff' | 'at-once';

interface Group {
  readonly representative: QueuedPod;
  readonly pods: Set<QueuedPod>;
}

interface Waiting {
  readonly rejectors: ReadonlySet<string>;
  readonly pendingRejectors: ReadonlySet<string>;
  readonly profile: QueuedPod['profile'];
  readonly groups: Map<unknown, Group>;
}

/** Told how long each queueing hint took, and what it said. */
export type HintMeter = (hint: {
  readonly plugin: string;
  readonly event: string;
  readonly helps: boolean;
  readonly startedAt: number;
}) => void;

export interface HintTiming {
  now(): number;
  readonly told: HintMeter;
}

export class UnschedulablePods {
  readonly #timing: HintTiming;
  readonly #waiting = new Map<string, Waiting>();
  readonly #keys = new Map<QueuedPod, { waiting: string; group: unknown }>();

  constructor(timing: HintTiming) {
    this.#timing = timing;
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
    /** Claims differ from pod to pod even where shapes are equal; so do the pods that are gated. */
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

  /** The pods that an event might help. */
  helpedBy(happened: ClusterEvent, before: unknown, after: unknown): { queued: QueuedPod; worth: Worth }[] {
    const found: { queued: QueuedPod; worth: Worth }[] = [];
    for (const waiting of this.#waiting.values()) {
      const interests = interestsIn(waiting, happened);
      if (interests.length === 0) continue;
      for (const { representative, pods } of waiting.groups.values()) {
        const worth = decide(interests, representative, { happened, before, after }, this.#timing);
        if (worth !== 'no') for (const queued of pods) found.push({ queued, worth });
      }
    }
    return found;
  }
}

interface Happening {
  readonly happened: ClusterEvent;
  readonly before: unknown;
  readonly after: unknown;
}

/** Whether an event is worth another try of one pod. */
export function worthOf(queued: QueuedPod, happening: Happening, timing: HintTiming): Worth {
  return decide(interestsIn(queued, happening.happened), queued, happening, timing);
}

interface Interested {
  readonly plugin: string;
  readonly pending: boolean;
  readonly interest: EventInterest | undefined;
}

function interestsIn(
  waiting: Pick<Waiting, 'rejectors' | 'pendingRejectors' | 'profile'>,
  happened: ClusterEvent,
): Interested[] {
  /** Nobody in particular turned it down: something failed, and anything may help. */
  if (waiting.rejectors.size + waiting.pendingRejectors.size === 0)
    return [{ plugin: '', pending: false, interest: undefined }];
  if (happened.resource === '*') return [{ plugin: '', pending: false, interest: undefined }];
  const found: Interested[] = [];
  for (const [names, pending] of [
    [waiting.pendingRejectors, true],
    [waiting.rejectors, false],
  ] as const) {
    for (const name of names) {
      const interests = waiting.profile.interests.get(name);
      if (interests === undefined) found.push({ plugin: name, pending, interest: undefined });
      else
        for (const interest of interests)
          if (matchesEvent(interest, happened)) found.push({ plugin: name, pending, interest });
    }
  }
  return found;
}

function decide(
  interests: readonly Interested[],
  queued: QueuedPod,
  { happened, before, after }: Happening,
  timing: HintTiming,
): Worth {
  let worth: Worth = 'no';
  for (const { plugin, pending, interest } of interests) {
    if (interest?.hint !== undefined) {
      const startedAt = timing.now();
      const helps = interest.hint(queued.pod, before, after, happened);
      timing.told({ plugin, event: happened.label, helps, startedAt });
      if (!helps) continue;
    }
    if (pending) return 'at-once';
    worth = 'after-backoff';
  }
  return worth;
}
