import { describe, expect, it } from 'vitest';
import type { ContainerStatus, Pod } from '../../api/generated/core-v1.ts';
import { podCells, podConditions } from './pod.ts';

const now = Date.parse('2026-02-01T00:00:00Z');

type Status = Partial<NonNullable<Pod['status']>>;

const container = (name: string, state: object, more: object = {}): ContainerStatus =>
  ({ name, state, lastState: {}, ready: false, restartCount: 0, image: '', imageID: '', ...more }) as ContainerStatus;

function pod(status: Status, options: { deleting?: boolean; gates?: string[] } = {}): Pod {
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: 'p',
      creationTimestamp: '2026-01-31T23:00:00Z',
      ...(options.deleting ? { deletionTimestamp: '2026-01-31T23:59:00Z' } : {}),
    },
    spec: {
      initContainers: [
        { name: 'setup', image: 'i' },
        { name: 'sidecar', image: 'i', restartPolicy: 'Always' },
      ],
      containers: [
        { name: 'a', image: 'i' },
        { name: 'b', image: 'i' },
      ],
      readinessGates: (options.gates ?? []).map((conditionType) => ({ conditionType })),
    },
    status: { phase: 'Running', ...status },
  } as Pod;
}

const initialized = { type: 'Initialized', status: 'True' };
const ready = { type: 'Ready', status: 'True' };
const conditions = (...list: object[]) => ({ conditions: list }) as Status;
const done = container('setup', { terminated: { exitCode: 0 } });
const sidecar = container('sidecar', { running: {} }, { started: true, ready: true });

const states: { name: string; status: Status; deleting?: boolean; expected: [string, string, string] }[] = [
  { name: 'the phase', status: { phase: 'Pending' }, expected: ['0/3', 'Pending', '0'] },
  {
    name: 'the reason instead of the phase',
    status: { phase: 'Failed', reason: 'Evicted' },
    expected: ['0/3', 'Evicted', '0'],
  },
  {
    name: 'waiting for scheduling gates',
    status: { phase: 'Pending', ...conditions({ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }) },
    expected: ['0/3', 'SchedulingGated', '0'],
  },
  {
    name: 'an init container that runs',
    status: { phase: 'Pending', initContainerStatuses: [container('setup', { running: {} })] },
    expected: ['0/3', 'Init:0/2', '0'],
  },
  {
    name: 'an init container that waits for its image',
    status: {
      phase: 'Pending',
      initContainerStatuses: [container('setup', { waiting: { reason: 'ImagePullBackOff' } })],
    },
    expected: ['0/3', 'Init:ImagePullBackOff', '0'],
  },
  {
    name: 'an init container that waits for its turn',
    status: {
      phase: 'Pending',
      initContainerStatuses: [done, container('sidecar', { waiting: { reason: 'PodInitializing' } })],
    },
    expected: ['0/3', 'Init:1/2', '0'],
  },
  {
    name: 'an init container that failed without a reason',
    status: {
      phase: 'Pending',
      initContainerStatuses: [container('setup', { terminated: { exitCode: 3 } }, { restartCount: 2 })],
    },
    expected: ['0/3', 'Init:ExitCode:3', '2'],
  },
  {
    name: 'an init container that was killed',
    status: {
      phase: 'Pending',
      initContainerStatuses: [container('setup', { terminated: { exitCode: 137, signal: 9 } })],
    },
    expected: ['0/3', 'Init:Signal:9', '0'],
  },
  {
    name: 'containers that are being created, with a sidecar that runs',
    status: {
      phase: 'Pending',
      initContainerStatuses: [done, sidecar],
      containerStatuses: [
        container('a', { waiting: { reason: 'ContainerCreating' } }),
        container('b', { waiting: { reason: 'ContainerCreating' } }),
      ],
    },
    expected: ['1/3', 'ContainerCreating', '0'],
  },
  {
    name: 'all ready, restarts of init containers forgotten',
    status: {
      ...conditions(initialized, ready),
      initContainerStatuses: [{ ...done, restartCount: 5 }, sidecar],
      containerStatuses: [
        container('a', { running: {} }, { ready: true }),
        container('b', { running: {} }, { ready: true }),
      ],
    },
    expected: ['3/3', 'Running', '0'],
  },
  {
    name: 'a crash loop, with the last restart',
    status: {
      ...conditions(initialized),
      containerStatuses: [
        container(
          'a',
          { waiting: { reason: 'CrashLoopBackOff' } },
          { restartCount: 4, lastState: { terminated: { exitCode: 1, finishedAt: '2026-01-31T23:57:00Z' } } },
        ),
        container(
          'b',
          { running: {} },
          {
            ready: true,
            restartCount: 1,
            lastState: { terminated: { exitCode: 1, finishedAt: '2026-01-31T23:30:00Z' } },
          },
        ),
      ],
    },
    expected: ['1/3', 'CrashLoopBackOff', '5 (3m ago)'],
  },
  {
    name: 'an exit code for want of a reason',
    status: { containerStatuses: [container('a', { terminated: { exitCode: 17 } })] },
    expected: ['0/3', 'ExitCode:17', '0'],
  },
  {
    name: 'one container done, another ready',
    status: {
      ...conditions(ready),
      containerStatuses: [
        container('a', { terminated: { exitCode: 0, reason: 'Completed' } }),
        container('b', { running: {} }, { ready: true }),
      ],
    },
    expected: ['1/3', 'Running', '0'],
  },
  {
    name: 'one container done, another ready, the pod not',
    status: {
      containerStatuses: [
        container('a', { terminated: { exitCode: 0, reason: 'Completed' } }),
        container('b', { running: {} }, { ready: true }),
      ],
    },
    expected: ['1/3', 'NotReady', '0'],
  },
  { name: 'being deleted', status: {}, deleting: true, expected: ['0/3', 'Terminating', '0'] },
  {
    name: 'being deleted when it is done',
    status: { phase: 'Succeeded' },
    deleting: true,
    expected: ['0/3', 'Succeeded', '0'],
  },
  {
    name: 'being deleted on a lost node',
    status: { reason: 'NodeLost' },
    deleting: true,
    expected: ['0/3', 'Unknown', '0'],
  },
];

describe('pods', () => {
  it.each(states)('$name', ({ status, deleting, expected }) => {
    expect(podCells(pod(status, { deleting: deleting ?? false }), now).slice(1, 4)).toEqual(expected);
  });

  it('has node, addresses and readiness gates', () => {
    const placed = pod(
      { podIPs: [{ ip: '10.0.0.1' }], nominatedNodeName: 'm', ...conditions({ type: 'x/one', status: 'True' }) },
      { gates: ['x/one', 'x/two'] },
    );
    placed.spec!.nodeName = 'n';
    expect(podCells(placed, now).slice(4)).toEqual(['60m', '10.0.0.1', 'n', 'm', '1/2']);
    expect(podCells(pod({}), now).slice(4)).toEqual(['60m', '<none>', '<none>', '<none>', '<none>']);
  });

  it('marks the rows of pods that are done', () => {
    expect(podConditions(pod({ phase: 'Failed' }))).toEqual([
      { type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' },
    ]);
    expect(podConditions(pod({ phase: 'Succeeded' }))[0]!.reason).toBe('Succeeded');
    expect(podConditions(pod({ phase: 'Running' }))).toEqual([]);
  });
});
