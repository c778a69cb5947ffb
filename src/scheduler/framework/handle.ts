/** What plugins get from the scheduler. */
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
  /** Answers, for plugins of others: `status.unschedulable('node(s) are not mine')`. */
  readonly status: typeof answers;
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
  /** Those that were set; `featureEnabled` knows the others. */
  readonly featureGates: Readonly<Record<string, boolean>>;
  /** Pods that Permit holds back. */
  readonly waitingPods: WaitingPods;
  /** Work that outlives the decision; it ends with the scheduler. */
  background(task: (signal: AbortSignal) => Promise<void>): void;
  /** Work that goes on for as long as the scheduler runs. */
  longTask(name: string, task: (signal: AbortSignal) => Promise<void>): void;
  readonly informers: InformerFactory;
  /** Something happened that pods may have waited for. */
  moveOn(happened: ClusterEvent, before?: unknown, after?: unknown): void;
  /** Tries these pods now. */
  activate(uids: Iterable<string>): void;
  /** PreEnqueue no longer holds this pod back. */
  ungate(uid: string): void;
  /** All pods that are not scheduled. */
  pendingPods(): Iterable<PodInfo>;
  /** The evaluation that a cycle's state belongs to: for plugins that try things out. */
  evaluationOf(state: CycleState): Evaluation;
  readonly profile: () => Profile;
}

/** What plugins can answer; success is undefined. */
export const answers = { unschedulable, unresolvable, skip, waiting, error: errorStatus };

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
