/** The container runtime of a node: opened for its kubelet, or only to stop containers that an earlier process left. */
import path from 'node:path';
import {
  BridgeNetwork,
  CniNetwork,
  startContainerRuntime,
  type PodNetwork,
  type RegistryOptions,
  type RunningContainerRuntime,
} from '../../container-runtime/index.ts';
import { childContext, endInOrder, type Context } from '../../kernel/index.ts';
import { unmountVolumes } from '../../kubelet/index.ts';
import type { PodGate } from '../../network-policy/index.ts';
import { guardedNetwork } from './guarded-network.ts';

/** Where a node is: a fabric's node, or this machine. */
interface NodePlace {
  readonly name: string;
  /** The pinned network namespace; undefined is the process's own. */
  readonly netnsPath?: string | undefined;
  /** The node's InternalIPs, one per family. */
  readonly addresses: readonly string[];
}

type PodNetworkOptions =
  | {
      readonly kind: 'bridge';
      readonly mtu: number;
      /** Pods' traffic to anywhere but these ranges has the node's address; undefined: it has the pod's. */
      readonly masqueradeExcept?: readonly string[];
    }
  | { readonly kind: 'cni'; readonly configDirectory: string; readonly pluginDirectories: readonly string[] };

export interface NodeRuntimeOptions {
  /** Names everything of this node on the machine: cgroups, state. */
  readonly clusterName: string;
  readonly node: NodePlace;
  /** Persistent data: images, container records, volumes. */
  readonly directory: string;
  /** State that a reboot clears. */
  readonly stateDirectory: string;
  readonly podNetwork: PodNetworkOptions;
  /** Whether cgroups can be created; default true. */
  readonly limits?: boolean;
  readonly registries?: RegistryOptions;
}

export interface NodeRuntime {
  readonly runtime: RunningContainerRuntime;
  /** Containers keep running. */
  close(): Promise<void>;
}

export const cgroupRootOf = ({ clusterName, node }: NodeRuntimeOptions): string => `/${clusterName}/${node.name}`;
export const kubeletDirectoryOf = ({ directory }: NodeRuntimeOptions): string => path.join(directory, 'kubelet');

/** The runtime runs until it is closed, even after the context ends: a cluster stops its parts in order. */
export async function openRuntime(parent: Context, options: NodeRuntimeOptions, gate?: PodGate): Promise<NodeRuntime> {
  const { node, directory, stateDirectory } = options;
  const stop = new AbortController();
  const ctx = childContext(parent, node.name, stop.signal);
  const network = await openNetwork(ctx, options);
  const runtime = await startContainerRuntime(ctx, {
    rootDirectory: path.join(directory, 'containers'),
    stateDirectory,
    network: gate ? guardedNetwork(network, gate) : network,
    ...(node.netnsPath === undefined ? {} : { nodeNetns: node.netnsPath }),
    nodeHostname: node.name,
    cgroupParent: cgroupRootOf(options),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.registries === undefined ? {} : { images: { registries: options.registries } }),
  });
  return {
    runtime,
    close: async () => {
      stop.abort(new Error(`the node ${node.name} was stopped`));
      await runtime.finished;
      await network.close();
    },
  };
}

async function openNetwork(ctx: Context, { node, directory, podNetwork }: NodeRuntimeOptions): Promise<PodNetwork> {
  const place = { nodeNetns: node.netnsPath, stateDirectory: path.join(directory, 'network') };
  return podNetwork.kind === 'cni'
    ? new CniNetwork(ctx, { ...place, ...podNetwork })
    : BridgeNetwork.open(ctx, { ...place, ...podNetwork });
}

/** Removes every container with its network and volumes, then closes the runtime. */
export async function endContainers(ctx: Context, machine: NodeRuntime, options: NodeRuntimeOptions): Promise<void> {
  const { name } = options.node;
  const { runtime } = machine;
  const left = new Set<string>();
  await endInOrder(ctx, [
    {
      name: `containers of the node ${name}`,
      limitMs: CONTAINERS_STOP_MS,
      end: () =>
        removeSandboxes(runtime, left).catch((error: unknown) =>
          ctx.logger.error(error, 'Some containers could not be removed', { node: name }),
        ),
      running: () => [...left],
    },
    {
      name: `container runtime of the node ${name}`,
      limitMs: RUNTIME_STOP_MS,
      end: () => machine.close(),
      running: () => runtime.running(),
    },
  ]);
  await unmountVolumes(kubeletDirectoryOf(options));
}

const CONTAINERS_STOP_MS = 10_000;
const RUNTIME_STOP_MS = 5000;

/** `left`: the pods that are not removed yet. */
async function removeSandboxes({ runtime }: RunningContainerRuntime, left: Set<string>): Promise<void> {
  const { items = [] } = await runtime.listPodSandbox({});
  await Promise.all(
    items.map(async ({ id, metadata }) => {
      const pod = `${metadata?.namespace}/${metadata?.name}`;
      left.add(pod);
      await runtime.stopPodSandbox({ podSandboxId: id });
      await runtime.removePodSandbox({ podSandboxId: id });
      left.delete(pod);
    }),
  );
}
