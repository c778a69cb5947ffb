import type { OwnerReference } from '../api/generated/meta-v1.ts';
import type { ApiObject } from './resource.ts';

/** The owner that manages an object; there is at most one. */
export function controllerOf(object: ApiObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

export function isControlledBy(object: ApiObject, owner: ApiObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** The reference that makes `owner` the manager of an object. */
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
  /** Makes the owner the object's manager; called once for each orphan. Not found means that the object is gone. */
  adopt: (object: T) => Promise<void>;
  /** Takes the owner's reference off the object. */
  release: (object: T) => Promise<void>;
  /** Asks the server, not a cache, whether the owner still exists and is not being deleted; asked at most once. */
  canAdopt: () => Promise<boolean>;
  isGone: (error: unknown) => boolean;
}

/**
 * The objects that belong to an owner. Those that it manages stay while its selector matches them and are released when
 * not; orphans that match are adopted; what others manage is left alone.
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

/** A strategic merge patch that adds a controller; the uid makes sure that it is still the same object. */
export function adoptionPatch(object: ApiObject, reference: OwnerReference): unknown {
  return { metadata: { ownerReferences: [reference], uid: object.metadata.uid } };
}

/** A strategic merge patch that takes the owner with this uid away. */
export function releasePatch(object: ApiObject, ownerUid: string): unknown {
  return { metadata: { ownerReferences: [{ $patch: 'delete', uid: ownerUid }], uid: object.metadata.uid } };
}
