/** Quota scopes: which objects a ResourceQuota applies to. */
import type {
  Pod,
  PersistentVolumeClaim,
  ResourceQuota,
  ScopedResourceSelectorRequirement,
} from '../../api/generated/core-v1.ts';
import { LabelRequirement, LabelSelectorMatcher, type LabelOperator } from '../selectors/index.ts';

const COMPUTE = ['cpu', 'memory'];
const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map(
  Object.entries<LabelOperator>({ In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' }),
);

/** Scopes and the scope selector as one list of requirements. */
export function scopesOf({ spec = {} }: ResourceQuota): ScopedResourceSelectorRequirement[] {
  return [
    ...(spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
    ...(spec.scopeSelector?.matchExpressions ?? []),
  ];
}

export function matchesScopes(
  group: string,
  plural: string,
  object: unknown,
  scopes: readonly ScopedResourceSelectorRequirement[],
): boolean {
  if (scopes.length === 0) return true;
  if (group !== '') return false;
  if (plural === 'pods') return scopes.every((scope) => podMatches(object as Pod, scope));
  if (plural === 'persistentvolumeclaims')
    return scopes.every((scope) => claimMatches(object as PersistentVolumeClaim, scope));
  return false;
}

function podMatches(pod: Pod, scope: ScopedResourceSelectorRequirement): boolean {
  const { spec } = pod;
  switch (scope.scopeName) {
    case 'Terminating':
      return spec?.activeDeadlineSeconds !== undefined && spec.activeDeadlineSeconds >= 0;
    case 'NotTerminating':
      return !(spec?.activeDeadlineSeconds !== undefined && spec.activeDeadlineSeconds >= 0);
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass':
      return matchesValue(spec?.priorityClassName, scope);
    case 'CrossNamespacePodAffinity':
      return usesOtherNamespaces(pod);
    default:
      return false;
  }
}

/** VolumeAttributesClass is the only scope for claims. */
function claimMatches(claim: PersistentVolumeClaim, scope: ScopedResourceSelectorRequirement): boolean {
  if (scope.scopeName !== 'VolumeAttributesClass') return false;
  const names = attributesClassesOf(claim);
  if (names.length === 0) return matchesValue(undefined, scope);
  return names.some((name) => matchesValue(name, scope));
}

/** The VolumeAttributesClasses that a claim counts for: the wanted one, the present one, and the one it changes to. */
export function attributesClassesOf({ status, spec }: PersistentVolumeClaim): string[] {
  const names = new Set([
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ]);
  names.delete('');
  return [...names].filter((name) => name !== undefined).toSorted();
}

function matchesValue(
  value: string | undefined,
  { scopeName, operator, values = [] }: ScopedResourceSelectorRequirement,
): boolean {
  const known = OPERATORS.get(operator);
  if (known === undefined) return false;
  return new LabelSelectorMatcher([LabelRequirement.checked(scopeName, known, values)]).matches(
    value === undefined || value === '' ? {} : { [scopeName]: value },
  );
}

function isBestEffort({ spec }: Pod): boolean {
  const lists = [...(spec?.initContainers ?? []), ...(spec?.containers ?? []), { resources: spec?.resources }].flatMap(
    ({ resources }) => [resources?.requests, resources?.limits],
  );
  return lists.every((list) => COMPUTE.every((name) => list?.[name] === undefined || list[name] === '0'));
}

function usesOtherNamespaces({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  const terms = [podAffinity, podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((preferred) => preferred.podAffinityTerm),
  ]);
  return terms.some((term) => (term.namespaces ?? []).length > 0 || term.namespaceSelector !== undefined);
}
