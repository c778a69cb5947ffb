/** Creates a scheduler: the parts that all profiles share, and the plugins of each profile. */
import { createEventsV1Recorder, type Client, type EventRecorder, type InformerFactory } from '../client/index.ts';
import type { Context, RunGroup } from '../kernel/index.ts';
import { BackgroundTasks } from './background-tasks.ts';
import { Cache } from './cache/cache.ts';
import { plainColumn, typedColumn } from './cache/node-columns.ts';
import type { SchedulerConfiguration } from './config/types.ts';
import { Evaluation } from './evaluation/evaluation.ts';
import { ownEvaluations, type CreateEvaluation, type Evaluations } from './evaluation/evaluations.ts';
import { SharedEvaluations } from './evaluation/shared-evaluations.ts';
import { EventPacer, noEventPacing } from './event-pacer.ts';
import { Explanations } from './explanations/explanations.ts';
import { HttpExtender } from './extenders/http-extender.ts';
import { withIgnoredResources } from './extenders/ignored-resources.ts';
import { buildProfile, type PluginRegistry } from './framework/build-profile.ts';
import { statuses, type Handle } from './framework/handle.ts';
import type { Profile } from './framework/profile.ts';
import type { Listers } from './listers.ts';
import { schedulerMetrics, type SchedulerMetrics } from './metrics.ts';
import type { QueuedPod } from './queue/queued-pod.ts';
import { SchedulingQueue } from './queue/scheduling-queue.ts';
import { ScheduledEvents } from './scheduled-events.ts';
import type { Scheduler } from './scheduler.ts';
import { ALL_SPEED, type SpeedOptions } from './speed-options.ts';
import { WaitingPodsMap } from './waiting-pods.ts';

interface AssembleOptions {
  readonly client: Client;
  readonly config: SchedulerConfiguration;
  /** The holder identity of this process in leader elections. */
  readonly identity: string;
  readonly explanations?: Explanations;
  readonly informers: InformerFactory;
  readonly listers: Listers;
  readonly group: RunGroup;
  readonly registry: PluginRegistry;
  readonly speed?: Partial<SpeedOptions> | undefined;
}

type RunningRecorder = EventRecorder & { run(signal: AbortSignal): Promise<void> };

export interface RunningScheduler extends Scheduler {
  recorderOf(schedulerName: string): RunningRecorder;
  /** The number of pods that are being bound. */
  readonly bindings: number;
  /** Resolves when the next binding ends. */
  untilBound(): Promise<void>;
}

/** What all profiles share. */
type SharedParts = ReturnType<typeof sharedParts>;

export function assemble(ctx: Context, options: AssembleOptions): RunningScheduler {
  const { client, config, group, identity, registry } = options;
  const shared = sharedParts(ctx, options);
  const { cache, queue, metrics, waitingPods, extenders, evaluationOfState, evaluations, tasks, eventPacer, profiles } =
    shared;
  group.start('background', () => tasks.run());
  const recorders = new Map<string, RunningRecorder>();
  for (const profile of withIgnoredResources(config)) {
    const { schedulerName } = profile;
    const reporting = { controller: schedulerName, instance: `${schedulerName}-${identity}` };
    const recorder = createEventsV1Recorder(ctx, client, reporting, eventPacer);
    recorders.set(schedulerName, recorder);
    profiles.set(schedulerName, buildProfile(profile, registry, createHandle(shared, schedulerName, recorder)));
  }
  collectMetrics(shared);
  const instance = `${config.profiles[0]?.schedulerName ?? ''}-${identity}`;
  return {
    ctx,
    client,
    cache,
    queue,
    metrics,
    waitingPods,
    extenders,
    evaluationOfState,
    eventPacer,
    background: (task) => tasks.start(task),
    evaluations,
    explanations: options.explanations ?? new Explanations(),
    scheduledEvents: new ScheduledEvents(ctx, { client, instance, eventPacer }),
    recorderOf: (name) => recorders.get(name)!,
    profileOf: (name) => profiles.get(name),
    get bindings() {
      return bindingCount(shared);
    },
    untilBound: () => tasks.next(),
  };
}

function sharedParts(ctx: Context, options: AssembleOptions) {
  const { clock } = ctx;
  const speed = { ...ALL_SPEED, ...options.speed };
  const cache = new Cache(speed.typedColumns ? typedColumn : plainColumn);
  const metrics = schedulerMetrics(ctx.metrics);
  const waitingPods = new WaitingPodsMap(clock);
  const tasks = new BackgroundTasks(ctx.signal);
  const profiles = new Map<string, Profile>();
  const evaluationOfState: Scheduler['evaluationOfState'] = new WeakMap();
  return {
    ctx,
    options,
    cache,
    metrics,
    waitingPods,
    tasks,
    profiles,
    evaluationOfState,
    extenders: options.config.extenders.map((extender) => new HttpExtender(extender, { clock, cache })),
    eventPacer: speed.eventPacer ? new EventPacer(clock, () => bindingCount({ tasks, waitingPods })) : noEventPacing,
    evaluations: createEvaluations(ctx, cache, speed),
    queue: createQueue(ctx, options.config, metrics, profiles),
  };
}

function createEvaluations(ctx: Context, cache: Cache, speed: SpeedOptions): Evaluations {
  const random = ctx.random.fork('ties');
  const create: CreateEvaluation = (pod, profile, signature) =>
    new Evaluation({ profile, cache, random, pod, signature, tournamentTree: speed.tournamentTree });
  return speed.sharedEvaluations ? new SharedEvaluations(cache, create) : ownEvaluations(create);
}

/** Pods that wait in Permit are background tasks too, but are not being bound yet. */
const bindingCount = ({ tasks, waitingPods }: { tasks: BackgroundTasks; waitingPods: WaitingPodsMap }): number =>
  tasks.count - waitingPods.size;

function createQueue(
  { clock }: Context,
  config: SchedulerConfiguration,
  metrics: SchedulerMetrics,
  profiles: ReadonlyMap<string, Profile>,
): SchedulingQueue {
  const orderOf = ({ pod, timestamp }: QueuedPod) => ({ priority: pod.priority, timestamp });
  return new SchedulingQueue(
    {
      clock,
      metrics,
      initialBackoffMs: config.podInitialBackoffSeconds * 1000,
      maxBackoffMs: config.podMaxBackoffSeconds * 1000,
      maxInUnschedulableMs: config.podMaxInUnschedulableSeconds * 1000,
      profileOf: (name) => profiles.get(name),
    },
    (a, b) => a.profile.plugins.queueSort.less!(orderOf(a), orderOf(b)),
  );
}

function createHandle(shared: SharedParts, schedulerName: string, recorder: EventRecorder): Handle {
  const { ctx, options, cache, metrics, waitingPods, tasks, profiles, evaluationOfState, extenders, queue } = shared;
  const { client, config, listers, group, informers } = options;
  return {
    status: statuses,
    client,
    clock: ctx.clock,
    random: ctx.random.fork(`profile/${schedulerName}`),
    logger: ctx.logger,
    signal: ctx.signal,
    recorder,
    cache,
    listers,
    labelsOf: listers.labelsOf,
    metrics,
    extenders,
    schedulerName,
    featureGates: config.featureGates,
    waitingPods,
    background: (task) => tasks.start(task),
    longTask: (name, task) => group.start(name, task),
    informers,
    moveAllToActiveOrBackoff: (clusterEvent, before, after) =>
      queue.moveAllToActiveOrBackoff(clusterEvent, before, after),
    activate: (uids) => queue.activate(uids),
    ungate: (uid) => queue.ungate(uid),
    *pendingPods() {
      for (const { pod } of queue.pending()) yield pod;
    },
    evaluationOf: (state) => evaluationOfState.get(state)!,
    profile: () => profiles.get(schedulerName)!,
  };
}

function collectMetrics({ metrics, cache, tasks }: SharedParts): void {
  metrics.cacheSize.collect(() => cache.table.nodeCount, { type: 'nodes' });
  metrics.cacheSize.collect(() => cache.podCount, { type: 'pods' });
  metrics.cacheSize.collect(() => cache.assumedCount, { type: 'assumed_pods' });
  metrics.goroutines.collect(() => tasks.count, { operation: 'binding' });
}
