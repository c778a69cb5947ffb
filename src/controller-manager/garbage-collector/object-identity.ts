/** How the garbage collector identifies an object: by its uid, and by the coordinates under which the server finds it. */
import type { OwnerReference } from '../../api/generated/meta-v1.ts';
import type { ApiObject } from '../../client/index.ts';

export interface ObjectIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for cluster-scoped objects. Virtual nodes have the namespace of the object that refers to them. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export function identityOf(object: ApiObject): ObjectIdentity {
  const { namespace = '', name = '', uid = '' } = object.metadata;
  return { apiVersion: object.apiVersion ?? '', kind: object.kind ?? '', namespace, name, uid };
}

/** An owner reference names no namespace: the owner is in that of its dependent, or in none. */
export function referencedIdentity(reference: OwnerReference, namespace: string): ObjectIdentity {
  const { apiVersion, kind, name, uid } = reference;
  return { apiVersion, kind, namespace, name, uid };
}

/** Two versions of one kind are the same object. */
export const sameCoordinates = (a: ObjectIdentity, b: ObjectIdentity): boolean =>
  a.kind === b.kind &&
  a.name === b.name &&
  a.namespace === b.namespace &&
  groupOf(a.apiVersion) === groupOf(b.apiVersion);

export const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
