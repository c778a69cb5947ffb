/** Resource names and quantities, and what containers and pods ask of them. */
import type { ResourceClaim, ResourceRequirements } from '../../../api/generated/core-v1.ts';
import { ownValue } from '../../../base/index.ts';
import {
  duplicate,
  FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  type Path,
  required,
} from '../../errors/index.ts';
import { dns1123Label, NEGATIVE_MESSAGE, qualifiedName } from '../../names/index.ts';
import {
  compareQuantities,
  isNegativeQuantity,
  isPositiveQuantity,
  isWholeQuantity,
  quantityOf,
} from '../quantities.ts';
import {
  isExtendedResource,
  isHugePageResource,
  isIntegerResource,
  isNativeResource,
  isOvercommitAllowed,
  isStandardContainerResource,
  isStandardQuotaResource,
  isStandardResource,
  isWholeHugePages,
} from './resource-names.ts';

export type ResourceNameCheck = (errors: FieldError[], name: string, at: Path) => void;

export function validateResourceName(errors: FieldError[], name: string, at: Path): void {
  const messages = qualifiedName(name);
  for (const message of messages) errors.push(invalidValue(at, name, message));
  if (messages.length === 0 && !name.includes('/') && !isStandardResource(name)) {
    errors.push(invalidValue(at, name, 'must be a standard resource type or fully qualified'));
  }
}

export function validateContainerResourceName(errors: FieldError[], name: string, at: Path): void {
  if (name === 'cpu' || name === 'memory') return;
  validateResourceName(errors, name, at);
  if (!name.includes('/')) {
    if (!isStandardContainerResource(name))
      errors.push(invalidValue(at, name, 'must be a standard resource for containers'));
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    errors.push(invalidValue(at, name, "doesn't follow extended resource name standard"));
  }
}

export function validateQuotaResourceName(errors: FieldError[], name: string, at: Path): void {
  validateResourceName(errors, name, at);
  if (!name.includes('/') && !isStandardQuotaResource(name))
    errors.push(invalidValue(at, name, 'must be a standard resource for quota'));
}

function validatePodResourceName(errors: FieldError[], name: string, at: Path): void {
  const before = errors.length;
  validateResourceName(errors, name, at);
  if (errors.length > before) return;
  if (name !== 'cpu' && name !== 'memory' && !isHugePageResource(name))
    errors.push(notSupported(at, name, ['cpu', 'hugepages-', 'memory']));
}

export function validateNonnegativeQuantity(errors: FieldError[], quantity: string, at: Path): void {
  if (isNegativeQuantity(quantity)) errors.push(invalidValue(at, quantity, NEGATIVE_MESSAGE));
}

export function validatePositiveQuantity(errors: FieldError[], quantity: string, at: Path): void {
  if (!isPositiveQuantity(quantity)) errors.push(invalidValue(at, quantity, 'must be greater than zero'));
}

/** A quantity that is fit for the resource: not negative, and whole for what can only be counted. */
export function validateResourceQuantity(errors: FieldError[], name: string, quantity: string, at: Path): void {
  validateNonnegativeQuantity(errors, quantity, at);
  if (name === 'cpu' || name === 'memory') return;
  if (isIntegerResource(name) && !isWholeQuantity(quantity))
    errors.push(invalidValue(at, quantity, 'must be an integer'));
}

export function validateBasicResource(errors: FieldError[], quantity: string, at: Path): void {
  if (isNegativeQuantity(quantity))
    errors.push(invalidValue(at, quantityOf(quantity).value(), 'must be a valid resource quantity'));
}

export interface RequirementRules {
  /** The names in the pod's resourceClaims. */
  readonly claimNames: ReadonlySet<string>;
  readonly allowIndivisibleHugePages: boolean;
}

export function validateContainerResources(
  errors: FieldError[],
  resources: ResourceRequirements,
  at: Path,
  rules: RequirementRules,
): void {
  new Requirements(errors, at, validateContainerResourceName).validate(resources, rules);
}

export function validatePodLevelResources(
  errors: FieldError[],
  resources: ResourceRequirements,
  at: Path,
  rules: RequirementRules,
): void {
  new Requirements(errors, at, validatePodResourceName).validate(resources, rules);
}

/** The requirements of one container or pod while they are gone through. */
class Requirements {
  #hasCpuOrMemory = false;
  #hasHugePages = false;

  readonly #errors: FieldError[];
  readonly #at: Path;
  readonly #resourceName: ResourceNameCheck;

  constructor(errors: FieldError[], at: Path, resourceName: ResourceNameCheck) {
    this.#errors = errors;
    this.#at = at;
    this.#resourceName = resourceName;
  }

  validate({ limits, requests, claims }: ResourceRequirements, rules: RequirementRules): void {
    for (const name in limits) {
      this.#validateOne('limits', name, ownValue(limits, name)!);
      if (isHugePageResource(name)) this.#validateHugePages('limits', name, ownValue(limits, name)!, rules);
    }
    for (const name in requests) {
      const request = ownValue(requests, name)!;
      this.#validateOne('requests', name, request);
      validateRequestAgainstLimit(this.#errors, { name, request, limit: ownValue(limits, name) }, this.#at);
      if (isHugePageResource(name)) this.#validateHugePages('requests', name, request, rules);
    }
    if (this.#hasHugePages && !this.#hasCpuOrMemory)
      this.#errors.push(forbiddenField(this.#at, 'HugePages require cpu or memory'));
    if (claims) validateClaimNames(this.#errors, claims, rules.claimNames, this.#at.child('claims'));
  }

  #validateOne(kind: 'limits' | 'requests', name: string, quantity: string): void {
    if (name === 'cpu' || name === 'memory') {
      this.#hasCpuOrMemory = true;
      if (isNegativeQuantity(quantity))
        validateNonnegativeQuantity(this.#errors, quantity, this.#at.child(kind).key(name));
      return;
    }
    const here = this.#at.child(kind).key(name);
    this.#resourceName(this.#errors, name, here);
    validateResourceQuantity(this.#errors, name, quantity, here);
  }

  #validateHugePages(kind: 'limits' | 'requests', name: string, quantity: string, rules: RequirementRules): void {
    this.#hasHugePages = true;
    if (rules.allowIndivisibleHugePages || isWholeHugePages(name, quantity)) return;
    this.#errors.push(
      invalidValue(this.#at.child(kind).key(name), quantity, `${quantity} is not positive integer multiple of ${name}`),
    );
  }
}

interface RequestAndLimit {
  readonly name: string;
  readonly request: string;
  readonly limit: string | undefined;
}

function validateRequestAgainstLimit(errors: FieldError[], { name, request, limit }: RequestAndLimit, at: Path): void {
  const overcommit = isOvercommitAllowed(name);
  if (limit === undefined) {
    if (!overcommit) errors.push(required(at.child('limits'), 'Limit must be set for non overcommitable resources'));
    return;
  }
  const order = compareQuantities(request, limit);
  if (order !== 0 && !overcommit)
    errors.push(invalidValue(at.child('requests'), request, `must be equal to ${name} limit of ${limit}`));
  else if (order > 0)
    errors.push(invalidValue(at.child('requests'), request, `must be less than or equal to ${name} limit of ${limit}`));
}

/** A container names claims of its pod, whole or by request, each of them once. */
function validateClaimNames(
  errors: FieldError[],
  claims: readonly ResourceClaim[],
  known: ReadonlySet<string>,
  at: Path,
): void {
  const seen = new Set<string>();
  for (const [i, { name = '', request = '' }] of claims.entries()) {
    const here = at.index(i);
    if (name === '') {
      errors.push(required(here));
      continue;
    }
    if (seen.has(name)) errors.push(duplicate(here, name));
    else {
      if (request !== '')
        for (const message of dns1123Label(request)) errors.push(invalidValue(here.child('request'), request, message));
      const key = request === '' ? name : `${name}/${request}`;
      if (seen.has(key)) errors.push(duplicate(here, key));
      else if (request === '')
        for (const other of seen) if (other.startsWith(`${name}/`)) errors.push(duplicate(here, name));
      seen.add(key);
    }
    if (known.has(name)) continue;
    const names = known.size === 0 ? ' which is empty' : `: ${[...known].sort().join(', ')}`;
    errors.push(
      new FieldError(
        'FieldValueNotFound',
        here.toString(),
        name,
        `must be one of the names in pod.spec.resourceClaims${names}`,
      ),
    );
  }
}
