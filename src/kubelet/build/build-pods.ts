/** Builds the components of pods: images, volumes, probes, statuses, and the pod manager with a worker for each pod. */
import fs from 'node:fs/promises';
import type { Pod } from '../../api/generated/core-v1.ts';
import type { SharedInformer } from '../../client/index.ts';
import { RunGroup, type Context } from '../../kernel/index.ts';
import { AllocationManager } from '../admission/allocation-manager.ts';
import { CredentialProviders } from '../images/credential-providers/credential-providers.ts';
import { ImageGarbageCollector } from '../images/image-garbage-collector.ts';
import { ImageManager } from '../images/image-manager.ts';
import type { KubeletConfig } from '../kubelet-options.ts';
import { BackOffTable, crashLoopMaxMs } from '../pod/back-off.ts';
import { MirrorPods } from '../pod/mirror-pods.ts';
import { podFacts, type PodDependencies } from '../pod/pod-dependencies.ts';
import { PodManager } from '../pod/pod-manager.ts';
import { isStaticPod } from '../pod/pod-resources.ts';
import { runtimeHandlerOf } from '../pod/runtime-class.ts';
import { StatusManager } from '../pod/status-manager.ts';
import { UserNamespaces } from '../pod/user-namespaces.ts';
import { nodeDialer } from '../probes/dial.ts';
import { ProbeManager } from '../probes/probe-manager.ts';
import { DEFAULT_CONTAINER_GC, type ContainerGcPolicy } from '../runtime/container-garbage-collector.ts';
import { PodObserver } from '../runtime/observe-pod.ts';
import { systemMounter } from '../volumes/mounter.ts';
import { VolumeManager } from '../volumes/volume-manager.ts';
import { WatchBasedManager } from '../volumes/watch-based-manager.ts';
import type { BuildInput, NodeComponents } from './build-node.ts';
import { debounced } from './kubelet-state.ts';

const CRASH_LOOP_INITIAL_MS = 10_000;

export interface PodComponents {
  readonly podInformer: SharedInformer<Pod>;
  readonly manager: PodManager;
  readonly volumes: VolumeManager;
  readonly imageGc: ImageGarbageCollector;
  readonly observer: PodObserver;
  readonly userNamespaces: UserNamespaces;
  readonly gcPolicy: ContainerGcPolicy;
  /** Ends what pod workers use, after the workers have ended. */
  stop(): RunGroup;
}

export async function buildPods(input: BuildInput, node: NodeComponents): Promise<PodComponents> {
  const { ctx, options, config, state } = input;
  const { client } = options;
  const { informers, reporter } = node;
  const podInformer = informers.informer('v1/pods', { fieldSelector: `spec.nodeName=${config.nodeName}` });
  const mirrors = new MirrorPods(ctx, { client, node: () => reporter.node });
  const statuses = new StatusManager(ctx, {
    client,
    apiPod: (pod) =>
      isStaticPod(pod) ? mirrors.mirrorOf(pod) : podInformer.get(`${pod.metadata.namespace}/${pod.metadata.name}`),
  });
  const { volumes, configMaps, secrets, mounter } = buildVolumes(input, node);
  const { images, imageGc } = await buildImages(input, node, () => manager.activePods());
  const userNamespaces = new UserNamespaces(
    config.rootDirectory,
    config.userNamespaces,
    () => node.runtimeState.userNamespaces,
  );
  const gcPolicy = config.containerGc ?? DEFAULT_CONTAINER_GC;
  const allocations = new AllocationManager(config.rootDirectory);
  await allocations.load();
  const deps = podDependencies(input, node, {
    ...{ images, volumes, configMaps, secrets, mounter, statuses },
    userNamespace: (pod) => userNamespaces.of(pod),
    setActuated: (pod, container) => allocations.setActuated(pod, container),
    setPodActuated: (pod) => allocations.setPodActuated(pod),
    actuated: (pod) => allocations.actuated(pod),
    keepDead: gcPolicy.maxPerContainer < 0 ? Infinity : gcPolicy.maxPerContainer,
  });
  const manager = new PodManager(ctx, {
    ...{ deps, informer: podInformer, allocations, mirrors, node: node.node },
    allocatable: () => node.capacity.allocatable(),
    pressures: () => state.pressures,
    shuttingDown: () => state.isShuttingDown,
    onPodsChanged: () => state.podsChanged.publish(),
  });
  state.podChanged.subscribe((uid) => manager.wake(uid));
  state.reportRunningPods((uid) => manager.worker(uid)?.isTerminated === false);
  state.podsChanged.subscribe(updateQosCgroups(ctx, node, manager));
  return {
    ...{ podInformer, manager, volumes, imageGc, observer: deps.observer, userNamespaces, gcPolicy },
    stop() {
      volumes.stop();
      const ending = new RunGroup({ logger: ctx.logger });
      ending.start('probes', () => deps.probes.stop());
      ending.start('pod statuses', () => statuses.stop());
      ending.start('config maps', () => configMaps.stop());
      ending.start('secrets', () => secrets.stop());
      ending.start('mirror pods', () => mirrors.settled());
      ending.start('allocations', () => allocations.settled());
      ending.start('volumes', () => volumes.settled());
      return ending;
    },
  };
}

type VolumeComponents = Pick<PodDependencies, 'volumes' | 'configMaps' | 'secrets' | 'mounter'>;

function buildVolumes({ ctx, options, config, state }: BuildInput, node: NodeComponents): VolumeComponents {
  const { client } = options;
  const { tokens, csi, events } = node;
  const onChange = (uids: ReadonlySet<string>): void => {
    volumes.refresh(uids);
    for (const uid of uids) state.podChanged.publish(uid);
  };
  const configMaps = new WatchBasedManager(ctx, { client, resource: 'v1/configmaps', onChange });
  const secrets = new WatchBasedManager(ctx, { client, resource: 'v1/secrets', onChange });
  const mounter = options.mounter ?? systemMounter();
  const volumes = new VolumeManager(
    {
      ...{ client, clock: ctx.clock, logger: ctx.logger, mounter, nodeName: config.nodeName },
      ...{ rootDirectory: config.rootDirectory, publishedRootDirectory: config.publishedRootDirectory },
      ...{ configMaps, secrets, tokens, csi },
      podFacts: (pod: Pod) => podFacts({ node: node.facts }, pod),
    },
    events,
  );
  return { volumes, configMaps, secrets, mounter };
}

type BuiltBefore = VolumeComponents &
  Pick<
    PodDependencies,
    'images' | 'statuses' | 'userNamespace' | 'keepDead' | 'setActuated' | 'setPodActuated' | 'actuated'
  >;

/** Everything that pod workers use. */
function podDependencies(
  { ctx, options, config, state }: BuildInput,
  { facts, events, cgroups, resources, runtimeState, informers }: NodeComponents,
  built: BuiltBefore,
): PodDependencies {
  const { client, runtime } = options;
  const dial = options.dial ?? nodeDialer(config.nodeNetns);
  const services = informers.informer('v1/services');
  return {
    ...built,
    ...{ ctx, client, runtime, config, node: facts, events, cgroups, dial, rootDirectory: config.rootDirectory },
    observer: new PodObserver(runtime),
    probes: new ProbeManager(ctx, { runtime, dial, events, wake: (uid) => state.podChanged.publish(uid) }),
    containerManager: resources,
    runtimeFacts: () => ({ name: runtimeState.name, recursiveReadOnly: runtimeState.recursiveReadOnly }),
    restarts: restartBackOff(config),
    networkProblem: () => runtimeState.networkProblem,
    services: async () => {
      await services.waitForSync(ctx.signal);
      return services.list();
    },
    runtimeHandler: (name) => runtimeHandlerOf(client, name),
    nodeResolvConf: () => fs.readFile(config.resolvConf, 'utf8').catch(() => ''),
  };
}

/** Updates the CPU shares of the QoS class cgroups when pods come and go. */
const updateQosCgroups = (ctx: Context, { cgroups }: NodeComponents, manager: PodManager): (() => void) =>
  debounced(ctx, () => cgroups.updateQos(manager.activePods()), 'Failed to update the cgroups of the QoS classes');

function restartBackOff({ crashLoopBackOff }: KubeletConfig): BackOffTable {
  const maxMs = crashLoopMaxMs(crashLoopBackOff['maxContainerRestartPeriod']);
  return new BackOffTable({ initialMs: Math.min(CRASH_LOOP_INITIAL_MS, maxMs), maxMs });
}

async function buildImages(
  { ctx, options, config }: BuildInput,
  { events, reporter, tokens }: NodeComponents,
  activePods: () => readonly Pod[],
): Promise<{ images: ImageManager; imageGc: ImageGarbageCollector }> {
  const { client, runtime, periods } = options;
  const imageVolumes = (): string[] =>
    activePods().flatMap(({ spec }) => (spec?.volumes ?? []).flatMap(({ image }) => image?.reference ?? []));
  const periodMs = periods?.imageGc;
  const imageGc = new ImageGarbageCollector(ctx, {
    ...{ runtime, config, reporter, imageVolumes },
    ...(periodMs === undefined ? {} : { periodMs }),
  });
  const { credentialProviders } = config;
  const providers =
    credentialProviders && (await CredentialProviders.open(ctx, { ...credentialProviders, client, tokens }));
  const images = new ImageManager(ctx, {
    ...{ runtime, events },
    parallelPulls: config.serializeImagePulls ? 1 : (config.maxParallelImagePulls ?? Infinity),
    onImageUsed: (ref) => imageGc.used(ref),
    ...(providers ? { nodeCredentials: (image: string, pod: Pod) => providers.credentialsFor(image, pod) } : {}),
  });
  return { images, imageGc };
}
