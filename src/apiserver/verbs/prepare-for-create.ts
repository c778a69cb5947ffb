/** The steps of every new object between admission and the store. */
import { append, formatTime, whenDone, type MaybePromise } from '../../base/index.ts';
import { AllowanceExceededError } from '../../cel/index.ts';
import { type FieldError, invalid } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { validateCreate, type ValidationContext, warningsOnCreate } from '../../machinery/validation/index.ts';
import { dropDisabledFields } from '../registry/disabled-fields.ts';
import { kindOf } from '../registry/served-resource.ts';
import { clearStatus } from '../registry/status.ts';
import type { Reservation, WriteContext } from '../registry/strategy.ts';
import { checkObjectVersion } from '../request/resource-version.ts';
import { betweenStages } from './read-body.ts';
import type { Scope } from './scope.ts';
import { contextHere, validateInThread } from './validate-in-thread.ts';

interface CreateSteps {
  readonly dryRun: boolean;
  /** Validating admission: after the object's own validation, before anything is reserved or stored. */
  beforeStore(): MaybePromise<void>;
}

/** Returns at once for most kinds; a promise where the strategy or admission waits, or something is reserved. */
export function prepareForCreate(
  scope: Scope,
  object: KubeObject,
  steps: CreateSteps,
): MaybePromise<Reservation | undefined> {
  const { backend, served } = scope;
  const { strategy } = served;
  const request = writeContext(scope, steps.dryRun);
  const meta = object.metadata;
  // A PUT or an apply that creates may name any version that is well-formed.
  if (meta.resourceVersion && scope.info.verb !== 'create') checkObjectVersion(meta.resourceVersion);
  clearSystemMetadata(object);
  delete meta.resourceVersion;
  meta.uid = backend.ctx.random.uid();
  meta.creationTimestamp = formatTime(backend.ctx.clock.now());
  if (strategy.reserve)
    return prepareWithReservation(strategy.reserve(object, undefined, request), () =>
      complete(scope, object, request, steps),
    );
  return whenDone(complete(scope, object, request, steps), () => undefined);
}

async function prepareWithReservation(
  reserving: Promise<Reservation>,
  rest: () => MaybePromise<void>,
): Promise<Reservation> {
  const reservation = await reserving;
  try {
    await rest();
  } catch (error) {
    await reservation.rollback?.();
    throw error;
  }
  return reservation;
}

function complete(scope: Scope, object: KubeObject, request: WriteContext, steps: CreateSteps): MaybePromise<void> {
  const { backend, served } = scope;
  const { strategy } = served;
  if (!strategy.keepStatusOnWrite && !strategy.keepStatusOnCreate) clearStatus(served, object);
  if (strategy.generationChanges) object.metadata.generation = 1;
  dropDisabledFields(served.message, object, undefined, backend.validation.features);
  return whenDone(strategy.prepareForCreate?.(object, request) ?? betweenStages(scope), () =>
    validated(scope, object, request, steps),
  );
}

function validated(scope: Scope, object: KubeObject, request: WriteContext, steps: CreateSteps): MaybePromise<void> {
  if (scope.isLarge && !scope.served.strategy.validate) return validatedInThread(scope, object, request, steps);
  try {
    validateHere(scope, object, request, contextHere(scope));
  } catch (error) {
    if (error instanceof AllowanceExceededError) return validatedInThread(scope, object, request, steps);
    throw error;
  }
  return whenDone(betweenStages(scope), () => steps.beforeStore());
}

async function validatedInThread(
  scope: Scope,
  object: KubeObject,
  request: WriteContext,
  steps: CreateSteps,
): Promise<void> {
  const warnings = await validateInThread(scope, object);
  if (warnings) {
    append(scope.warnings, warnings);
    scope.served.strategy.canonicalize?.(object);
  } else validateHere(scope, object, request, scope.backend.validation);
  await betweenStages(scope);
  await steps.beforeStore();
}

function validateHere(scope: Scope, object: KubeObject, request: WriteContext, context: ValidationContext): void {
  const { served } = scope;
  const { strategy } = served;
  const knownValid = scope.template?.isKnownValid(object) ?? false;
  const errors = knownValid ? NO_ERRORS : validateCreate(served, object, context);
  const further = strategy.validate?.(object, undefined, request) ?? NO_ERRORS;
  if (errors.length + further.length > 0)
    throw invalid(kindOf(served, object), object.metadata.name ?? '', [...further, ...errors]);
  if (!knownValid) {
    const warnings = warningsOnCreate(served, object, context);
    if (warnings.length > 0) append(scope.warnings, warnings);
    else scope.template?.noteValid(object);
  }
  strategy.canonicalize?.(object);
}

const NO_ERRORS: readonly FieldError[] = [];

/** Clients cannot set these on a new object. */
export function clearSystemMetadata({ metadata }: KubeObject): void {
  delete metadata.selfLink;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
}

export function writeContext(scope: Scope, dryRun: boolean): WriteContext {
  return {
    ctx: scope.backend.ctx,
    groupResource: scope.served.groupResource,
    user: scope.user,
    dryRun,
    span: scope.span,
    validation: scope.backend.validation,
    validatesInThread: scope.isLarge === true && scope.backend.stages.runs,
    serviceAllocator: scope.backend.serviceAllocator,
    namespaceLabels: (name) =>
      scope.backend.registry.require('', 'v1', 'namespaces').cache.get('', name)?.object.metadata.labels ?? {},
    warn: (text) => scope.warnings.push(text),
  };
}
