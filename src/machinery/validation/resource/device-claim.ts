/** Validates the spec of device claims: requests, constraints and configuration. */
import type {
  DeviceClaim,
  DeviceConstraint,
  DeviceRequest,
  DeviceSelector,
  DeviceSubRequest,
  DeviceTaint,
  DeviceToleration,
  ExactDeviceRequest,
  OpaqueDeviceConfiguration,
} from '../../../api/generated/resource-v1.ts';
import { isRecord, stringifyJson } from '../../../base/index.ts';
import {
  type FieldError,
  forbiddenField,
  internalFieldError,
  invalidValue,
  notSupported,
  type Path,
  required,
  tooLong,
} from '../../errors/index.ts';
import { utf8Longer } from '../../names/index.ts';
import type { CelCompiler } from '../cel-compiler.ts';
import { validateLabelName } from '../label-selector.ts';
import { validateBoundedList, validateBoundedSet } from './bounded.ts';
import {
  validateDeviceClassName,
  validateDriverName,
  validateFullyQualifiedName,
  validateLabel,
  validateLabelValue,
} from './device-names.ts';

const MAX_REQUESTS = 32;
const MAX_CONSTRAINTS = 32;
export const MAX_CONFIG = 32;
const MAX_SELECTORS = 32;
const MAX_ALTERNATIVES = 8;
const MAX_EXPRESSION_BYTES = 10 * 1024;
const MAX_EXPRESSION_COST = 1_000_000;
const MAX_PARAMETERS_BYTES = 10 * 1024;
const MODES = ['All', 'ExactCount'];
const OPERATORS = ['Equal', 'Exists'];
const EFFECTS = ['NoExecute', 'NoSchedule', 'None'];

/** The names of a claim's requests with their subrequests. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

export const requestNamesOf = (claim: DeviceClaim | undefined): RequestNames =>
  new Map(
    (claim?.requests ?? []).map(({ name, firstAvailable }) => [
      name,
      new Set((firstAvailable ?? []).map((sub) => sub.name)),
    ]),
  );

export function validateDeviceClaim(
  errors: FieldError[],
  claim: DeviceClaim,
  at: Path,
  cel: CelCompiler | undefined,
): void {
  const names = requestNamesOf(claim);
  validateBoundedSet(errors, claim.requests, at.child('requests'), {
    max: MAX_REQUESTS,
    item: (found, request, requestAt) => validateRequest(found, request, requestAt, cel),
    key: (request) => request.name ?? '',
  });
  validateBoundedList(errors, claim.constraints, at.child('constraints'), {
    max: MAX_CONSTRAINTS,
    item: (found, constraint, constraintAt) => validateConstraint(found, constraint, constraintAt, names),
  });
  validateBoundedList(errors, claim.config, at.child('config'), {
    max: MAX_CONFIG,
    item: (found, config, configAt) => {
      validateRequestReferences(found, config.requests, configAt.child('requests'), names);
      validateDeviceConfiguration(found, config.opaque, configAt.child('opaque'));
    },
  });
}

function validateRequest(
  errors: FieldError[],
  { name = '', exactly, firstAvailable }: DeviceRequest,
  at: Path,
  cel: CelCompiler | undefined,
): void {
  const oneOf = 'exactly one of `exactly` or `firstAvailable` is required';
  const alternatives = firstAvailable ?? [];
  validateLabel(errors, name, at.child('name'));
  if (exactly && alternatives.length > 0) errors.push(invalidValue(at, null, `${oneOf}, but multiple fields are set`));
  else if (exactly) validateDevices(errors, exactly, at.child('exactly'), cel);
  else if (alternatives.length === 0) errors.push(required(at, oneOf));
  else {
    validateBoundedSet(errors, alternatives, at.child('firstAvailable'), {
      max: MAX_ALTERNATIVES,
      item: (found, alternative, alternativeAt) => {
        validateLabel(found, alternative.name ?? '', alternativeAt.child('name'));
        validateDevices(found, alternative, alternativeAt, cel);
      },
      key: (alternative) => alternative.name ?? '',
    });
  }
}

function validateDevices(
  errors: FieldError[],
  request: ExactDeviceRequest | DeviceSubRequest,
  at: Path,
  cel: CelCompiler | undefined,
): void {
  validateDeviceClassName(errors, request.deviceClassName ?? '', at.child('deviceClassName'));
  validateSelectors(errors, request.selectors, at.child('selectors'), cel);
  validateAllocationMode(errors, request, at);
  for (const [i, toleration] of (request.tolerations ?? []).entries())
    validateToleration(errors, toleration, at.child('tolerations').index(i));
}

function validateAllocationMode(
  errors: FieldError[],
  { allocationMode = '', count = 0 }: ExactDeviceRequest | DeviceSubRequest,
  at: Path,
): void {
  if (allocationMode === 'All') {
    if (count !== 0)
      errors.push(invalidValue(at.child('count'), count, "must not be specified when allocationMode is 'All'"));
  } else if (allocationMode === 'ExactCount') {
    if (count <= 0) errors.push(invalidValue(at.child('count'), count, 'must be greater than zero'));
  } else {
    errors.push(notSupported(at.child('allocationMode'), allocationMode, MODES));
  }
}

export function validateSelectors(
  errors: FieldError[],
  selectors: readonly DeviceSelector[] | undefined,
  at: Path,
  cel: CelCompiler | undefined,
): void {
  validateBoundedList(errors, selectors, at, {
    max: MAX_SELECTORS,
    item: (found, selector, selectorAt) => {
      if (!selector.cel) found.push(required(selectorAt.child('cel')));
      else validateCelSelector(found, selector.cel.expression ?? '', selectorAt.child('cel', 'expression'), cel);
    },
  });
}

function validateCelSelector(errors: FieldError[], expression: string, at: Path, cel: CelCompiler | undefined): void {
  if (utf8Longer(expression, MAX_EXPRESSION_BYTES)) {
    errors.push(tooLong(at, MAX_EXPRESSION_BYTES));
    return;
  }
  const compiled = cel?.compileDeviceSelector(expression);
  if (!compiled) return;
  const { error, maxCost } = compiled;
  if (error?.type === 'required') errors.push(required(at, error.detail));
  else if (error?.type === 'invalid') errors.push(invalidValue(at, expression, error.detail));
  else if (error) errors.push(internalFieldError(at, error.detail));
  else if (maxCost > MAX_EXPRESSION_COST) errors.push(forbiddenField(at, 'too complex, exceeds cost limit'));
}

function validateConstraint(errors: FieldError[], constraint: DeviceConstraint, at: Path, names: RequestNames): void {
  const { matchAttribute, distinctAttribute } = constraint;
  validateRequestReferences(errors, constraint.requests, at.child('requests'), names);
  if (matchAttribute != null) validateFullyQualifiedName(errors, matchAttribute, at.child('matchAttribute'));
  else if (distinctAttribute != null)
    validateFullyQualifiedName(errors, distinctAttribute, at.child('distinctAttribute'));
  else {
    // As upstream, the message mentions several although there is none.
    const detail = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
    errors.push(required(at, detail));
  }
}

export function validateRequestReferences(
  errors: FieldError[],
  requests: readonly string[] | undefined,
  at: Path,
  names: RequestNames,
): void {
  validateBoundedSet(errors, requests, at, {
    max: MAX_REQUESTS,
    item: (found, name, nameAt) => validateRequestReference(found, name, nameAt, names),
    key: (name) => name,
  });
}

/** `request`, or `request/alternative`. */
export function validateRequestReference(errors: FieldError[], name: string, at: Path, names: RequestNames): void {
  const detail =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  const segments = name.split('/');
  const [request = '', alternative] = segments;
  if (segments.length > 2) {
    errors.push(invalidValue(at, name, detail));
    return;
  }
  for (const segment of segments) validateLabel(errors, segment, at);
  const alternatives = names.get(request);
  if (!alternatives || (alternative !== undefined && !alternatives.has(alternative)))
    errors.push(invalidValue(at, name, detail));
}

export function validateDeviceConfiguration(
  errors: FieldError[],
  opaque: OpaqueDeviceConfiguration | undefined,
  at: Path,
): void {
  if (!opaque) {
    errors.push(required(at));
    return;
  }
  validateDriverName(errors, opaque.driver ?? '', at.child('driver'));
  validateRawObject(errors, opaque.parameters, at.child('parameters'), MAX_PARAMETERS_BYTES);
}

/** Opaque parameters of a driver: an object of limited size. */
export function validateRawObject(errors: FieldError[], value: unknown, at: Path, max: number): void {
  if (value === undefined || value === null) errors.push(required(at));
  else if (utf8Longer(stringifyJson(value), max)) errors.push(tooLong(at, max));
  else if (!isRecord(value)) errors.push(invalidValue(at, '<value omitted>', 'must be a valid JSON object'));
}

function validateToleration(
  errors: FieldError[],
  { key = '', operator = '', value = '', effect = '' }: DeviceToleration,
  at: Path,
): void {
  if (key !== '') validateLabelName(errors, key, at.child('key'));
  if (operator === 'Exists') {
    if (value !== '') errors.push(invalidValue(at.child('value'), value, 'must be empty for operator `Exists`'));
  } else if (operator === 'Equal') validateLabelValue(errors, value, at.child('value'));
  else if (operator === '') errors.push(required(at.child('operator')));
  else errors.push(notSupported(at.child('operator'), operator, OPERATORS));
  if (effect !== '' && !EFFECTS.includes(effect)) errors.push(notSupported(at.child('effect'), effect, EFFECTS));
}

export function validateTaint(
  errors: FieldError[],
  { key = '', value = '', effect = '' }: DeviceTaint,
  at: Path,
): void {
  validateLabelName(errors, key, at.child('key'));
  if (value !== '') validateLabelValue(errors, value, at.child('value'));
  if (effect === '') errors.push(required(at.child('effect')));
  else if (!EFFECTS.includes(effect)) errors.push(notSupported(at.child('effect'), effect, EFFECTS));
}
