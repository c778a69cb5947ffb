/** The parts of the scheduler that a scheduling attempt works with. */
import type { Client, EventRecorder } from '../client/index.ts';
import type { Context } from '../kernel/index.ts';
import type { Cache } from './cache/cache.ts';
import type { Evaluation } from './evaluation/evaluation.ts';
import type { Evaluations } from './evaluation/evaluations.ts';
import type { SchedulerEventPacing } from './event-pacer.ts';
import type { Explanations } from './explanations/explanations.ts';
import type { Extender } from './extenders/extender.ts';
import type { CycleState } from './framework/cycle-state.ts';
import type { Profile } from './framework/profile.ts';
import type { SchedulerMetrics } from './metrics.ts';
import type { SchedulingQueue } from './queue/scheduling-queue.ts';
import type { ScheduledEvents } from './scheduled-events.ts';
import type { WaitingPodsMap } from './waiting-pods.ts';

export interface Scheduler {
  readonly ctx: Context;
  readonly client: Client;
  readonly cache: Cache;
  readonly queue: SchedulingQueue;
  readonly evaluations: Evaluations;
  readonly explanations: Explanations;
  readonly metrics: SchedulerMetrics;
  readonly waitingPods: WaitingPodsMap;
  readonly extenders: readonly Extender[];
  readonly scheduledEvents: ScheduledEvents;
  readonly eventPacer: SchedulerEventPacing;
  recorderOf(schedulerName: string): EventRecorder;
  /** undefined for schedulers that this is not. */
  profileOf(schedulerName: string): Profile | undefined;
  /** Finds the evaluation of a cycle state, for plugins that ask for it. */
  readonly evaluationOfState: WeakMap<CycleState, Evaluation>;
  /** Starts bindings and other work that runs beside scheduling. */
  background(task: (signal: AbortSignal) => Promise<void>): void;
}
