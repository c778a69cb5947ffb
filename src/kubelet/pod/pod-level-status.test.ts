import { describe, expect, it } from 'vitest';
import type { Container, Pod, ResourceRequirements } from '../../api/generated/core-v1.ts';
import { podLevelStatus } from './pod-level-status.ts';

const container = (resources?: ResourceRequirements, name = 'c'): Container => ({
  ...{ name, image: 'i' },
  ...(resources === undefined ? {} : { resources }),
});
const pod = (phase: string, containers: Container[], resources?: ResourceRequirements): Pod => ({
  metadata: { name: 'p' },
  spec: { containers, ...(resources === undefined ? {} : { resources }) },
  status: { phase },
});
const list = (cpu: string, memory: string) => ({ cpu, memory });

describe('the resources in the status of a pod', () => {
  it.each<[string, Pod, object]>([
    ['nothing asked for', pod('Pending', [container()]), { resources: {} }],
    ['nothing asked for, running', pod('Running', [container()]), { resources: {} }],
    [
      'the sum of the containers',
      pod('Pending', [container({ requests: list('100m', '64Mi') }), container({ requests: { cpu: '1' } }, 'd')]),
      { resources: { requests: list('1100m', '64Mi') }, allocatedResources: list('1100m', '64Mi') },
    ],
    [
      'limits only when every container has one, once they are in the cgroup',
      pod('Running', [
        container({ requests: list('100m', '64Mi'), limits: list('500m', '128Mi') }),
        container({ requests: { cpu: '1' }, limits: { cpu: '2' } }, 'd'),
      ]),
      {
        resources: { limits: { cpu: '2500m' }, requests: list('1100m', '64Mi') },
        allocatedResources: list('1100m', '64Mi'),
      },
    ],
    [
      "the pod's own before the sum",
      pod('Running', [container({ requests: list('2m', '1Mi') })], { requests: { cpu: '5m' }, limits: { cpu: '25m' } }),
      {
        resources: { limits: { cpu: '25m' }, requests: { cpu: '5m', memory: '1Mi' } },
        allocatedResources: { cpu: '5m', memory: '1Mi' },
      },
    ],
    [
      'what the kernel cannot express as in the specification',
      pod('Running', [container()], { requests: { cpu: '1m' }, limits: { cpu: '4m' } }),
      { resources: { limits: { cpu: '4m' }, requests: { cpu: '1m' } }, allocatedResources: { cpu: '1m' } },
    ],
  ])('%s', (_name, one, expected) => {
    expect(podLevelStatus(one, undefined)).toEqual(expected);
  });

  it('are those that the cgroup still has while a resize goes on', () => {
    const resized = pod('Running', [container({ requests: list('200m', '64Mi') })]);
    const actuated = { containers: { c: { requests: list('100m', '32Mi') } } };
    expect(podLevelStatus(resized, actuated)).toEqual({
      resources: { requests: list('100m', '32Mi') },
      allocatedResources: list('200m', '64Mi'),
    });
  });
});
