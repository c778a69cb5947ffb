import { expect, it } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { createTestContext } from '../kernel/index.ts';
import { SimulatedPod, type PodHost } from './simulated-pod.ts';

const podAt = (resourceVersion: number): Pod =>
  ({
    metadata: { namespace: 'default', name: 'p', uid: 'u', resourceVersion: String(resourceVersion) },
    spec: { nodeName: 'sim-0', containers: [{ name: 'c', image: 'i' }] },
    status: { conditions: [{ type: 'Ready', status: 'False' }] },
  }) as Pod;

/** A pod that runs and is ready, and how often its status was to be written. */
function readyPod(): { pod: SimulatedPod; changes: () => number } {
  const { clock, random, logger } = createTestContext();
  let changes = 0;
  const host: PodHost = {
    ...{ clock, random, logger, hostIP: '10.0.0.1', client: undefined as never },
    behaviours: () => [],
    allocateAddress: () => '10.244.0.1',
    changed: () => changes++,
  };
  const pod = new SimulatedPod(podAt(1), host);
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
