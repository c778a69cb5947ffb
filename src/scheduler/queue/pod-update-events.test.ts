import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { assignedPodUpdateEvents } from './pod-update-events.ts';

const resources = (cpu: string) => ({ requests: { cpu } });

/** A pod that should have `wanted` and has `actual`, by the kubelet's status. */
const pod = (spec: Pod['spec'], actual: string, generation: number): Pod => ({
  metadata: { name: 'p', uid: 'u', generation },
  spec,
  status: {
    containerStatuses: [
      {
        name: 'c',
        image: 'i',
        imageID: '',
        ready: true,
        restartCount: 0,
        allocatedResources: { cpu: actual },
        resources: resources(actual),
      },
    ],
  },
});
const specOf = (cpu: string): Pod['spec'] => ({
  nodeName: 'n',
  containers: [{ name: 'c', resources: resources(cpu) }],
});
const labels = (before: Pod, after: Pod): string[] => assignedPodUpdateEvents(before, after).map(({ label }) => label);

describe('a pod that is resized', () => {
  const small = specOf('300m');
  it.each<[string, Pod, Pod, string[]]>([
    ['is as large as before until the kubelet reports it', pod(specOf('1'), '1', 1), pod(small, '1', 2), []],
    ['is smaller then', pod(small, '1', 2), pod(small, '300m', 2), ['AssignedPodUpdateScaleDown']],
    ['is larger at once', pod(specOf('1'), '1', 1), pod(specOf('2'), '1', 2), []],
    ['does not change later', pod(small, '300m', 2), pod(small, '300m', 2), []],
  ])('%s', (_name, before, after, expected) => expect(labels(before, after)).toEqual(expected));
});
