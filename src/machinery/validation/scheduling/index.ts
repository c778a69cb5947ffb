/** Validation of the scheduling group: PriorityClasses, Workloads and PodGroups. */
import type { PriorityClass } from '../../../api/generated/scheduling-v1.ts';
import { type FieldError, forbiddenField, notSupported, path, required } from '../../errors/index.ts';
import { nameIsDnsSubdomain } from '../../names/index.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataUpdate } from '../metadata-checks.ts';
import { validateImmutable } from '../object-meta.ts';
import { podGroup, workload } from './workload.ts';

const HIGHEST_USER_PRIORITY = 1_000_000_000;
const SYSTEM_CLASSES: ReadonlyMap<string, number> = new Map(
  Object.entries<number>({
    'system-node-critical': 2 * HIGHEST_USER_PRIORITY + 1000,
    'system-cluster-critical': 2 * HIGHEST_USER_PRIORITY,
  }),
);
const POLICIES = ['PreemptLowerPriority', 'Never'];
const VALUE = path('value');
const POLICY = path('preemptionPolicy');

const priorityClass: KindValidation<PriorityClass> = {
  create: [
    metadata({ namespaced: false, name: nameIsDnsSubdomain }),
    (errors, object) => validateValue(errors, object),
    (errors, object) => validatePreemptionPolicy(errors, object.preemptionPolicy),
  ],
  update: [
    metadataUpdate,
    (errors, object, old) => {
      if ((object.value ?? 0) !== (old.value ?? 0))
        errors.push(forbiddenField(VALUE, 'may not be changed in an update.'));
    },
    (errors, object, old) => validateImmutable(errors, object.preemptionPolicy, old.preemptionPolicy, POLICY),
  ],
};

function validateValue(errors: FieldError[], object: PriorityClass): void {
  const name = object.metadata.name ?? '';
  if (name.startsWith('system-')) {
    const problem = systemClassProblem(name, object);
    if (problem === undefined) return;
    const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${problem}`;
    errors.push(forbiddenField(path('metadata', 'name'), detail));
  } else if ((object.value ?? 0) > HIGHEST_USER_PRIORITY) {
    errors.push(forbiddenField(VALUE, `maximum allowed value of a user defined priority is ${HIGHEST_USER_PRIORITY}`));
  }
}

function systemClassProblem(name: string, { value, globalDefault }: PriorityClass): string | undefined {
  const fixed = SYSTEM_CLASSES.get(name);
  if (fixed === undefined) return `${name} is not a known system priority class`;
  if ((value ?? 0) !== fixed) return `value of ${name} PriorityClass must be ${fixed}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function validatePreemptionPolicy(errors: FieldError[], policy: string | undefined): void {
  if (policy === '') errors.push(required(POLICY));
  else if (policy != null && !POLICIES.includes(policy)) errors.push(notSupported(POLICY, policy, POLICIES));
}

export const schedulingValidations: Readonly<Record<string, KindValidation>> = {
  'scheduling.k8s.io/podgroups': podGroup,
  'scheduling.k8s.io/priorityclasses': priorityClass,
  'scheduling.k8s.io/workloads': workload,
};
