/** A node that runs containers: a container runtime and a kubelet in this process, in a network namespace of the node's own. */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Socket } from 'node:net';
import type { Client } from '../src/client/index.ts';
import { BridgeNetwork, startContainerRuntime, type ContainerRuntimeOptions, type RunningContainerRuntime } from '../src/container-runtime/index.ts';
import { connectIn } from '../src/kernel/netns/index.ts';
import { childContext, RunGroup, type Context } from '../src/kernel/index.ts';
import { DEFAULT_KUBELET_CONFIGURATION, run as runKubelet, type KubeletConfig, type RunningKubelet } from '../src/kubelet/index.ts';

export interface RealNodeOptions {
  readonly name: string;
  /** As `system:node:NAME` of the group system:nodes. */
  readonly client: Client;
  /** What lasts as long as the node: images, pods, logs. */
  readonly dataDirectory: string;
  /** What a reboot takes away; nodes that share a machine have one each. */
  readonly stateDirectory: string;
  /** The node's pinned network namespace; without it the node is on the machine's own network. */
  readonly netns?: string;
  readonly addresses: readonly string[];
  readonly clusterDns?: readonly string[];
  readonly clusterDomain?: string;
  /** PEM; clients of the kubelet with a certificate of this CA are users. */
  readonly clientCa?: string;
  /** Ranges that pods reach with their own address; others see the node's. */
  readonly masqueradeExcept?: readonly string[];
  readonly images?: ContainerRuntimeOptions['images'];
  readonly cloudProvider?: 'external';
  readonly labels?: Readonly<Record<string, string>>;
  /** Whatever else of the kubelet's configuration shall differ from its defaults. */
  readonly kubelet?: Partial<KubeletConfig>;
}

export interface RealNode {
  readonly name: string;
  readonly runtime: RunningContainerRuntime;
  readonly kubelet: RunningKubelet;
  /** A connection to the kubelet's API, for the API server. */
  connect(): Socket;
  /** Resolves when kubelet and runtime have ended; the containers go on. */
  readonly finished: Promise<void>;
}

/** Resolves when the node is registered and works on its pods; it ends with the context. */
export async function startRealNode(outer: Context, options: RealNodeOptions): Promise<RealNode> {
  const ctx = childContext(outer, options.name);
  const { name, dataDirectory, stateDirectory, netns } = options;
  await fs.mkdir(dataDirectory, { recursive: true, mode: 0o711 });
  const network = await BridgeNetwork.open(ctx, { ...(netns === undefined ? {} : { nodeNetns: netns }), stateDirectory: path.join(dataDirectory, 'network'), ...(options.masqueradeExcept === undefined ? {} : { masqueradeExcept: options.masqueradeExcept }) });
  const group = new RunGroup({ signal: ctx.signal, logger: ctx.logger });
  const inner = { ...ctx, signal: group.signal };
  const runtime = await startContainerRuntime(childContext(inner, 'container-runtime'), {
    rootDirectory: path.join(dataDirectory, 'runtime'),
    stateDirectory,
    network,
    cgroupParent: cgroupRootOf(options),
    ...(netns === undefined ? {} : { nodeNetns: netns }),
    ...(options.images === undefined ? {} : { images: options.images }),
  }).catch(async (error: unknown) => {
    await network.close();
    throw error;
  });
  group.start('container-runtime', () => runtime.finished);
  const finished = untilEnded(group, runtime, network);
  const kubelet = await new Promise<RunningKubelet>((resolve, reject) => {
    group.start('kubelet', () => runKubelet(inner, { client: options.client, runtime, config: kubeletConfig(options), onReady: resolve }));
    finished.then(() => reject(new Error(`the node ${name} ended before it was ready`)), reject);
  });
  const [host = '127.0.0.1'] = options.addresses;
  return { name, runtime, kubelet, finished, connect: () => connectIn({ netns, host: netns === undefined ? host : '127.0.0.1', port: kubelet.port }) };
}

async function untilEnded(group: RunGroup, runtime: RunningContainerRuntime, network: BridgeNetwork): Promise<void> {
  try {
    await group.wait();
  } finally {
    await runtime.finished.catch(() => {});
    await network.close();
  }
}

/** Below it are the cgroups of all pods of the node. */
const cgroupRootOf = ({ stateDirectory, name }: Pick<RealNodeOptions, 'stateDirectory' | 'name'>): string => `/k8ts-${path.basename(path.dirname(stateDirectory))}-${name}`;

function kubeletConfig(options: RealNodeOptions): KubeletConfig {
  const { dataDirectory, addresses, clusterDns = [], clusterDomain = 'cluster.local' } = options;
  return {
    ...DEFAULT_KUBELET_CONFIGURATION,
    // In a namespace of its own the node has its ports to itself.
    port: options.netns === undefined ? 0 : DEFAULT_KUBELET_CONFIGURATION.port,
    healthzPort: options.netns === undefined ? 0 : DEFAULT_KUBELET_CONFIGURATION.healthzPort,
    nodeName: options.name,
    rootDirectory: path.join(dataDirectory, 'kubelet'),
    podLogsDir: path.join(dataDirectory, 'logs', 'pods'),
    cgroupRoot: cgroupRootOf(options),
    nodeAddresses: addresses,
    clusterDNS: clusterDns,
    clusterDomain,
    serializeImagePulls: false,
    ...(options.netns === undefined ? {} : { nodeNetns: options.netns }),
    ...(options.clientCa === undefined ? {} : { serving: { clientCa: options.clientCa } }),
    ...(options.cloudProvider === undefined ? {} : { cloudProvider: options.cloudProvider }),
    ...(options.labels === undefined ? {} : { nodeLabels: options.labels }),
    ...options.kubelet,
  };
}
