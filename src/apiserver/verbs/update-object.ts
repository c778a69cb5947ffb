/**
 * The write that PUT, PATCH, apply and the status subresources share: read the current object, compute the new one,
 * prepare, validate, admit, and store it against the revision that was read. On a conflict it retries with the latest
 * object, unless the client set a resourceVersion.
 */
import { badRequest, conflict, isStatusError, type StatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { attributesOf } from '../admission/attributes.ts';
import { optionsObject, type WriteOptions } from '../request/options.ts';
import { checkObjectVersion } from '../request/resource-version.ts';
import type { Entry } from '../storage/entry.ts';
import { REGISTRY } from '../storage/keys.ts';
import { checkNamespace } from './create.ts';
import { encodeLarge } from './encode-large.ts';
import { isFinished, removeFinished } from './finish-deletion.ts';
import { dedupOwnerReferences } from './owner-references.ts';
import { prepareForUpdate } from './prepare-for-update.ts';
import { betweenStages } from './read-body.ts';
import type { Scope } from './scope.ts';

interface UpdateSteps {
  readonly options: WriteOptions;
  /** Computes the new object, which the caller may change freely afterwards; `live` is frozen. */
  compute(live: KubeObject): Promise<KubeObject> | KubeObject;
  /** Called when the object does not exist; without it that is a 404. */
  create?(): Promise<Entry>;
  /**
   * Patches apply to the latest object: a resourceVersion in the result is a precondition, and its absence is no error.
   */
  readonly unconditional?: boolean;
}

/** A patch gives up after this many conflicts. */
const MAX_ATTEMPTS = 100;
export const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

export async function updateObject(scope: Scope, steps: UpdateSteps): Promise<{ entry: Entry; created: boolean }> {
  const { backend, served, place } = scope;
  const { options } = steps;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const current = await readCurrent(scope, attempt > 0);
    if (!current) {
      if (!steps.create) return notThere(scope);
      try {
        return { entry: await steps.create(), created: true };
      } catch (error) {
        if (isStatusError(error, 'AlreadyExists')) continue;
        throw error;
      }
    }
    const old = current.object;
    scope.live = { object: old, bytes: () => current.bytes };
    await betweenStages(scope);
    const object = await steps.compute(old);
    await betweenStages(scope);
    if (steps.unconditional) {
      checkNamespace(scope, object);
      checkPatchedName(scope, object);
    }
    dedupOwnerReferences(scope, object);
    const conditional = checkResourceVersion(scope, object, current, {
      isPatch: steps.unconditional ?? false,
      dryRun: options.dryRun,
    });
    const attributes = attributesOf(scope, {
      operation: 'UPDATE',
      object,
      oldObject: old,
      name: place.name,
      options: optionsObject(options),
      dryRun: options.dryRun,
    });
    await backend.admission.admit(attributes);
    checkNamespace(scope, object);
    await betweenStages(scope);
    const reservation = await prepareForUpdate(scope, {
      object,
      old,
      dryRun: options.dryRun,
      unconditional: steps.unconditional ?? false,
      beforeStore: () => backend.admission.validate(attributes),
    });
    let entry: Entry | undefined;
    try {
      await betweenStages(scope);
      const finished = !options.dryRun && isFinished(scope, object);
      const encoded = scope.isLarge && !finished ? await encodeLarge(scope, object) : undefined;
      entry = await (finished
        ? removeFinished(scope, current, object)
        : backend.objects.replace(served, place, current, object, options.dryRun, encoded, scope.span));
    } finally {
      if (entry && !options.dryRun) await reservation?.commit?.();
      else await reservation?.rollback?.();
    }
    if (entry) return { entry, created: false };
    // A patch applies to any version: the version in its result is the one that it was computed from.
    if (conditional && !steps.unconditional) throw conflict(served.groupResource, place.name, MODIFIED);
  }
  throw conflict(served.groupResource, place.name, MODIFIED);
}

/** A patch may not rename. */
export function checkPatchedName({ place }: Scope, object: KubeObject): void {
  const given = object.metadata.name ?? '';
  if (given === '')
    throw badRequest(`the name of the object (${place.name} based on URL) was undeterminable: name must be provided`);
  if (given !== place.name)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${place.name})`);
}

async function readCurrent(scope: Scope, fresh: boolean): Promise<Entry | undefined> {
  const { objects } = scope.backend;
  try {
    return fresh ? await objects.fresh(scope.served, scope.place) : await objects.get(scope.served, scope.place);
  } catch (error) {
    if (isStatusError(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function notThere(scope: Scope): Promise<never> {
  await scope.backend.objects.fresh(scope.served, scope.place);
  throw conflict(scope.served.groupResource, scope.place.name, MODIFIED);
}

/** The uid in the body of a PUT is a precondition, also for an object that does not exist. */
export function otherUid({ served, place }: Scope, key: string, wanted: string, actual: string): StatusError {
  const why = `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${actual}`;
  return conflict(
    served.groupResource,
    place.name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
  );
}

/** A dry run does not reach the store, which puts its prefix before keys. */
export const keyOfDryRun = (key: string): string => key.slice(REGISTRY.length - 1);

/** Whether the client set a resourceVersion; fails when it is not the current one. */
export function checkResourceVersion(
  scope: Scope,
  object: KubeObject,
  current: Entry,
  { isPatch, dryRun }: { readonly isPatch: boolean; readonly dryRun: boolean },
): boolean {
  const { served, place } = scope;
  const uid = object.metadata.uid;
  if (!isPatch && uid && uid !== current.object.metadata.uid)
    throw otherUid(scope, dryRun ? keyOfDryRun(current.key) : current.key, uid, current.object.metadata.uid ?? '');
  const wanted = object.metadata.resourceVersion;
  if (!wanted || wanted === '0') return false;
  const actual = String(current.revision);
  if (wanted === actual) return true;
  checkObjectVersion(wanted);
  // Versions are compared as numbers: leading zeros do not count.
  const named = String(BigInt(wanted));
  object.metadata.resourceVersion = named;
  if (named === '0') return false;
  if (named !== actual) throw conflict(served.groupResource, place.name, MODIFIED);
  return true;
}
