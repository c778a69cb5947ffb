/**
 * One stored object at one revision. Its JSON bytes are made once, when it is written or loaded: GET sends them, LIST
 * joins them, watch events wrap them. The parsed form is made on demand, shared, frozen, and may be dropped again by
 * the garbage collector: a hundred thousand pods cost their bytes, not their object graphs.
 *
 * Stored values begin `{"kind":K,"apiVersion":V,"metadata":{` and lack the resourceVersion, which is the revision of
 * the write itself; the served bytes have it spliced in at the start of metadata.
 */
import type { ObjectMeta } from '../../api/generated/meta-v1.ts';
import { allocateBytes } from '../../kernel/index.ts';
import { managedFieldsText } from '../../machinery/apply/index.ts';
import { stringifyJson } from '../../machinery/decode/index.ts';
import type { KubeObject } from '../../machinery/object.ts';

const METADATA = Buffer.from('"metadata":{');
const CLOSING_BRACE = 0x7d;

export interface SelectableValues {
  readonly labels: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
}

export class Entry {
  #object: WeakRef<KubeObject> | undefined;
  /** The object as it was written, until somebody wants it: then it gets its resourceVersion and is frozen. */
  #written: WeakRef<KubeObject> | undefined;
  #selectable: SelectableValues | undefined;
  #views: WeakMap<ViewConversion, Entry> | undefined;
  #bytes: Buffer | undefined;
  #metadataStart = 0;
  /** How the object comes about where it is not stored in this form; its bytes are made when somebody wants them. */
  #derive: (() => KubeObject) | undefined;

  private constructor(
    readonly key: string,
    readonly namespace: string,
    readonly name: string,
    readonly revision: number,
  ) {}

  static fromValue(at: Place, value: Uint8Array, revision: number, object?: KubeObject): Entry {
    const entry = new Entry(at.key, at.namespace, at.name, revision);
    entry.#setBytes(value);
    if (object) entry.#written = new WeakRef(object);
    return entry;
  }

  static #derived(at: Place, revision: number, derive: () => KubeObject, written?: KubeObject): Entry {
    const entry = new Entry(at.key, at.namespace, at.name, revision);
    entry.#derive = derive;
    if (written) entry.#written = new WeakRef(written);
    return entry;
  }

  /** JSON with resourceVersion. */
  get bytes(): Buffer {
    return this.#bytes ?? this.#setBytes(encodeForStorage(this.object));
  }

  /** Where `"metadata"` begins in `bytes`: list items of built-in kinds start there, without kind and apiVersion. */
  get metadataStart(): number {
    if (!this.#bytes) this.#setBytes(encodeForStorage(this.object));
    return this.#metadataStart;
  }

  /** Of a stored value, with the revision as resourceVersion. */
  #setBytes(value: Uint8Array): Buffer {
    const stored = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    this.#metadataStart = stored.indexOf(METADATA);
    const insertAt = this.#metadataStart + METADATA.length;
    const comma = stored[insertAt] === CLOSING_BRACE ? '' : ',';
    const insertion = `"resourceVersion":"${this.revision}"${comma}`;
    const bytes = allocateBytes(stored.length + insertion.length);
    stored.copy(bytes, 0, 0, insertAt);
    bytes.write(insertion, insertAt, 'latin1');
    stored.copy(bytes, insertAt + insertion.length, insertAt);
    this.#bytes = bytes;
    return bytes;
  }

  /** Shared and frozen. */
  get object(): KubeObject {
    let object = this.#object?.deref();
    if (!object) {
      const bare = this.#written?.deref() ?? (this.#bytes ? undefined : this.#derive?.());
      object = deepFreeze(bare ? withResourceVersion(bare, this.revision) : (JSON.parse(this.bytes.toString('utf8')) as KubeObject));
      this.#object = new WeakRef(object);
      this.#written = undefined;
    }
    return object;
  }

  /** What selectors look at; kept once computed, so that selecting lists need not parse every object again. */
  selectable(fieldsOf: (object: KubeObject) => Readonly<Record<string, string>>): SelectableValues {
    this.#selectable ??= { labels: this.object.metadata.labels ?? NO_LABELS, fields: fieldsOf(this.object) };
    return this.#selectable;
  }

  /** As a dry run shows an object that was never stored: no resourceVersion. */
  withoutRevision(): Entry {
    const object = this.object;
    const { resourceVersion: _, ...metadata } = object.metadata;
    const bare = { ...object, metadata };
    const bytes = encodeForStorage(bare);
    const entry = new Entry(this.key, this.namespace, this.name, 0);
    entry.#bytes = bytes;
    entry.#metadataStart = bytes.indexOf(METADATA);
    entry.#object = new WeakRef(deepFreeze(bare));
    return entry;
  }

  /** Another state of the same object at the same revision: what an answer shows of an object that is gone. */
  showing(object: KubeObject): Entry {
    return Entry.#derived(this, this.revision, () => object);
  }

  /** The same state at a later revision: how a deletion shows the object that it removed. */
  atRevision(revision: number): Entry {
    return Entry.#derived(this, revision, () => this.object);
  }

  /** The same bytes under an entry of its own: what selectors look at may differ between versions. */
  #shared(): Entry {
    const entry = new Entry(this.key, this.namespace, this.name, this.revision);
    entry.#bytes = this.#bytes;
    entry.#metadataStart = this.#metadataStart;
    entry.#derive = this.#derive;
    entry.#object = this.#object;
    entry.#written = this.#written;
    return entry;
  }

  hasView(convert: ViewConversion): boolean {
    return this.#views?.has(convert) ?? false;
  }

  /** Keeps a view that took its time to be made. */
  setView(convert: ViewConversion, object: KubeObject): void {
    this.#views ??= new WeakMap();
    this.#views.set(convert, Entry.fromValue(this, encodeForStorage(object), this.revision, object));
  }

  /** The entry as another version of its kind shows it. */
  view(convert: ViewConversion): Entry {
    this.#views ??= new WeakMap();
    let entry = this.#views.get(convert);
    if (!entry) {
      const own = this.object;
      const object = convert(own);
      entry = object === own ? this.#shared() : Entry.#derived(this, this.revision, () => convert(this.object), object);
      this.#views.set(convert, entry);
    }
    return entry;
  }
}

interface Place {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
}

export type ViewConversion = (stored: KubeObject) => KubeObject;

const NO_LABELS: Readonly<Record<string, string>> = Object.freeze({});

export function encodeForStorage(object: KubeObject): Buffer {
  let text = `{"kind":${JSON.stringify(object.kind)},"apiVersion":${JSON.stringify(object.apiVersion)},"metadata":{${metadataMembers(object.metadata)}}`;
  for (const name in object) {
    if (name === 'kind' || name === 'apiVersion' || name === 'metadata') continue;
    const value = textOf(object[name]);
    if (value !== undefined) text += `,${JSON.stringify(name)}:${value}`;
  }
  return bytesOf(`${text}}`);
}

/** Field by field: a copy of the object without the two that are not written as they are costs more. */
function metadataMembers(metadata: ObjectMeta): string {
  let text = '';
  let name: keyof ObjectMeta;
  for (name in metadata) {
    if (name === 'resourceVersion' || name === 'managedFields') continue;
    const value = textOf(metadata[name]);
    if (value !== undefined) text += `,"${name}":${value}`;
  }
  if (metadata.managedFields) text += `,"managedFields":${managedFieldsText(metadata.managedFields)}`;
  return text.slice(1);
}

const SLAB_BYTES = 64 * 1024;
const MAX_UTF8_BYTES = 3;
let slab = allocateBytes(SLAB_BYTES);
let used = 0;

/** Values go one behind the other into larger pieces of memory: they go out of use in the order in which they were written. */
function bytesOf(text: string): Buffer {
  const most = text.length * MAX_UTF8_BYTES;
  if (most > SLAB_BYTES / 4) return Buffer.from(text);
  if (most > SLAB_BYTES - used) {
    slab = allocateBytes(SLAB_BYTES);
    used = 0;
  }
  const start = used;
  used += slab.write(text, start, 'utf8');
  return slab.subarray(start, used);
}

/** Raw values may hold integers that only a bigint can; those are rare, and written more slowly. */
function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return stringifyJson(value);
  }
}

function withResourceVersion(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const key in value) deepFreeze(value[key]);
  }
  return value;
}
