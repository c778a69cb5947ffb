/** The phase of a pod, computed from its container statuses. */
import type { Container, ContainerStateTerminated, ContainerStatus, Pod } from '../../api/generated/core-v1.ts';
import { isRestartableInitContainer, restartsAfter } from '../../component-helpers/index.ts';

interface ContainerStatuses {
  readonly init: readonly ContainerStatus[];
  readonly regular: readonly ContainerStatus[];
}

export function podPhase(pod: Pod, statuses: ContainerStatuses): string {
  const init = initProgress(pod, statuses);
  if (init === 'failed') return 'Failed';
  if (init === 'pending') return 'Pending';
  const counts = { running: 0, waiting: 0, stopped: 0, succeeded: 0, restarting: 0, unknown: 0 };
  for (const container of pod.spec?.containers ?? []) {
    const status = statuses.regular.find(({ name }) => name === container.name);
    const terminated = status?.state?.terminated ?? (status?.state?.waiting ? status.lastState?.terminated : undefined);
    if (status === undefined) counts.unknown++;
    else if (status.state?.running) counts.running++;
    else if (terminated) {
      counts.stopped++;
      if (terminated.exitCode === 0) counts.succeeded++;
      if (isRestarted(container, pod, terminated)) counts.restarting++;
    } else if (status.state?.waiting) counts.waiting++;
    else counts.unknown++;
  }
  if (counts.waiting > 0) return 'Pending';
  if (counts.running > 0 && counts.unknown === 0) return 'Running';
  if (counts.stopped > 0 && counts.unknown === 0) {
    if (counts.restarting > 0) return 'Running';
    return counts.stopped === counts.succeeded ? 'Succeeded' : 'Failed';
  }
  return 'Pending';
}

function initProgress(pod: Pod, { init, regular }: ContainerStatuses): 'done' | 'pending' | 'failed' {
  // Once a regular container has run, init containers are done, even if they were garbage collected.
  const initialized = regular.some(
    ({ state, lastState }) => state?.running || state?.terminated || lastState?.terminated,
  );
  for (const container of pod.spec?.initContainers ?? []) {
    const status = init.find(({ name }) => name === container.name);
    if (isRestartableInitContainer(container)) {
      if (!initialized && !hasStarted(status)) return 'pending';
    } else if (!initialized) {
      const progress = initContainerProgress(container, pod, status);
      if (progress !== 'done') return progress;
    }
  }
  return 'done';
}

const hasStarted = (status: ContainerStatus | undefined): boolean =>
  status?.started === true || status?.state?.terminated !== undefined;

function initContainerProgress(
  container: Container,
  pod: Pod,
  status: ContainerStatus | undefined,
): 'done' | 'pending' | 'failed' {
  const terminated = status?.state?.terminated ?? (status?.state?.waiting ? status.lastState?.terminated : undefined);
  if (terminated === undefined) return 'pending';
  if (terminated.exitCode === 0) return 'done';
  return isRestarted(container, pod, terminated) ? 'pending' : 'failed';
}

/** The last state of containers that RestartAllContainers has removed: they start again, whatever their restart policy. */
export const RESTARTING_ALL_CONTAINERS = 'RestartingAllContainers';

const isRestarted = (container: Container, { spec }: Pod, { reason, exitCode }: ContainerStateTerminated): boolean =>
  reason === RESTARTING_ALL_CONTAINERS || restartsAfter(container, spec, exitCode);
