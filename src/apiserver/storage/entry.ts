import { deepFreeze } from '../../base/index.ts';
/**
 * One stored object at one revision. Its JSON bytes are made once, when it is written or loaded, or, where the store keeps
 * its value in memory anyway, when somebody wants them: GET sends them, LIST joins them, watch events wrap them. The parsed
 * form is made on demand, shared, frozen, and may be dropped again by the garbage collector: a hundred thousand pods cost
 * their bytes, not their object graphs.
 *
 * Stored values lack the resourceVersion; the served bytes have it spliced in at the start of metadata.
 */
import { allocateBytes } from '../../kernel/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { encodeForStorage } from './encode-for-storage.ts';
import { LateBytes } from './late-bytes.ts';
import { parseStored } from './parse-stored.ts';

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
  /** The same before the entry has settled: most objects are wanted at once, and a weak reference costs a microsecond. */
  #fresh: KubeObject | undefined;
  #selectable: SelectableValues | undefined;
  #views: WeakMap<ViewConversion, Entry> | undefined;
  #bytes: Buffer | undefined;
  /** What is stored, as long as no bytes have been made of it. */
  #stored: Uint8Array | undefined;
  /** The same in a store that keeps the object itself. */
  #late: LateBytes | undefined;
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
    entry.#fresh = object;
    return entry;
  }

  /** Of a value that stays in memory as long as the entry does. */
  static overValue(at: Place, value: Uint8Array | LateBytes, revision: number): Entry {
    const entry = new Entry(at.key, at.namespace, at.name, revision);
    if (value instanceof LateBytes) entry.#late = value;
    else entry.#stored = value;
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
    return this.#bytes ?? this.#setBytes(this.#stored ?? this.#late?.bytes() ?? encodeForStorage(this.object));
  }

  /** Where `"metadata"` begins in `bytes`: list items of built-in kinds start there, without kind and apiVersion. */
  get metadataStart(): number {
    void this.bytes;
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
    this.#stored = undefined;
    return bytes;
  }

  /** The entry is to be kept: an object that nobody has wanted so far may go. */
  settle(): void {
    if (!this.#fresh) return;
    this.#written = new WeakRef(this.#fresh);
    this.#fresh = undefined;
  }

  /** Shared and frozen. */
  get object(): KubeObject {
    let object = this.#object?.deref() ?? this.#late?.objectAt(this.revision);
    if (!object) {
      const bare = this.#fresh ?? this.#written?.deref() ?? (this.#derive && !this.#bytes ? this.#derive() : undefined);
      object = deepFreeze(bare ? withResourceVersion(bare, this.revision) : parseStored(this.bytes));
      this.#object = new WeakRef(object);
      this.#fresh = undefined;
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
    entry.#stored = this.#stored;
    entry.#late = this.#late;
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
    const view = Entry.fromValue(this, encodeForStorage(object), this.revision, object);
    view.settle();
    this.#views.set(convert, view);
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

function withResourceVersion(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
