import type { ObjectReference } from '../api/generated/core-v1.ts';
import type { ApiObject } from './resource.ts';

/** The ObjectReference of an event's object. */
export function referenceTo(object: ApiObject, fieldPath?: string): ObjectReference {
  const { apiVersion, kind, metadata } = object;
  if (kind === undefined || apiVersion === undefined)
    throw new Error(`an object without apiVersion and kind cannot be referred to: ${metadata.name ?? ''}`);
  const reference: ObjectReference = { kind, apiVersion, name: metadata.name };
  if (metadata.namespace !== undefined) reference.namespace = metadata.namespace;
  if (metadata.uid !== undefined) reference.uid = metadata.uid;
  if (metadata.resourceVersion !== undefined) reference.resourceVersion = metadata.resourceVersion;
  if (fieldPath !== undefined) reference.fieldPath = fieldPath;
  return reference;
}
