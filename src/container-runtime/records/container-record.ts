/** The record of a container and its phases. */
import type { ContainerConfig, LinuxContainerResources } from '../../cri/index.ts';
import type { ProcessIdentity } from '../linux/processes.ts';

/**
 * creating: the caller does not have the id yet; recovery deletes the container.
 * starting: conmon may have been started; recovery finds out.
 * removing: recovery finishes the removal.
 */
export type ContainerPhase = 'creating' | 'created' | 'starting' | 'running' | 'exited' | 'removing';

export interface ContainerRecord {
  readonly id: string;
  readonly phase: ContainerPhase;
  readonly sandboxId: string;
  readonly config: ContainerConfig;
  readonly runtimeHandler: string;
  readonly imageId: string;
  /** The image reference, with a digest if the image has one. */
  readonly imageRef: string;
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly exitCode?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly logPath?: string;
  readonly process?: ProcessIdentity;
  readonly conmon?: ProcessIdentity;
  readonly user?: { readonly uid: number; readonly gid: number; readonly supplementalGroups: readonly number[] };
  /** The current limits, including in-place updates. */
  readonly resources?: LinuxContainerResources;
  /** The stop signal, as a name or number. */
  readonly stopSignal: string;
  /** Absolute, below the root of the cgroup file system. */
  readonly cgroupPath: string;
}
