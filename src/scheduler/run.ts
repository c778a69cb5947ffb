/** The scheduler as a component: informers, leader election, and the loop that takes pods from the queue. */
import { InformerFactory, runAsCandidate, type CandidateOptions } from '../client/index.ts';
import { childContext, RunGroup, type Context } from '../kernel/index.ts';
import { assemble, type RunningScheduler } from './assemble.ts';
import type { SchedulerConfiguration } from './config/types.ts';
import { addNodeHandlers, addOtherHandlers, addPodHandlers } from './event-handlers.ts';
import { advise } from './explanations/advise.ts';
import type { Explanations } from './explanations/explanations.ts';
import { wouldFit } from './explanations/would-fit.ts';
import type { PluginRegistry } from './framework/build-profile.ts';
import { loadPluginModules } from './framework/load-plugins.ts';
import { Listers } from './listers.ts';
import { plugins } from './plugins/registry.ts';
import type { QueuedPod } from './queue/queued-pod.ts';
import { scheduleOne } from './schedule-one.ts';
import type { SpeedOptions } from './speed-options.ts';

interface SchedulerOptions extends CandidateOptions {
  readonly config: SchedulerConfiguration;
  /** Where the scheduler records explanations, for components that serve them. */
  readonly explanations?: Explanations;
  /** Plugins besides the built-in ones. */
  readonly plugins?: PluginRegistry;
  readonly speed?: Partial<SpeedOptions> | undefined;
}

/** The loop yields to the rest of the process after this long. */
const MAX_TURN_MS = 4;
/** Bindings at the same time: enough that the store commits several at once, and not too many for the API server. */
const MAX_BINDINGS = 256;

export function run(ctx: Context, options: SchedulerOptions): Promise<void> {
  const component = options.config.profiles[0]?.schedulerName ?? 'default-scheduler';
  return runAsCandidate(ctx, component, options, (leading) => schedule(leading, options));
}

async function schedule(ctx: Context, options: SchedulerOptions): Promise<void> {
  const group = new RunGroup(ctx);
  const inner = childContext(ctx, 'scheduler', group.signal);
  const { client, config } = options;
  const informers = new InformerFactory(inner, { client });
  const listers = new Listers(informers);
  const registry = await loadPluginModules(config.pluginModules, { ...plugins, ...options.plugins });
  const scheduler = assemble(inner, { ...options, informers, listers, group, registry });

  addNodeHandlers(scheduler, informers.informer('v1/nodes'));
  addPodHandlers(scheduler, informers.informer('v1/pods'));
  addOtherHandlers(scheduler, listers);
  scheduler.explanations.advise = (uid) => advise(scheduler, uid);
  scheduler.explanations.wouldFit = (pod) => wouldFit(scheduler, pod);
  group.start('informers', () => informers.run());
  group.start('events', (signal) => scheduler.scheduledEvents.run(signal));
  for (const { schedulerName } of config.profiles)
    group.start(`${schedulerName} events`, (signal) => scheduler.recorderOf(schedulerName).run(signal));
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
  let turnEnds = ctx.clock.monotonic() + MAX_TURN_MS;
  while (!signal.aborted) {
    if (scheduler.bindings >= MAX_BINDINGS) await scheduler.untilBound();
    const queued = queue.pop();
    if (queued === undefined) {
      await queue.wait(signal);
      turnEnds = ctx.clock.monotonic() + MAX_TURN_MS;
      continue;
    }
    const attempt = scheduleOne(scheduler, queued);
    if (attempt !== undefined) await attempt;
    if (await scheduleCompanions(scheduler, queued)) await ctx.clock.yield();
    if (ctx.clock.monotonic() < turnEnds) continue;
    await ctx.clock.yield();
    turnEnds = ctx.clock.monotonic() + MAX_TURN_MS;
  }
}

/** Schedules the other pods of a gang right after the first one, before any other pod. */
async function scheduleCompanions(scheduler: RunningScheduler, queued: QueuedPod): Promise<boolean> {
  let hasCompanions = false;
  for (const plugin of queued.profile.plugins.permit) {
    const companions = plugin.companions?.(queued.pod);
    for (const uid of companions?.uids ?? []) {
      hasCompanions = true;
      if (!companions!.stillWanted()) break;
      const next = scheduler.queue.popPod(uid);
      if (next !== undefined) await scheduleOne(scheduler, next);
    }
  }
  return hasCompanions;
}
