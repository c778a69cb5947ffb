/** Validates in-place resize (pods/resize): only cpu and memory of the pod and its containers may change. */
import type { Container, Pod, PodSpec, ResourceRequirements } from '../../../../api/generated/core-v1.ts';
import { ownValue } from '../../../../base/index.ts';
import { computePodQos, isRestartableInitContainer } from '../../../../component-helpers/index.ts';
import { type FieldError, forbiddenField, invalidValue, path, type Path, WHOLE_OBJECT } from '../../../errors/index.ts';
import { semanticEqual } from '../../equality.ts';
import type { ValidationContext } from '../../kind-validation.ts';
import { validateObjectMetaUpdate } from '../../object-meta.ts';
import { podRules } from './pod-allowances.ts';
import { MIRROR_ANNOTATION } from './pod-annotations.ts';
import { NO_SPEC, validatePodMetadataAndSpec } from './pod-metadata-and-spec.ts';

const SPEC = path('spec');
const RESIZABLE = ['cpu', 'memory'];

export function resize(errors: FieldError[], pod: Pod, old: Pod, context: ValidationContext): void {
  const refusal = refusalOf(old);
  if (refusal) {
    errors.push(forbiddenField(WHOLE_OBJECT, refusal));
    return;
  }
  const { spec = NO_SPEC } = pod;
  const { spec: before = NO_SPEC } = old;
  validateObjectMetaUpdate(errors, pod.metadata ?? {}, old.metadata ?? {});
  validatePodMetadataAndSpec(errors, pod, podRules(context, old));
  const qos = old.status?.qosClass || computePodQos(before);
  if (qos !== computePodQos(spec)) {
    errors.push(invalidValue(SPEC, pod.status?.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing'));
  }
  if (!isResizeSupported(old)) errors.push(forbiddenField(SPEC, 'Pod running on node without support for resize'));
  const resources = validatePodLevelResize(errors, spec, before);
  if (old.status?.nodeAllocatableResourceClaimStatuses?.length)
    errors.push(forbiddenField(SPEC, 'pods with node allocatable resource claims cannot be resized'));
  if (!validateSameContainers(errors, spec, before)) return;
  validateRemovals(errors, spec, before);
  const restored = { ...validateOnlyResizable(errors, spec, before), resources };
  if (errors.length === 0 && !semanticEqual(restored, before))
    errors.push(forbiddenField(SPEC, 'only cpu and memory resources are mutable'));
}

function refusalOf(old: Pod): string | undefined {
  if (old.metadata?.annotations?.[MIRROR_ANNOTATION] !== undefined) return 'static pods cannot be resized';
  return old.spec?.os?.name === 'windows' ? 'windows pods cannot be resized' : undefined;
}

function validateSameContainers(errors: FieldError[], spec: PodSpec, old: PodSpec): boolean {
  const count = errors.length;
  for (const list of ['containers', 'initContainers'] as const) {
    const [now, before] = [spec[list] ?? [], old[list] ?? []];
    if (now.length !== before.length)
      errors.push(forbiddenField(SPEC.child(list), `${list} may not be added or removed on resize`));
    else
      for (const [i, { name }] of before.entries()) {
        if (now[i]!.name === name) continue;
        const here = SPEC.child(list).index(i).child('name');
        errors.push(forbiddenField(here, `${list} may not be renamed or reordered on resize`));
      }
  }
  return errors.length === count;
}

/**
 * A kubelet that supports resize reports the resources of running containers. Before any container runs, support is
 * assumed.
 */
function isResizeSupported(old: Pod): boolean {
  const running = old.status?.containerStatuses?.find((status) => status.state?.running);
  return !running || running.resources !== undefined;
}

function validateRemovals(errors: FieldError[], spec: PodSpec, old: PodSpec): void {
  for (const [i, before] of (old.initContainers ?? []).entries()) {
    validateNothingRemoved(errors, spec.initContainers![i]!.resources, before.resources, at('initContainers', i));
  }
  for (const [i, before] of (old.containers ?? []).entries()) {
    validateNothingRemoved(errors, spec.containers[i]!.resources, before.resources, at('containers', i));
  }
}

const at = (list: string, i: number): Path => SPEC.child(list).index(i).child('resources');

function validateNothingRemoved(
  errors: FieldError[],
  resources: ResourceRequirements | undefined,
  old: ResourceRequirements | undefined,
  here: Path,
  whose = '',
): void {
  for (const list of ['requests', 'limits'] as const) {
    const removed = Object.keys(old?.[list] ?? {}).some((name) => ownValue(resources?.[list], name) === undefined);
    if (removed) errors.push(forbiddenField(here.child(list), `${whose}resource ${list} cannot be removed`));
  }
}

/** Returns the pod's own resources with the old cpu and memory. */
function validatePodLevelResize(
  errors: FieldError[],
  { resources }: PodSpec,
  { resources: old }: PodSpec,
): ResourceRequirements | undefined {
  if (!hasAmounts(resources) && !hasAmounts(old)) return resources;
  const here = SPEC.child('resources');
  if (!resources) {
    errors.push(forbiddenField(here, 'pod-level resources cannot be removed'));
    return resources;
  }
  validateNothingRemoved(errors, resources, old, here, 'pod-level ');
  const restored = restoredResources(resources, old);
  const shown = !old && !hasAmounts(restored) && !restored.claims?.length ? undefined : restored;
  if (!semanticEqual(shown, old))
    errors.push(forbiddenField(SPEC, 'only cpu and memory resources are mutable at pod-level'));
  return shown;
}

const hasAmounts = (resources: ResourceRequirements | undefined): boolean =>
  Object.keys(resources?.requests ?? {}).length + Object.keys(resources?.limits ?? {}).length > 0;

/** Returns the spec with the old cpu and memory, in which nothing may differ. */
function validateOnlyResizable(errors: FieldError[], spec: PodSpec, old: PodSpec): PodSpec {
  const containers = (spec.containers ?? []).map((container, i) => {
    const restored = withResourcesOf(container, old.containers[i]!);
    if (!semanticEqual(restored, old.containers[i]))
      errors.push(forbiddenField(SPEC, 'only cpu and memory resources are mutable'));
    return restored;
  });
  const initContainers = spec.initContainers?.map((container, i) => {
    const before = old.initContainers![i]!;
    const restored = withResourcesOf(container, before);
    const here = SPEC.child('initContainers').index(i);
    if (!semanticEqual(restored, before))
      errors.push(forbiddenField(here, 'only cpu and memory resources for init or sidecar containers are mutable'));
    if (!isRestartableInitContainer(container) && !semanticEqual(container, before)) {
      const message = 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized';
      for (const { restartPolicy } of container.resizePolicy ?? [])
        if (restartPolicy === 'RestartContainer') errors.push(forbiddenField(here, message));
    }
    return restored;
  });
  return { ...spec, containers, ...(initContainers ? { initContainers } : {}) };
}

/** Claims are not compared: they cannot be changed for other reasons. */
function withResourcesOf(container: Container, old: Container): Container {
  const { limits, requests } = restoredResources(container.resources, old.resources);
  const { claims } = old.resources ?? {};
  return {
    ...container,
    resources: { ...(limits ? { limits } : {}), ...(requests ? { requests } : {}), ...(claims ? { claims } : {}) },
  };
}

function restoredResources(
  resources: ResourceRequirements | undefined,
  old: ResourceRequirements | undefined,
): ResourceRequirements {
  const limits = restore(resources?.limits, old?.limits);
  const requests = restore(resources?.requests, old?.requests);
  const { limits: _, requests: __, ...others } = resources ?? {};
  return { ...others, ...(limits ? { limits } : {}), ...(requests ? { requests } : {}) };
}

type ResourceList = Readonly<Record<string, string>>;

function restore(list: ResourceList | undefined, old: ResourceList | undefined): Record<string, string> | undefined {
  const restored = Object.fromEntries(Object.entries(list ?? {}).filter(([name]) => !RESIZABLE.includes(name)));
  for (const name of RESIZABLE) if (old?.[name] !== undefined) restored[name] = old[name];
  return old || Object.keys(restored).length > 0 ? restored : undefined;
}
