/**
 * Every object of one resource in memory, with a window of its recent events. Watchers register for a scope
 * (everything, one namespace, one name, one node), so that an event reaches only watchers that it may concern.
 */
import type { KubeObject } from '../../machinery/index.ts';
import type { Entry } from './entry.ts';
import { splitKey } from './keys.ts';
import { ResourceCounts } from './resource-counts.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** About how much memory the events of a window hold. */
interface WindowSize {
  bytes: number;
}

export class CacheEvent {
  /** See shared-frames.ts. */
  #frames: Map<string, Buffer> | undefined;
  /** How many watchers it was handed to. */
  deliveries = 0;
  #bytes: number;
  /** Of the window that holds it, if one does. */
  #window: WindowSize | undefined;

  constructor(
    readonly type: EventType,
    readonly revision: number,
    /** The state after the event; for DELETED the last state, at the deletion's revision. */
    readonly entry: Entry,
    readonly previous: Entry | undefined,
    window?: WindowSize,
  ) {
    this.#bytes = entry.size;
    this.#window = window;
    if (window) window.bytes += this.#bytes;
  }

  /** What the event adds to the size of its window. */
  get bytes(): number {
    return this.#bytes;
  }

  frame(form: string): Buffer | undefined {
    return this.#frames?.get(form);
  }

  keepFrame(form: string, frame: Buffer): void {
    (this.#frames ??= new Map()).set(form, frame);
    this.#grow(frame.length);
  }

  dropFrames(): void {
    for (const frame of this.#frames?.values() ?? []) this.#grow(-frame.length);
    this.#frames = undefined;
  }

  /** Watchers that are behind may still hold it. */
  leaveWindow(): void {
    if (this.#window) this.#window.bytes -= this.#bytes;
    this.#window = undefined;
  }

  #grow(by: number): void {
    this.#bytes += by;
    if (this.#window) this.#window.bytes += by;
  }
}

export interface CacheWatcher {
  /** `''` for everything, `ns/` for a namespace, `ns/name` for one object, `node:n` for the pods of a node. */
  readonly scope: string;
  deliver(event: CacheEvent): void;
  /** All events up to this revision have been delivered. */
  progress?(revision: number): void;
  /** The resource is no longer served: no events follow. */
  end?(): void;
}

export interface CachedResource {
  readonly prefix: string;
  readonly namespaced: boolean;
  /** The values that field selectors compare. */
  fieldsOf(object: KubeObject): Readonly<Record<string, string>>;
}

/** How many events are kept at least, if they are not too large; at most twice as many. */
export const WINDOW_LIMIT = 8192;
/** Watches from before the window are replayed from the store, so large objects need not be kept for them. */
const WINDOW_BYTES = 16 * 1024 * 1024;
/** Of older events the frames are made again for watchers that are that far behind. */
const EVENTS_WITH_FRAMES = 256;

export class ResourceCache {
  readonly counts = new ResourceCounts();
  #buckets = new Map<string, Bucket>();
  #bucketOrder: string[] | undefined;
  #size = 0;
  #window: CacheEvent[] = [];
  readonly #windowSize: WindowSize = { bytes: 0 };
  #watchers = new Map<string, Set<CacheWatcher>>();

  constructor(
    readonly resource: CachedResource,
    /** Every event after this revision is in the window. */
    public windowStart: number,
  ) {}

  get size(): number {
    return this.#size;
  }

  get(namespace: string, name: string): Entry | undefined {
    return this.#buckets.get(namespace)?.entries.get(name);
  }

  /**
   * In key order; of one namespace or of all. The list belongs to the cache: callers read it before the next event and
   * do not keep it.
   */
  list(namespace = ''): readonly Entry[] {
    if (namespace !== '' || !this.resource.namespaced) return this.#buckets.get(namespace)?.sorted() ?? [];
    if (this.#buckets.size === 1) return this.#buckets.values().next().value!.sorted();
    this.#bucketOrder ??= [...this.#buckets.keys()].sort(compareNamespaces);
    const all: Entry[] = [];
    for (const name of this.#bucketOrder) for (const entry of this.#buckets.get(name)!.sorted()) all.push(entry);
    return all;
  }

  /** In no order, without making a list of them. */
  *entries(): Generator<Entry> {
    for (const bucket of this.#buckets.values()) yield* bucket.entries.values();
  }

  /** Adds an entry without an event, for the initial load. */
  load(entry: Entry): void {
    this.#put(entry);
    entry.settle();
  }

  put(entry: Entry): void {
    const previous = this.#put(entry);
    this.#emit(new CacheEvent(previous ? 'MODIFIED' : 'ADDED', entry.revision, entry, previous, this.#windowSize));
    entry.settle();
  }

  delete(key: string, revision: number): void {
    const { namespace, name } = splitKey(key, this.resource.prefix, this.resource.namespaced);
    const bucket = this.#buckets.get(namespace);
    const previous = bucket?.entries.get(name);
    if (!bucket || !previous) return;
    bucket.delete(name);
    this.#size--;
    if (bucket.entries.size === 0) {
      this.#buckets.delete(namespace);
      this.#bucketOrder = undefined;
    }
    this.#emit(new CacheEvent('DELETED', revision, previous.atRevision(revision), previous, this.#windowSize));
  }

  /**
   * Takes over what another cache has loaded, at its revision. The events in between are not known: clients' watches end, and
   * watchers within the server get the difference.
   */
  replaceWith(loaded: ResourceCache): void {
    this.close();
    for (const entry of [...this.entries()]) {
      const now = loaded.get(entry.namespace, entry.name);
      if (now?.revision === entry.revision) continue;
      if (!now || now.object.metadata.uid !== entry.object.metadata.uid) this.delete(entry.key, loaded.windowStart);
    }
    for (const entry of loaded.entries())
      if (this.get(entry.namespace, entry.name)?.revision !== entry.revision) this.put(entry);
    for (const event of this.#window) event.leaveWindow();
    this.#window = [];
    this.windowStart = loaded.windowStart;
  }

  /** At most `limit` events after `revision`; undefined when the window does not reach back that far. */
  eventsSince(revision: number, limit: number): CacheEvent[] | undefined {
    if (revision < this.windowStart) return undefined;
    let from = 0;
    let end = this.#window.length;
    while (from < end) {
      const middle = (from + end) >>> 1;
      if (this.#window[middle]!.revision > revision) end = middle;
      else from = middle + 1;
    }
    return this.#window.slice(from, from + limit);
  }

  /** How many watchers got the event of `revision`; 0 when it is no longer in the window. */
  deliveriesOf(revision: number): number {
    const window = this.#window;
    // It is asked about when it was written: only writes of the same commit are newer.
    for (let i = window.length - 1; i >= 0; i--) {
      const event = window[i]!;
      if (event.revision === revision) return event.deliveries;
      if (event.revision < revision) break;
    }
    return 0;
  }

  watch(watcher: CacheWatcher): () => void {
    const set = this.#watchers.get(watcher.scope) ?? new Set();
    this.#watchers.set(watcher.scope, set.add(watcher));
    return () => {
      set.delete(watcher);
      if (set.size === 0) this.#watchers.delete(watcher.scope);
    };
  }

  get watcherCount(): number {
    let count = 0;
    for (const set of this.#watchers.values()) count += set.size;
    return count;
  }

  #put(entry: Entry): Entry | undefined {
    let bucket = this.#buckets.get(entry.namespace);
    if (!bucket) {
      bucket = new Bucket();
      this.#buckets.set(entry.namespace, bucket);
      this.#bucketOrder = undefined;
    }
    const previous = bucket.entries.get(entry.name);
    bucket.put(entry, previous);
    if (!previous) this.#size++;
    return previous;
  }

  #emit(event: CacheEvent): void {
    this.counts.events++;
    this.#window.push(event);
    this.#window[this.#window.length - 1 - EVENTS_WITH_FRAMES]?.dropFrames();
    this.#trimWindow();
    if (this.#watchers.size === 0) return;
    const { namespace, name } = event.entry;
    this.#notify('', event);
    if (namespace !== '') this.#notify(`${namespace}/`, event);
    this.#notify(`${namespace}/${name}`, event);
    if (this.#hasNodeScopes()) this.#notifyNodes(event);
  }

  /** Drops the oldest events, many at once, when there are too many or they hold too much. */
  #trimWindow(): void {
    let dropped = this.#window.length > WINDOW_LIMIT * 2 ? this.#window.length - WINDOW_LIMIT : 0;
    if (this.#windowSize.bytes > WINDOW_BYTES) {
      let bytes = this.#windowSize.bytes;
      for (let i = 0; i < dropped; i++) bytes -= this.#window[i]!.bytes;
      // The newest event stays, however large.
      while (bytes > WINDOW_BYTES / 2 && dropped < this.#window.length - 1) bytes -= this.#window[dropped++]!.bytes;
    }
    if (dropped === 0) return;
    this.windowStart = this.#window[dropped - 1]!.revision;
    for (let i = 0; i < dropped; i++) this.#window[i]!.leaveWindow();
    this.#window = this.#window.slice(dropped);
  }

  #hasNodeScopes(): boolean {
    for (const scope of this.#watchers.keys()) if (scope.startsWith('node:')) return true;
    return false;
  }

  #notifyNodes(event: CacheEvent): void {
    const nodeOf = (entry: Entry | undefined): string | undefined =>
      entry?.selectable((object) => this.resource.fieldsOf(object)).fields['spec.nodeName'];
    const now = nodeOf(event.entry);
    const before = nodeOf(event.previous);
    if (now) this.#notify(`node:${now}`, event);
    if (before && before !== now) this.#notify(`node:${before}`, event);
  }

  #notify(scope: string, event: CacheEvent): void {
    const set = this.#watchers.get(scope);
    if (!set) return;
    event.deliveries += set.size;
    for (const watcher of set) watcher.deliver(event);
  }

  /** Ends all watchers. */
  close(): void {
    for (const set of this.#watchers.values()) for (const watcher of [...set]) watcher.end?.();
  }

  notifyProgress(revision: number): void {
    for (const set of this.#watchers.values()) for (const watcher of set) watcher.progress?.(revision);
  }
}

/** Keys are compared with the slash that ends the namespace: `a-b/x` comes before `a/x`. */
const compareNamespaces = (a: string, b: string): number => (`${a}/` < `${b}/` ? -1 : 1);

/** After more changes than this, sorting everything again is cheaper than merging. */
const MAX_CHANGES = 10_000;

/** The objects of one namespace. They are sorted when they are first listed; later lists merge what changed since. */
class Bucket {
  readonly entries = new Map<string, Entry>();
  /** The last list, with updated entries replaced. */
  #sorted: Entry[] | undefined;
  #added: string[] = [];
  #deleted = 0;

  put(entry: Entry, previous: Entry | undefined): void {
    this.entries.set(entry.name, entry);
    if (!this.#sorted) return;
    if (!previous) {
      this.#added.push(entry.name);
      this.#forgetIf(this.#added.length > MAX_CHANGES);
      return;
    }
    const at = this.#position(entry.name);
    if (this.#sorted[at]?.name === entry.name) this.#sorted[at] = entry;
  }

  delete(name: string): void {
    this.entries.delete(name);
    this.#deleted++;
    this.#forgetIf(this.#deleted > Math.min(this.entries.size, MAX_CHANGES));
  }

  sorted(): readonly Entry[] {
    if (!this.#sorted) this.#sorted = [...this.entries.values()].sort(byName);
    else if (this.#added.length > 0 || this.#deleted > 0)
      this.#sorted = merged(
        this.#present(this.#sorted.map(({ name }) => name)),
        this.#present(this.#added).sort(byName),
      );
    this.#added = [];
    this.#deleted = 0;
    return this.#sorted;
  }

  #forgetIf(changedTooMuch: boolean): void {
    if (!changedTooMuch) return;
    this.#sorted = undefined;
    this.#added = [];
    this.#deleted = 0;
  }

  #position(name: string): number {
    let low = 0;
    let high = this.#sorted!.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#sorted![middle]!.name < name) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Without deleted entries. */
  #present(names: readonly string[]): Entry[] {
    const present: Entry[] = [];
    for (const name of names) {
      const entry = this.entries.get(name);
      if (entry) present.push(entry);
    }
    return present;
  }
}

const byName = (a: Entry, b: Entry): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** Merges two sorted lists. An object that was deleted and created again is in both, and is taken once. */
function merged(some: readonly Entry[], others: readonly Entry[]): Entry[] {
  const all: Entry[] = [];
  let next = 0;
  const take = (entry: Entry): void => {
    if (all.at(-1) !== entry) all.push(entry);
  };
  for (const entry of some) {
    while (next < others.length && others[next]!.name < entry.name) take(others[next++]!);
    take(entry);
  }
  while (next < others.length) take(others[next++]!);
  return all;
}
