import type { Container, EphemeralContainer, Pod, PodSpec, ResourceRequirements, Volume } from '../../api/generated/core-v1.ts';
import { pullPolicyOf } from './image-pull-policy.ts';
import { defaultPodLevelResources } from './core-pod-resources.ts';

/** What only a Pod gets, and no template of one. */
export function defaultPod(draft: Pod): void {
  const spec = { ...draft.spec! };
  if (spec.containers?.some(needsChange(spec))) spec.containers = spec.containers.map((c) => defaultPodContainer(c, spec));
  if (spec.initContainers?.some(needsChange(spec))) spec.initContainers = spec.initContainers.map((c) => defaultPodContainer(c, spec));
  if (spec.resources) spec.resources = defaultPodLevelResources(spec, spec.resources);
  spec.enableServiceLinks ??= true;
  draft.spec = spec;
}

const needsChange =
  (spec: PodSpec) =>
  (container: Container): boolean =>
    container.resources?.limits !== undefined || (spec.hostNetwork === true && container.ports !== undefined);

function defaultPodContainer(container: Container, spec: PodSpec): Container {
  const result = { ...container };
  if (container.resources?.limits) result.resources = requestsFromLimits(container.resources);
  if (spec.hostNetwork && container.ports) {
    result.ports = container.ports.map((port) => (port.hostPort ? port : { ...port, hostPort: port.containerPort }));
  }
  return result;
}

/** Who sets a limit and no request asks for the limit. */
function requestsFromLimits(resources: ResourceRequirements): ResourceRequirements {
  const missing = Object.entries(resources.limits ?? {}).filter(([name]) => !Object.hasOwn(resources.requests ?? {}, name));
  if (missing.length === 0) return resources;
  const requests = Object.entries({ ...resources.requests, ...Object.fromEntries(missing) });
  requests.sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...resources, requests: Object.fromEntries(requests) };
}

export function defaultPodSpec(draft: PodSpec): void {
  draft.securityContext ??= {};
  // Two names of one field; the older one is written for clients that look for it.
  const account = draft.serviceAccountName ?? draft.serviceAccount;
  if (account === undefined) return;
  draft.serviceAccountName = account;
  draft.serviceAccount = account;
}

export function defaultContainer(draft: Container | EphemeralContainer): void {
  draft.imagePullPolicy ??= pullPolicyOf(draft.image);
}

export function defaultVolume(draft: Volume): void {
  const hasSource = Object.keys(draft).some((field) => field !== 'name');
  if (!hasSource) draft.emptyDir = {};
  if (draft.image && draft.image.pullPolicy === undefined) {
    draft.image = { ...draft.image, pullPolicy: pullPolicyOf(draft.image.reference) };
  }
}
