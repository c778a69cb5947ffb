/** What the state machine of a pod is given, and what it gives back. */
import type { Container, EphemeralContainer, Pod } from '../../api/generated/core-v1.ts';
import { containerHash } from '../runtime/labels.ts';
import type { ObservedContainer, ObservedPod } from '../runtime/observe-pod.ts';

export type ProbeResult = 'success' | 'failure' | 'unknown';

/** What the probes have found of a container, by its id. */
export interface ProbeResults {
  liveness(containerId: string): ProbeResult;
  startup(containerId: string): ProbeResult;
}

export interface SyncInput {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  readonly probes: ProbeResults;
  /** Containers whose resources in the runtime are not those that were granted. */
  readonly resized?: ReadonlySet<string>;
  /** Those of them that take new resources only from their start. */
  readonly restartToResize?: ReadonlySet<string>;
}

export type KillReason =
  | 'Unknown'
  | 'LivenessProbe'
  | 'StartupProbe'
  | 'DefinitionChanged'
  | 'RestartAllContainers'
  | 'PodKilled'
  | 'Resize';

export interface ContainerKill {
  readonly container: ObservedContainer;
  readonly reason: KillReason;
  readonly message: string;
}

export interface PodActions {
  /** Stop what is left of the pod, sandbox included, before anything else. */
  killPod: boolean;
  createSandbox: boolean;
  /** The sandbox that containers go into, unless a new one is made. */
  sandboxId: string | undefined;
  attempt: number;
  initContainersToStart: Container[];
  containersToStart: Container[];
  ephemeralContainersToStart: EphemeralContainer[];
  containersToKill: ContainerKill[];
  containersToUpdate: { readonly container: Container; readonly observed: ObservedContainer }[];
  /** A container's rule asks for all of them to begin anew, init containers first, in the same sandbox. */
  restartAll: boolean;
}

export function reasonToKill(
  container: Container,
  observed: ObservedContainer,
  { probes, restartToResize }: SyncInput,
): { reason: KillReason; message: string } | undefined {
  const { name } = container;
  if (observed.info.hash !== undefined && observed.info.hash !== containerHash(container))
    return { reason: 'DefinitionChanged', message: `Container ${name} definition changed` };
  if (container.livenessProbe !== undefined && probes.liveness(observed.id) === 'failure')
    return { reason: 'LivenessProbe', message: `Container ${name} failed liveness probe` };
  if (container.startupProbe !== undefined && probes.startup(observed.id) === 'failure')
    return { reason: 'StartupProbe', message: `Container ${name} failed startup probe` };
  if (restartToResize?.has(name)) return { reason: 'Resize', message: `Container ${name} resize requires restart` };
  return undefined;
}
