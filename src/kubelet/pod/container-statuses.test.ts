import { expect, it } from 'vitest';
import type { ContainerStatus, Pod } from '../../api/generated/core-v1.ts';
import type { ObservedContainer, ObservedPod } from '../runtime/observe-pod.ts';
import { containerStatuses } from './container-statuses.ts';
import { podPhase } from './pod-phase.ts';

/** The status of a container that has exited, alone in the runtime, after the pod had the status `before`. */
function statusAfter(
  before: Partial<ContainerStatus>,
  restartCount = 0,
  restartingAll = false,
): ContainerStatus | undefined {
  const exited: Partial<ObservedContainer> = {
    ...{ id: 'new', name: 'c', state: 'exited', exitCode: 0, reason: 'Completed', startedAt: 0, finishedAt: 0 },
    ...{ info: { restartCount }, status: {} },
  } as Partial<ObservedContainer>;
  const statuses = containerStatuses({
    pod: {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c' }] },
      status: { containerStatuses: [{ name: 'c', ...before }] },
    } as Pod,
    observed: { containers: restartingAll ? [] : [exited] } as unknown as ObservedPod,
    restartingAll,
    ...{ runtimeName: 'r', problems: new Map(), starting: new Set(), terminating: false },
    readiness: () => 'success',
    startup: () => 'success',
    deviceHealth: () => [],
  });
  return statuses.regular[0];
}

const ended = (containerID: string) => ({ terminated: { exitCode: 42, containerID } });

it.each<[string, Partial<ContainerStatus>, ContainerStatus['lastState']]>([
  ['it is the first', { containerID: 'r://new' }, {}],
  [
    'the container before is gone from the runtime',
    { containerID: 'r://old', state: ended('r://old') },
    ended('r://old'),
  ],
  ['that was reported before', { state: { waiting: {} }, lastState: ended('r://old') }, ended('r://old')],
  ['its own end was reported before', { containerID: 'r://new', state: ended('r://new') }, {}],
])('the last state of a container that has exited when %s', (_name, before, expected) => {
  expect(statusAfter(before)?.lastState).toEqual(expected);
});

it('never counts fewer restarts than before', () => {
  expect(statusAfter({ restartCount: 3 }, 1)?.restartCount).toBe(3);
  expect(statusAfter({ restartCount: 1 }, 2)?.restartCount).toBe(2);
});

it('tells that all containers restart, whether they ran or had ended', () => {
  for (const state of [{ running: {} }, ended('r://old')]) {
    const status = statusAfter({ state, restartCount: 1 }, 0, true);
    expect(status).toMatchObject({
      state: { waiting: { reason: 'RestartingAllContainers' } },
      lastState: { terminated: { reason: 'RestartingAllContainers', exitCode: 137 } },
      restartCount: 2,
    });
    const pod = { metadata: {}, spec: { restartPolicy: 'Never', containers: [{ name: 'c' }] } } as unknown as Pod;
    expect(podPhase(pod, { init: [], regular: status === undefined ? [] : [status] })).toBe('Running');
  }
});
