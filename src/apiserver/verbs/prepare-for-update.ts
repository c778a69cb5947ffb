/** The steps of every updated object between admission and the store. */
import type { ObjectMeta } from '../../api/generated/meta-v1.ts';
import { append, ownValue, type MaybePromise } from '../../base/index.ts';
import { AllowanceExceededError } from '../../cel/index.ts';
import { type FieldError, invalid, invalidValue, path } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import {
  validateStatusUpdate,
  validateSubresourceUpdate,
  validateUpdate,
  type ValidationContext,
  warningsOnStatusUpdate,
  warningsOnUpdate,
} from '../../machinery/validation/index.ts';
import { dropDisabledFields } from '../registry/disabled-fields.ts';
import { keepStatusMetadata } from '../registry/keep-metadata.ts';
import { kindOf, type ServedResource } from '../registry/served-resource.ts';
import { hasStatusSubresource, restoreStatus } from '../registry/status.ts';
import type { Reservation, SubresourceStrategy, WriteContext } from '../registry/strategy.ts';
import { writeContext } from './prepare-for-create.ts';
import { betweenStages } from './read-body.ts';
import type { Scope } from './scope.ts';
import { contextHere, validateInThread } from './validate-in-thread.ts';

interface PreparedUpdate {
  readonly object: KubeObject;
  readonly old: KubeObject;
  readonly dryRun: boolean;
  readonly unconditional: boolean;
  beforeStore(): MaybePromise<void>;
}

export async function prepareForUpdate(scope: Scope, update: PreparedUpdate): Promise<Reservation | undefined> {
  const { served, subresource } = scope;
  const { object, old } = update;
  const request = writeContext(scope, update.dryRun);
  fixResourceVersion(scope, update);
  keepSystemMetadata(object.metadata, old.metadata);
  // The store drops it; the answer to a dry run shows it.
  if (!update.dryRun) delete object.metadata.selfLink;
  const reservation = subresource === '' ? await served.strategy.reserve?.(object, old, request) : undefined;
  try {
    await prepareAndValidate(scope, update, request);
    served.strategy.canonicalize?.(object);
    await betweenStages(scope);
    await update.beforeStore();
  } catch (error) {
    await reservation?.rollback?.();
    throw error;
  }
  return reservation;
}

async function prepareAndValidate(scope: Scope, update: PreparedUpdate, request: WriteContext): Promise<void> {
  const { backend, served, subresource } = scope;
  const { object, old } = update;
  const isCounted = served.strategy.countsDisabledFields && served.strategy.generationChanges?.(object, old);
  dropDisabledFields(served.message, object, old, backend.validation.features);
  if (subresource === '') await prepareObject(served, object, old, request);
  else if (subresource === 'status') await prepareStatus(served, object, old, request);
  else subresourceStrategy(served, subresource).prepareForUpdate(object, old, request);
  if (isCounted || (subresource !== 'status' && served.strategy.generationChanges?.(object, old))) {
    object.metadata.generation = (old.metadata.generation ?? 0) + 1;
  }

  await betweenStages(scope);
  if (!scope.isLarge || served.strategy.validate) {
    try {
      return validateHere(scope, object, old, request, contextHere(scope));
    } catch (error) {
      if (!(error instanceof AllowanceExceededError)) throw error;
    }
  }
  const inThread = await validateInThread(scope, object, { old });
  if (inThread) append(scope.warnings, inThread);
  else validateHere(scope, object, old, request, backend.validation);
}

function validateHere(
  scope: Scope,
  object: KubeObject,
  old: KubeObject,
  request: WriteContext,
  context: ValidationContext,
): void {
  const { served, subresource } = scope;
  const errors = [
    ...(served.strategy.validate?.(object, old, request) ?? []),
    ...validate(scope, object, old, context),
  ];
  if (errors.length > 0) {
    append(scope.warnings, served.validation?.refusalWarnings?.(object) ?? []);
    throw invalid(kindOf(served, object), object.metadata.name ?? '', errors);
  }
  const warnings = subresource === 'status' ? warningsOnStatusUpdate : warningsOnUpdate;
  append(scope.warnings, warnings(served, object, old, context));
}

/** Clients may send these fields or leave them out, but cannot change them. */
function keepSystemMetadata(meta: ObjectMeta, old: ObjectMeta): void {
  assign(meta, old, 'creationTimestamp');
  assign(meta, old, 'generation');
  // An object that is being deleted stays so; validation refuses an update that marks one.
  if (old.deletionTimestamp !== undefined) assign(meta, old, 'deletionTimestamp');
  if (meta.deletionGracePeriodSeconds === undefined) assign(meta, old, 'deletionGracePeriodSeconds');
  if (!meta.uid) assign(meta, old, 'uid');
}

function assign<K extends keyof ObjectMeta>(meta: ObjectMeta, old: ObjectMeta, name: K): void {
  if (old[name] === undefined) delete meta[name];
  else meta[name] = old[name];
}

async function prepareObject(
  served: ServedResource,
  object: KubeObject,
  old: KubeObject,
  request: WriteContext,
): Promise<void> {
  const { strategy } = served;
  if (hasStatusSubresource(served) && !strategy.keepStatusOnWrite) restoreStatus(object, old);
  await strategy.prepareForUpdate?.(object, old, request);
}

function subresourceStrategy({ plural, strategy }: ServedResource, subresource: string): SubresourceStrategy {
  const own = ownValue(strategy.subresources, subresource);
  if (!own) throw new Error(`${plural}/${subresource} has no strategy of its own`);
  return own;
}

async function prepareStatus(
  { strategy }: ServedResource,
  object: KubeObject,
  old: KubeObject,
  request: WriteContext,
): Promise<void> {
  for (const name of Object.keys(object)) if (old[name] === undefined && isOutsideStatus(name)) delete object[name];
  // Nothing changes these fields before they are stored, so the old object's can be shared.
  for (const name in old) if (isOutsideStatus(name)) object[name] = old[name];
  keepStatusMetadata(object.metadata, old.metadata, strategy.statusMetadata ?? 'all');
  await strategy.prepareForStatusUpdate?.(object, old, request);
}

const isOutsideStatus = (name: string): boolean =>
  name !== 'metadata' && name !== 'status' && name !== 'kind' && name !== 'apiVersion';

/** A write without a resourceVersion applies to the current object; some kinds refuse such a PUT. */
function fixResourceVersion(scope: Scope, { object, old, unconditional }: PreparedUpdate): void {
  const { strategy, custom, group, plural } = scope.served;
  const { resourceVersion } = object.metadata;
  if (resourceVersion && resourceVersion !== '0') return;
  if (!unconditional && (strategy.requireResourceVersionOnUpdate || custom)) {
    const error = invalidValue(path('metadata', 'resourceVersion'), 0, 'must be specified for an update');
    throw invalid({ group, kind: plural }, scope.place.name, [error]);
  }
  if (old.metadata.resourceVersion) object.metadata.resourceVersion = old.metadata.resourceVersion;
}

function validate(
  { served, subresource }: Scope,
  object: KubeObject,
  old: KubeObject,
  context: ValidationContext,
): FieldError[] {
  if (subresource === '') return validateUpdate(served, object, old, context);
  if (subresource === 'status') return validateStatusUpdate(served, object, old, context);
  return validateSubresourceUpdate(served, subresource, { object, old, context });
}
