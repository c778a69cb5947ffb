import { describe, expect, it } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { createTestContext } from '../kernel/index.ts';
import { SimulatedPod, type PodHost } from './simulated-pod.ts';

const podAt = (resourceVersion: number): Pod =>
  ({
    metadata: { namespace: 'default', name: 'p', uid: 'u', resourceVersion: String(resourceVersion) },
    spec: { nodeName: 'sim-0', containers: [{ name: 'c', image: 'i' }] },
    status: { conditions: [{ type: 'Ready', status: 'False' }] },
  }) as Pod;

function hostOf(changed: () => void): PodHost {
  const { clock, random, logger } = createTestContext();
  return {
    ...{ clock, random, logger, hostIP: '10.0.0.1', client: undefined as never },
    behaviours: () => [],
    allocateAddress: () => '10.244.0.1',
    changed,
  };
}

/** A pod that runs and is ready, and how often its status was to be written. */
function readyPod(): { pod: SimulatedPod; changes: () => number } {
  let changes = 0;
  const pod = new SimulatedPod(
    podAt(1),
    hostOf(() => changes++),
  );
  pod.start();
  pod.ready();
  pod.written(pod.version, podAt(10));
  changes = 0;
  return { pod, changes: () => changes };
}

it('writes its status again when another has written that it is not ready', () => {
  const { pod, changes } = readyPod();
  pod.update(podAt(11));
  expect(changes()).toBe(1);
});

it('does so also when that was written while its own status was on its way', () => {
  const { pod, changes } = readyPod();
  pod.update(podAt(11));
  const { version } = pod;
  pod.update(podAt(13));
  expect(changes()).toBe(1);
  pod.written(version, podAt(12));
  expect(changes()).toBe(2);
});

it('does not when its own status came later', () => {
  const { pod, changes } = readyPod();
  pod.update(podAt(11));
  pod.written(pod.version, podAt(12));
  expect(changes()).toBe(1);
});

describe('the earlier process was killed when a container had ended', () => {
  const ended = { terminated: { exitCode: 1, startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:01:00Z' } };
  const backOff = { waiting: { reason: 'CrashLoopBackOff' } };

  it.each([
    ['its restart was still to come', 'Always', ended],
    ['it waited for its restart', 'Always', backOff],
    ['it had failed', 'OnFailure', ended],
  ])('%s (%s): it restarts, and the pod is ready', (_, restartPolicy, state) => {
    const object = podAt(1);
    const container = {
      name: 'c',
      state,
      lastState: ended,
      ready: false,
      restartCount: 3,
      containerID: 'simulated://a',
    };
    const status = { phase: 'Running', podIP: '10.244.0.9', containerStatuses: [container] };
    const adopted = { ...object, spec: { ...object.spec, restartPolicy }, status } as unknown as Pod;
    const pod = new SimulatedPod(
      adopted,
      hostOf(() => {}),
    );
    pod.begin();
    const reported = pod.status(adopted);
    expect(reported).toMatchObject({ phase: 'Running', podIP: '10.244.0.9' });
    expect(reported.containerStatuses).toMatchObject([
      { ready: true, restartCount: 3, state: { running: {} }, lastState: { terminated: { exitCode: 1 } } },
    ]);
    expect(reported.containerStatuses?.[0]?.containerID).not.toBe('simulated://a');
  });
});
