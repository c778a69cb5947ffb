/** Validation of ResourcePoolStatusRequests: the question, and the answer of the controller, which is given once. */
import type {
  PoolStatus,
  ResourcePoolStatusRequest,
  ResourcePoolStatusRequestStatus,
} from '../../../api/generated/resource-v1alpha3.ts';
import {
  duplicate,
  type FieldError,
  invalidValue,
  path,
  type Path,
  required,
  tooLong,
  tooMany,
} from '../../errors/index.ts';
import { dns1123Subdomain, IMMUTABLE_MESSAGE, nameIsDnsSubdomain, utf8Longer } from '../../names/index.ts';
import { semanticEqual } from '../equality.ts';
import { goStruct } from '../go-struct.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataUpdate } from '../metadata-checks.ts';
import { validateConditions } from '../object-meta.ts';

const SPEC = path('spec');
const STATUS = path('status');
const MAX_LIMIT = 1000;
const MAX_POOLS = 1000;
const MAX_CONDITIONS = 10;
const MAX_POOL_NAME = 253;
const MAX_ERROR_BYTES = 256;

export const resourcePoolStatusRequest: KindValidation<ResourcePoolStatusRequest> = {
  create: [metadata({ namespaced: false, name: nameIsDnsSubdomain }), validateSpec],
  update: [
    metadataUpdate,
    (errors, object, old) => {
      if (!semanticEqual(object.spec, old.spec)) errors.push(invalidValue(SPEC, null, IMMUTABLE_MESSAGE));
    },
  ],
  status: [metadataUpdate, validateStatus],
};

function validateSpec(errors: FieldError[], { spec }: ResourcePoolStatusRequest): void {
  const { driver, poolName, limit } = spec ?? {};
  validateDriver(errors, driver, SPEC.child('driver'));
  if (poolName != null) validatePool(errors, poolName, SPEC.child('poolName'));
  if (limit != null) validateAtLeast(errors, limit, 1, SPEC.child('limit'));
  if (limit != null && limit > MAX_LIMIT)
    errors.push(invalidValue(SPEC.child('limit'), limit, `must be less than or equal to ${MAX_LIMIT}`));
}

function validateDriver(errors: FieldError[], driver: string | undefined, at: Path): void {
  if (!driver) errors.push(required(at));
  else
    for (const message of dns1123Subdomain(driver.toLowerCase()))
      errors.push(invalidValue(at, driver, ofAnyCase(message)));
}

/** The rule without its lower case, in upstream's words. */
const ofAnyCase = (message: string): string =>
  message
    .replace('a lowercase RFC 1123 subdomain', 'an RFC 1123 subdomain')
    .replace('lower case alphanumeric', 'alphanumeric')
    .replace("'example.com'", "'Example.com'");

/** Subdomains with slashes between them. */
function validatePool(errors: FieldError[], name: string, at: Path): void {
  if (utf8Longer(name, MAX_POOL_NAME)) errors.push(tooLong(at, MAX_POOL_NAME));
  for (const [i, segment] of name.split('/').entries()) {
    const messages = segment === '' ? ['must not be empty'] : dns1123Subdomain(segment);
    for (const message of messages) errors.push(invalidValue(at, segment, `segment ${i}: ${message}`));
  }
}

function validateAtLeast(errors: FieldError[], value: number, least: number, at: Path): void {
  if (value < least) errors.push(invalidValue(at, value, `must be greater than or equal to ${least}`));
}

function validateStatus(errors: FieldError[], object: ResourcePoolStatusRequest, old: ResourcePoolStatusRequest): void {
  const { status } = object;
  if (semanticEqual(status, old.status)) return;
  if (old.status) {
    const shown = status ? goStruct('io.k8s.api.resource.v1alpha3.ResourcePoolStatusRequestStatus', status) : null;
    errors.push(invalidValue(STATUS, shown, IMMUTABLE_MESSAGE));
  }
  if (!status) return;
  const conditions = status.conditions ?? [];
  if (!old.status) validateConditions(errors, conditions, STATUS.child('conditions'));
  validateAnswer(errors, status, old.status);
}

/** What is unchanged is not validated again. */
function validateAnswer(
  errors: FieldError[],
  status: ResourcePoolStatusRequestStatus,
  old: ResourcePoolStatusRequestStatus | undefined,
): void {
  const { poolCount, pools = [], conditions = [] } = status;
  if (poolCount == null) errors.push(required(STATUS.child('poolCount')));
  else if (poolCount !== old?.poolCount) validateAtLeast(errors, poolCount, 0, STATUS.child('poolCount'));
  const at = STATUS.child('pools');
  if (!semanticEqual(pools, old?.pools ?? [])) {
    if (pools.length > MAX_POOLS) errors.push(tooMany(at, pools.length, MAX_POOLS));
    else for (const [i, pool] of pools.entries()) validatePoolStatus(errors, pool, at.index(i));
  }
  if (semanticEqual(conditions, old?.conditions ?? [])) return;
  const place = STATUS.child('conditions');
  if (conditions.length > MAX_CONDITIONS) {
    errors.push(tooMany(place, conditions.length, MAX_CONDITIONS));
    return;
  }
  const types = conditions.map(({ type }) => type);
  for (const [i, condition] of conditions.entries()) {
    const { type, status: value = '', lastTransitionTime = null, reason = '', message = '' } = condition;
    const shown = { type, status: value, lastTransitionTime, reason, message };
    if (types.indexOf(type) < i) errors.push(duplicate(place.index(i), shown));
  }
}

const COUNTS = ['totalDevices', 'allocatedDevices', 'availableDevices', 'unavailableDevices'] as const;

function validatePoolStatus(errors: FieldError[], pool: Partial<PoolStatus>, at: Path): void {
  validateDriver(errors, pool.driver, at.child('driver'));
  if (!pool.poolName) errors.push(required(at.child('poolName')));
  else validatePool(errors, pool.poolName, at.child('poolName'));
  if (!pool.generation) errors.push(required(at.child('generation')));
  else validateAtLeast(errors, pool.generation, 0, at.child('generation'));
  if (pool.resourceSliceCount != null)
    validateAtLeast(errors, pool.resourceSliceCount, 1, at.child('resourceSliceCount'));
  for (const name of COUNTS) {
    const count = pool[name];
    if (count != null) validateAtLeast(errors, count, 0, at.child(name));
  }
  if (pool.nodeName != null)
    for (const message of dns1123Subdomain(pool.nodeName))
      errors.push(invalidValue(at.child('nodeName'), pool.nodeName, message));
  if (pool.validationError != null && utf8Longer(pool.validationError, MAX_ERROR_BYTES))
    errors.push(tooLong(at.child('validationError'), MAX_ERROR_BYTES));
}
