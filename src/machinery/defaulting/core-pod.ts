/** Defaults of pods and their parts. */
import type {
  Container,
  EphemeralContainer,
  Pod,
  PodSpec,
  ResourceRequirements,
  Volume,
} from '../../api/generated/core-v1.ts';
import { defaultPodLevelResources } from './core-pod-resources.ts';
import { pullPolicyOf } from './image-pull-policy.ts';

/** Defaults of a Pod that a pod template does not get. */
export function defaultPod({ spec: given }: Pod): Partial<Pod> | undefined {
  const changes: Partial<PodSpec> = {};
  const changed = needsChange(given!);
  if (given!.containers?.some(changed))
    changes.containers = given!.containers.map((c) => defaultPodContainer(c, given!));
  if (given!.initContainers?.some(changed))
    changes.initContainers = given!.initContainers.map((c) => defaultPodContainer(c, given!));
  if (given!.resources) changes.resources = defaultPodLevelResources({ ...given!, ...changes }, given!.resources);
  if (given!.enableServiceLinks === undefined) changes.enableServiceLinks = true;
  return isEmpty(changes) ? undefined : { spec: { ...given!, ...changes } };
}

const needsChange =
  (spec: PodSpec) =>
  (container: Container): boolean =>
    lacksRequest(container.resources) || (spec.hostNetwork === true && container.ports !== undefined);

function lacksRequest(resources: ResourceRequirements | undefined): boolean {
  for (const name in resources?.limits) if (!Object.hasOwn(resources.requests ?? {}, name)) return true;
  return false;
}

function defaultPodContainer(container: Container, spec: PodSpec): Container {
  const result = { ...container };
  if (container.resources?.limits) result.resources = requestsFromLimits(container.resources);
  if (spec.hostNetwork && container.ports) {
    result.ports = container.ports.map((port) => (port.hostPort ? port : { ...port, hostPort: port.containerPort }));
  }
  return result;
}

/** A missing request defaults to the limit. */
function requestsFromLimits(resources: ResourceRequirements): ResourceRequirements {
  const missing = Object.entries(resources.limits ?? {}).filter(
    ([name]) => !Object.hasOwn(resources.requests ?? {}, name),
  );
  if (missing.length === 0) return resources;
  const requests = Object.entries({ ...resources.requests, ...Object.fromEntries(missing) });
  requests.sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...resources, requests: Object.fromEntries(requests) };
}

export function defaultPodSpec({
  securityContext,
  serviceAccountName,
  serviceAccount,
}: PodSpec): Partial<PodSpec> | undefined {
  // serviceAccount is the deprecated name of serviceAccountName; both are always written.
  const account = serviceAccountName ?? serviceAccount;
  if (securityContext && account === serviceAccountName && account === serviceAccount) return undefined;
  return {
    ...(securityContext ? {} : { securityContext: {} }),
    ...(account === undefined ? {} : { serviceAccountName: account, serviceAccount: account }),
  };
}

export const defaultContainer = (container: Container | EphemeralContainer): Partial<Container> | undefined =>
  container.imagePullPolicy === undefined ? { imagePullPolicy: pullPolicyOf(container.image) } : undefined;

export function defaultVolume(volume: Volume): Partial<Volume> | undefined {
  const { image } = volume;
  if (image) return image.pullPolicy ? undefined : { image: { ...image, pullPolicy: pullPolicyOf(image.reference) } };
  for (const field in volume) if (field !== 'name') return undefined;
  return { emptyDir: {} };
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}
