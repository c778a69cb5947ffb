/** The interface of the resource managers to pod workers: admission, and what a container's devices, CPUs and claims add to its configuration. */
import type { Container, EphemeralContainer, Pod, ResourceStatus } from '../../api/generated/core-v1.ts';
import type { Device, Mount } from '../../cri/index.ts';
import type { PodRejection } from '../admission/admit-pod.ts';

export interface RunContainerOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly devices: readonly Device[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly cdiDevices: readonly string[];
  /** `cpuset.cpus` and `cpuset.mems`; undefined for all. */
  readonly cpuset?: string;
  readonly memset?: string;
}

export interface ContainerManager {
  /** Allocates devices, CPUs and memory for the pod's containers, or rejects the pod. Idempotent. */
  admit(pod: Pod): Promise<PodRejection | undefined>;
  /** Prepares the pod's ResourceClaims before its sandbox is created. Throws when that is not possible yet. */
  prepareDynamicResources(pod: Pod): Promise<void>;
  runContainerOptions(pod: Pod, container: Container | EphemeralContainer): Promise<RunContainerOptions>;
  /** The container's devices and their health, for its status. */
  allocatedResourcesStatus(pod: Pod, container: Container): ResourceStatus[];
  /** Frees the resources of a terminated pod. Throws when some could not be freed; the caller retries. */
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
