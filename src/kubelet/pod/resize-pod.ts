/** Resizes the containers and the cgroup of a pod to their allocated resources. */
import type { Container, Pod } from '../../api/generated/core-v1.ts';
import { containerResources } from '../runtime/container-config.ts';
import type { ObservedPod } from '../runtime/observe-pod.ts';
import { bytes, resourcesInPod } from './container-resources.ts';
import type { PodActions } from './pod-actions.ts';
import type { PodDependencies } from './pod-dependencies.ts';
import { podResources } from './pod-resources.ts';
import { resourceSettings } from './pod-settings.ts';

interface ResizeInput {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  readonly actions: PodActions;
  readonly signal: AbortSignal;
}

/** Limits of the pod are raised before those of its containers and lowered after them, so that they always enclose these. */
export async function resizePod(deps: PodDependencies, input: ResizeInput): Promise<void> {
  const { runtime, config, node } = deps;
  const { pod, actions, signal } = input;
  await checkMemoryLimits(deps, input);
  await deps.cgroups.raisePod(pod);
  for (const { container, observed } of actions.containersToUpdate) {
    const linux = containerResources({
      pod,
      container,
      resources: resourceSettings(config),
      memoryCapacity: node().memoryCapacity,
    });
    await runtime.runtime.updateContainerResources(
      {
        containerId: observed.id,
        linux: {
          ...linux,
          cpuQuota: linux.cpuQuota ?? -1,
          cpuPeriod: linux.cpuPeriod ?? config.cpuCFSQuotaPeriod * 1000,
        },
      },
      { signal },
    );
    deps.setActuated(pod, container);
  }
  await ensurePodCgroup(deps, pod);
}

export async function ensurePodCgroup(deps: PodDependencies, pod: Pod): Promise<string> {
  const cgroup = await deps.cgroups.ensurePod(pod);
  deps.setPodActuated(pod);
  return cgroup;
}

/** Throws when a smaller memory limit would be below what is used already: the kernel would kill processes, or refuse. */
async function checkMemoryLimits(deps: PodDependencies, { pod, observed, actions, signal }: ResizeInput) {
  const memory = await deps.cgroups.podMemory(pod);
  const podLimit = bytes(podResources(pod).limits?.['memory']);
  const isPodLowered =
    podLimit > 0 && memory !== undefined && (memory.limitBytes === undefined || podLimit < memory.limitBytes);
  const lowered = actions.containersToUpdate.flatMap(({ container }) => {
    const limit = memoryLimitOf(pod, container);
    const before = bytes(deps.actuated(pod)?.containers[container.name]?.limits?.['memory']);
    return limit > 0 && (before === 0 || limit < before) ? [{ name: container.name, limit }] : [];
  });
  if (!isPodLowered && lowered.length === 0) return;
  const problems: string[] = [];
  if (isPodLowered && memory.usageBytes >= podLimit)
    problems.push(`attempting to set pod memory limit (${podLimit}) below current usage (${memory.usageBytes})`);
  const usages = lowered.length === 0 ? new Map<string, number>() : await memoryUsages(deps, observed, signal);
  for (const { name, limit } of lowered) {
    const used = usages.get(name);
    if (used !== undefined && used >= limit)
      problems.push(`attempting to set container "${name}" memory limit (${limit}) below current usage (${used})`);
  }
  if (problems.length === 0) return;
  const [first = ''] = problems;
  const list = problems.length === 1 ? first : `[${problems.join(', ')}]`;
  throw new Error(`cannot decrease memory limits: ${list}`);
}

const memoryLimitOf = (pod: Pod, container: Container): number =>
  bytes(resourcesInPod(pod, container).limits?.['memory']);

/** The memory in use by container, of those that the runtime measures. */
async function memoryUsages(
  { runtime }: PodDependencies,
  { sandboxes, containers }: ObservedPod,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const podSandboxId = sandboxes.find(({ ready }) => ready)?.id ?? '';
  const { stats = [] } = await runtime.runtime.listContainerStats({ filter: { podSandboxId } }, { signal });
  const usages = new Map<string, number>();
  for (const { id, name, state } of containers) {
    if (state !== 'running') continue;
    const used = stats.find(({ attributes }) => attributes?.id === id)?.memory?.usageBytes?.value;
    if (used !== undefined) usages.set(name, used);
  }
  return usages;
}
