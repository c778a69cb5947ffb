/** The scheduler as a component: informers, leader election, and the loop that takes pods from the queue. */
import { createEventsV1Recorder, InformerFactory, runWithLeaderElection, type Client, type EventRecorder } from '../client/index.ts';
import { childContext, RunGroup, type Context } from '../kernel/index.ts';
import { BackgroundTasks } from './background-tasks.ts';
import { Cache } from './cache/cache.ts';
import type { SchedulerConfiguration } from './config/types.ts';
import { EventPace } from './event-pace.ts';
import { Evaluations } from './evaluation/evaluations.ts';
import { advise } from './explanations/advise.ts';
import { Explanations } from './explanations/explanations.ts';
import { followNodes, followOthers, followPods } from './event-handlers.ts';
import type { Extender } from './extenders/extender.ts';
import { httpExtender } from './extenders/http-extender.ts';
import { withIgnoredResources } from './extenders/ignored-resources.ts';
import { buildProfile, type PluginRegistry } from './framework/build-profile.ts';
import { answers, type Handle } from './framework/handle.ts';
import { loadPluginModules } from './framework/load-plugins.ts';
import type { Profile } from './framework/profile.ts';
import { Listers } from './listers.ts';
import { schedulerMetrics } from './metrics.ts';
import { plugins } from './plugins/registry.ts';
import type { QueuedPod } from './queue/queued-pod.ts';
import { SchedulingQueue } from './queue/scheduling-queue.ts';
import { scheduleOne } from './schedule-one.ts';
import { ScheduledEvents } from './scheduled-events.ts';
import type { Scheduler } from './scheduler.ts';
import { PermitRoom } from './waiting-pods.ts';

export interface SchedulerOptions {
  readonly client: Client;
  readonly config: SchedulerConfiguration;
  /** Who this process is in leader elections. */
  readonly identity: string;
  /** Where explanations are kept, for those who serve them. */
  readonly explanations?: Explanations;
  /** Plugins besides the built-in ones. */
  readonly plugins?: PluginRegistry;
}

/** Decisions take turns with everything else in the process after this long. */
const TURN_MS = 4;
/** Bindings under way at a time: enough to share commits, few enough not to bury the API server. */
const MAX_BINDINGS = 256;

export async function run(ctx: Context, options: SchedulerOptions): Promise<void> {
  const { config, client, identity } = options;
  if (!config.leaderElect) return schedule(ctx, options);
  const { resourceNamespace: namespace, resourceName: name, ...timing } = config.leaderElection;
  await runWithLeaderElection(ctx, { client, identity, namespace, name, ...timing }, (signal) => schedule(childContext(ctx, 'leading', signal), options));
}

async function schedule(ctx: Context, options: SchedulerOptions): Promise<void> {
  const group = new RunGroup(ctx);
  const inner = childContext(ctx, 'scheduler', group.signal);
  const { client, config } = options;
  const informers = new InformerFactory(inner, { client });
  const listers = new Listers(informers);
  const registry = await loadPluginModules(config.pluginModules, { ...plugins, ...options.plugins });
  const scheduler = assemble(inner, { ...options, informers, listers, group, registry });

  followNodes(scheduler, informers.informer('v1/nodes'));
  followPods(scheduler, informers.informer('v1/pods'));
  followOthers(scheduler, listers);
  scheduler.explanations.advise = (uid) => advise(scheduler, uid);
  group.start('informers', () => informers.run());
  group.start('events', (signal) => scheduler.scheduledEvents.run(signal));
  for (const { schedulerName } of config.profiles) group.start(`${schedulerName} events`, (signal) => scheduler.recorderOf(schedulerName).run(signal));
  group.start('schedule', async (signal) => {
    await informers.waitForSync(signal);
    scheduler.queue.start();
    try {
      await loop(scheduler, signal);
    } finally {
      scheduler.queue.stop();
    }
  });
  await group.wait();
}

async function loop(scheduler: RunningScheduler, signal: AbortSignal): Promise<void> {
  const { queue, ctx } = scheduler;
  let turnEnds = ctx.clock.monotonic() + TURN_MS;
  while (!signal.aborted) {
    if (scheduler.bindings >= MAX_BINDINGS) await scheduler.untilBound();
    const queued = queue.pop();
    if (queued === undefined) {
      await queue.wait(signal);
      turnEnds = ctx.clock.monotonic() + TURN_MS;
      continue;
    }
    const attempt = scheduleOne(scheduler, queued);
    if (attempt !== undefined) await attempt;
    if (await scheduleCompanions(scheduler, queued)) await ctx.clock.yield();
    if (ctx.clock.monotonic() < turnEnds) continue;
    await ctx.clock.yield();
    turnEnds = ctx.clock.monotonic() + TURN_MS;
  }
}

/** Those that belong together are tried together; whatever that leads to is over before anybody else is tried. */
async function scheduleCompanions(scheduler: RunningScheduler, queued: QueuedPod): Promise<boolean> {
  let any = false;
  for (const plugin of queued.profile.plugins.permit) {
    const companions = plugin.companions?.(queued.pod);
    for (const uid of companions?.uids ?? []) {
      any = true;
      if (!companions!.stillWanted()) break;
      const next = scheduler.queue.take(uid);
      if (next !== undefined) await scheduleOne(scheduler, next);
    }
  }
  return any;
}

type RunningScheduler = ReturnType<typeof assemble>;

function assemble(ctx: Context, options: SchedulerOptions & { informers: InformerFactory; listers: Listers; group: RunGroup; registry: PluginRegistry }) {
  const { client, config, listers, group, registry } = options;
  const cache = new Cache();
  const metrics = schedulerMetrics(ctx.metrics);
  const permitRoom = new PermitRoom(ctx.clock);
  const extenders: readonly Extender[] = config.extenders.map((extender) => httpExtender(extender, { clock: ctx.clock, cache }));
  const evaluationOfState: Scheduler['evaluationOfState'] = new WeakMap();
  const recorders = new Map<string, EventRecorder & { run(signal: AbortSignal): Promise<void> }>();
  const profiles = new Map<string, Profile>();
  const tasks = new BackgroundTasks(ctx.signal);
  const bindings = (): number => tasks.count - permitRoom.size;
  const pace = new EventPace(ctx.clock, bindings);
  const background: Scheduler['background'] = (task) => tasks.start(task);
  group.start('background', () => tasks.run());

  const queue: SchedulingQueue = new SchedulingQueue(
    {
      clock: ctx.clock,
      metrics,
      initialBackoffMs: config.podInitialBackoffSeconds * 1000,
      maxBackoffMs: config.podMaxBackoffSeconds * 1000,
      maxInUnschedulableMs: config.podMaxInUnschedulableSeconds * 1000,
      profileOf: (name) => profiles.get(name),
    },
    (a, b) => a.profile.plugins.queueSort.less!({ priority: a.pod.priority, timestamp: a.timestamp }, { priority: b.pod.priority, timestamp: b.timestamp }),
  );

  for (const profileConfig of withIgnoredResources(config)) {
    const { schedulerName } = profileConfig;
    const recorder = createEventsV1Recorder(ctx, client, { controller: schedulerName, instance: `${schedulerName}-${options.identity}` }, pace);
    recorders.set(schedulerName, recorder);
    const handle: Handle = {
      status: answers,
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
      waitingPods: permitRoom,
      background,
      longTask: (name, task) => group.start(name, task),
      informers: options.informers,
      moveOn: (happened, before, after) => queue.moveOn(happened, before, after),
      activate: (uids) => queue.activate(uids),
      ungate: (uid) => queue.ungate(uid),
      *pendingPods() {
        for (const { pod } of queue.pending()) yield pod;
      },
      evaluationOf: (state) => evaluationOfState.get(state)!,
      profile: () => profiles.get(schedulerName)!,
    };
    profiles.set(schedulerName, buildProfile(profileConfig, registry, handle));
  }

  metrics.cacheSize.collect(() => cache.table.nodeCount, { type: 'nodes' });
  metrics.cacheSize.collect(() => cache.podCount, { type: 'pods' });
  metrics.cacheSize.collect(() => cache.assumedCount, { type: 'assumed_pods' });
  metrics.goroutines.collect(() => tasks.count, { operation: 'binding' });

  const scheduler = {
    ctx,
    client,
    cache,
    queue,
    metrics,
    permitRoom,
    extenders,
    evaluationOfState,
    eventPace: pace,
    background,
    evaluations: new Evaluations(cache, ctx.random.fork('ties')),
    explanations: options.explanations ?? new Explanations(),
    scheduledEvents: new ScheduledEvents(ctx, { client, instance: `${config.profiles[0]?.schedulerName ?? ''}-${options.identity}`, pace }),
    recorderOf: (name: string) => recorders.get(name)!,
    get bindings() {
      return bindings();
    },
    untilBound: () => tasks.next(),
  } satisfies Scheduler & Record<string, unknown>;
  return scheduler;
}
