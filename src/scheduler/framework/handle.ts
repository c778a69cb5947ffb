/** The framework handle: what plugins get from the scheduler. */
import type { Client, EventRecorder, InformerFactory } from '../../client/index.ts';
import type { Clock, Logger, Random } from '../../kernel/index.ts';
import type { NamespaceLabels } from '../cache/affinity-term.ts';
import type { Cache } from '../cache/cache.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import type { Extender } from '../extenders/extender.ts';
import type { Listers } from '../listers.ts';
import type { SchedulerMetrics } from '../metrics.ts';
import type { ClusterEvent } from './cluster-event.ts';
import type { CycleState } from './cycle-state.ts';
import type { Profile } from './profile.ts';
import { errorStatus, skip, unresolvable, unschedulable, waiting } from './status.ts';

export interface Handle {
  /** Creates statuses, for out-of-tree plugins: `status.unschedulable('node(s) are not mine')`. */
  readonly status: typeof statuses;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly recorder: EventRecorder;
  readonly cache: Cache;
  readonly listers: Listers;
  readonly labelsOf: NamespaceLabels;
  readonly metrics: SchedulerMetrics;
  readonly extenders: readonly Extender[];
  readonly schedulerName: string;
  /** The gates that were set; `featureEnabled` knows the defaults of the others. */
  readonly featureGates: Readonly<Record<string, boolean>>;
  /** Pods that wait in Permit. */
  readonly waitingPods: WaitingPods;
  /** Starts work that outlives the scheduling attempt; it ends with the scheduler. */
  background(task: (signal: AbortSignal) => Promise<void>): void;
  /** Starts work that runs as long as the scheduler. */
  longTask(name: string, task: (signal: AbortSignal) => Promise<void>): void;
  readonly informers: InformerFactory;
  /** Retries the unschedulable pods that an event may help. */
  moveAllToActiveOrBackoff(clusterEvent: ClusterEvent, before?: unknown, after?: unknown): void;
  /** Moves these pods to the active queue. */
  activate(uids: Iterable<string>): void;
  /** PreEnqueue of the plugin would let this pod pass now. */
  ungate(uid: string): void;
  /** All unscheduled pods. */
  pendingPods(): Iterable<PodInfo>;
  /** The evaluation of a cycle state, for dry runs. */
  evaluationOf(state: CycleState): Evaluation;
  readonly profile: () => Profile;
}

/** The statuses that plugins can return; success is undefined. */
export const statuses = { unschedulable, unresolvable, skip, waiting, error: errorStatus };

export interface WaitingPod {
  readonly pod: PodInfo;
  readonly nodeName: string;
  allow(plugin: string): void;
  reject(plugin: string, message: string): void;
}

export interface WaitingPods {
  get(uid: string): WaitingPod | undefined;
  values(): Iterable<WaitingPod>;
}
