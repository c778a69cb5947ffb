/**
 * An object in a store that keeps values in memory: components in this process read the object itself, and its bytes are
 * encoded when a client from outside asks for them. The plain counterpart are the bytes. Pays for the bench module
 * `cluster-scale`, whose components all share one process.
 */
import type { ManagedFieldsEntry } from '../../api/generated/meta-v1.ts';
import type { LazyValue } from '../../etcd/index.ts';
import { fieldSetText, type FieldSet } from '../../machinery/apply/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { encodeForStorage } from './encode-for-storage.ts';
import { freezeObject } from './freeze-object.ts';

type Form =
  /** Not encoded. The object is frozen and has its resourceVersion once its revision is known. */
  | { readonly type: 'object'; readonly object: KubeObject; readonly hasRevision: boolean }
  /** Encoded before its revision was known, by a store that checks its size. */
  | { readonly type: 'both'; readonly object: KubeObject; readonly bytes: Uint8Array }
  /** Encoded. Readers that still hold the object continue to share it. */
  | { readonly type: 'bytes'; readonly bytes: Uint8Array; readonly object: WeakRef<KubeObject> };

/** Owns the object that it is given: the writer must not change it any more. */
export class LazyEncoding implements LazyValue {
  /** Estimated. */
  readonly size: number;
  #form: Form;

  constructor(object: KubeObject, bytes?: Uint8Array) {
    this.#form = bytes ? { type: 'both', object, bytes } : { type: 'object', object, hasRevision: false };
    this.size = bytes?.length ?? estimateObjectLength(object);
  }

  /** Frozen, with the revision of its write as resourceVersion. After `bytes`, only while some reader still holds it. */
  objectAt(revision: number): KubeObject | undefined {
    const form = this.#form;
    if (form.type === 'bytes') return form.object.deref();
    if (form.type === 'object' && form.hasRevision) return form.object;
    if (form.type === 'both') {
      const served = freezeObject(asServed(form.object, revision));
      this.#form = { type: 'bytes', bytes: form.bytes, object: new WeakRef(served) };
      return served;
    }
    const object = freezeObject(withResourceVersion(form.object, revision));
    this.#form = { type: 'object', object, hasRevision: true };
    return object;
  }

  bytes(): Uint8Array {
    const form = this.#form;
    if (form.type !== 'object') return form.bytes;
    const { object, hasRevision } = form;
    const bytes = encodeForStorage(object);
    this.#form = hasRevision ? { type: 'bytes', bytes, object: new WeakRef(object) } : { type: 'both', object, bytes };
    return bytes;
  }
}

/** The object that parsing its served bytes would give, in the order of these. */
function asServed({ kind, apiVersion, metadata, ...fields }: KubeObject, revision: number): KubeObject {
  const { resourceVersion: _, managedFields, ...own } = metadata;
  const tracked = managedFields ? { managedFields } : {};
  return { kind, apiVersion, metadata: { resourceVersion: String(revision), ...own, ...tracked }, ...fields };
}

/** In place, unless the object shares the metadata of the object that it replaces. */
function withResourceVersion(object: KubeObject, revision: number): KubeObject {
  const resourceVersion = String(revision);
  if (Object.isFrozen(object.metadata)) return { ...object, metadata: { ...object.metadata, resourceVersion } };
  object.metadata.resourceVersion = resourceVersion;
  return object;
}

const PUNCTUATION = 4;
const SHORT_VALUE = 5;

/** The length of the object's JSON, ignoring escapes. The JSON of field sets is cached, so theirs is exact. */
function estimateObjectLength(object: KubeObject): number {
  let length = PUNCTUATION;
  for (const name in object)
    length +=
      name.length +
      PUNCTUATION +
      (name === 'metadata' ? estimateMetadataLength(object.metadata) : estimateLength(object[name]));
  return length;
}

function estimateMetadataLength(metadata: KubeObject['metadata']): number {
  let length = PUNCTUATION;
  let name: keyof typeof metadata;
  for (name in metadata) {
    length += name.length + PUNCTUATION;
    if (name === 'managedFields')
      for (const entry of metadata.managedFields ?? []) length += estimateManagedFieldsLength(entry);
    else length += estimateLength(metadata[name]);
  }
  return length;
}

function estimateManagedFieldsLength({ fieldsV1, ...entry }: ManagedFieldsEntry): number {
  return estimateLength(entry) + (fieldsV1 ? fieldSetText(fieldsV1 as FieldSet).length : 0);
}

/** The length of the value's JSON, ignoring escapes. */
export function estimateLength(value: unknown): number {
  if (typeof value === 'string') return value.length + PUNCTUATION;
  if (typeof value !== 'object' || value === null)
    return typeof value === 'bigint' ? String(value).length : SHORT_VALUE;
  let length = PUNCTUATION;
  if (Array.isArray(value)) for (const item of value) length += estimateLength(item);
  else
    for (const name in value)
      length += name.length + PUNCTUATION + estimateLength((value as Record<string, unknown>)[name]);
  return length;
}
