import type { ContainerConfig, LinuxContainerResources } from '../../cri/index.ts';
import type { ProcessIdentity } from '../linux/processes.ts';

/**
 * creating: nobody has been told its id yet; after a crash it is taken down.
 * starting: conmon may have been started; what became of it is found out after a crash.
 * removing: a removal has begun and is finished after a crash.
 */
export type ContainerPhase = 'creating' | 'created' | 'starting' | 'running' | 'exited' | 'removing';

export interface ContainerRecord {
  readonly id: string;
  readonly phase: ContainerPhase;
  readonly sandboxId: string;
  readonly config: ContainerConfig;
  readonly runtimeHandler: string;
  readonly imageId: string;
  /** What the container was made from, with its digest where the image has one. */
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
  /** Limits as they are now: in-place updates change them. */
  readonly resources?: LinuxContainerResources;
  /** The signal that asks it to stop: a name or a number. */
  readonly stopSignal: string;
  /** Absolute, below the root of the cgroup file system. */
  readonly cgroupPath: string;
}
