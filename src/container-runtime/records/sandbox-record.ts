/** The record of a sandbox and its phases. */
import type { PodSandboxConfig } from '../../cri/index.ts';
import type { ProcessIdentity } from '../linux/processes.ts';

/**
 * creating: the caller does not have the id yet; recovery deletes the sandbox.
 * ready: namespaces and network exist. stopped: they are released; no container can start any more.
 * removing: recovery finishes the removal.
 */
type SandboxPhase = 'creating' | 'ready' | 'stopped' | 'removing';

export interface SandboxRecord {
  readonly id: string;
  readonly phase: SandboxPhase;
  readonly config: PodSandboxConfig;
  readonly runtimeHandler: string;
  /** Nanoseconds since the epoch. */
  readonly createdAt: number;
  readonly ips?: readonly string[];
  /** The process that holds a shared PID namespace or a user namespace. */
  readonly infra?: ProcessIdentity;
}
