/** A kubelet: its parts, made and started in order, until the context ends. Containers go on without it. */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Node, Pod } from '../api/generated/core-v1.ts';
import { createCoreEventRecorder, InformerFactory } from '../client/index.ts';
import type { ContainerRuntime } from '../cri/index.ts';
import { childContext, RunGroup, type Context } from '../kernel/index.ts';
import { Allocations } from './admission/allocations.ts';
import { keepServingCertificate } from './certificates/serving-certificate.ts';
import { noCgroups } from './cgroups/cgroup-manager.ts';
import { openCgroups, type CgroupDriver } from './cgroups/open-cgroups.ts';
import { CsiManager } from './volumes/csi/csi-manager.ts';
import { DeviceManager } from './devices/device-manager.ts';
import { DraManager } from './dra/dra-manager.ts';
import { EvictionManager } from './eviction/eviction-manager.ts';
import { NodeObserver } from './eviction/observe-node.ts';
import { CredentialProviders } from './images/credential-providers/credential-providers.ts';
import { ImageManager } from './images/image-manager.ts';
import { ImageGarbageCollector } from './images/image-garbage-collector.ts';
import type { KubeletConfig, KubeletOptions } from './kubelet-options.ts';
import { nodeAllocatable, nodeCapacity } from './node/capacity.ts';
import { filesystemUse, readMachine } from './node/machine.ts';
import { nodeStatus } from './node/node-status.ts';
import { keepNodeLease } from './node/node-lease.ts';
import { NodeReporter } from './node/node-reporter.ts';
import { PodCidrs } from './node/pod-cidrs.ts';
import { RuntimeProbe } from './node/runtime-probe.ts';
import { nodeAddressList, nodeLabelSet, nodeTaints } from './node/node-identity.ts';
import { BackOffTable } from './pod/back-off.ts';
import { MirrorPods } from './pod/mirror-pods.ts';
import { PodEvents } from './pod/pod-events.ts';
import { PodManager } from './pod/pod-manager.ts';
import { podFacts, type NodeFacts, type PodParts } from './pod/pod-parts.ts';
import { isStaticPod } from './pod/pod-resources.ts';
import { crashLoopMaxMs } from './pod/back-off.ts';
import { runtimeHandlerOf } from './pod/runtime-class.ts';
import { followStaticPods } from './pod/static-pods.ts';
import { StatusManager } from './pod/status-manager.ts';
import { UserNamespaces } from './pod/user-namespaces.ts';
import { nodeDialer } from './probes/dial.ts';
import { ProbeManager } from './probes/probe-manager.ts';
import { PluginRegistry } from './devices/plugin-registry.ts';
import { parseCpuSet } from './resources/cpu-set.ts';
import { readTopology } from './resources/node-topology.ts';
import { servePodResources } from './resources/pod-resources-server.ts';
import { ResourceManagers } from './resources/resource-managers.ts';
import { LifecycleEvents } from './runtime/lifecycle-events.ts';
import { PodObserver } from './runtime/observe-pod.ts';
import { removeOrphans, removeOrphansLater } from './remove-orphans.ts';
import { serveKubelet } from './server/serve-kubelet.ts';
import { StatsProvider } from './server/stats/stats-provider.ts';
import { ShutdownManager } from './shutdown/shutdown-manager.ts';
import { systemMounter } from './volumes/mounter.ts';
import { TokenManager } from './volumes/token-manager.ts';
import { VolumeManager } from './volumes/volume-manager.ts';
import { WatchedObjects } from './volumes/watched-objects.ts';
import { ContainerGarbageCollector, DEFAULT_CONTAINER_GC } from './runtime/container-garbage-collector.ts';
import { rotateContainerLogs } from './runtime/container-logs.ts';

const CRASH_LOOP_INITIAL_MS = 10_000;

export async function run(outer: Context, options: KubeletOptions): Promise<void> {
  const { client, runtime } = options;
  const config = withReservedCpus(options.config);
  const ctx = childContext(outer, 'kubelet');
  const group = new RunGroup({ signal: ctx.signal, logger: ctx.logger });
  const inner = { ...ctx, signal: group.signal };
  const machine = options.machine ?? (await readMachine());
  const period = (name: keyof NonNullable<KubeletOptions['periods']>): { periodMs?: number } => (options.periods?.[name] === undefined ? {} : { periodMs: options.periods[name] });
  await fs.mkdir(path.join(config.rootDirectory, 'pods'), { recursive: true, mode: 0o750 });

  const recorder = createCoreEventRecorder(inner, client, { component: 'kubelet', host: config.nodeName });
  const events = new PodEvents(recorder);
  const informers = new InformerFactory(inner, { client });
  const podInformer = informers.informer('v1/pods', { fieldSelector: `spec.nodeName=${config.nodeName}` });
  const nodeInformer = informers.informer('v1/nodes', { fieldSelector: `metadata.name=${config.nodeName}` });
  const services = informers.informer('v1/services');
  const mounter = options.mounter ?? systemMounter();
  const dial = options.dial ?? nodeDialer(config.nodeNetns);
  const probe = new RuntimeProbe(inner, runtime);
  await probe.check();

  const topology = options.topology ?? (await readTopology());
  const devices = new DeviceManager(inner, { config, numaNodes: topology.numaNodes.map(({ id }) => id), onChange: () => reporter.changed(), onHealth: (uid) => manager.wake(uid) });
  const plugins = new PluginRegistry(inner, path.join(config.rootDirectory, 'plugins_registry'));
  const dra = new DraManager(inner, { client, nodeName: config.nodeName, rootDirectory: config.rootDirectory, plugins, isActive: (uid) => manager.worker(uid)?.isStopped === false, onHealth: (uid) => manager.wake(uid) });
  const resources = new ResourceManagers(inner, { config, topology, memoryCapacity: machine.memoryBytes, runtime, devices, dra });
  await resources.load();
  const tokens = new TokenManager(ctx.clock, client);
  const csi = new CsiManager(inner, { client, nodeName: config.nodeName, rootDirectory: config.rootDirectory, plugins, tokens, recorder, syncFrequencyMs: config.syncFrequency, onChange: () => reporter.changed() });
  await csi.load();

  let nodefs = await filesystemUse(config.rootDirectory);
  const capacityInput = () => ({ machine, nodefs, config, devices: devices.resources() });
  const capacity = () => nodeCapacity(capacityInput());
  const allocatable = () => nodeAllocatable(capacity(), capacityInput());
  const facts = (): NodeFacts => ({ name: config.nodeName, hostname: machine.hostname, hostIPs: config.nodeAddresses, memoryCapacity: machine.memoryBytes, allocatable: allocatable() });

  const cgroups = options.cgroups ?? (config.cgroupsPerQOS ? await openCgroups(inner, { config, ...(await runtimeCgroupDriver(runtime)) }) : noCgroups);
  await cgroups.prepare(allocatable());

  const reporter = new NodeReporter(inner, {
    client,
    nodeName: config.nodeName,
    labels: nodeLabelSet(config, machine),
    taints: nodeTaints(config),
    providerId: config.providerID,
    registerNode: config.registerNode,
    unschedulable: config.registerUnschedulable === true,
    podCidr: '',
    controllerAttachDetach: config.enableControllerAttachDetach,
    events: recorder,
    updateFrequencyMs: config.nodeStatusUpdateFrequency,
    reportFrequencyMs: config.nodeStatusReportFrequency,
    status: async (before: Node | undefined) => {
      await probe.check();
      nodefs = await filesystemUse(config.rootDirectory);
      return nodeStatus({
        now: ctx.clock.now(),
        nodeName: config.nodeName,
        machine,
        capacity: capacity(),
        allocatable: allocatable(),
        addresses: config.cloudProvider === 'external' && before?.status?.addresses ? before.status.addresses : nodeAddressList(config, machine),
        port: server.port,
        runtimeVersion: probe.version,
        runtimeHandlers: probe.handlers,
        runtimeFeatures: probe.features,
        images: await probe.images(),
        maxImages: config.nodeStatusMaxImages,
        pressures: eviction.pressures,
        problems: [...probe.problems, ...(pleg.isHealthy ? [] : ['PLEG is not healthy']), ...(shutdown.isShuttingDown ? ['node is shutting down'] : [])],
        volumesInUse: csi.volumesInUse(),
        before,
      });
    },
  });

  const mirrors = new MirrorPods(inner, { client, node: () => reporter.node });
  const statuses = new StatusManager(inner, { client, apiPod: (pod: Pod) => (isStaticPod(pod) ? mirrors.mirrorOf(pod) : podInformer.get(`${pod.metadata.namespace}/${pod.metadata.name}`)) });
  const wake = (uid: string): void => manager.wake(uid);
  const changed = (uids: ReadonlySet<string>): void => {
    volumes.refresh(uids);
    for (const uid of uids) wake(uid);
  };
  const configMaps = new WatchedObjects(inner, { client, resource: 'v1/configmaps', onChange: changed });
  const secrets = new WatchedObjects(inner, { client, resource: 'v1/secrets', onChange: changed });
  const observer = new PodObserver(runtime);
  const imageVolumes = (): string[] => manager.activePods().flatMap(({ spec }) => (spec?.volumes ?? []).flatMap(({ image }) => image?.reference ?? []));
  const imageGc = new ImageGarbageCollector(inner, { runtime, config, reporter, imageVolumes, ...period('imageGc') });
  const providers = config.credentialProviders === undefined ? undefined : await CredentialProviders.open(inner, { ...config.credentialProviders, client, tokens });
  const images = new ImageManager(inner, { runtime, events, parallelPulls: config.serializeImagePulls ? 1 : (config.maxParallelImagePulls ?? Infinity), onUse: (ref) => imageGc.used(ref), ...(providers === undefined ? {} : { nodeCredentials: (image: string, pod: Pod) => providers.credentialsFor(image, pod) }) });
  const probes = new ProbeManager(inner, { runtime, dial, events, wake });
  const volumes = new VolumeManager(
    { client, clock: ctx.clock, logger: ctx.logger, mounter, nodeName: config.nodeName, rootDirectory: config.rootDirectory, configMaps, secrets, tokens, csi, podFacts: (pod: Pod) => podFacts({ node: facts }, pod) },
    events,
  );
  const gcPolicy = config.containerGc ?? DEFAULT_CONTAINER_GC;
  const userNamespaces = new UserNamespaces(config.rootDirectory, config.userNamespaces);
  const crashLoopMax = crashLoopMaxMs(config.crashLoopBackOff['maxContainerRestartPeriod']);
  const parts: PodParts = {
    ctx: inner,
    client,
    runtime,
    config,
    node: facts,
    runtimeFacts: () => ({ name: probe.name, recursiveReadOnly: probe.recursiveReadOnly }),
    observer,
    images,
    volumes,
    mounter,
    probes,
    events,
    statuses,
    cgroups,
    dial,
    restarts: new BackOffTable({ initialMs: Math.min(CRASH_LOOP_INITIAL_MS, crashLoopMax), maxMs: crashLoopMax }),
    extras: resources,
    configMaps,
    secrets,
    networkProblem: () => probe.networkProblem,
    services: async () => {
      await services.waitForSync(inner.signal);
      return services.list();
    },
    runtimeHandler: (name) => runtimeHandlerOf(client, name),
    userNamespace: (pod) => userNamespaces.of(pod),
    nodeResolvConf: () => fs.readFile(config.resolvConf, 'utf8').catch(() => ''),
    rootDirectory: config.rootDirectory,
    keepDead: gcPolicy.maxPerContainer < 0 ? Infinity : gcPolicy.maxPerContainer,
  };
  const allocations = new Allocations(config.rootDirectory);
  await allocations.load();
  const node = (): Node => nodeInformer.get(config.nodeName) ?? reporter.node ?? { apiVersion: 'v1', kind: 'Node', metadata: { name: config.nodeName } };
  const manager: PodManager = new PodManager(inner, {
    parts,
    informer: podInformer,
    allocations,
    mirrors,
    node,
    allocatable,
    pressures: () => eviction.pressures,
    shuttingDown: () => shutdown.isShuttingDown,
    onPodsChanged: () => qos.changed(),
  });
  const qos = qosUpdates(inner, () => cgroups.updateQos(manager.activePods()));
  const stats = new StatsProvider(inner, { runtime, config, machine, manager, volumes, cgroups });
  const containerGc = new ContainerGarbageCollector(inner, { runtime, podLogsDir: config.podLogsDir, policy: gcPolicy, hasEnded: (uid) => manager.worker(uid)?.isStopped === true, onRemoved: (id) => observer.forget(id), ...period('containerGc') });
  const nodeObserver = new NodeObserver({ config, machine, runtime, cgroups });
  const eviction: EvictionManager = new EvictionManager(inner, {
    ...{ config, stats, manager, events, reporter },
    observe: () => nodeObserver.observe(),
    diskLayout: () => nodeObserver.diskLayout(),
    reclaim: { images: () => imageGc.free(Infinity), containers: () => containerGc.collect({ ended: true }) },
    ...period('eviction'),
  });
  const shutdown = new ShutdownManager(inner, { config, manager, reporter, ...(options.openLogind === undefined ? {} : { openLogind: options.openLogind }) });
  const pleg = new LifecycleEvents(inner, { runtime, onChange: wake, onRelist: (pods) => manager.adopt(pods) });
  const server = await serveKubelet(inner, { config, client, runtime, manager, stats, machine, events });

  try {
    group.start('events', (signal) => recorder.run(signal));
    group.start('informers', () => informers.run());
    await pleg.relist().catch((error: unknown) => ctx.logger.error(error, 'The container runtime does not answer yet'));
    await reporter.register();
    reporter.event('Normal', 'Starting', 'Starting kubelet.');
    for (const condition of reporter.node?.status?.conditions ?? []) reporter.tellCondition(condition.type, condition.status);
    group.start('lease', () => keepNodeLease(inner, { client, nodeName: config.nodeName, durationSeconds: config.nodeLeaseDurationSeconds, nodeUid: () => reporter.node?.metadata.uid }));
    const podCidrs = new PodCidrs(inner, {
      runtime,
      onConfigured: async () => {
        await probe.check();
        reporter.changed();
        for (const worker of manager.workers) worker.wake();
      },
    });
    nodeInformer.addHandler({ onAdd: (current) => podCidrs.set(current), onUpdate: (_, current) => podCidrs.set(current) });
    await podInformer.waitForSync(inner.signal);
    manager.start();
    await userNamespaces.load(manager.pods());
    if (config.staticPodPath !== '' || config.staticPodURL !== '') group.start('static pods', () => followStaticPods(inner, { config, onPods: (pods) => manager.setStaticPods(pods) }));
    await pleg.relist().catch((error: unknown) => ctx.logger.error(error, 'The container runtime does not answer yet'));
    const isKnown = (uid: string): boolean => manager.worker(uid) !== undefined;
    const orphansLeft = await removeOrphans(inner, { config, volumes, cgroups, isKnown });
    group.start('pleg', () => pleg.run());
    group.start('node status', () => reporter.run());
    group.start('eviction', () => eviction.run());
    group.start('image garbage collection', () => imageGc.run());
    group.start('container garbage collection', () => containerGc.run());
    group.start('container logs', () => rotateContainerLogs(inner, { runtime, config, running: () => manager.runningContainers() }));
    group.start('shutdown', () => shutdown.run());
    group.start('plugins', () => plugins.run());
    group.start('volume expansion', () => csi.run());
    if (orphansLeft) group.start('orphans', () => removeOrphansLater(inner, { config, volumes, cgroups, isKnown }));
    await resources.keepOnly(new Set(manager.pods().map(({ metadata }) => metadata.uid ?? '')));
    group.start('devices', () => devices.run());
    group.start('dynamic resources', () => dra.run());
    group.start('pod resources', () => servePodResources(inner, { rootDirectory: config.rootDirectory, resources, dra, activePods: () => manager.activePods() }));
    group.start('resources', () => resources.run(() => manager.workers.map(({ observed }) => observed)));
    group.start('server', () => server.finished);
    if (config.serverTLSBootstrap && config.serving?.certificate === undefined) group.start('serving certificate', () => keepServingCertificate(inner, { client, nodeName: config.nodeName, names: [config.nodeName, ...config.nodeAddresses], directory: config.certificateDirectory ?? path.join(config.rootDirectory, 'pki'), onCertificate: (issued) => server.setCertificate(issued) }));
    reporter.changed();
    options.onReady?.({ port: server.port, shutDown: () => shutdown.shutDown() });
    await group.wait();
  } finally {
    group.stop();
    await group.wait().catch(() => {});
    await server.close();
    await manager.wait().catch(() => {});
    volumes.stop();
    await Promise.all([probes.stop(), statuses.stop(), configMaps.stop(), secrets.stop(), mirrors.settled(), allocations.settled(), volumes.settled()]);
  }
}

/** Runtimes that are too old to say leave it to the configuration. */
async function runtimeCgroupDriver(runtime: ContainerRuntime): Promise<{ driver?: CgroupDriver }> {
  const answer = await runtime.runtime.runtimeConfig({}).catch(() => undefined);
  if (answer?.linux?.cgroupDriver === undefined) return {};
  return { driver: answer.linux.cgroupDriver === 'SYSTEMD' ? 'systemd' : 'cgroupfs' };
}

/** CPUs that are reserved by their numbers count instead of a reservation of so many. */
function withReservedCpus(config: KubeletConfig): KubeletConfig {
  if (config.reservedSystemCPUs === '') return config;
  const { cpu: _, ...systemReserved } = config.systemReserved;
  return { ...config, systemReserved, kubeReserved: { ...config.kubeReserved, cpu: String(parseCpuSet(config.reservedSystemCPUs).length) } };
}

/** The shares of the QoS classes follow the pods, at most once in a moment however many come at once. */
function qosUpdates(ctx: Context, update: () => Promise<void>): { changed(): void } {
  let scheduled = false;
  return {
    changed: () => {
      if (scheduled || ctx.signal.aborted) return;
      scheduled = true;
      ctx.clock.after(100, () => {
        scheduled = false;
        void update().catch((error: unknown) => ctx.logger.error(error, 'Failed to update the cgroups of the QoS classes'));
      });
    },
  };
}
