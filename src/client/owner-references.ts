import type { OwnerReference } from '../api/generated/meta-v1.ts';
import type { ApiObject } from './resource.ts';

/** The object's controller: the one owner with `controller: true`. */
export function controllerOf(object: ApiObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

export function isControlledBy(object: ApiObject, owner: ApiObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** The owner reference that makes `owner` the controller of an object. */
export function controllerReference(owner: ApiObject, kind: { apiVersion: string; kind: string }): OwnerReference {
  const { name, uid } = owner.metadata;
  if (name === undefined || uid === undefined)
    throw new Error(`an owner needs a name and a uid: ${kind.kind} ${name ?? ''}`);
  return { apiVersion: kind.apiVersion, kind: kind.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

export interface ClaimOptions<T extends ApiObject> {
  owner: ApiObject;
  candidates: readonly T[];
  /** Whether the owner's selector matches the object. */
  matches: (object: T) => boolean;
  /** Makes the owner the object's controller; called once per orphan. */
  adopt: (object: T) => Promise<void>;
  /** Removes the owner reference from the object. */
  release: (object: T) => Promise<void>;
  /**
   * Reads from the API server, not from a cache, whether the owner exists and is not being deleted; called at most
   * once.
   */
  canAdopt: () => Promise<boolean>;
  isGone: (error: unknown) => boolean;
}

/**
 * The objects of an owner. Objects that it controls are kept while its selector matches and released otherwise;
 * matching orphans are adopted; objects of other controllers are ignored.
 */
export async function claimObjects<T extends ApiObject>(options: ClaimOptions<T>): Promise<T[]> {
  const { owner, candidates, matches, adopt, release, isGone } = options;
  const ownerLeaving = owner.metadata.deletionTimestamp !== undefined;
  let mayAdopt: Promise<boolean> | undefined;
  const claimed: T[] = [];
  for (const object of candidates) {
    const controller = controllerOf(object);
    if (controller !== undefined) {
      if (controller.uid !== owner.metadata.uid) continue;
      if (matches(object)) claimed.push(object);
      else if (!ownerLeaving) await ignoringGone(isGone, () => release(object));
      continue;
    }
    if (ownerLeaving || object.metadata.deletionTimestamp !== undefined || !matches(object)) continue;
    if (
      (object.metadata.namespace ?? '') !== (owner.metadata.namespace ?? '') &&
      owner.metadata.namespace !== undefined
    )
      continue;
    mayAdopt ??= options.canAdopt();
    if (!(await mayAdopt)) continue;
    if (await ignoringGone(isGone, () => adopt(object))) claimed.push(object);
  }
  return claimed;
}

async function ignoringGone(isGone: (error: unknown) => boolean, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** A strategic merge patch that adds a controller; the uid is a precondition. */
export function adoptionPatch(object: ApiObject, reference: OwnerReference): unknown {
  return { metadata: { ownerReferences: [reference], uid: object.metadata.uid } };
}

/** A strategic merge patch that removes the owner with this uid. */
export function releasePatch(object: ApiObject, ownerUid: string): unknown {
  return { metadata: { ownerReferences: [{ $patch: 'delete', uid: ownerUid }], uid: object.metadata.uid } };
}
