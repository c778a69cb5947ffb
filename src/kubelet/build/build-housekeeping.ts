/** Builds the eviction manager, container GC, node shutdown manager, PLEG and the kubelet's server. */
import { EvictionManager } from '../eviction/eviction-manager.ts';
import { SignalObserver } from '../eviction/signal-observations.ts';
import { ContainerGarbageCollector } from '../runtime/container-garbage-collector.ts';
import { PodLifecycleEventGenerator } from '../runtime/pleg.ts';
import { serveKubelet } from '../server/serve-kubelet.ts';
import { StatsProvider } from '../server/stats/stats-provider.ts';
import { ShutdownManager } from '../shutdown/shutdown-manager.ts';
import type { BuildInput, NodeComponents } from './build-node.ts';
import type { PodComponents } from './build-pods.ts';

export interface Housekeeping {
  readonly containerGc: ContainerGarbageCollector;
  readonly eviction: EvictionManager;
  readonly shutdown: ShutdownManager;
  readonly pleg: PodLifecycleEventGenerator;
  readonly server: Awaited<ReturnType<typeof serveKubelet>>;
}

export async function buildHousekeeping(
  input: BuildInput,
  node: NodeComponents,
  pods: PodComponents,
): Promise<Housekeeping> {
  const { ctx, options, config, state } = input;
  const { client, runtime, periods, openLogind } = options;
  const { machine, cgroups, events, reporter } = node;
  const { manager, volumes, imageGc, observer, gcPolicy } = pods;
  const stats = new StatsProvider(ctx, { runtime, config, machine, manager, volumes, cgroups });
  const containerGc = new ContainerGarbageCollector(ctx, {
    ...{ runtime, podLogsDir: config.podLogsDir, policy: gcPolicy },
    hasEnded: (uid) => manager.worker(uid)?.isTerminated === true,
    onRemoved: (id) => observer.forget(id),
    ...(periods?.containerGc === undefined ? {} : { periodMs: periods.containerGc }),
  });
  const nodeObserver = new SignalObserver({ config, machine, runtime, cgroups });
  const eviction = new EvictionManager(ctx, {
    ...{ config, stats, manager, events, reporter },
    observe: () => nodeObserver.observe(),
    diskLayout: () => nodeObserver.diskLayout(),
    reclaim: { images: () => imageGc.free(Infinity), containers: () => containerGc.collect({ ended: true }) },
    ...(periods?.eviction === undefined ? {} : { periodMs: periods.eviction }),
  });
  state.reportPressures(() => eviction.pressures);
  const shutdown = new ShutdownManager(ctx, { config, manager, reporter, ...(openLogind ? { openLogind } : {}) });
  state.reportShutdown(() => shutdown.isShuttingDown);
  const pleg = new PodLifecycleEventGenerator(ctx, {
    runtime,
    onChange: (uid) => state.podChanged.publish(uid),
    onRelist: (found) => manager.killOrphanedRuntimePods(found),
  });
  state.reportProblems(() => [
    ...(pleg.isHealthy ? [] : ['PLEG is not healthy']),
    ...(shutdown.isShuttingDown ? ['node is shutting down'] : []),
  ]);
  const server = await serveKubelet(ctx, { config, client, runtime, manager, stats, machine, events });
  state.kubeletPort = server.port;
  return { containerGc, eviction, shutdown, pleg, server };
}
