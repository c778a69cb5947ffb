/** What a pod's status says of the resources of the pod as a whole. */
import type { Pod, PodSpec, PodStatus, ResourceRequirements } from '../../api/generated/core-v1.ts';
import { Quantity } from '../../base/index.ts';
import type { AllocatedResources } from '../admission/allocation-checkpoint.ts';
import { bytes, isLargerThanMinimum, milli, milliCpuToShares, sharesToMilliCpu } from './container-resources.ts';
import { asText, limitsOf, podResources, requestsOf } from './pod-resources.ts';

/** `pod` with its allocated resources; `actuated`: what containers and the pod's cgroup have of them. */
export function podLevelStatus(
  pod: Pod,
  actuated: AllocatedResources | undefined,
): Pick<PodStatus, 'resources' | 'allocatedResources'> {
  const { spec } = pod;
  if (spec === undefined) return {};
  const requests = asText(requestsOf(spec));
  return {
    resources:
      pod.status?.phase === 'Running'
        ? actualResources(actuated === undefined ? spec : withResources(spec, actuated))
        : withoutEmpty({ ...spec.resources, requests, limits: asText(limitsOf(spec)) }),
    ...(Object.keys(requests).length > 0 ? { allocatedResources: requests } : {}),
  };
}

/** CPU and memory as the pod's cgroup has them, and what else the pod's own resources name. */
function actualResources(spec: PodSpec): ResourceRequirements {
  const own = spec.resources;
  const { requests: cgroupRequests = {}, limits: cgroupLimits = {} } = podResources({ metadata: {}, spec });
  const requests = { ...own?.requests };
  const cpuRequest = sharesToMilliCpu(milliCpuToShares(milli(cgroupRequests['cpu'])));
  if (isLargerThanMinimum('request', cpuRequest, own?.requests?.['cpu']))
    requests['cpu'] = Quantity.ofMilli(cpuRequest).toString();
  if (requests['memory'] === undefined && cgroupRequests['memory'] !== undefined)
    requests['memory'] = cgroupRequests['memory'];
  const limits = { ...own?.limits };
  const cpuLimit = milli(cgroupLimits['cpu']);
  if (cpuLimit > 0 && isLargerThanMinimum('limit', cpuLimit, own?.limits?.['cpu']))
    limits['cpu'] = Quantity.ofMilli(cpuLimit).toString();
  const memoryLimit = bytes(cgroupLimits['memory']);
  if (memoryLimit > 0) limits['memory'] = Quantity.of(memoryLimit, 'BinarySI').toString();
  return withoutEmpty({ ...own, requests, limits });
}

function withoutEmpty({ requests = {}, limits = {}, ...others }: ResourceRequirements): ResourceRequirements {
  return {
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
    ...(Object.keys(requests).length > 0 ? { requests } : {}),
    ...others,
  };
}

function withResources(spec: PodSpec, { containers, pod }: AllocatedResources): PodSpec {
  const replace = <T extends { readonly name: string; readonly resources?: ResourceRequirements }>(container: T): T => {
    const resources = containers[container.name];
    return resources === undefined ? container : { ...container, resources };
  };
  const { resources: _, ...others } = spec;
  return {
    ...others,
    containers: spec.containers.map(replace),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(replace) }),
    ...(pod === undefined ? {} : { resources: pod }),
  };
}
