/** The node that this machine itself is. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Client } from '../../client/index.ts';
import type { RegistryOptions, RunningContainerRuntime } from '../../container-runtime/index.ts';
import { makeDirectory, RunGroup, type Context } from '../../kernel/index.ts';
import type { ClusterConfig } from '../discovery/index.ts';
import { DEFAULT_STATE_DIRECTORY, enableForwarding } from '../fabric/index.ts';
import { runLoadBalancerSpeaker } from '../load-balancer-speaker/index.ts';
import { linkOf, openWireguardKeys, podMtu, runMachineNetwork } from '../machine-network/index.ts';
import {
  startNode,
  type NodeAgent,
  type NodeOptions,
  type NodeRuntimeOptions,
  type RunningNode,
} from '../node/index.ts';

/** What of a machine talks to the API server. */
type MachineAgent = NodeAgent | 'machine-network' | 'load-balancer-speaker';

export interface MachineNodeOptions extends Pick<
  NodeOptions,
  'clientCa' | 'serving' | 'certificateDirectory' | 'issuer'
> {
  /** Where the node keeps what lasts. */
  readonly directory: string;
  readonly nodeName: string;
  /** The node's InternalIPs, addresses of this machine; the first is that of the link to other machines. */
  readonly addresses: readonly string[];
  readonly cluster: ClusterConfig;
  readonly clientOf: (agent: MachineAgent, signal: AbortSignal) => Client;
  readonly leaseDurationSeconds?: number | undefined;
  readonly cni?: CniOptions | undefined;
  /** Encrypts what pods send to other machines. */
  readonly encrypt?: boolean | undefined;
  readonly registries?: RegistryOptions;
}

export interface CniOptions {
  readonly configDirectory: string;
  readonly pluginDirectories: readonly string[];
}

export interface MachineNode {
  readonly name: string;
  readonly runtime: RunningContainerRuntime;
  /** Resolves when the kubelet syncs pods, and rules and routes are written. */
  readonly ready: Promise<void>;
  /** Rejects when an agent fails. */
  readonly agentsEnded: Promise<void>;
  /** Stops the agents and the runtime; containers go on. */
  stop(): Promise<void>;
}

/** The node runs until it is stopped, even after the context ends. */
export async function startMachineNode(ctx: Context, options: MachineNodeOptions): Promise<MachineNode> {
  const { directory, nodeName, addresses, cluster, cni, clientOf } = options;
  await makeDirectory(directory, { mode: 0o711 });
  const link = await linkOf(addresses[0]!);
  const runtimeOptions = machineRuntimeOptions(options, podMtu(link, options.encrypt));
  const wireguard = options.encrypt ? await openWireguardKeys(directory) : undefined;
  const clusterCidrs = cluster.clusterCidr.split(',');
  enableForwarding({
    stateDirectory: directory,
    hostNetns: undefined,
    families: clusterCidrs.map((cidr) => (cidr.includes(':') ? 'IPv6' : 'IPv4')),
  });
  const node: RunningNode = await startNode(ctx, {
    ...runtimeOptions,
    clientOf,
    clientCa: options.clientCa,
    ...(options.serving ? { serving: options.serving } : {}),
    ...(options.issuer === undefined ? {} : { issuer: options.issuer }),
    ...(options.certificateDirectory ? { certificateDirectory: options.certificateDirectory } : {}),
    clusterCidr: cluster.clusterCidr,
    dnsServers: cluster.dnsServers,
    clusterDns: cluster.clusterDNS,
    clusterDomain: cluster.clusterDomain,
    profile: cluster.profile,
    cloudProvider: '',
    leaseDurationSeconds: options.leaseDurationSeconds,
  });
  const group = new RunGroup({ logger: ctx.logger });
  const inner: Context = { ...ctx, signal: group.signal };
  const networkReady = new Promise<void>((resolve) => {
    // The plugins of a user's own CNI configuration also make the routes.
    if (cni) return resolve();
    group.start('machine-network', (signal) =>
      runMachineNetwork(inner, {
        client: clientOf('machine-network', signal),
        nodeName,
        clusterCidrs,
        vxlanId: cluster.vxlanId,
        link,
        wireguard,
        onReady: resolve,
      }),
    );
  });
  const pool = cluster.loadBalancerPool;
  if (pool.length > 0)
    group.start('load-balancer-speaker', (signal) =>
      runLoadBalancerSpeaker(inner, { client: clientOf('load-balancer-speaker', signal), nodeName, link, pool }),
    );
  const agentsEnded = Promise.all([group.wait(), node.agentsEnded]).then(() => undefined);
  agentsEnded.catch(() => undefined);
  return {
    name: nodeName,
    runtime: node.runtime,
    ready: Promise.all([node.ready, networkReady]).then(() => undefined),
    agentsEnded,
    stop: async () => {
      group.stop(new Error(`the node ${nodeName} was stopped`));
      await Promise.all([group.wait().catch(() => undefined), node.crash()]);
    },
  };
}

/** The name of everything of a machine node that is not in its directory: cgroups, state. */
export const machineName = (directory: string): string =>
  `k8ts-${createHash('sha256').update(path.resolve(directory)).digest('hex').slice(0, 8)}`;

/** What is needed to open the machine's runtime, also for its removal. */
export function machineRuntimeOptions(
  {
    directory,
    nodeName,
    addresses,
    cluster,
    cni,
    registries,
  }: Pick<MachineNodeOptions, 'directory' | 'nodeName' | 'addresses' | 'cni' | 'registries'> &
    Partial<Pick<MachineNodeOptions, 'cluster'>>,
  mtu = 1500,
): NodeRuntimeOptions {
  const clusterName = machineName(directory);
  return {
    clusterName,
    node: { name: nodeName, addresses },
    directory,
    stateDirectory: path.join(DEFAULT_STATE_DIRECTORY, clusterName, 'node'),
    podNetwork: cni
      ? { kind: 'cni', ...cni }
      : { kind: 'bridge', mtu, ...(cluster ? { masqueradeExcept: cluster.clusterCidr.split(',') } : {}) },
    ...(registries === undefined ? {} : { registries }),
  };
}
