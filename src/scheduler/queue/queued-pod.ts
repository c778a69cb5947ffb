/** A pod in the scheduling queue. */
import type { Cause } from '../../kernel/index.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import type { Profile } from '../framework/profile.ts';

type Place = 'active' | 'backoff' | 'unschedulable' | 'in-flight' | 'gone';

/** A pod in the scheduling queue, or being scheduled; upstream's QueuedPodInfo. */
export interface QueuedPod {
  pod: PodInfo;
  readonly profile: Profile;
  place: Place;
  /** Increases with every move, by which stale entries of heaps are recognized. */
  move: number;
  /** When the pod was last added to the queue, and the first time, in milliseconds on the monotonic clock. */
  timestamp: number;
  firstSeen: number;
  attempts: number;
  /** Attempts that ended unschedulable, and the errors in a row. Backoff grows with them. */
  unschedulableCount: number;
  consecutiveErrors: number;
  /** The plugins that rejected the pod: only events that they registered for can help. */
  rejectors: ReadonlySet<string>;
  /** Plugins that rejected the pod as Pending: their events retry it without backoff. */
  pendingRejectors: ReadonlySet<string>;
  /** Whether the metric of unschedulable pods counts it. */
  isCounted: boolean;
  /** Rejected by PreEnqueue, so it is not scheduled at all. */
  gated: boolean;
  /** Whether it was retried only because it had been unschedulable for too long. */
  flushed: boolean;
  /** The events that made another attempt worth trying. */
  wokenBy: readonly Cause[];
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
    isCounted: false,
    gated: false,
    flushed: false,
    wokenBy: [],
  };
}
