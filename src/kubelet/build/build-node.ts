/** Builds the components of the node: runtime state, device and resource managers, CSI, cgroups and the Node object. */
import type { Node } from '../../api/generated/core-v1.ts';
import { createCoreEventRecorder, InformerFactory, type SharedInformer } from '../../client/index.ts';
import type { ContainerRuntime } from '../../cri/index.ts';
import type { Context } from '../../kernel/index.ts';
import { noCgroups, type CgroupManager } from '../cgroups/cgroup-manager.ts';
import { openCgroups, type CgroupDriver } from '../cgroups/open-cgroups.ts';
import { DeviceManager } from '../devices/device-manager.ts';
import { PluginRegistry } from '../devices/plugin-registry.ts';
import { DraManager } from '../dra/dra-manager.ts';
import type { KubeletConfig, KubeletOptions } from '../kubelet-options.ts';
import { CapacityProvider } from '../node/capacity-provider.ts';
import { readMachine, type Machine } from '../node/machine.ts';
import { nodeAddressList, nodeLabelSet, nodeTaints } from '../node/node-identity.ts';
import { NodeReporter } from '../node/node-reporter.ts';
import { nodeStatus } from '../node/node-status.ts';
import { RuntimeState } from '../node/runtime-state.ts';
import type { NodeFacts } from '../pod/pod-dependencies.ts';
import { PodEvents } from '../pod/pod-events.ts';
import { readTopology } from '../resources/node-topology.ts';
import { ResourceManagers } from '../resources/resource-managers.ts';
import { CsiManager } from '../volumes/csi/csi-manager.ts';
import { TokenManager } from '../volumes/token-manager.ts';
import type { KubeletState } from './kubelet-state.ts';

export interface BuildInput {
  readonly ctx: Context;
  readonly options: KubeletOptions;
  readonly config: KubeletConfig;
  readonly state: KubeletState;
}

export interface NodeComponents {
  readonly machine: Machine;
  readonly recorder: ReturnType<typeof createCoreEventRecorder>;
  readonly events: PodEvents;
  readonly informers: InformerFactory;
  readonly nodeInformer: SharedInformer<Node>;
  readonly runtimeState: RuntimeState;
  readonly devices: DeviceManager;
  readonly plugins: PluginRegistry;
  readonly dra: DraManager;
  readonly resources: ResourceManagers;
  readonly tokens: TokenManager;
  readonly csi: CsiManager;
  readonly cgroups: CgroupManager;
  readonly capacity: CapacityProvider;
  readonly reporter: NodeReporter;
  readonly facts: () => NodeFacts;
  /** The Node object from the informer, or as it was registered. */
  readonly node: () => Node;
}

export async function buildNode({ ctx, options, config, state }: BuildInput): Promise<NodeComponents> {
  const { client, runtime } = options;
  const { nodeName, rootDirectory, publishedRootDirectory } = config;
  const machine = options.machine ?? (await readMachine());
  const recorder = createCoreEventRecorder(ctx, client, { component: 'kubelet', host: nodeName });
  const informers = new InformerFactory(ctx, { client });
  const nodeInformer = informers.informer('v1/nodes', { fieldSelector: `metadata.name=${nodeName}` });
  const runtimeState = new RuntimeState(ctx, runtime);
  await runtimeState.update();
  state.reportProblems(() => runtimeState.problems);

  const { devices, plugins, dra, resources } = await buildResourceManagers({ ctx, options, config, state }, machine);
  const tokens = new TokenManager(ctx.clock, client);
  const syncFrequencyMs = config.syncFrequency;
  const csi = new CsiManager(ctx, {
    ...{ client, informers, nodeName, rootDirectory, publishedRootDirectory },
    plugins,
    tokens,
    recorder,
    syncFrequencyMs,
    onChange: () => state.nodeChanged.publish(),
  });
  await csi.load();
  state.reportProblems(() => csi.problems());

  const capacity = new CapacityProvider(machine, config, devices);
  await capacity.refresh();
  const cgroups = options.cgroups ?? (await openConfiguredCgroups(ctx, config, runtime));
  await cgroups.prepare(capacity.allocatable());
  const reporter = buildReporter({ ctx, options, config, state }, { machine, recorder, runtimeState, csi, capacity });
  state.nodeChanged.subscribe(() => reporter.changed());
  return {
    ...{
      machine,
      recorder,
      events: new PodEvents(recorder),
      informers,
      nodeInformer,
      runtimeState,
      devices,
      plugins,
      dra,
    },
    ...{ resources, tokens, csi, cgroups, capacity, reporter },
    facts: () => ({
      name: nodeName,
      hostname: machine.hostname,
      hostIPs: config.nodeAddresses,
      memoryCapacity: machine.memoryBytes,
      allocatable: capacity.allocatable(),
    }),
    node: () =>
      nodeInformer.get(nodeName) ?? reporter.node ?? { apiVersion: 'v1', kind: 'Node', metadata: { name: nodeName } },
  };
}

type ResourceComponents = Pick<NodeComponents, 'devices' | 'plugins' | 'dra' | 'resources'>;

/** The managers of devices, CPUs, memory and dynamic resources, with the state that they saved before a restart. */
async function buildResourceManagers(
  { ctx, options, config, state }: BuildInput,
  machine: Machine,
): Promise<ResourceComponents> {
  const { client, runtime } = options;
  const { nodeName, rootDirectory } = config;
  const onHealth = (uid: string): void => state.podChanged.publish(uid);
  const topology = options.topology ?? (await readTopology());
  const numaNodes = topology.numaNodes.map(({ id }) => id);
  const devices = new DeviceManager(ctx, { config, numaNodes, onChange: () => state.nodeChanged.publish(), onHealth });
  const plugins = new PluginRegistry(ctx, config);
  const dra = new DraManager(ctx, {
    client,
    nodeName,
    rootDirectory,
    plugins,
    isActive: (uid) => state.isPodRunning(uid),
    onHealth,
  });
  const resources = new ResourceManagers(ctx, {
    config,
    topology,
    memoryCapacity: machine.memoryBytes,
    runtime,
    devices,
    dra,
  });
  await resources.load();
  return { devices, plugins, dra, resources };
}

type ReporterInput = Pick<NodeComponents, 'machine' | 'recorder' | 'runtimeState' | 'csi' | 'capacity'>;

function buildReporter({ ctx, options, config, state }: BuildInput, components: ReporterInput): NodeReporter {
  const { machine, recorder, runtimeState, csi, capacity } = components;
  return new NodeReporter(ctx, {
    client: options.client,
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
      await runtimeState.update();
      await capacity.refresh();
      const cloudAddresses = config.cloudProvider === 'external' ? before?.status?.addresses : undefined;
      return nodeStatus({
        now: ctx.clock.now(),
        nodeName: config.nodeName,
        machine,
        capacity: capacity.capacity(),
        allocatable: capacity.allocatable(),
        addresses: cloudAddresses ?? nodeAddressList(config),
        port: state.kubeletPort,
        runtimeVersion: runtimeState.version,
        runtimeHandlers: runtimeState.handlers,
        runtimeFeatures: runtimeState.features,
        images: await runtimeState.images(),
        maxImages: config.nodeStatusMaxImages,
        pressures: state.pressures,
        problems: state.problems,
        volumesInUse: csi.volumesInUse(),
        before,
      });
    },
  });
}

async function openConfiguredCgroups(
  ctx: Context,
  config: KubeletConfig,
  runtime: ContainerRuntime,
): Promise<CgroupManager> {
  return config.cgroupsPerQOS ? openCgroups(ctx, { config, ...(await runtimeCgroupDriver(runtime)) }) : noCgroups;
}

/** Runtimes without RuntimeConfig leave the cgroup driver to the kubelet's configuration. */
async function runtimeCgroupDriver(runtime: ContainerRuntime): Promise<{ driver?: CgroupDriver }> {
  const answer = await runtime.runtime.runtimeConfig({}).catch(() => undefined);
  if (answer?.linux?.cgroupDriver === undefined) return {};
  return { driver: answer.linux.cgroupDriver === 'SYSTEMD' ? 'systemd' : 'cgroupfs' };
}
