/**
 * Runs a kubelet until its context ends: builds its components (`build/`), registers the node, syncs the pods that the
 * API server and the runtime have, and runs the tasks of `build/tasks.ts`. Containers keep running when it stops.
 */
import path from 'node:path';
import { childContext, endInOrder, makeDirectory, RunGroup, type Context } from '../kernel/index.ts';
import { buildHousekeeping, type Housekeeping } from './build/build-housekeeping.ts';
import { buildNode } from './build/build-node.ts';
import { buildPods, type PodComponents } from './build/build-pods.ts';
import { KubeletState } from './build/kubelet-state.ts';
import { registeredNodeTasks, runningKubeletTasks, staticPodTasks, type Kubelet } from './build/tasks.ts';
import { cleanUpOrphanedPods } from './clean-up-orphaned-pods.ts';
import type { KubeletConfig, KubeletOptions } from './kubelet-options.ts';
import { PodCidrUpdater } from './node/pod-cidrs.ts';
import { parseCpuSet } from './resources/cpu-set.ts';

export async function run(outer: Context, options: KubeletOptions): Promise<void> {
  const ctx = childContext(outer, 'kubelet');
  const group = new RunGroup({ signal: ctx.signal, logger: ctx.logger });
  const input = {
    ctx: { ...ctx, signal: group.signal },
    options: { ...options, client: options.client.until(group.signal) },
    config: withReservedCpus(options.config),
    state: new KubeletState(),
  };
  await makeDirectory(path.join(input.config.rootDirectory, 'pods'), { mode: 0o750 });

  const node = await buildNode(input);
  const pods = await buildPods(input, node);
  const housekeeping = await buildHousekeeping(input, node, pods);
  try {
    await start({ input, node, pods, housekeeping }, group);
    await group.wait();
  } finally {
    group.stop();
    await stop(ctx, { group, pods, housekeeping });
  }
}

/** Parts normally end at once. One that does not is left: everything it works on survives a crash of the kubelet. */
const PART_STOP_MS = 3000;

interface Stopping {
  readonly group: RunGroup;
  readonly pods: PodComponents;
  readonly housekeeping: Housekeeping;
}

async function stop(ctx: Context, { group, pods, housekeeping }: Stopping): Promise<void> {
  const { manager } = pods;
  const limitMs = PART_STOP_MS;
  let podParts: RunGroup | undefined;
  await endInOrder(ctx, [
    { name: 'kubelet tasks', limitMs, end: () => group.wait().catch(() => {}), running: () => group.running },
    { name: 'kubelet server', limitMs, end: () => housekeeping.server.close() },
    { name: 'pod workers', limitMs, end: () => manager.wait().catch(() => {}), running: () => manager.running },
    {
      name: 'pod components',
      limitMs,
      end: () => (podParts = pods.stop()).wait(),
      running: () => podParts?.running ?? [],
    },
  ]);
}

async function start(kubelet: Kubelet, group: RunGroup): Promise<void> {
  const { input, node, pods, housekeeping } = kubelet;
  const { ctx, options, config } = input;
  const { reporter } = node;
  const { manager } = pods;
  const startAll = (tasks: ReturnType<typeof staticPodTasks>): void => {
    for (const [name, task] of Object.entries(tasks)) if (task) group.start(name, task);
  };
  group.start('events', (signal) => node.recorder.run(signal));
  group.start('informers', () => node.informers.run());
  await relist(ctx, housekeeping);
  await reporter.register();
  reporter.event('Normal', 'Starting', 'Starting kubelet.');
  for (const { type, status } of reporter.node?.status?.conditions ?? []) reporter.recordConditionEvent(type, status);
  startAll(registeredNodeTasks(kubelet));
  followPodCidrs(kubelet);

  await pods.podInformer.waitForSync(ctx.signal);
  manager.start();
  await pods.userNamespaces.load(manager.pods());
  startAll(staticPodTasks(kubelet));
  await relist(ctx, housekeeping);
  const isKnown = (uid: string): boolean => manager.worker(uid) !== undefined;
  const orphans = { config, volumes: pods.volumes, cgroups: node.cgroups, isKnown };
  const orphansAreLeft = await cleanUpOrphanedPods(ctx, orphans);
  await node.resources.removeStaleState(new Set(manager.pods().map(({ metadata }) => metadata.uid ?? '')));
  startAll(runningKubeletTasks(kubelet, orphansAreLeft ? orphans : undefined));
  reporter.changed();
  options.onReady?.({ port: housekeeping.server.port, shutDown: () => housekeeping.shutdown.shutDown() });
}

const relist = (ctx: Context, { pleg }: Housekeeping): Promise<void> =>
  pleg.relist().catch((error: unknown) => ctx.logger.error(error, 'Failed to list pods from the container runtime'));

/** Sets the Node's pod CIDRs in the runtime, and wakes pods that wait for the network. */
function followPodCidrs({
  input: { ctx, options },
  node: { nodeInformer, runtimeState, reporter },
  pods: { manager },
}: Kubelet): void {
  const podCidrs = new PodCidrUpdater(ctx, {
    runtime: options.runtime,
    onConfigured: async () => {
      await runtimeState.update();
      reporter.changed();
      for (const worker of manager.workers) worker.wake();
    },
  });
  nodeInformer.addHandler({
    onAdd: (current) => podCidrs.set(current),
    onUpdate: (_, current) => podCidrs.set(current),
  });
}

/** `reservedSystemCPUs` overrides the amounts of cpu in systemReserved and kubeReserved. */
function withReservedCpus(config: KubeletConfig): KubeletConfig {
  if (config.reservedSystemCPUs === '') return config;
  const { cpu: _, ...systemReserved } = config.systemReserved;
  const cpu = String(parseCpuSet(config.reservedSystemCPUs).length);
  return { ...config, systemReserved, kubeReserved: { ...config.kubeReserved, cpu } };
}
