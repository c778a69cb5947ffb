/** What a kubelet is started with. */
import type { Taint } from '../api/generated/core-v1.ts';
import type { Client } from '../client/index.ts';
import type { ContainerRuntime } from '../cri/index.ts';
import type { CgroupManager } from './cgroups/cgroup-manager.ts';
import type { KubeletConfiguration } from './configuration/kubelet-configuration.ts';
import type { Machine } from './node/machine.ts';
import type { Dial } from './probes/dial.ts';
import type { NodeTopology } from './resources/node-topology.ts';
import type { ContainerGcPolicy } from './runtime/container-garbage-collector.ts';
import type { Logind } from './shutdown/logind.ts';
import type { Mounter } from './volumes/mounter.ts';

/** What the kubelet's own server shows, and whom it believes. */
export interface KubeletServing {
  /** PEM; without them a certificate is made that signs itself. */
  readonly certificate?: string;
  readonly privateKey?: string;
  /** PEM of the CA whose client certificates count as users. */
  readonly clientCa?: string;
}

export interface KubeletConfig extends KubeletConfiguration {
  readonly nodeName: string;
  /** `--root-dir`. */
  readonly rootDirectory: string;
  /** In order of preference, at most one of each IP family first; a Hostname address is added. */
  readonly nodeAddresses: readonly string[];
  /** The pinned network namespace that is the node's, where it is not the process's own. */
  readonly nodeNetns?: string;
  /** The namespace in which the runtime's streaming URLs answer, where it is not the process's own. */
  readonly runtimeNetns?: string;
  readonly serving?: KubeletServing;
  /** `--cert-dir`; default: pki below the root directory. */
  readonly certificateDirectory?: string;
  /** `external`: a cloud controller manager initializes the node and gives it its addresses. */
  readonly cloudProvider?: string;
  readonly nodeLabels?: Readonly<Record<string, string>>;
  readonly registerUnschedulable?: boolean;
  /** `--image-credential-provider-config` and `--image-credential-provider-bin-dir`. */
  readonly credentialProviders?: { readonly config: string; readonly binDirectory: string };
  /** How many dead containers stay, and how long. */
  readonly containerGc?: ContainerGcPolicy;
}

export interface KubeletOptions {
  readonly client: Client;
  readonly runtime: ContainerRuntime;
  readonly config: KubeletConfig;
  /** Told once the node is registered and pods are worked on. */
  readonly onReady?: (kubelet: RunningKubelet) => void;
  /** What the kubelet would otherwise take from the machine. */
  readonly machine?: Machine;
  readonly topology?: NodeTopology;
  readonly mounter?: Mounter;
  readonly cgroups?: CgroupManager;
  readonly dial?: Dial;
  /** Default: the machine's, where it has one. */
  readonly openLogind?: () => Promise<Logind | undefined>;
  /** In milliseconds, where upstream's pace is not to be waited for. */
  readonly periods?: { readonly eviction?: number; readonly imageGc?: number; readonly containerGc?: number };
}

export interface RunningKubelet {
  /** The port of the kubelet's API; 0 without one. */
  readonly port: number;
  readonly taints?: readonly Taint[];
  /** Ends the node's pods in order of their priority, as configured, before the machine goes down. */
  shutDown(): Promise<void>;
}
