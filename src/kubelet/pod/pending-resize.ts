/** In-place resize: what of the allocated resources containers and the pod's cgroup do not have yet. */
import type { Container, Pod, ResourceRequirements } from '../../api/generated/core-v1.ts';
import { ownValue } from '../../base/index.ts';
import type { AllocatedResources } from '../admission/allocation-checkpoint.ts';
import type { ObservedContainer, ObservedPod } from '../runtime/observe-pod.ts';
import { bytes, linuxResources, milli, resourcesInPod, type ResourceSettings } from './container-resources.ts';

export interface PendingResize {
  /** Names of running containers to resize. */
  readonly containers: ReadonlySet<string>;
  /** Those of them whose resizePolicy requires a restart. */
  readonly restarts: ReadonlySet<string>;
  /** Whether the pod's own resources have changed. */
  readonly pod: boolean;
}

interface ResizeInput {
  /** With its allocated resources. */
  readonly pod: Pod;
  readonly observed: ObservedPod;
  /** What the kubelet has recorded when it applied resources. */
  readonly actuated: AllocatedResources | undefined;
}

interface Changes {
  readonly cpu: boolean;
  readonly memory: boolean;
}

export function pendingResize({ pod, observed, actuated }: ResizeInput, settings: ResourceSettings): PendingResize {
  const containers = new Set<string>();
  const restarts = new Set<string>();
  for (const container of [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])]) {
    const running = observed.containers.find(({ name, state }) => name === container.name && state === 'running');
    if (running === undefined) continue;
    const wanted = resourcesInPod(pod, container);
    const observedChanges = changesObserved(wanted, running, settings);
    const record = actuated?.containers[container.name];
    const recordChanges = record === undefined ? NO_CHANGES : changesBetween(record, wanted);
    const cpu = observedChanges.cpu || recordChanges.cpu;
    const memory = observedChanges.memory || recordChanges.memory;
    if (!cpu && !memory) continue;
    containers.add(container.name);
    if ((cpu && restartsFor(container, 'cpu')) || (memory && restartsFor(container, 'memory')))
      restarts.add(container.name);
  }
  const { cpu, memory } =
    pod.spec?.resources === undefined || actuated === undefined
      ? NO_CHANGES
      : changesBetween(actuated.pod ?? {}, pod.spec.resources);
  return { containers, restarts, pod: cpu || memory };
}

const NO_CHANGES: Changes = { cpu: false, memory: false };

/** Memory requests are in no cgroup: only the record tells that they have changed. */
function changesBetween(from: ResourceRequirements, to: ResourceRequirements): Changes {
  const differs = (name: 'cpu' | 'memory', read: (text: string | undefined) => number): boolean =>
    read(ownValue(from.requests, name)) !== read(ownValue(to.requests, name)) ||
    read(ownValue(from.limits, name)) !== read(ownValue(to.limits, name));
  return { cpu: differs('cpu', milli), memory: differs('memory', bytes) };
}

function changesObserved(
  resources: ResourceRequirements,
  { status }: ObservedContainer,
  settings: ResourceSettings,
): Changes {
  const actual = status.resources?.linux;
  if (actual === undefined) return NO_CHANGES;
  const wanted = linuxResources(resources, settings);
  const differs = (a = 0, b = 0): boolean => a !== b && (a > 0 || b > 0);
  const shares = actual.cpuShares ?? 0;
  return {
    cpu: (shares > 0 && shares !== wanted.cpuShares) || differs(actual.cpuQuota, wanted.cpuQuota),
    memory: differs(actual.memoryLimitInBytes, wanted.memoryLimitInBytes),
  };
}

const restartsFor = ({ resizePolicy }: Container, resource: string): boolean =>
  resizePolicy?.some(
    ({ resourceName, restartPolicy }) => resourceName === resource && restartPolicy === 'RestartContainer',
  ) ?? false;
