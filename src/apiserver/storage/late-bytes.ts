import type { ManagedFieldsEntry } from '../../api/generated/meta-v1.ts';
import { deepFreeze } from '../../base/index.ts';
import type { LazyValue } from '../../etcd/index.ts';
import { fieldSetText, type FieldSet } from '../../machinery/apply/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { encodeForStorage } from './encode-for-storage.ts';

/**
 * An object in a store that keeps values in memory: in one process everybody reads the object itself, and its bytes are made
 * for those who come from outside. Whoever wrote it leaves it alone from now on.
 */
export class LateBytes implements LazyValue {
  readonly size: number;
  /** As long as there are no bytes. */
  #object: KubeObject | undefined;
  #hasRevision = false;
  #readers: WeakRef<KubeObject> | undefined;
  #bytes: Uint8Array | undefined;

  constructor(object: KubeObject) {
    this.#object = object;
    this.size = roughObjectLength(object);
  }

  /** Frozen, with the revision of its write as resourceVersion. Once there are bytes, only if somebody still has it. */
  objectAt(revision: number): KubeObject | undefined {
    if (!this.#object) return this.#readers?.deref();
    if (!this.#hasRevision) this.#object = deepFreeze(withResourceVersion(this.#object, revision));
    this.#hasRevision = true;
    return this.#object;
  }

  bytes(): Uint8Array {
    if (!this.#bytes) {
      this.#bytes = encodeForStorage(this.#object!);
      if (this.#hasRevision) this.#readers = new WeakRef(this.#object!);
      this.#object = undefined;
    }
    return this.#bytes;
  }
}

/** In place where the object has metadata of its own, and does not share those of what it replaces. */
function withResourceVersion(object: KubeObject, revision: number): KubeObject {
  const resourceVersion = String(revision);
  if (Object.isFrozen(object.metadata)) return { ...object, metadata: { ...object.metadata, resourceVersion } };
  object.metadata.resourceVersion = resourceVersion;
  return object;
}

const PUNCTUATION = 4;
const SHORT_VALUE = 5;

/** Of an object's JSON text, if nothing in it had to be escaped. Texts of who manages which fields are known. */
function roughObjectLength(object: KubeObject): number {
  let length = PUNCTUATION;
  for (const name in object)
    length +=
      name.length +
      PUNCTUATION +
      (name === 'metadata' ? roughMetadataLength(object.metadata) : roughLength(object[name]));
  return length;
}

function roughMetadataLength(metadata: KubeObject['metadata']): number {
  let length = PUNCTUATION;
  let name: keyof typeof metadata;
  for (name in metadata) {
    length += name.length + PUNCTUATION;
    if (name === 'managedFields') for (const entry of metadata.managedFields ?? []) length += roughEntryLength(entry);
    else length += roughLength(metadata[name]);
  }
  return length;
}

function roughEntryLength({ fieldsV1, ...entry }: ManagedFieldsEntry): number {
  return roughLength(entry) + (fieldsV1 ? fieldSetText(fieldsV1 as FieldSet).length : 0);
}

/** Of a value's JSON text, if nothing in it had to be escaped. */
export function roughLength(value: unknown): number {
  if (typeof value === 'string') return value.length + PUNCTUATION;
  if (typeof value !== 'object' || value === null)
    return typeof value === 'bigint' ? String(value).length : SHORT_VALUE;
  let length = PUNCTUATION;
  if (Array.isArray(value)) for (const item of value) length += roughLength(item);
  else
    for (const name in value)
      length += name.length + PUNCTUATION + roughLength((value as Record<string, unknown>)[name]);
  return length;
}
