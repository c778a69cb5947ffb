/** Validates in-place resize (pods/resize): only cpu and memory of containers may change. */
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
  if (!validateSameContainers(errors, spec, before)) return;
  const qos = old.status?.qosClass || computePodQos(before);
  if (qos !== computePodQos(spec)) {
    errors.push(invalidValue(SPEC, pod.status?.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing'));
  }
  if (!isResizeSupported(old)) errors.push(forbiddenField(SPEC, 'Pod running on node without support for resize'));
  validateRemovals(errors, spec, before);
  const restored = validateOnlyResizable(errors, spec, before);
  if (errors.length === 0 && !semanticEqual(restored, before))
    errors.push(forbiddenField(SPEC, 'only cpu and memory resources are mutable'));
}

function refusalOf(old: Pod): string | undefined {
  if (old.metadata?.annotations?.[MIRROR_ANNOTATION] !== undefined) return 'static pods cannot be resized';
  return old.spec?.os?.name === 'windows' ? 'windows pods cannot be resized' : undefined;
}

function validateSameContainers(errors: FieldError[], spec: PodSpec, old: PodSpec): boolean {
  const same = (name: 'containers' | 'initContainers'): boolean => {
    if ((spec[name]?.length ?? 0) === (old[name]?.length ?? 0)) return true;
    errors.push(forbiddenField(SPEC.child(name), 'containers may not be added or removed on resize'));
    return false;
  };
  return [same('containers'), same('initContainers')].every(Boolean);
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
): void {
  for (const list of ['requests', 'limits'] as const) {
    const removed = Object.keys(old?.[list] ?? {}).some((name) => ownValue(resources?.[list], name) === undefined);
    if (removed) errors.push(forbiddenField(here.child(list), `resource ${list} cannot be removed`));
  }
}

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
    if (!semanticEqual(restored, before)) {
      const whose = isRestartableInitContainer(container) ? ' for sidecar containers' : '';
      errors.push(forbiddenField(SPEC, `only cpu and memory resources${whose} are mutable`));
    }
    return restored;
  });
  return { ...spec, containers, ...(initContainers ? { initContainers } : {}) };
}

function withResourcesOf(container: Container, old: Container): Container {
  const limits = restore(container.resources?.limits, old.resources?.limits);
  const requests = restore(container.resources?.requests, old.resources?.requests);
  const { limits: _, requests: __, claims, ...others } = container.resources ?? {};
  const resources = {
    ...others,
    ...(limits ? { limits } : {}),
    ...(requests ? { requests } : {}),
    ...(claims ? { claims } : {}),
  };
  return { ...container, resources };
}

type ResourceList = Readonly<Record<string, string>>;

function restore(list: ResourceList | undefined, old: ResourceList | undefined): Record<string, string> | undefined {
  if (!old) return undefined;
  const restored = Object.fromEntries(Object.entries(list ?? {}).filter(([name]) => !RESIZABLE.includes(name)));
  for (const name of RESIZABLE) if (old[name] !== undefined) restored[name] = old[name];
  return restored;
}
