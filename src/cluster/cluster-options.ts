/** What a cluster can be told. */
import type { ApiServerOptions, ClusterPki } from '../apiserver/index.ts';
import type { MemoryState } from '../etcd/index.ts';
import type { NodeTemplate } from '../simulated-kubelet/index.ts';

export const ADDONS = ['storage', 'dns', 'ingress', 'metrics', 'join'] as const;
export type Addon = (typeof ADDONS)[number];

/** A cluster's state to start from: what it stored, and its keys, so that whoever had credentials still has. */
export interface ClusterState {
  readonly store: MemoryState;
  readonly pki: ClusterPki;
}

export interface ClusterOptions {
  /** Where data, keys and the kubeconfig live; without it the cluster is kept in memory. */
  readonly dataDirectory?: string;
  /** A real etcd instead of the embedded store. */
  readonly etcdServers?: readonly string[];
  /** Only for clusters in memory. */
  readonly from?: ClusterState;
  readonly bindAddress: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** The address under which nodes and pods reach the API server; default one of the machine's. */
  readonly advertiseAddress?: string;
  readonly serviceClusterIpRange: string;
  readonly clusterCidr: string;
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
  /** Where Ingresses are served on loopback; default 80 and 443. */
  readonly ingressPorts?: { readonly httpPort: number; readonly httpsPort: number };
  /** How soon a silent node counts as away; upstream's times when left out. */
  readonly nodeMonitoring?: NodeMonitoring;
  readonly simulatedNodes?: number;
  readonly nodeTemplate?: NodeTemplate | ((index: number) => NodeTemplate);
  /** Where the admin kubeconfig is written. */
  readonly kubeconfig?: string;
  /** What tokens are signed with; default RSA. */
  readonly signingKey?: 'rsa' | 'ec';
  /** A thread of its own has the API server's port: for a cluster that has its process to itself. */
  readonly ownThread?: boolean;
  /** Where the API server tells of every request, its own among them. */
  readonly audit?: ApiServerOptions['audit'];
  /** Stands around the API server: tests order failures here. */
  readonly intercept?: ApiServerOptions['intercept'];
  /** Told of each step of the start. */
  readonly onProgress?: (step: string) => void;
}

export interface NodeMonitoring {
  /** How often the controller looks. */
  readonly periodSeconds: number;
  readonly gracePeriodSeconds: number;
  /** Of nodes that run containers: they renew it four times as often as it runs out. */
  readonly leaseDurationSeconds: number;
}
