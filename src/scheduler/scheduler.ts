/** What the scheduler is made of: the parts that one attempt works with. */
import type { Client, EventRecorder } from '../client/index.ts';
import type { Context } from '../kernel/index.ts';
import type { Cache } from './cache/cache.ts';
import type { Evaluation } from './evaluation/evaluation.ts';
import type { Evaluations } from './evaluation/evaluations.ts';
import type { EventPace } from './event-pace.ts';
import type { Explanations } from './explanations/explanations.ts';
import type { Extender } from './extenders/extender.ts';
import type { CycleState } from './framework/cycle-state.ts';
import type { SchedulerMetrics } from './metrics.ts';
import type { SchedulingQueue } from './queue/scheduling-queue.ts';
import type { ScheduledEvents } from './scheduled-events.ts';
import type { PermitRoom } from './waiting-pods.ts';

export interface Scheduler {
  readonly ctx: Context;
  readonly client: Client;
  readonly cache: Cache;
  readonly queue: SchedulingQueue;
  readonly evaluations: Evaluations;
  readonly explanations: Explanations;
  readonly metrics: SchedulerMetrics;
  readonly permitRoom: PermitRoom;
  readonly extenders: readonly Extender[];
  readonly scheduledEvents: ScheduledEvents;
  readonly eventPace: EventPace;
  recorderOf(schedulerName: string): EventRecorder;
  /** Remembers whose state it is while plugins may ask. */
  readonly evaluationOfState: WeakMap<CycleState, Evaluation>;
  /** Bindings and other work beside the decisions. */
  background(task: (signal: AbortSignal) => Promise<void>): void;
}
