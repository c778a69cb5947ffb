/** Priority: pods get the number that their PriorityClass stands for; only one class may be the default of all. */
import type { PriorityClass } from '../../api/generated/scheduling-v1.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';
import { derivedFrom } from './derived.ts';
import { isFor, isForPods, oldPodOf, podOf, specOf } from './kinds.ts';
import { refuse } from './refuse.ts';

type ClassObject = PriorityClass & KubeObject;

const GROUP = 'scheduling.k8s.io';
const NO_CLASS = { name: '', value: 0, preemptionPolicy: 'PreemptLowerPriority' };

export function priorityPlugin(registry: Registry): AdmissionPlugin {
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
    if (name !== '') throw refuse(attributes, `no PriorityClass with name ${name} was found`);
    return NO_CLASS;
  }

  function admitNewPod(attributes: AdmissionAttributes): void {
    const spec = specOf(podOf(attributes));
    const { name, value, preemptionPolicy } = resolve(attributes, spec.priorityClassName ?? '');
    if (name !== '') spec.priorityClassName = name;
    if (spec.priority !== undefined && spec.priority !== value) {
      throw refuse(
        attributes,
        `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
      );
    }
    spec.priority = value;
    if (preemptionPolicy === undefined) return;
    if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
      throw refuse(
        attributes,
        `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
      );
    }
    spec.preemptionPolicy = preemptionPolicy;
  }

  return {
    name: 'Priority',
    operations: ['CREATE', 'UPDATE'],
    matches: (attributes) =>
      isForPods(attributes) || (isFor(attributes, GROUP, 'priorityclasses') && attributes.subresource === ''),
    admit(attributes) {
      if (!isForPods(attributes)) return;
      if (attributes.operation === 'CREATE') admitNewPod(attributes);
      else keepPriority(attributes);
    },
    validate(attributes) {
      if (isForPods(attributes)) return;
      const { globalDefault: wanted, metadata } = attributes.object as ClassObject;
      const current = wanted ? globalDefault() : undefined;
      if (!current || (attributes.operation === 'UPDATE' && current.metadata.name === metadata.name)) return;
      throw refuse(
        attributes,
        `PriorityClass ${current.metadata.name} is already marked as default. Only one default can exist`,
      );
    },
  };
}

/** A race may have made several defaults: the lowest counts. */
function lowestDefault(classes: readonly ClassObject[]): ClassObject | undefined {
  let lowest: ClassObject | undefined;
  for (const candidate of classes)
    if (candidate.globalDefault && (!lowest || (candidate.value ?? 0) < (lowest.value ?? 0))) lowest = candidate;
  return lowest;
}

/** Clients that do not know the fields leave them out when they update. */
function keepPriority(attributes: AdmissionAttributes): void {
  const spec = specOf(podOf(attributes));
  const old = specOf(oldPodOf(attributes));
  if (spec.priority === undefined && old.priority !== undefined) spec.priority = old.priority;
  if (spec.preemptionPolicy === undefined && old.preemptionPolicy !== undefined)
    spec.preemptionPolicy = old.preemptionPolicy;
}
