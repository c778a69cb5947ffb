/** Input and output of the pod state machine (`sync-pod.ts`). */
import type { Container, EphemeralContainer, Pod } from '../../api/generated/core-v1.ts';
import { containerHash } from '../runtime/labels.ts';
import type { ObservedContainer, ObservedPod } from '../runtime/observe-pod.ts';
import type { PendingResize } from './pending-resize.ts';

export type ProbeResult = 'success' | 'failure' | 'unknown';

/** Probe results by container ID. */
interface ProbeResults {
  liveness(containerId: string): ProbeResult;
  startup(containerId: string): ProbeResult;
}

export interface SyncInput {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  readonly probes: ProbeResults;
  readonly resize?: PendingResize;
}

export type KillReason =
  | 'Unknown'
  | 'LivenessProbe'
  | 'StartupProbe'
  | 'DefinitionChanged'
  | 'RestartAllContainers'
  | 'PodKilled'
  | 'Resize';

interface ContainerKill {
  readonly container: ObservedContainer;
  readonly reason: KillReason;
  readonly message: string;
}

export interface PodActions {
  /** Stop all containers and sandboxes before anything else. */
  killPod: boolean;
  createSandbox: boolean;
  /** The current sandbox, unless a new one is created. */
  sandboxId: string | undefined;
  attempt: number;
  initContainersToStart: Container[];
  containersToStart: Container[];
  ephemeralContainersToStart: EphemeralContainer[];
  containersToKill: ContainerKill[];
  containersToUpdate: { readonly container: Container; readonly observed: ObservedContainer }[];
  /** The pod's cgroup has not its allocated resources yet. */
  updatePod: boolean;
  /** A restartPolicyRule asks for RestartAllContainers: all containers start again in the same sandbox. */
  restartAll: boolean;
}

export function reasonToKill(
  container: Container,
  observed: ObservedContainer,
  { probes, resize }: SyncInput,
): { reason: KillReason; message: string } | undefined {
  const { name } = container;
  if (observed.info.hash !== undefined && observed.info.hash !== containerHash(container))
    return { reason: 'DefinitionChanged', message: `Container ${name} definition changed` };
  if (container.livenessProbe !== undefined && probes.liveness(observed.id) === 'failure')
    return { reason: 'LivenessProbe', message: `Container ${name} failed liveness probe` };
  if (container.startupProbe !== undefined && probes.startup(observed.id) === 'failure')
    return { reason: 'StartupProbe', message: `Container ${name} failed startup probe` };
  if (resize?.restarts.has(name)) return { reason: 'Resize', message: `Container ${name} resize requires restart` };
  return undefined;
}
