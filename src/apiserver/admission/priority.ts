/** Priority: sets the priority of a pod or pod group from its PriorityClass, and allows only one PriorityClass with globalDefault. */
import type { PriorityClass } from '../../api/generated/scheduling-v1.ts';
import type { PodGroup } from '../../api/generated/scheduling-v1alpha2.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';
import { derivedFrom } from './derived.ts';
import { newForbidden } from './new-forbidden.ts';
import { isForResource, isForPods, oldPodOf, podOf, specOf } from './request-objects.ts';

type ClassObject = PriorityClass & KubeObject;

const GROUP = 'scheduling.k8s.io';
const NO_CLASS = { name: '', value: 0, preemptionPolicy: 'PreemptLowerPriority' };

export function priorityPlugin(registry: Registry, { podGroups }: { readonly podGroups: boolean }): AdmissionPlugin {
  const classes = registry.require(GROUP, 'v1', 'priorityclasses');
  const globalDefault = derivedFrom(classes, () =>
    lowestDefault(classes.cache.list().map((entry) => entry.object as ClassObject)),
  );

  function resolve(
    attributes: AdmissionAttributes,
    name: string,
  ): { name: string; value: number; preemptionPolicy: string | undefined } {
    const found = name === '' ? globalDefault() : (classes.cache.get('', name)?.object as ClassObject | undefined);
    if (found) return { name: found.metadata.name!, value: found.value ?? 0, preemptionPolicy: found.preemptionPolicy };
    if (name !== '') throw newForbidden(attributes, `no PriorityClass with name ${name} was found`);
    return NO_CLASS;
  }

  function admitNewPod(attributes: AdmissionAttributes): void {
    const spec = specOf(podOf(attributes));
    const { name, value, preemptionPolicy } = resolve(attributes, spec.priorityClassName ?? '');
    if (name !== '' && spec.priorityClassName !== name) {
      spec.priorityClassName = name;
      attributes.record?.changed('spec.priorityClassName');
    }
    if (spec.priority !== undefined && spec.priority !== value) {
      throw newForbidden(
        attributes,
        `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
      );
    }
    if (spec.priority === undefined) attributes.record?.changed('spec.priority');
    spec.priority = value;
    if (preemptionPolicy === undefined) return;
    if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
      throw newForbidden(
        attributes,
        `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
      );
    }
    if (spec.preemptionPolicy === undefined) attributes.record?.changed('spec.preemptionPolicy');
    spec.preemptionPolicy = preemptionPolicy;
  }

  function admitPodGroup(attributes: AdmissionAttributes): void {
    const { spec } = attributes.object as PodGroup & KubeObject;
    if (!spec) return;
    const { name, value } = resolve(attributes, spec.priorityClassName ?? '');
    if (spec.priority != null && spec.priority !== value) {
      const detail = `must match the priority computed (${value}) based on the priority class set in the spec`;
      throw newForbidden(attributes, `priority set in the pod group (${spec.priority}) ${detail}`);
    }
    if (spec.priority !== value) attributes.record?.changed('spec.priority');
    spec.priority = value;
    if (name === '' || spec.priorityClassName === name) return;
    spec.priorityClassName = name;
    attributes.record?.changed('spec.priorityClassName');
  }

  const isForPodGroups = (attributes: AdmissionAttributes): boolean =>
    podGroups && isForResource(attributes, GROUP, 'podgroups') && attributes.subresource === '';

  return {
    name: 'Priority',
    operations: ['CREATE', 'UPDATE'],
    matches: (attributes) =>
      isForPods(attributes) ||
      isForPodGroups(attributes) ||
      (isForResource(attributes, GROUP, 'priorityclasses') && attributes.subresource === ''),
    admit(attributes) {
      if (isForPodGroups(attributes) && attributes.operation === 'CREATE') admitPodGroup(attributes);
      if (!isForPods(attributes)) return;
      if (attributes.operation === 'CREATE') admitNewPod(attributes);
      else keepPriority(attributes);
    },
    validate(attributes) {
      if (isForPods(attributes) || isForPodGroups(attributes)) return;
      const { globalDefault: wanted, metadata } = attributes.object as ClassObject;
      const current = wanted ? globalDefault() : undefined;
      if (!current || (attributes.operation === 'UPDATE' && current.metadata.name === metadata.name)) return;
      throw newForbidden(
        attributes,
        `PriorityClass ${current.metadata.name} is already marked as default. Only one default can exist`,
      );
    },
  };
}

/** Concurrent writes can leave several default classes: upstream uses the one with the lowest value. */
function lowestDefault(classes: readonly ClassObject[]): ClassObject | undefined {
  let lowest: ClassObject | undefined;
  for (const candidate of classes)
    if (candidate.globalDefault && (!lowest || (candidate.value ?? 0) < (lowest.value ?? 0))) lowest = candidate;
  return lowest;
}

/** Old clients drop fields that they do not know when they update a pod. */
function keepPriority(attributes: AdmissionAttributes): void {
  const spec = specOf(podOf(attributes));
  const old = specOf(oldPodOf(attributes));
  if (spec.priority === undefined && old.priority !== undefined) {
    spec.priority = old.priority;
    attributes.record?.changed('spec.priority');
  }
  if (spec.preemptionPolicy === undefined && old.preemptionPolicy !== undefined) {
    spec.preemptionPolicy = old.preemptionPolicy;
    attributes.record?.changed('spec.preemptionPolicy');
  }
}
