/** The options of a cluster. */
import type { ApiServerOptions, AuditLogFileOptions, ClusterPki } from '../apiserver/index.ts';
import type { RegistryOptions } from '../container-runtime/index.ts';
import type { EtcdTls, MemoryState } from '../etcd/index.ts';
import type { NodeTemplate } from '../simulated-kubelet/index.ts';
import type { ManagedEtcdOptions } from './managed-etcd/index.ts';
import type { Profile } from './profile/index.ts';
import type { HostNetwork } from './rootless/index.ts';

export const ADDONS = ['storage', 'dns', 'ingress', 'metrics', 'join'] as const;
export type Addon = (typeof ADDONS)[number];

/** A state to start from: the store, and the keys, so that existing credentials stay valid. */
export interface ClusterState {
  readonly store: MemoryState;
  readonly pki: ClusterPki;
}

export interface ClusterOptions {
  /** Where data, keys and the kubeconfig live; without it the cluster is kept in memory. */
  readonly dataDirectory?: string;
  /** A real etcd instead of the embedded store. */
  readonly etcdServers?: readonly string[];
  readonly etcdTls?: EtcdTls;
  /** A member of etcd on this machine instead of the embedded store; needs a data directory. */
  readonly managedEtcd?: ManagedEtcdOptions;
  /** This machine joined the control plane of a cluster that another one has made: simulated nodes are that one's. */
  readonly isJoined?: boolean;
  /** Only for clusters in memory. */
  readonly from?: ClusterState;
  /** How long old revisions are kept, in milliseconds; default one hour. */
  readonly historyMs?: number;
  readonly bindAddress: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** The address under which nodes and pods reach the API server; default one of the machine's. */
  readonly advertiseAddress?: string;
  readonly serviceClusterIpRange: string;
  readonly clusterCidr: string;
  /** `--runtime-config` of the API server: which versions are served. */
  readonly runtimeConfig?: Readonly<Record<string, string>>;
  /** `--feature-gates` of the API server. */
  readonly featureGates?: Readonly<Record<string, string>>;
  /** `--controllers`; none at all when empty. */
  readonly controllers: readonly string[];
  /** Whether the scheduler runs; default true. */
  readonly scheduler?: boolean;
  /** Default: none. */
  readonly addons?: readonly Addon[];
  /** Nodes that run containers. */
  readonly nodes?: number;
  /** Lets pods reach what the machine reaches; default no. */
  readonly egress?: boolean;
  /**
   * The network of the user, where this process has another one: the API server's port, Ingresses and NodePorts are
   * served there, and images come from there.
   */
  readonly hostNetwork?: HostNetwork;
  /** Mirrors and certificates of registries. */
  readonly registries?: Pick<RegistryOptions, 'hosts' | 'hostsDirectory'>;
  /** False where cgroups cannot be created: limits of containers are not enforced. Default true. */
  readonly limits?: boolean;
  /** Where Ingresses are served on loopback; default 80 and 443. */
  readonly ingressPorts?: { readonly httpPort: number; readonly httpsPort: number };
  /** How soon a silent node becomes NotReady; upstream's defaults without it. */
  readonly nodeMonitoring?: NodeMonitoring;
  /** Containers run on when the cluster ends, for its next start; default no, but for those of `machineNode`. */
  readonly keepContainers?: boolean;
  /** This machine itself is a node, in its own network, which other machines can join. */
  readonly machineNode?: MachineNodeName;
  /** Addresses for LoadBalancer Services that machines announce on their link. */
  readonly loadBalancerPool?: readonly string[];
  readonly simulatedNodes?: number;
  /** How many of the simulated nodes are in place of nodes that run containers, which are impossible here. */
  readonly standIns?: number;
  readonly nodeTemplate?: NodeTemplate | ((index: number) => NodeTemplate);
  /** Where the admin kubeconfig is written. */
  readonly kubeconfig?: string;
  /** Called with the admin kubeconfig when its certificate was renewed. */
  readonly onKubeconfig?: (kubeconfig: string) => Promise<void>;
  /** The type of the token signing key; default RSA. */
  readonly signingKey?: 'rsa' | 'ec';
  /** Serves the API server's port in a thread: for a cluster that owns its process. */
  readonly ownThread?: boolean;
  readonly profile?: Profile;
  /** The API server's audit log. */
  readonly audit?: ApiServerOptions['audit'];
  /** An audit log in a file, by a policy (YAML). */
  readonly auditFile?: AuditLogFileOptions & { readonly policy: string };
  /** Wraps the API server's pipeline: tests inject faults here. */
  readonly intercept?: ApiServerOptions['intercept'];
  /** Called at each step of the start. */
  readonly onProgress?: (step: string) => void;
}

/** Of the options of a cluster those that are the same on all of its servers. */
export type SharedOptions = Pick<
  ClusterOptions,
  | 'port'
  | 'serviceClusterIpRange'
  | 'clusterCidr'
  | 'runtimeConfig'
  | 'featureGates'
  | 'controllers'
  | 'scheduler'
  | 'addons'
  | 'historyMs'
  | 'loadBalancerPool'
  | 'nodeMonitoring'
  | 'profile'
> & {
  /** Without a path: in the data directory of each server. */
  readonly auditFile?: Omit<NonNullable<ClusterOptions['auditFile']>, 'path'> & { readonly path?: string };
};

interface MachineNodeName {
  readonly nodeName: string;
  /** InternalIPs; the first is where other machines reach this one. */
  readonly addresses: readonly string[];
  /** Encrypts what pods send to other machines. */
  readonly encrypt?: boolean;
}

interface NodeMonitoring {
  /** How often the node lifecycle controller checks. */
  readonly periodSeconds: number;
  readonly gracePeriodSeconds: number;
  /** The node lease of kubelets, which renew it four times within its duration. */
  readonly leaseDurationSeconds: number;
}

/** Whether other servers may use the same store: then one of them leads. */
export const isShared = ({ managedEtcd, etcdServers = [] }: ClusterOptions): boolean =>
  managedEtcd !== undefined || etcdServers.length > 0;

/** Whether machines can join: the API server listens for them, and no fabric has the cluster's network. */
export const isJoinable = ({ addons = [], nodes = 0, hostNetwork, bindAddress }: ClusterOptions): boolean =>
  addons.includes('join') && nodes === 0 && !hostNetwork && !isLoopbackHost(bindAddress);

export const isLoopbackHost = (address: string): boolean =>
  address.startsWith('127.') || address === '::1' || address === 'localhost';

/** Where the API server listens. In namespaces it is loopback; `bindAddress` is an address of the user's network. */
export const listenAddress = ({
  hostNetwork,
  bindAddress,
}: Pick<ClusterOptions, 'hostNetwork' | 'bindAddress'>): string => (hostNetwork ? '127.0.0.1' : bindAddress);
