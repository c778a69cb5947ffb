/** The simulated state of a pod's containers: new, or from the status that an earlier process reported. */
import type { ContainerState, Pod, PodStatus } from '../api/generated/core-v1.ts';
import { parseTime } from '../base/index.ts';
import { isRestartableInitContainer } from '../component-helpers/index.ts';
import type { ContainerModel, ContainerPhase } from './pod-status.ts';

const waiting = {
  phase: { type: 'waiting', reason: 'ContainerCreating' } as ContainerPhase,
  last: undefined,
  ready: false,
  restartCount: 0,
  restarts: false,
  id: '',
};

export function containerModels(pod: Pod): ContainerModel[] {
  const { spec } = pod;
  const initializing = { ...waiting, phase: { type: 'waiting', reason: 'PodInitializing' } as ContainerPhase };
  return [
    ...(spec?.initContainers ?? []).map((container): ContainerModel => ({
      spec: container,
      kind: isRestartableInitContainer(container) ? 'sidecar' : 'init',
      ...initializing,
    })),
    ...(spec?.containers ?? []).map((container): ContainerModel => ({ spec: container, kind: 'main', ...waiting })),
    ...ephemeralModels(pod, []),
  ];
}

/** The ephemeral containers that are not known yet: they come while the pod runs. */
export function ephemeralModels({ spec }: Pod, known: readonly ContainerModel[]): ContainerModel[] {
  return (spec?.ephemeralContainers ?? [])
    .filter(({ name }) => !known.some((container) => container.spec.name === name))
    .map((container) => ({ spec: container, kind: 'ephemeral', ...waiting }));
}

/** Takes the states from a reported status. True when a main container is running. */
export function adoptContainers(containers: readonly ContainerModel[], status: PodStatus | undefined): boolean {
  let isRunning = false;
  const reported = [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ];
  for (const container of containers) {
    const known = reported.find(({ name }) => name === container.spec.name);
    if (!known?.containerID) continue;
    container.last = known.lastState && phaseOf(known.lastState);
    container.restartCount = known.restartCount;
    const phase = known.state && phaseOf(known.state);
    // It waits for its restart.
    if (!phase) continue;
    container.phase = phase;
    container.ready = known.ready;
    container.id = known.containerID.replace(/^.*:\/\//, '');
    if (container.kind === 'main' && phase.type === 'running') isRunning = true;
  }
  return isRunning;
}

function phaseOf({ running, terminated }: ContainerState): ContainerPhase | undefined {
  const time = (text: string | undefined): number => (text ? parseTime(text) : 0);
  if (running) return { type: 'running', startedAt: time(running.startedAt) };
  if (!terminated) return undefined;
  const { exitCode, reason = '', startedAt, finishedAt } = terminated;
  return { type: 'terminated', startedAt: time(startedAt), finishedAt: time(finishedAt), exitCode, reason };
}
