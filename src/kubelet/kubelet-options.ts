/** The options of a kubelet: its configuration, and replacements of parts of the machine for tests. */
import type { Taint } from '../api/generated/core-v1.ts';
import type { Client } from '../client/index.ts';
import type { ContainerRuntime } from '../cri/index.ts';
import type { FollowedFiles } from '../kernel/index.ts';
import type { CgroupManager } from './cgroups/cgroup-manager.ts';
import type { KubeletConfiguration } from './configuration/kubelet-configuration.ts';
import type { Machine } from './node/machine.ts';
import type { Dial } from './probes/dial.ts';
import type { KubeletRoot } from './published-root.ts';
import type { NodeTopology } from './resources/node-topology.ts';
import type { ContainerGcPolicy } from './runtime/container-garbage-collector.ts';
import type { Logind } from './shutdown/logind.ts';
import type { Mounter } from './volumes/mounter.ts';

/** Certificates of the kubelet's server. */
interface KubeletServing {
  /** PEM; without them the kubelet creates a self-signed certificate. */
  readonly certificate?: string;
  readonly privateKey?: string;
  /** Issues the certificate anew before it expires, where the kubelet's owner has the CA. */
  readonly issue?: () => Promise<{ readonly certificate: string; readonly privateKey: string }>;
  /** PEM of the CA that signs client certificates. */
  readonly clientCa?: string;
  /** The files of the certificate and of the CA, which may change. */
  readonly followed?: {
    readonly certificate?: FollowedFiles<{ readonly certificate: string; readonly privateKey: string }>;
    readonly clientCa?: FollowedFiles<string>;
  };
  /** PEM of the CA that signs the certificate, where it may change. */
  readonly issuer?: string;
}

export interface KubeletConfig extends KubeletConfiguration, KubeletRoot {
  readonly nodeName: string;
  /** In order of preference, at most one of each IP family first; a Hostname address is added. */
  readonly nodeAddresses: readonly string[];
  /** The network namespace of the node, if it is not that of the process. */
  readonly nodeNetns?: string;
  /** The network namespace of the runtime's streaming server, if it is not that of the process. */
  readonly runtimeNetns?: string;
  readonly serving?: KubeletServing;
  /** `--cert-dir`; default: pki below the root directory. */
  readonly certificateDirectory?: string;
  /** `external`: a cloud controller manager initializes the node and sets its addresses. */
  readonly cloudProvider?: string;
  readonly nodeLabels?: Readonly<Record<string, string>>;
  readonly registerUnschedulable?: boolean;
  /** `--image-credential-provider-config` and `--image-credential-provider-bin-dir`. */
  readonly credentialProviders?: { readonly config: string; readonly binDirectory: string };
  readonly containerGc?: ContainerGcPolicy;
}

export interface KubeletOptions {
  readonly client: Client;
  readonly runtime: ContainerRuntime;
  readonly config: KubeletConfig;
  /** Called once the node is registered and pods are synced. */
  readonly onReady?: (kubelet: RunningKubelet) => void;
  /** Replacements for tests; default: the machine's. */
  readonly machine?: Machine;
  readonly topology?: NodeTopology;
  readonly mounter?: Mounter;
  readonly cgroups?: CgroupManager;
  readonly dial?: Dial;
  readonly openLogind?: () => Promise<Logind | undefined>;
  /** Periods in milliseconds, if shorter than upstream's. */
  readonly periods?: { readonly eviction?: number; readonly imageGc?: number; readonly containerGc?: number };
}

export interface RunningKubelet {
  /** The port of the kubelet's API; 0 without one. */
  readonly port: number;
  readonly taints?: readonly Taint[];
  /** Graceful node shutdown: terminates pods by priority. */
  shutDown(): Promise<void>;
}
