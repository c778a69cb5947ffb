/** The status of a CustomResourceDefinition: accepted names, and the conditions in upstream's words. */
import type {
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
} from '../../api/generated/apiextensions-v1.ts';
import { append, quote } from '../../base/index.ts';
import { aggregateMessage, type FieldError, path } from '../../machinery/errors/index.ts';
import { structuralFormProblem, validateStructural } from '../../machinery/validation/index.ts';
import type { Definition } from './serve-definition.ts';

export type Condition = Omit<CustomResourceDefinitionCondition, 'lastTransitionTime'>;

export const conditionOf = (definition: Definition, type: string): CustomResourceDefinitionCondition | undefined =>
  definition.status?.conditions?.find((condition) => condition.type === type);

export const isTrue = (definition: Definition, type: string): boolean =>
  conditionOf(definition, type)?.status === 'True';

/** Sets a condition; lastTransitionTime changes only with the status. */
export function withCondition(
  conditions: readonly CustomResourceDefinitionCondition[],
  condition: Condition,
  now: string,
): CustomResourceDefinitionCondition[] {
  const old = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime =
    old && old.status === condition.status && old.lastTransitionTime ? old.lastTransitionTime : now;
  const next = { ...condition, lastTransitionTime } as CustomResourceDefinitionCondition;
  return old ? conditions.map((one) => (one === old ? next : one)) : [...conditions, next];
}

interface Naming {
  readonly names: CustomResourceDefinitionNames;
  readonly namesAccepted: Condition;
  readonly established: Condition;
}

/** Accepts the names that no other definition of the group uses. */
export function acceptNames(definition: Definition, group: readonly Definition[]): Naming {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { status } of group) {
    const { plural, singular, shortNames, kind, listKind } = status?.acceptedNames ?? {};
    for (const name of [plural, singular, ...(shortNames ?? [])]) if (name) resources.add(name);
    for (const name of [kind, listKind]) if (name) kinds.add(name);
  }
  const wanted = definition.spec.names;
  const before: Partial<CustomResourceDefinitionNames> = definition.status?.acceptedNames ?? {};
  const names: Partial<CustomResourceDefinitionNames> = { ...before };
  let conflict: { reason: string; message: string } | undefined;
  const inUse = (name: string, old: string, used: ReadonlySet<string>): boolean => name !== old && used.has(name);
  const accept = (
    field: 'plural' | 'singular' | 'kind' | 'listKind',
    used: ReadonlySet<string>,
    reason: string,
  ): void => {
    const name = wanted[field] ?? '';
    if (inUse(name, before[field] ?? '', used)) conflict = { reason, message: `${quote(name)} is already in use` };
    else if (wanted[field] !== undefined) names[field] = name;
  };
  accept('plural', resources, 'PluralConflict');
  accept('singular', resources, 'SingularConflict');
  const conflicting = (wanted.shortNames ?? []).filter(
    (name) => !before.shortNames?.includes(name) && resources.has(name),
  );
  if (conflicting.length > 0)
    conflict = {
      reason: 'ShortNamesConflict',
      message: aggregateMessage(conflicting.map((name) => `${quote(name)} is already in use`)),
    };
  else if (wanted.shortNames) names.shortNames = wanted.shortNames;
  else delete names.shortNames;
  accept('kind', kinds, 'KindConflict');
  accept('listKind', kinds, 'ListKindConflict');
  if (wanted.categories) names.categories = wanted.categories;
  else delete names.categories;
  return {
    names: names as CustomResourceDefinitionNames,
    namesAccepted: conflict
      ? { type: 'NamesAccepted', status: 'False', ...conflict }
      : { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
    established: establishedCondition(definition, conflict === undefined),
  };
}

/** An established definition stays established: later conflicts only affect new names. */
function establishedCondition(definition: Definition, accepted: boolean): Condition {
  const old = conditionOf(definition, 'Established');
  if (accepted && old?.status !== 'True') {
    return {
      type: 'Established',
      status: 'True',
      reason: 'InitialNamesAccepted',
      message: 'the initial names have been accepted',
    };
  }
  return old ?? { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
}

/** Definitions of v1beta1 may have non-structural schemas; undefined if the schemas are structural. */
export function nonStructuralCondition({ spec }: Definition): Condition | undefined {
  const errors: (FieldError | string)[] = spec.preserveUnknownFields
    ? ['spec.preserveUnknownFields: Invalid value: true: must be false']
    : [];
  for (const [i, { name, schema }] of spec.versions.entries()) {
    const root = schema?.openAPIV3Schema;
    if (!root) continue;
    const problem = structuralFormProblem(root);
    if (problem !== undefined) {
      return {
        type: 'NonStructuralSchema',
        status: 'Unknown',
        reason: 'StructuralError',
        message: `failed to check validation schema for version ${name}: ${problem}`,
      };
    }
    const found: FieldError[] = [];
    validateStructural(found, root, path('spec', 'versions').index(i).child('schema', 'openAPIV3Schema'));
    append(errors, found);
  }
  if (errors.length === 0) return undefined;
  return { type: 'NonStructuralSchema', status: 'True', reason: 'Violations', message: aggregateMessage(errors) };
}

const APPROVAL = 'api-approved.kubernetes.io';
const PROTECTED_GROUP = /(?:^|\.)(?:k8s|kubernetes)\.io$/;
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';

/** Definitions in *.k8s.io and *.kubernetes.io need the API approval annotation. */
export function approvalCondition({ metadata, spec }: Definition): Condition | undefined {
  if (!PROTECTED_GROUP.test(spec.group)) return undefined;
  const type = 'KubernetesAPIApprovalPolicyConformant';
  const annotation = metadata.annotations?.[APPROVAL] ?? '';
  const must = `protected groups must have approval annotation "${APPROVAL}"`;
  if (annotation === '') return { type, status: 'False', reason: 'MissingAnnotation', message: `${must}, ${SEE}` };
  if (annotation.startsWith('unapproved'))
    return { type, status: 'False', reason: 'UnapprovedAnnotation', message: `not approved: ${quote(annotation)}` };
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(annotation))
    return { type, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${annotation}` };
  return {
    type,
    status: 'False',
    reason: 'InvalidAnnotation',
    message: `${must} with either a URL or a reason starting with "unapproved", ${SEE}`,
  };
}
