/** The dependencies of pod workers. */
import type { Container, EphemeralContainer, Pod, Service } from '../../api/generated/core-v1.ts';
import type { Client } from '../../client/index.ts';
import type { ContainerRuntime, UserNamespace } from '../../cri/index.ts';
import type { Context } from '../../kernel/index.ts';
import type { AllocatedResources } from '../admission/allocation-checkpoint.ts';
import type { CgroupManager } from '../cgroups/cgroup-manager.ts';
import type { KubeletConfiguration } from '../configuration/kubelet-configuration.ts';
import type { PodFacts } from '../environment/field-value.ts';
import type { ImageManager } from '../images/image-manager.ts';
import type { Dial } from '../probes/dial.ts';
import type { ProbeManager } from '../probes/probe-manager.ts';
import type { PodObserver } from '../runtime/observe-pod.ts';
import type { Mounter } from '../volumes/mounter.ts';
import type { VolumeManager } from '../volumes/volume-manager.ts';
import type { WatchBasedManager } from '../volumes/watch-based-manager.ts';
import type { BackOffTable } from './back-off.ts';
import type { ContainerManager } from './container-manager.ts';
import type { PodEvents } from './pod-events.ts';
import type { StatusManager } from './status-manager.ts';

export interface NodeFacts {
  readonly name: string;
  readonly hostname: string;
  readonly hostIPs: readonly string[];
  readonly memoryCapacity: number;
  readonly allocatable: Readonly<Record<string, string>>;
}

interface RuntimeFacts {
  /** The scheme of container IDs, such as `containerd`. */
  readonly name: string;
  readonly recursiveReadOnly: boolean;
}

export interface PodDependencies {
  readonly ctx: Context;
  readonly client: Client;
  readonly runtime: ContainerRuntime;
  readonly config: KubeletConfiguration;
  readonly node: () => NodeFacts;
  readonly runtimeFacts: () => RuntimeFacts;
  readonly observer: PodObserver;
  readonly images: ImageManager;
  readonly volumes: VolumeManager;
  readonly mounter: Mounter;
  readonly probes: ProbeManager;
  readonly events: PodEvents;
  readonly statuses: StatusManager;
  readonly cgroups: CgroupManager;
  readonly dial: Dial;
  readonly restarts: BackOffTable;
  readonly containerManager: ContainerManager;
  readonly configMaps: WatchBasedManager<'v1/configmaps'>;
  readonly secrets: WatchBasedManager<'v1/secrets'>;
  /** Why the runtime's network is not ready. */
  readonly networkProblem: () => string | undefined;
  readonly services: () => Promise<readonly Service[]>;
  /** The runtime handler of a RuntimeClass. Throws when there is no such class. */
  readonly runtimeHandler: (runtimeClassName: string) => Promise<string>;
  readonly userNamespace: (pod: Pod) => Promise<UserNamespace | undefined>;
  /** Records that the container has its resources in the runtime. */
  readonly setActuated: (pod: Pod, container: Container | EphemeralContainer) => void;
  /** What containers and the pod's cgroup were given last. */
  readonly actuated: (pod: Pod) => AllocatedResources | undefined;
  /** Records that the pod's cgroup has the pod's own resources. */
  readonly setPodActuated: (pod: Pod) => void;
  readonly nodeResolvConf: () => Promise<string>;
  readonly rootDirectory: string;
  /** How many dead instances of a container to keep. */
  readonly keepDead: number;
}

export function podFacts({ node }: Pick<PodDependencies, 'node'>, pod: Pod, podIPs?: readonly string[]): PodFacts {
  const { name, hostIPs, allocatable } = node();
  return {
    pod,
    nodeName: name,
    hostIPs,
    podIPs: podIPs ?? (pod.status?.podIPs ?? []).map(({ ip }) => ip),
    allocatable,
  };
}
