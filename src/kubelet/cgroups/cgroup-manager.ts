/**
 * The cgroups above containers: /kubepods, one for each QoS class below it, one for each pod below that. The runtime makes
 * those of the containers inside the pod's.
 */
import type { Pod } from '../../api/generated/core-v1.ts';

export interface CgroupManager {
  /** Makes the cgroups that all pods share. `allocatable` is what they may have together. */
  prepare(allocatable: Readonly<Record<string, string>>): Promise<void>;
  /** The path for the runtime, made if it is not there and brought to what the pod asks for. */
  ensurePod(pod: Pod): Promise<string>;
  removePod(podUid: string): Promise<void>;
  /** The shares of the QoS classes, which follow the pods in them. */
  updateQos(pods: readonly Pod[]): Promise<void>;
  /** Uids of pods that have a cgroup. */
  podUids(): Promise<string[]>;
  /** Where the pod's cgroup is, for statistics; the controller is for version 1. */
  podPath(pod: Pod, controller: string): string;
  /** What all pods use, and may use, of memory; undefined where nothing limits them. */
  podsMemory(): Promise<MemoryUse | undefined>;
}

export interface MemoryUse {
  readonly limitBytes: number;
  readonly workingSetBytes: number;
}

/** Where nothing may be made, or tests need nothing: the runtime decides. */
export const noCgroups: CgroupManager = {
  prepare: () => Promise.resolve(),
  ensurePod: () => Promise.resolve(''),
  removePod: () => Promise.resolve(),
  updateQos: () => Promise.resolve(),
  podUids: () => Promise.resolve([]),
  podPath: () => '',
  podsMemory: () => Promise.resolve(undefined),
};
