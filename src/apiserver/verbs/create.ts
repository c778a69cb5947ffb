/** POST to a collection: a new object, from the body to the store. */
import { cloneJson, whenDone, type MaybePromise } from '../../base/index.ts';
import { badRequest, failure, generateNameConflict, isStatusError, StatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { AdmissionAttributes } from '../admission/admission.ts';
import { attributesOf, type AdmittedRequest } from '../admission/attributes.ts';
import { DEFAULT_NAME_ATTEMPTS, fillName } from '../registry/generate-name.ts';
import { throughStorage } from '../registry/served-resource.ts';
import { optionsObject, writeOptions, type WriteOptions } from '../request/options.ts';
import type { Result } from '../request/request.ts';
import { parseUintFault } from '../request/resource-version.ts';
import type { Entry } from '../storage/entry.ts';
import { authorizeCreate } from './authorize-create.ts';
import { decodeNew } from './decode-body.ts';
import { encodeLarge } from './encode-large.ts';
import { managerOf, trackCreate } from './managed-fields.ts';
import { dedupOwnerReferences } from './owner-references.ts';
import { clearSystemMetadata, prepareForCreate } from './prepare-for-create.ts';
import { betweenStages } from './read-body.ts';
import type { Scope } from './scope.ts';

export async function create(scope: Scope): Promise<Result> {
  const options = writeOptions('CreateOptions', scope.request.query);
  const object = await decodeNew(scope, options.fieldValidation);
  checkNamespace(scope, object);
  const refusal = scope.served.createRefusal?.(object.metadata.name ?? '');
  if (refusal) throw refusal;
  await betweenStages(scope);
  return { type: 'entry', status: 201, entry: await createObject(scope, object, options) };
}

/**
 * Creates the object for POST, and for PUT when it creates. `decoded` has its defaults; `written` is the body of which
 * it is a copy, if it is one.
 */
export async function createObject(
  scope: Scope,
  decoded: KubeObject,
  options: WriteOptions,
  written: KubeObject = decoded,
): Promise<Entry> {
  const object = throughStorage(scope.served, decoded);
  clearSystemMetadata(object);
  dedupOwnerReferences(scope, object);
  const tracking = trackCreate(scope, object, managerOf(scope, options), written);
  if (tracking) await tracking;
  await betweenStages(scope);
  return storeCreated(scope, object, options);
}

/** The rest of a create, for an object that has its managedFields. */
export async function storeCreated(scope: Scope, object: KubeObject, options: WriteOptions): Promise<Entry> {
  const { backend, served } = scope;
  const admitted: AdmittedRequest = {
    operation: 'CREATE',
    object,
    name: object.metadata.name ?? '',
    options: optionsObject(options),
    dryRun: options.dryRun,
  };
  const attributes = attributesOf(scope, admitted);
  const admitting = backend.admission.admit(attributes);
  if (admitting) await admitting;
  // A webhook may not move what it was asked about into another namespace.
  checkNamespace(scope, object);
  await betweenStages(scope);
  const { generateName } = object.metadata;
  const generated = !object.metadata.name && !!generateName;
  fillName(object, backend.ctx.random);
  for (let attempt = 1; ; attempt++) {
    // Each attempt reserves anew, so it needs an object without the last attempt's reservations; and a large one is frozen.
    const isUsedOnce = (!served.strategy.reserve && !scope.isLarge) || attempt === DEFAULT_NAME_ATTEMPTS;
    const candidate = !generated || isUsedOnce ? object : cloneJson(object);
    const named = generated
      ? attributesOf(scope, { ...admitted, object: candidate, name: candidate.metadata.name! })
      : attributes;
    const version = candidate.metadata.resourceVersion ?? '';
    const preparing = prepareForCreate(scope, candidate, {
      dryRun: options.dryRun,
      beforeStore: () => mayBeStored(scope, named),
    });
    const reservation = await preparing;
    try {
      await betweenStages(scope);
      const encoded = scope.isLarge ? await encodeLarge(scope, candidate) : undefined;
      const place = { namespace: candidate.metadata.namespace ?? '', name: candidate.metadata.name! };
      if (!options.dryRun) checkVersionOfNew(scope, version);
      const entry = await backend.objects.create(served, place, candidate, options.dryRun, encoded, scope.span);
      if (options.dryRun) await reservation?.rollback?.();
      else await reservation?.commit?.();
      // A dry run does not reach the store, which would set the version.
      return options.dryRun && version !== '' ? entry.withoutRevision(version) : entry;
    } catch (error) {
      await reservation?.rollback?.();
      if (!isStatusError(error, 'AlreadyExists') || !generateName) throw stillThere(scope, candidate, error);
      if (!generated || attempt >= DEFAULT_NAME_ATTEMPTS)
        throw generateNameConflict(served.groupResource, candidate.metadata.name!, 1);
      object.metadata.name = '';
      fillName(object, backend.ctx.random);
    }
  }
}

/** The store refuses a POST with a resourceVersion other than 0, and ignores one that is no number. */
function checkVersionOfNew({ info }: Scope, version: string): void {
  if (info.verb === 'create' && version !== '' && parseUintFault(version) === undefined && BigInt(version) > 0n)
    throw failure(500, '', 'resourceVersion should not be set on objects to be created');
}

/** Every create ends here: the right to create, and then validating admission. */
function mayBeStored(scope: Scope, attributes: AdmissionAttributes): MaybePromise<void> {
  return whenDone(authorizeCreate(scope), () => scope.backend.admission.validate(attributes));
}

/** The name of an object that is being deleted will be free soon. */
function stillThere({ served }: Scope, { metadata }: KubeObject, error: unknown): unknown {
  const existing = isStatusError(error, 'AlreadyExists')
    ? served.cache.get(metadata.namespace ?? '', metadata.name ?? '')
    : undefined;
  if (!existing?.object.metadata.deletionTimestamp || !isStatusError(error)) return error;
  return new StatusError({ ...error.status, message: `object is being deleted: ${error.message}` });
}

export function checkNamespace(scope: Scope, object: KubeObject): void {
  const { served, place } = scope;
  const given = object.metadata.namespace ?? '';
  if (!served.namespaced) {
    if (given !== '') delete object.metadata.namespace;
    return;
  }
  if (given === '') object.metadata.namespace = place.namespace;
  else if (given !== place.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}
