import { expect, it } from 'vitest';
import type { ObservedContainer } from '../runtime/observe-pod.ts';
import { actualResources } from './container-resources.ts';

const running = (linux: object): ObservedContainer =>
  ({ state: 'running', status: { resources: { linux } } }) as unknown as ObservedContainer;

it.each([
  ['the kernel has no smaller quota', '5m', 1000, '5m'],
  ['the limit is the smallest one', '10m', 1000, '10m'],
  ['the cgroup has another limit', '5m', 2000, '20m'],
  ['the cgroup still has the smallest one', '50m', 1000, '10m'],
  ['the notation is the specification’s', '0.5', 50_000, '0.5'],
])('limits.cpu when %s', (_name, cpu, cpuQuota, expected) => {
  const container = { resources: { limits: { cpu } } };
  const actual = actualResources(container, running({ cpuQuota, cpuPeriod: 100_000 }));
  expect(actual.limits).toEqual({ cpu: expected });
});
