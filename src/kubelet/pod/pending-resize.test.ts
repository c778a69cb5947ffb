import { expect, it } from 'vitest';
import type { Container, Pod, ResourceRequirements } from '../../api/generated/core-v1.ts';
import type { ObservedPod } from '../runtime/observe-pod.ts';
import { linuxResources } from './container-resources.ts';
import { pendingResize } from './pending-resize.ts';

const SETTINGS = { cpuCfsQuota: true, cpuPeriodMicroseconds: 100_000 };
const SMALL = { limits: { cpu: '100m', memory: '64Mi' }, requests: { cpu: '100m', memory: '64Mi' } };

interface Given {
  readonly container?: ResourceRequirements;
  readonly pod?: ResourceRequirements;
  readonly policy?: Container['resizePolicy'];
  /** What the container's cgroup has, and what is recorded. */
  readonly was?: ResourceRequirements;
  readonly podWas?: ResourceRequirements;
}

function resize({ container = {}, pod, policy, was = container, podWas }: Given): string {
  const spec = {
    containers: [{ name: 'c', resources: container, ...(policy ? { resizePolicy: policy } : {}) }],
    ...(pod ? { resources: pod } : {}),
  };
  const observed = {
    containers: [{ name: 'c', state: 'running', status: { resources: { linux: linuxResources(was, SETTINGS) } } }],
  };
  const result = pendingResize(
    {
      pod: { metadata: { name: 'p' }, spec } as Pod,
      observed: observed as unknown as ObservedPod,
      actuated: { containers: { c: was }, ...(podWas ? { pod: podWas } : {}) },
    },
    SETTINGS,
  );
  return [...[...result.containers].map((name) => (result.restarts.has(name) ? `restart ${name}` : `update ${name}`))]
    .concat(result.pod ? ['pod'] : [])
    .join(', ');
}

const LARGE = { ...SMALL, limits: { cpu: '200m', memory: '64Mi' }, requests: { cpu: '200m', memory: '64Mi' } };
const onMemory = [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }];
const onCpu = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }];

it.each<[string, Given, string]>([
  ['nothing has changed', { container: SMALL, pod: SMALL, podWas: SMALL }, ''],
  [
    'the quantities are only written otherwise',
    { pod: { limits: { cpu: '1' } }, podWas: { limits: { cpu: '1000m' } }, was: { limits: { cpu: '1' } } },
    '',
  ],
  ['the container has more', { container: LARGE, was: SMALL }, 'update c'],
  ['a restart is for another resource', { container: LARGE, was: SMALL, policy: onMemory }, 'update c'],
  ['a restart is required', { container: LARGE, was: SMALL, policy: onCpu }, 'restart c'],
  [
    'only the memory request has changed, which no cgroup has',
    { container: { requests: { memory: '32Mi' } }, was: { requests: { memory: '64Mi' } }, policy: onMemory },
    'restart c',
  ],
  ['the pod has more and the container its own limits', { container: SMALL, pod: LARGE, podWas: SMALL }, 'pod'],
  [
    "the pod has more and the container the pod's limits",
    { pod: LARGE, podWas: SMALL, was: { limits: SMALL.limits } },
    'update c, pod',
  ],
])('what is to do when %s', (_name, given, expected) => {
  expect(resize(given)).toBe(expected);
});
