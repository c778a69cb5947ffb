/** Validation of LimitRanges. */
import type { LimitRange, LimitRangeItem } from '../../../api/generated/core-v1.ts';
import { ownValue } from '../../../base/index.ts';
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  path,
  type Path,
  required,
} from '../../errors/index.ts';
import { nameIsDnsSubdomain, qualifiedName } from '../../names/index.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataAgain } from '../metadata-checks.ts';
import { compareQuantities, quantityOf } from '../quantities.ts';
import { isOvercommitAllowed } from './resource-names.ts';
import { validateContainerResourceName, validateResourceName } from './resources.ts';

const LIMITS = path('spec', 'limits');
const STANDARD_TYPES = ['Pod', 'Container', 'PersistentVolumeClaim'];
const LISTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;
const MAX_MILLI_VALUE = (2n ** 63n - 1n) / 1000n;

function limits(errors: FieldError[], object: LimitRange): void {
  const seen = new Set<string>();
  for (const [i, limit] of (object.spec?.limits ?? []).entries()) {
    const here = LIMITS.index(i);
    const { type = '' } = limit;
    validateType(errors, type, here.child('type'));
    if (seen.has(type)) errors.push(duplicate(here.child('type'), type));
    seen.add(type);
    const names = validateNames(errors, limit, here);
    for (const name of names) validateValues(errors, limit, name, here);
  }
}

function validateType(errors: FieldError[], type: string, at: Path): void {
  const messages = qualifiedName(type);
  for (const message of messages) errors.push(invalidValue(at, type, message));
  if (messages.length === 0 && !type.includes('/') && !STANDARD_TYPES.includes(type)) {
    errors.push(invalidValue(at, type, 'must be a standard limit type or fully qualified'));
  }
}

/** Returns the names that occur in any of the lists. */
function validateNames(errors: FieldError[], limit: LimitRangeItem, at: Path): Set<string> {
  const names = new Set<string>();
  const ofContainers = limit.type === 'Pod' || limit.type === 'Container';
  for (const list of LISTS) {
    const values = limit[list] ?? {};
    if (
      list === 'maxLimitRequestRatio' &&
      limit.type === 'PersistentVolumeClaim' &&
      !limit.min?.['storage'] &&
      !limit.max?.['storage']
    ) {
      errors.push(
        required(at.child('limits'), 'either minimum or maximum storage value is required, but neither was provided'),
      );
    }
    if (limit.type === 'Pod' && (list === 'default' || list === 'defaultRequest')) {
      if (Object.keys(values).length > 0)
        errors.push(forbiddenField(at.child(list), "may not be specified when `type` is 'Pod'"));
      continue;
    }
    for (const name in values) {
      const check = ofContainers ? validateContainerResourceName : validateResourceName;
      check(errors, name, at.child(list).key(name));
      names.add(name);
    }
  }
  return names;
}

function validateValues(errors: FieldError[], limit: LimitRangeItem, name: string, at: Path): void {
  const min = ownValue(limit.min, name);
  const max = ownValue(limit.max, name);
  const byDefault = limit.type === 'Pod' ? undefined : ownValue(limit.default, name);
  const request = limit.type === 'Pod' ? undefined : ownValue(limit.defaultRequest, name);
  const isMore = (a: string | undefined, b: string | undefined): a is string =>
    a !== undefined && b !== undefined && compareQuantities(a, b) > 0;
  const refuse = (list: (typeof LISTS)[number], value: string | undefined, message: string): void => {
    errors.push(invalidValue(at.child(list).key(name), value, message));
  };
  if (isMore(min, max)) refuse('min', min, `min value ${min} is greater than max value ${max}`);
  if (isMore(min, request))
    refuse('defaultRequest', request, `min value ${min} is greater than default request value ${request}`);
  if (isMore(request, max))
    refuse('defaultRequest', request, `default request value ${request} is greater than max value ${max}`);
  if (isMore(request, byDefault)) {
    refuse(
      'defaultRequest',
      request,
      `default request value ${request} is greater than default limit value ${byDefault}`,
    );
  }
  // As upstream, the error shows the bound, not the default that violates it.
  if (isMore(min, byDefault)) refuse('default', min, `min value ${min} is greater than default value ${byDefault}`);
  if (isMore(byDefault, max)) refuse('default', max, `default value ${byDefault} is greater than max value ${max}`);
  validateRatio(errors, limit, name, at);
  if (
    !isOvercommitAllowed(name) &&
    byDefault !== undefined &&
    request !== undefined &&
    compareQuantities(byDefault, request) !== 0
  ) {
    refuse(
      'defaultRequest',
      request,
      `default value ${byDefault} must equal to defaultRequest value ${request} in ${name}`,
    );
  }
}

function validateRatio(errors: FieldError[], limit: LimitRangeItem, name: string, at: Path): void {
  const text = ownValue(limit.maxLimitRequestRatio, name);
  if (text === undefined) return;
  const here = at.child('maxLimitRequestRatio').key(name);
  if (compareQuantities(text, '1') < 0) errors.push(invalidValue(here, text, `ratio ${text} is less than 1`));
  const [min, max] = [ownValue(limit.min, name), ownValue(limit.max, name)];
  if (min === undefined || max === undefined) return;
  const quantities = [quantityOf(text), quantityOf(min), quantityOf(max)];
  const inMilli = quantities.every((quantity) => quantity.scaledValue(0) < MAX_MILLI_VALUE);
  const [ratio = 0, low = 0, high = 0] = quantities.map((quantity) => Number(quantity.scaledValue(inMilli ? -3 : 0)));
  const most = high / low;
  if (ratio / (inMilli ? 1000 : 1) > most)
    errors.push(invalidValue(here, text, `ratio ${text} is greater than max/min = ${goFloat(most)}`));
}

/** A number as Go's %f prints it. */
const goFloat = (value: number): string => {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? value.toFixed(6) : value > 0 ? '+Inf' : '-Inf';
};

const RULES = { namespaced: true, name: nameIsDnsSubdomain };

export const limitRange: KindValidation<LimitRange> = {
  create: [metadata(RULES), limits],
  update: [metadataAgain(RULES), limits],
};
