/** The validation rules of a pod or template, relaxed for what the stored object already has. */
import type { Affinity, Container, PodSpec } from '../../../../api/generated/core-v1.ts';
import type { ObjectMeta } from '../../../../api/generated/meta-v1.ts';
import { isRestartableInitContainer } from '../../../../component-helpers/index.ts';
import { type FieldError, path } from '../../../errors/index.ts';
import type { ValidationContext } from '../../kind-validation.ts';
import { validateLabelSelector } from '../../label-selector.ts';
import { hasInvalidNodeSelectorValue } from '../node/node-selector.ts';
import { isHugePageResource, isWholeHugePages } from '../resource-names.ts';
import { validateLocalNonReservedPath } from '../volume/file-paths.ts';
import { validatePodAffinityTermSelectors } from './affinity.ts';
import { isValidDeletionCost } from './pod-annotations.ts';
import type { PodRules } from './pod-rules.ts';
import { isNamespacedSysctlOfHost } from './sysctls.ts';

const STRICT: PodRules = {
  resourceIsPod: false,
  allowPrivileged: false,
  allowInvalidDeletionCost: false,
  allowInvalidSelectorValues: false,
  allowInvalidNodeAffinityValues: false,
  allowIndivisibleHugePages: false,
  allowInvalidTopologySpreadSelector: false,
  allowNonLocalProjectedTokenPath: false,
  allowNamespacedSysctlsOfHost: false,
  allowRestartContainerOfInit: false,
  allowAnySelinuxChangePolicy: false,
  allowUserNamespaceWithHostNetwork: false,
  allowUserNamespaceWithVolumeDevices: false,
};

interface RulesOfNew {
  readonly pod: PodRules;
  readonly template: PodRules;
}

/** The settings of a server do not change, and its rules are asked for with every pod. */
const rulesOfNew = new WeakMap<ValidationContext, RulesOfNew>();

function rulesOf(context: ValidationContext): RulesOfNew {
  let rules = rulesOfNew.get(context);
  if (!rules) {
    const { allowPrivileged, features } = context;
    const template: PodRules = {
      ...STRICT,
      allowPrivileged,
      allowAnySelinuxChangePolicy: features['SELinuxMount'] ?? false,
      allowUserNamespaceWithHostNetwork: features['UserNamespacesHostNetworkSupport'] ?? false,
    };
    rulesOfNew.set(context, (rules = { pod: { ...template, resourceIsPod: true }, template }));
  }
  return rules;
}

interface StoredPod {
  readonly metadata?: ObjectMeta;
  readonly spec?: PodSpec;
}

export function podRules(context: ValidationContext, old?: StoredPod): PodRules {
  const rules = rulesOf(context).pod;
  return old ? { ...rules, ...allowancesOf(old, rules) } : rules;
}

/** The rules for a pod template; `old` is the stored template. */
export function podTemplateRules(context: ValidationContext, old?: StoredPod): PodRules {
  const rules = rulesOf(context).template;
  return old ? { ...rules, ...allowancesOf(old, rules) } : rules;
}

function allowancesOf({ metadata, spec }: StoredPod, rules: PodRules): Partial<PodRules> {
  const allowInvalidDeletionCost = metadata !== undefined && !isValidDeletionCost(metadata.annotations);
  if (!spec) return { allowInvalidDeletionCost };
  return {
    allowInvalidDeletionCost,
    allowIndivisibleHugePages: usesIndivisibleHugePages(spec),
    allowInvalidSelectorValues: hasInvalidAffinitySelector(spec.affinity),
    allowInvalidNodeAffinityValues: hasInvalidNodeSelectorValue(
      spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [],
    ),
    allowInvalidTopologySpreadSelector: hasInvalidSpreadSelector(spec),
    allowNonLocalProjectedTokenPath: hasNonLocalTokenPath(spec),
    allowNamespacedSysctlsOfHost: (spec.securityContext?.sysctls ?? []).some(({ name }) =>
      isNamespacedSysctlOfHost(name, spec),
    ),
    allowRestartContainerOfInit: (spec.initContainers ?? []).some(
      (container) =>
        !isRestartableInitContainer(container) &&
        container.resizePolicy?.some(({ restartPolicy }) => restartPolicy === 'RestartContainer'),
    ),
    allowAnySelinuxChangePolicy:
      rules.allowAnySelinuxChangePolicy || spec.securityContext?.seLinuxChangePolicy !== undefined,
    allowUserNamespaceWithHostNetwork:
      rules.allowUserNamespaceWithHostNetwork || (spec.hostNetwork === true && spec.hostUsers === false),
    allowUserNamespaceWithVolumeDevices:
      spec.hostUsers === false && containersOf(spec).some(({ volumeDevices = [] }) => volumeDevices.length > 0),
  };
}

function containersOf(spec: PodSpec): readonly Pick<Container, 'resources' | 'volumeDevices'>[] {
  return [...(spec.containers ?? []), ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])];
}

function usesIndivisibleHugePages(spec: PodSpec): boolean {
  return containersOf(spec).some(({ resources }) =>
    [resources?.limits, resources?.requests].some((list) =>
      Object.entries(list ?? {}).some(
        ([name, quantity]) => isHugePageResource(name) && !isWholeHugePages(name, quantity),
      ),
    ),
  );
}

const NOWHERE = path();

function hasInvalidAffinitySelector(affinity: Affinity | undefined): boolean {
  const errors: FieldError[] = [];
  for (const side of [affinity?.podAffinity, affinity?.podAntiAffinity]) {
    for (const term of side?.requiredDuringSchedulingIgnoredDuringExecution ?? []) {
      validatePodAffinityTermSelectors(errors, term, NOWHERE, false);
    }
    for (const { podAffinityTerm } of side?.preferredDuringSchedulingIgnoredDuringExecution ?? []) {
      validatePodAffinityTermSelectors(errors, podAffinityTerm, NOWHERE, false);
    }
  }
  return errors.length > 0;
}

function hasInvalidSpreadSelector(spec: PodSpec): boolean {
  const errors: FieldError[] = [];
  for (const { labelSelector } of spec.topologySpreadConstraints ?? [])
    validateLabelSelector(errors, labelSelector, NOWHERE);
  return errors.length > 0;
}

function hasNonLocalTokenPath(spec: PodSpec): boolean {
  const errors: FieldError[] = [];
  for (const { projected } of spec.volumes ?? []) {
    for (const { serviceAccountToken } of projected?.sources ?? []) {
      if (serviceAccountToken) validateLocalNonReservedPath(errors, serviceAccountToken.path ?? '', NOWHERE);
    }
  }
  return errors.length > 0;
}
