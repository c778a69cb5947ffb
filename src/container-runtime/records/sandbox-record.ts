import type { PodSandboxConfig } from '../../cri/index.ts';
import type { ProcessIdentity } from '../linux/processes.ts';

/**
 * creating: nobody has been told its id yet; after a crash it is taken down.
 * ready: namespaces and network are there. stopped: they are gone, containers can no longer be started in it.
 * removing: a removal has begun and is finished after a crash.
 */
type SandboxPhase = 'creating' | 'ready' | 'stopped' | 'removing';

export interface SandboxRecord {
  readonly id: string;
  readonly phase: SandboxPhase;
  readonly config: PodSandboxConfig;
  readonly runtimeHandler: string;
  /** Nanoseconds since the epoch, as CRI has times. */
  readonly createdAt: number;
  readonly ips?: readonly string[];
  /** The process that holds a shared PID namespace or a user namespace. */
  readonly infra?: ProcessIdentity;
}
