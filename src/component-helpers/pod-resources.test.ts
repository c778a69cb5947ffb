import { describe, expect, it } from 'vitest';
import type { PodSpec, PodStatus } from '../api/generated/core-v1.ts';
import { podLimits, podRequests, type PodResourcesOptions } from './index.ts';

const container = (name: string, cpu: string, more: object = {}) => ({
  name,
  resources: { requests: { cpu }, limits: { cpu } },
  ...more,
});
const sidecar = (name: string, cpu: string) => container(name, cpu, { restartPolicy: 'Always' });
const running = (cpu: string, allocated = cpu) => ({
  resources: { requests: { cpu }, limits: { cpu } },
  allocatedResources: { cpu: allocated },
});
const status = (of: object, conditions: object[] = []): PodStatus =>
  ({ containerStatuses: [{ name: 'a', ...of }], conditions }) as unknown as PodStatus;
const infeasible = [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }];

const plain: PodResourcesOptions = { withOverhead: true };

describe('the resources of a pod', () => {
  it.each([
    ['containers add up', { containers: [container('a', '1'), container('b', '500m')] }, plain, '1500m'],
    [
      'an init container alone needs more',
      { containers: [container('a', '1')], initContainers: [container('i', '3')] },
      plain,
      '3',
    ],
    [
      'sidecars add up with containers',
      { containers: [container('a', '1')], initContainers: [sidecar('s', '1')] },
      plain,
      '2',
    ],
    [
      'an init container runs beside earlier sidecars',
      { containers: [container('a', '1')], initContainers: [sidecar('s', '1'), container('i', '3')] },
      plain,
      '4',
    ],
    [
      'an init container runs before later sidecars',
      { containers: [container('a', '1')], initContainers: [container('i', '3'), sidecar('s', '1')] },
      plain,
      '3',
    ],
    [
      'spec.resources replaces the sum',
      { containers: [container('a', '1')], resources: { requests: { cpu: '5' }, limits: { cpu: '5' } } },
      plain,
      '5',
    ],
    [
      'spec.resources can be left out',
      { containers: [container('a', '1')], resources: { requests: { cpu: '5' } } },
      { ...plain, skipPodLevelResources: true },
      '1',
    ],
    ['overhead is added', { containers: [container('a', '1')], overhead: { cpu: '250m' } }, plain, '1250m'],
    [
      'overhead can be left out',
      { containers: [container('a', '1')], overhead: { cpu: '250m' } },
      { withOverhead: false },
      '1',
    ],
    [
      'a resize upwards counts at once',
      { containers: [container('a', '2')] },
      { ...plain, status: status(running('1')) },
      '2',
    ],
    [
      'a resize downwards counts when it is applied',
      { containers: [container('a', '1')] },
      { ...plain, status: status(running('2')) },
      '2',
    ],
    [
      'an infeasible resize does not count',
      { containers: [container('a', '8')] },
      { ...plain, status: status(running('1'), infeasible) },
      '1',
    ],
    [
      'a deferred resize counts',
      { containers: [container('a', '8')] },
      { ...plain, status: status(running('1'), [{ ...infeasible[0], reason: 'Deferred' }]) },
      '8',
    ],
  ] as [string, PodSpec, PodResourcesOptions, string][])('%s', (_name, spec, options, cpu) => {
    expect(podRequests(spec, options).get('cpu')?.toString()).toBe(cpu);
    if (spec.resources === undefined) expect(podLimits(spec, options).get('cpu')?.toString()).toBe(cpu);
  });

  it('adds overhead to limits that there are', () => {
    const limits = podLimits(
      { containers: [{ name: 'a', resources: { limits: { cpu: '1' } } }], overhead: { cpu: '1', memory: '1Gi' } },
      plain,
    );
    expect([...limits.keys()]).toEqual(['cpu']);
  });

  it('uses the default for a container without a request', () => {
    const defaults = new Map([...podRequests({ containers: [container('x', '100m')] }, plain)]);
    expect(
      podRequests({ containers: [{ name: 'a' }, container('b', '0')] }, { ...plain, missingRequests: defaults })
        .get('cpu')
        ?.toString(),
    ).toBe('100m');
  });
});
