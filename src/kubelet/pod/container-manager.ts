/** What the managers of devices, CPUs, memory and claims add to a container when it starts. */
import type { Container, EphemeralContainer, Pod, ResourceStatus } from '../../api/generated/core-v1.ts';
import type { Device, Mount } from '../../cri/index.ts';
import type { PodRejection } from '../admission/admit-pod.ts';

export interface RunContainerOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly devices: readonly Device[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly cdiDevices: readonly string[];
  /** CPUs, and NUMA nodes of memory, as lists; undefined for all. */
  readonly cpuset?: string;
  readonly memset?: string;
}

export interface ContainerManager {
  /** Takes what the pod's containers need of the machine; gives the reason when it cannot be had. Asked again it keeps what it has. */
  admit(pod: Pod): Promise<PodRejection | undefined>;
  /** Makes ready what must be so before the pod's sandbox; throws when it cannot be done yet. */
  prepareDynamicResources(pod: Pod): Promise<void>;
  runContainerOptions(pod: Pod, container: Container | EphemeralContainer): Promise<RunContainerOptions>;
  /** The health of the devices that a container has. */
  allocatedResourcesStatus(pod: Pod, container: Container): ResourceStatus[];
  /** The pod has ended; what it held is free. Throws when something of it could not be given back, to be asked again. */
  release(pod: Pod): Promise<void>;
}

export const NO_RUN_OPTIONS: RunContainerOptions = {
  environment: {},
  mounts: [],
  devices: [],
  annotations: {},
  cdiDevices: [],
};

export function mergeRunOptions(a: RunContainerOptions, b: RunContainerOptions): RunContainerOptions {
  return {
    ...a,
    ...b,
    environment: { ...a.environment, ...b.environment },
    mounts: [...a.mounts, ...b.mounts],
    devices: [...a.devices, ...b.devices],
    annotations: { ...a.annotations, ...b.annotations },
    cdiDevices: [...new Set([...a.cdiDevices, ...b.cdiDevices])],
  };
}
