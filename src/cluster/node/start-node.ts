/** One node that runs containers: container runtime, kubelet, kube-proxy and network policy agent in this process. */
import path from 'node:path';
import type { Client } from '../../client/index.ts';
import type { RunningContainerRuntime } from '../../container-runtime/index.ts';
import { childContext, endInOrder, RunGroup, type Context } from '../../kernel/index.ts';
import { DEFAULT_KUBE_PROXY_CONFIG, run as runProxy } from '../../kube-proxy/index.ts';
import {
  DEFAULT_KUBELET_CONFIGURATION,
  DEFAULT_ROOT_DIRECTORY,
  run as runKubelet,
  type KubeletConfig,
} from '../../kubelet/index.ts';
import { PodGate, run as runNetworkPolicy } from '../../network-policy/index.ts';
import { CIS_KUBELET, type Profile } from '../profile/index.ts';
import {
  cgroupRootOf,
  endContainers,
  kubeletDirectoryOf,
  openRuntime,
  type NodeRuntime,
  type NodeRuntimeOptions,
} from './node-runtime.ts';

/** What of a node talks to the API server. */
export type NodeAgent = 'kubelet' | 'kube-proxy' | 'network-policy';

/** The kubelet's serving certificate, which is issued anew before it expires. */
interface ServingIssuer {
  readonly current: { readonly certificate: string; readonly key: string };
  issue(): Promise<ServingIssuer['current']>;
}

export const servingIssuer = async (issue: ServingIssuer['issue']): Promise<ServingIssuer> => ({
  current: await issue(),
  issue,
});

export interface NodeOptions extends NodeRuntimeOptions {
  readonly clientOf: (agent: NodeAgent, signal: AbortSignal) => Client;
  readonly clientCa: string;
  /** Without one the kubelet asks the cluster for its serving certificate, and keeps it in `certificateDirectory`. */
  readonly serving?: ServingIssuer;
  readonly certificateDirectory?: string;
  /** PEM of the CA that signs that certificate. */
  readonly issuer?: string;
  readonly clusterCidr: string;
  /** Where cluster DNS listens. It is not a pod; for NetworkPolicies it stands in for the kube-dns pods. */
  readonly dnsServers: readonly DnsServer[];
  /** `external`: a cloud controller manager initializes the node and sets its addresses. */
  readonly cloudProvider: 'external' | '';
  readonly clusterDns: readonly string[];
  readonly clusterDomain: string;
  readonly profile?: Profile | undefined;
  /** The node lease's duration, which the kubelet renews four times within it. Default 40. */
  readonly leaseDurationSeconds: number | undefined;
}

export interface DnsServer {
  readonly address: string;
  readonly port: number;
}

export interface RunningNode {
  readonly name: string;
  readonly runtime: RunningContainerRuntime;
  /** Resolves when the kubelet syncs pods and kube-proxy has its rules. */
  readonly ready: Promise<void>;
  /** Rejects when one of the node's agents fails; resolves when all have ended. */
  readonly agentsEnded: Promise<void>;
  /** Stops the agents and the runtime and leaves everything else, as if the machine's programs were killed. */
  crash(): Promise<void>;
  /** Stops the agents, then removes every container, then stops the runtime. */
  stop(): Promise<void>;
}

/** Longer than all parts of a kubelet may take together. */
const AGENTS_STOP_MS = 15_000;

/** The node runs until it is stopped, even after the context ends: a cluster stops its parts in order. */
export async function startNode(parent: Context, options: NodeOptions): Promise<RunningNode> {
  const { node, clientOf } = options;
  const group = new RunGroup({ logger: parent.logger });
  const ctx = childContext(parent, node.name, group.signal);
  const gate = new PodGate();
  let machine: NodeRuntime | undefined = await openRuntime(parent, options, gate);
  const { runtime } = machine;
  const kubeletReady = new Promise<void>((resolve) => {
    group.start('kubelet', () =>
      runKubelet(ctx, {
        client: clientOf('kubelet', ctx.signal),
        runtime,
        config: kubeletConfig(options),
        onReady: () => resolve(),
      }),
    );
  });
  const proxyReady = new Promise<void>((resolve) => {
    group.start('kube-proxy', (signal) =>
      runProxy(childContext(ctx, 'kube-proxy'), {
        client: clientOf('kube-proxy', signal),
        // Load balancers of each family probe the node's address of that family.
        config: {
          ...DEFAULT_KUBE_PROXY_CONFIG,
          clusterCidr: options.clusterCidr,
          ...(node.addresses.some((address) => address.includes(':')) ? { healthzBindAddress: '[::]:10256' } : {}),
        },
        nodeName: node.name,
        netns: node.netnsPath,
        onReady: resolve,
      }),
    );
  });
  group.start('network-policy', (signal) =>
    runNetworkPolicy(childContext(ctx, 'network-policy'), {
      client: clientOf('network-policy', signal),
      nodeName: node.name,
      netns: node.netnsPath,
      gate,
      virtualPods: options.dnsServers.map(dnsVirtualPod),
    }),
  );
  const agentsEnded = group.wait();
  agentsEnded.catch(() => undefined);
  const agents = {
    name: `agents of the node ${node.name}`,
    limitMs: AGENTS_STOP_MS,
    end: async () => {
      group.stop(new Error(`the node ${node.name} was stopped`));
      await agentsEnded.catch((error: unknown) =>
        parent.logger.error(error, 'A node ended with an error', { node: node.name }),
      );
    },
    running: () => group.running,
  };
  return {
    name: node.name,
    runtime,
    ready: Promise.all([kubeletReady, proxyReady]).then(() => undefined),
    agentsEnded,
    crash: async () => {
      await endInOrder(parent, [agents]);
      await machine?.close();
      machine = undefined;
    },
    stop: async () => {
      await endInOrder(parent, [agents]);
      // Containers outlive a crash and must be stopped.
      machine ??= await openRuntime(parent, options);
      await endContainers(parent, machine, options);
      machine = undefined;
    },
  };
}

const issuedCertificate = ({ certificate, key }: ServingIssuer['current']): IssuedCertificate => ({
  certificate,
  privateKey: key,
});

interface IssuedCertificate {
  readonly certificate: string;
  readonly privateKey: string;
}

function kubeletConfig(options: NodeOptions): KubeletConfig {
  const { node, directory, serving, certificateDirectory } = options;
  const issue = serving && (async () => issuedCertificate(await serving.issue()));
  return {
    ...DEFAULT_KUBELET_CONFIGURATION,
    nodeName: node.name,
    rootDirectory: kubeletDirectoryOf(options),
    publishedRootDirectory: DEFAULT_ROOT_DIRECTORY,
    podLogsDir: path.join(directory, 'logs'),
    nodeAddresses: node.addresses,
    ...(node.netnsPath === undefined ? {} : { nodeNetns: node.netnsPath }),
    address: node.addresses[0]!,
    serving: {
      ...(serving === undefined ? {} : { ...issuedCertificate(serving.current), issue }),
      clientCa: options.clientCa,
      ...(options.issuer === undefined ? {} : { issuer: options.issuer }),
    },
    serverTLSBootstrap: serving === undefined,
    // By whoever starts the node.
    rotateCertificates: true,
    ...(certificateDirectory === undefined ? {} : { certificateDirectory }),
    clusterDNS: options.clusterDns,
    clusterDomain: options.clusterDomain,
    cloudProvider: options.cloudProvider,
    cgroupRoot: cgroupRootOf(options),
    ...(options.limits === false ? { cgroupsPerQOS: false, enforceNodeAllocatable: [] } : {}),
    ...(options.leaseDurationSeconds === undefined ? {} : { nodeLeaseDurationSeconds: options.leaseDurationSeconds }),
    failSwapOn: false,
    ...(options.profile === 'cis' ? CIS_KUBELET : {}),
  };
}

function dnsVirtualPod({ address, port }: DnsServer) {
  return {
    namespace: 'kube-system',
    labels: { 'k8s-app': 'kube-dns' },
    address,
    ports: [
      { protocol: 'UDP' as const, port: 53, name: 'dns', listensOn: port },
      { protocol: 'TCP' as const, port: 53, name: 'dns-tcp', listensOn: port },
    ],
  };
}
