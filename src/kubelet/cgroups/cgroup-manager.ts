/**
 * The cgroups of pods: `kubepods`, below it one for each QoS class, and in those one for each pod. The runtime creates
 * the cgroups of containers inside the pod's cgroup.
 */
import type { Pod } from '../../api/generated/core-v1.ts';

export interface CgroupManager {
  /** Creates the cgroups above pods. `allocatable` limits kubepods (node allocatable enforcement). */
  prepare(allocatable: Readonly<Record<string, string>>): Promise<void>;
  /** Creates the pod's cgroup, or updates its limits. Returns the cgroup parent for the runtime. */
  ensurePod(pod: Pod): Promise<string>;
  /** Raises the limits of the pod's cgroup that are below those of the pod. */
  raisePod(pod: Pod): Promise<void>;
  removePod(podUid: string): Promise<void>;
  /** Sets the CPU shares of the QoS classes by the requests of their pods. */
  updateQos(pods: readonly Pod[]): Promise<void>;
  /** UIDs of pods that have a cgroup. */
  podUids(): Promise<string[]>;
  /** The directory of the pod's cgroup, of one controller in cgroup v1. */
  podPath(pod: Pod, controller: string): string;
  /** The memory that the pod's cgroup uses, and its limit; undefined when nobody measures it. */
  podMemory(pod: Pod): Promise<PodMemory | undefined>;
  /** Memory limit and usage of all pods together; undefined without a limit. */
  podsMemory(): Promise<MemoryUse | undefined>;
}

export interface MemoryUse {
  readonly limitBytes: number;
  readonly workingSetBytes: number;
}

export interface PodMemory {
  readonly usageBytes: number;
  /** Undefined without a limit. */
  readonly limitBytes: number | undefined;
}

/** For `cgroupsPerQOS: false` and tests: leaves the cgroup parent to the runtime. */
export const noCgroups: CgroupManager = {
  prepare: () => Promise.resolve(),
  ensurePod: () => Promise.resolve(''),
  raisePod: () => Promise.resolve(),
  removePod: () => Promise.resolve(),
  updateQos: () => Promise.resolve(),
  podUids: () => Promise.resolve([]),
  podPath: () => '',
  podMemory: () => Promise.resolve(undefined),
  podsMemory: () => Promise.resolve(undefined),
};
