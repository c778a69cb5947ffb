import type { PodInfo } from '../cache/pod-info.ts';
import type { Profile } from '../framework/profile.ts';

export type Place = 'active' | 'backoff' | 'unschedulable' | 'in-flight' | 'gone';

/** A pod on its way through the queue. */
export interface QueuedPod {
  pod: PodInfo;
  readonly profile: Profile;
  place: Place;
  /** Counts the moves, so that entries left behind in heaps are known to be stale. */
  move: number;
  /** When it last came into the queue, and when for the first time: milliseconds on the monotonic clock. */
  timestamp: number;
  firstSeen: number;
  attempts: number;
  /** Attempts since the last success of anything, that ended unschedulable, and that failed. */
  unschedulableCount: number;
  consecutiveErrors: number;
  /** Who turned it down: only what these wait for can help. */
  rejectors: ReadonlySet<string>;
  /** Of these, who waits for somebody else's work: no backoff after it is done. */
  pendingRejectors: ReadonlySet<string>;
  /** Whether those who turned it down count it. */
  countedRejectors: boolean;
  /** Held back by PreEnqueue: it does not even try. */
  gated: boolean;
  /** Whether it came back only because it had waited too long. */
  flushed: boolean;
}

export function queuedPod(pod: PodInfo, profile: Profile, now: number): QueuedPod {
  return {
    pod,
    profile,
    place: 'gone',
    move: 0,
    timestamp: now,
    firstSeen: now,
    attempts: 0,
    unschedulableCount: 0,
    consecutiveErrors: 0,
    rejectors: new Set(),
    pendingRejectors: new Set(),
    countedRejectors: false,
    gated: false,
    flushed: false,
  };
}
