/** Validation of ResourceQuotas and their scopes. */
import type {
  ResourceQuota,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
} from '../../../api/generated/core-v1.ts';
import { type FieldError, invalidValue, path, type Path, required } from '../../errors/index.ts';
import { IMMUTABLE_MESSAGE, nameIsDnsSubdomain } from '../../names/index.ts';
import { goStruct } from '../go-struct.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataUpdate } from '../metadata-checks.ts';
import { isStandardQuotaResource } from './resource-names.ts';
import { validateQuotaResourceName, validateResourceQuantity } from './resources.ts';

const SPEC = path('spec');
const STATUS = path('status');

const EXISTENCE_SCOPES = ['Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort', 'CrossNamespacePodAffinity'];
const SCOPES = [...EXISTENCE_SCOPES, 'PriorityClass', 'VolumeAttributesClass'];
const CONFLICTS = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;

const POD_COUNTS = ['pods'];
const POD_COMPUTE = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];
const CLAIM_RESOURCES = ['persistentvolumeclaims', 'requests.storage'];

/** Whether a quota with the scope can limit the resource. */
function isScopeValidFor(scope: string, resource: string): boolean {
  switch (scope) {
    case 'Terminating':
    case 'NotTerminating':
    case 'NotBestEffort':
    case 'PriorityClass':
    case 'CrossNamespacePodAffinity':
      return POD_COUNTS.includes(resource) || POD_COMPUTE.includes(resource);
    case 'BestEffort':
      return POD_COUNTS.includes(resource);
    case 'VolumeAttributesClass':
      return CLAIM_RESOURCES.includes(resource);
    default:
      return true;
  }
}

function validateResources(errors: FieldError[], list: Readonly<Record<string, string>> | undefined, at: Path): void {
  for (const name in list) {
    validateQuotaResourceName(errors, name, at.key(name));
    validateResourceQuantity(errors, name, list[name]!, at.key(name));
  }
}

function validateSpec(errors: FieldError[], quota: ResourceQuotaSpec): void {
  validateResources(errors, quota.hard, SPEC.child('hard'));
  validateScopes(errors, quota);
  if (quota.scopeSelector) validateScopeSelector(errors, quota, quota.scopeSelector.matchExpressions ?? []);
}

const standardResources = (quota: ResourceQuotaSpec): string[] =>
  Object.keys(quota.hard ?? {})
    .filter(isStandardQuotaResource)
    .sort();

function validateScopes(errors: FieldError[], quota: ResourceQuotaSpec): void {
  const { scopes = [] } = quota;
  const here = SPEC.child('scopes');
  for (const scope of scopes) {
    if (!SCOPES.includes(scope)) errors.push(invalidValue(here, scopes, 'unsupported scope'));
    for (const name of standardResources(quota)) {
      if (!isScopeValidFor(scope, name))
        errors.push(invalidValue(here, scopes, 'unsupported scope applied to resource'));
    }
  }
  for (const [one, other] of CONFLICTS) {
    if (scopes.includes(one) && scopes.includes(other)) errors.push(invalidValue(here, scopes, 'conflicting scopes'));
  }
}

function validateScopeSelector(
  errors: FieldError[],
  quota: ResourceQuotaSpec,
  requirements: readonly ScopedResourceSelectorRequirement[],
): void {
  const here = SPEC.child('scopeSelector', 'matchExpressions');
  for (const { scopeName = '', operator = '', values = [] } of requirements) {
    if (!SCOPES.includes(scopeName)) errors.push(invalidValue(here.child('scopeName'), scopeName, 'unsupported scope'));
    for (const name of standardResources(quota)) {
      if (isScopeValidFor(scopeName, name)) continue;
      const shown = goStruct('io.k8s.api.core.v1.ScopeSelector', quota.scopeSelector);
      errors.push(invalidValue(here, shown, 'unsupported scope applied to resource'));
    }
    if (EXISTENCE_SCOPES.includes(scopeName) && operator !== 'Exists') {
      errors.push(invalidValue(here.child('operator'), operator, EXISTENCE_MESSAGE));
    }
    validateOperator(errors, operator, values, here);
  }
  const scopes = requirements.map(({ scopeName }) => scopeName);
  for (const [one, other] of CONFLICTS) {
    if (scopes.includes(one) && scopes.includes(other))
      errors.push(invalidValue(here, quota.scopes ?? null, 'conflicting scopes'));
  }
}

const EXISTENCE_MESSAGE =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function validateOperator(errors: FieldError[], operator: string, values: readonly string[], at: Path): void {
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) {
      errors.push(
        required(
          at.child('values'),
          "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        ),
      );
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      errors.push(
        invalidValue(
          at.child('values'),
          values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        ),
      );
    }
  } else errors.push(invalidValue(at.child('operator'), operator, 'not a valid selector operator'));
}

function spec(errors: FieldError[], object: ResourceQuota): void {
  validateSpec(errors, object.spec ?? {});
}

function status(errors: FieldError[], object: ResourceQuota): void {
  validateResources(errors, object.status?.hard, STATUS.child('hard'));
  validateResources(errors, object.status?.used, STATUS.child('used'));
}

function scopesUpdate(errors: FieldError[], object: ResourceQuota, old: ResourceQuota): void {
  const scopes = new Set(object.spec?.scopes);
  const before = new Set(old.spec?.scopes);
  if (scopes.size === before.size && [...scopes].every((scope) => before.has(scope))) return;
  errors.push(invalidValue(SPEC.child('scopes'), object.spec?.scopes ?? null, IMMUTABLE_MESSAGE));
}

function resourceVersionUpdate(errors: FieldError[], object: ResourceQuota): void {
  if (!object.metadata?.resourceVersion) errors.push(required(path('resourceVersion')));
}

export const resourceQuota: KindValidation<ResourceQuota> = {
  create: [metadata({ namespaced: true, name: nameIsDnsSubdomain }), spec, status],
  update: [metadataUpdate, (errors, object) => validateSpec(errors, object.spec ?? {}), scopesUpdate],
  status: [metadataUpdate, resourceVersionUpdate, (errors, object) => status(errors, object)],
};
