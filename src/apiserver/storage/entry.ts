/**
 * One stored object at one revision. Its JSON bytes are encoded once: GET sends them, LIST joins them, watch events wrap them.
 * The parsed form is made on demand, shared and frozen, and the garbage collector may drop it again: a hundred thousand pods
 * cost their bytes, not their object graphs. Pays for the bench rows `GET Pod` and `LIST 1,000 Pods`.
 *
 * Stored values lack the resourceVersion; the served bytes have it spliced in at the start of metadata.
 */
import { encodeJson } from '../../base/index.ts';
import { allocateBytes, type ByteAllocator } from '../../kernel/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { EncodedObject } from '../request/request.ts';
import { encodeForStorage } from './encode-for-storage.ts';
import { freezeObject } from './freeze-object.ts';
import { LazyEncoding } from './lazy-encoding.ts';
import { parseStored } from './parse-stored.ts';

const METADATA = Buffer.from('"metadata":{');
const CLOSING_BRACE = 0x7d;
const LINE_FEED = 0x0a;

interface SelectableValues {
  readonly labels: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
}

/** Where the bytes come from. Every other state moves on to `encoded`. */
type Encoding =
  /** The stored value, which the store keeps in memory as well. */
  | { readonly type: 'stored'; readonly value: Uint8Array }
  | { readonly type: 'lazy'; readonly value: LazyEncoding }
  /** The object is not stored in this form. */
  | { readonly type: 'derived'; readonly derive: () => KubeObject }
  | Encoded;

interface Encoded {
  readonly type: 'encoded';
  readonly line: Buffer;
  readonly metadataStart: number;
  /** What the bytes were encoded from: it may still know the object. */
  readonly lazy?: LazyEncoding | undefined;
}

/** What the entry holds of its object besides the encoding. */
type Parsed =
  | { readonly type: 'none' }
  /** As it was written, without resourceVersion. Held until `settle`: most objects are read at once, and a weak reference costs a microsecond. */
  | { readonly type: 'fresh'; readonly object: KubeObject }
  /** The same after `settle`. */
  | { readonly type: 'written'; readonly object: WeakRef<KubeObject> }
  /** Frozen, with resourceVersion: what readers get. */
  | { readonly type: 'shared'; readonly object: WeakRef<KubeObject> };

const NONE: Parsed = { type: 'none' };

export class Entry implements EncodedObject {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  #encoding: Encoding;
  #parsed: Parsed;
  #selectable: SelectableValues | undefined;
  #views: WeakMap<ViewConversion, Entry> | undefined;

  private constructor({ key, namespace, name }: Place, revision: number, encoding: Encoding, parsed: Parsed) {
    this.key = key;
    this.namespace = namespace;
    this.name = name;
    this.revision = revision;
    this.#encoding = encoding;
    this.#parsed = parsed;
  }

  static fromValue(place: Place, value: Uint8Array, revision: number, object?: KubeObject): Entry {
    const parsed: Parsed = object ? { type: 'fresh', object } : NONE;
    return new Entry(place, revision, encodedFrom(value, revision), parsed);
  }

  /** One of many that are loaded together. */
  static loaded(place: Place, value: Uint8Array, revision: number, memory: ByteAllocator): Entry {
    return new Entry(place, revision, encodedFrom(value, revision, undefined, memory), NONE);
  }

  /** `value` stays in memory as long as the entry does: its bytes are not copied before they are needed. */
  static overValue(place: Place, value: Uint8Array | LazyEncoding, revision: number): Entry {
    const encoding: Encoding = value instanceof LazyEncoding ? { type: 'lazy', value } : { type: 'stored', value };
    return new Entry(place, revision, encoding, NONE);
  }

  /** JSON with resourceVersion, without the line feed. */
  get bytes(): Buffer {
    return withoutLineFeed(this.#encoded().line);
  }

  /** JSON with resourceVersion and the line feed that ends a response: GET sends it as it is. */
  get line(): Buffer {
    return this.#encoded().line;
  }

  /** About how many bytes there are; 0 where that is not known before they are encoded. */
  get size(): number {
    const encoding = this.#encoding;
    if (encoding.type === 'encoded') return encoding.line.length;
    if (encoding.type === 'derived') return 0;
    return encoding.type === 'lazy' ? encoding.value.size : encoding.value.length;
  }

  /** Where `"metadata"` begins in `bytes`: list items of built-in kinds start there, without kind and apiVersion. */
  get metadataStart(): number {
    return this.#encoded().metadataStart;
  }

  #encoded(): Encoded {
    const encoding = this.#encoding;
    if (encoding.type === 'encoded') return encoding;
    const encoded = this.#encode(encoding);
    this.#encoding = encoded;
    return encoded;
  }

  #encode(encoding: Exclude<Encoding, Encoded>): Encoded {
    switch (encoding.type) {
      case 'stored':
        return encodedFrom(encoding.value, this.revision);
      case 'lazy':
        return encodedFrom(encoding.value.bytes(), this.revision, encoding.value);
      case 'derived':
        return encodedFrom(encodeForStorage(this.object), this.revision);
    }
  }

  /** To be called when the cache keeps the entry: an object that was not read yet may be collected. */
  settle(): void {
    if (this.#parsed.type === 'fresh') this.#parsed = { type: 'written', object: new WeakRef(this.#parsed.object) };
  }

  /** Shared and frozen. */
  get object(): KubeObject {
    const known = this.#parsed.type === 'shared' ? this.#parsed.object.deref() : undefined;
    return known ?? this.#lazy?.objectAt(this.revision) ?? this.#parse();
  }

  get #lazy(): LazyEncoding | undefined {
    const encoding = this.#encoding;
    if (encoding.type === 'encoded') return encoding.lazy;
    return encoding.type === 'lazy' ? encoding.value : undefined;
  }

  #parse(): KubeObject {
    const written = this.#written();
    const object = freezeObject(written ? withResourceVersion(written, this.revision) : parseStored(this.bytes));
    this.#parsed = { type: 'shared', object: new WeakRef(object) };
    return object;
  }

  /** The object without resourceVersion, where it can be had without parsing. */
  #written(): KubeObject | undefined {
    const parsed = this.#parsed;
    if (parsed.type === 'fresh') return parsed.object;
    const written = parsed.type === 'written' ? parsed.object.deref() : undefined;
    return written ?? (this.#encoding.type === 'derived' ? this.#encoding.derive() : undefined);
  }

  /** What selectors match; kept once computed, so that lists with a selector need not parse every object again. */
  selectable(fieldsOf: (object: KubeObject) => Readonly<Record<string, string>>): SelectableValues {
    this.#selectable ??= { labels: this.object.metadata.labels ?? NO_LABELS, fields: fieldsOf(this.object) };
    return this.#selectable;
  }

  /** As a dry run shows an object that was never stored: with the resourceVersion that the client gave, if any. */
  withoutRevision(given = ''): Entry {
    const { object } = this;
    const { resourceVersion: _, ...rest } = object.metadata;
    const metadata = given === '' ? rest : { ...rest, resourceVersion: given };
    const bare = freezeObject({ ...object, metadata });
    const bytes = given === '' ? encodeForStorage(bare) : encodeJson(bare);
    const line = Buffer.concat([bytes, Buffer.of(LINE_FEED)]);
    const encoded: Encoded = { type: 'encoded', line, metadataStart: line.indexOf(METADATA) };
    return new Entry(this, 0, encoded, { type: 'shared', object: new WeakRef(bare) });
  }

  /** Another state of the same object at the same revision: what a response shows of an object that is gone. */
  showing(object: KubeObject): Entry {
    return new Entry(this, this.revision, { type: 'derived', derive: () => object }, NONE);
  }

  /** The same state at a later revision: how a deletion shows the object that it removed. */
  atRevision(revision: number): Entry {
    return new Entry(this, revision, { type: 'derived', derive: () => this.object }, NONE);
  }

  hasView(convert: ViewConversion): boolean {
    return this.#views?.has(convert) ?? false;
  }

  /** Keeps a view that a conversion webhook made. */
  setView(convert: ViewConversion, object: KubeObject): void {
    this.#views ??= new WeakMap();
    const view = Entry.fromValue(this, encodeForStorage(object), this.revision, object);
    view.settle();
    this.#views.set(convert, view);
  }

  /** The entry as another version of its kind shows it. */
  view(convert: ViewConversion): Entry {
    this.#views ??= new WeakMap();
    let view = this.#views.get(convert);
    if (!view) this.#views.set(convert, (view = this.#convert(convert)));
    return view;
  }

  /** The same for the response to a write, which nobody may ask for again: a view that is not there yet is not kept. */
  viewOnce(convert: ViewConversion): Entry {
    return this.#views?.get(convert) ?? this.#convert(convert);
  }

  #convert(convert: ViewConversion): Entry {
    const stored = this.object;
    const object = convert(stored);
    // The same bytes under an entry of its own: the fields that selectors match may differ between versions.
    if (object === stored) return new Entry(this, this.revision, this.#encoding, this.#parsed);
    const derive = (): KubeObject => convert(this.object);
    const parsed: Parsed = { type: 'written', object: new WeakRef(object) };
    return new Entry(this, this.revision, { type: 'derived', derive }, parsed);
  }
}

interface Place {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
}

export type ViewConversion = (stored: KubeObject) => KubeObject;

const NO_LABELS: Readonly<Record<string, string>> = Object.freeze({});

/** What the entry of a stored value would serve. */
export const servedBytes = (value: Uint8Array, revision: number): Buffer =>
  withoutLineFeed(encodedFrom(value, revision).line);

const withoutLineFeed = (line: Buffer): Buffer => line.subarray(0, line.length - 1);

/** The bytes of a stored value, with its revision as resourceVersion. The line feed is made here because that costs no copy. */
function encodedFrom(value: Uint8Array, revision: number, lazy?: LazyEncoding, memory?: ByteAllocator): Encoded {
  const stored = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const metadataStart = stored.indexOf(METADATA);
  const insertAt = metadataStart + METADATA.length;
  const comma = stored[insertAt] === CLOSING_BRACE ? '' : ',';
  const insertion = `"resourceVersion":"${revision}"${comma}`;
  const length = stored.length + insertion.length + 1;
  const line = memory ? memory.allocate(length) : allocateBytes(length);
  stored.copy(line, 0, 0, insertAt);
  line.write(insertion, insertAt, 'latin1');
  stored.copy(line, insertAt + insertion.length, insertAt);
  line[line.length - 1] = LINE_FEED;
  return { type: 'encoded', line, metadataStart, lazy };
}

function withResourceVersion(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
