/**
 * The watch cache: every resource of the cluster in memory, fed by one watch of the whole registry. Reads are served
 * from it; a consistent read asks the store for its revision only (free on an embedded store) and waits until the cache
 * has reached it.
 */
import { prefixRange, StoreError, type KeyValue, type Store, type Watch, type WatchBatch } from '../../etcd/index.ts';
import { type ByteAllocator, type Context, SlabBytes, type Timer } from '../../kernel/index.ts';
import { serviceUnavailable, timeout } from '../../machinery/errors/index.ts';
import { decodeStored } from './decode-stored.ts';
import { Entry } from './entry.ts';
import { REGISTRY, splitKey } from './keys.ts';
import { LatestRevision } from './latest-revision.ts';
import { LazyEncoding } from './lazy-encoding.ts';
import { ResourceCache, type CachedResource } from './resource-cache.ts';
import type { Transformer } from './transformer.ts';
import { noWrittenObjects, type WrittenObjects } from './written-objects.ts';

const PAGE = 5000;
const WAIT_LIMIT_MS = 3000;
const RETRY_MS = 100;
/** A wait of this long may be for a revision that no event comes for: its key is not in the registry. */
const PROGRESS_MS = 50;

const shuttingDown = (): Error => serviceUnavailable('the server is shutting down');

export class WatchCache {
  readonly #ctx: Context;
  readonly #store: Store;
  readonly #transformer: Transformer;
  #caches = new Map<string, ResourceCache>();
  #loading = new Map<string, Loading>();
  #revision = 0;
  #waiters: { revision: number; resolve: () => void; reject: (error: Error) => void }[] = [];
  /** The watch has ended for good. */
  #hasEnded = false;
  #isFollowing = false;
  /** History was compacted before this cache had seen it. */
  #isBehind = false;
  #reloads = 0;
  #watch: Watch | undefined;
  #progress: Timer | undefined;
  readonly #latest: LatestRevision;

  constructor(
    ctx: Context,
    store: Store,
    transformer: Transformer,
    /** The writes of this server that are under way. */
    readonly written: WrittenObjects = noWrittenObjects,
  ) {
    this.#ctx = ctx;
    this.#store = store;
    this.#transformer = transformer;
    this.#latest = new LatestRevision(store, ctx.clock);
  }

  get revision(): number {
    return this.#revision;
  }

  /** A watch of the store is open; between two of them the cache falls behind. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  cacheOf(prefix: string): ResourceCache {
    const cache = this.#caches.get(prefix);
    if (!cache) throw new Error(`no cache for ${prefix}`);
    return cache;
  }

  /** Loads all resources at one revision, from which `run` follows. */
  async load(resources: readonly CachedResource[]): Promise<void> {
    const revision = await this.#store.revision();
    for (const resource of resources) this.#caches.set(resource.prefix, new ResourceCache(resource, revision));
    await this.#loadRange(REGISTRY, revision, (key) => this.#cacheOfKey(key));
    for (const { counts } of this.#caches.values()) counts.storageLists++;
    this.#revision = revision;
  }

  /** Starts to cache a resource that appeared later (a custom resource), while events continue. */
  add(resource: CachedResource): Promise<ResourceCache> {
    const { prefix } = resource;
    const existing = this.#caches.get(prefix);
    if (existing) return Promise.resolve(existing);
    const loading = this.#loading.get(prefix) ?? { resource, events: [], cache: this.#loadLater(resource) };
    this.#loading.set(prefix, loading);
    return loading.cache;
  }

  /** Loads the resource at the cache's revision; events that arrive meanwhile are queued and applied after it. */
  async #loadLater(resource: CachedResource): Promise<ResourceCache> {
    // The caller may be in the middle of a batch of events; after the batch, everything up to the revision is applied.
    await Promise.resolve();
    const { events } = this.#loading.get(resource.prefix)!;
    try {
      for (;;) {
        const revision = this.#revision;
        const reloads = this.#reloads;
        events.length = 0;
        const cache = new ResourceCache(resource, revision);
        cache.counts.storageLists++;
        const isCompacted = await this.#loadRange(resource.prefix, revision, () => cache).then(
          () => false,
          ifCompacted,
        );
        if (isCompacted || this.#isBehind || reloads !== this.#reloads) {
          await this.waitFor(revision + 1);
          continue;
        }
        for (const { type, kv } of events) this.#applyTo(cache, type, kv);
        this.#caches.set(resource.prefix, cache);
        return cache;
      }
    } finally {
      this.#loading.delete(resource.prefix);
    }
  }

  remove(prefix: string): void {
    this.#caches.get(prefix)?.close();
    this.#caches.delete(prefix);
  }

  /** Follows the store until the context ends, and then rejects callers that still wait for an event. */
  async run(): Promise<void> {
    try {
      await this.#follow();
    } finally {
      this.#hasEnded = true;
      this.#progress?.cancel();
      for (const { reject } of this.#waiters.splice(0)) reject(shuttingDown());
    }
  }

  async #follow(): Promise<void> {
    const { signal, clock, logger } = this.#ctx;
    while (!signal.aborted) {
      try {
        if (this.#isBehind) await this.#reload();
        await this.#applyEvents();
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof StoreError && error.code === 'closed') return;
        this.#isBehind ||= isCompaction(error);
        logger.error(error, 'Watch of the store failed; watching again');
      } finally {
        this.#isFollowing = false;
      }
      // A watch ends without an error when the store is closed.
      if (!signal.aborted) await clock.sleep(RETRY_MS, signal).catch(() => undefined);
    }
  }

  async #applyEvents(): Promise<void> {
    const { signal } = this.#ctx;
    const watch = this.#store.watch({
      ...prefixRange(REGISTRY),
      startRevision: this.#revision + 1,
      progressNotify: true,
    });
    const stop = (): void => watch.cancel();
    this.#watch = watch;
    this.#isFollowing = true;
    signal.addEventListener('abort', stop, { once: true });
    try {
      for await (const batch of watch) {
        const wait = this.#transformer.prepare?.(batch.events.map(({ kv }) => kv));
        if (wait) await wait;
        this.#applyBatch(batch);
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Loads everything again, because the events in between are gone. */
  async #reload(): Promise<void> {
    const revision = await this.#store.revision();
    const loaded = new Map<string, ResourceCache>();
    for (const [prefix, { resource }] of this.#caches) loaded.set(prefix, new ResourceCache(resource, revision));
    await this.#loadRange(REGISTRY, revision, (key) => this.#ofKey(loaded, key));
    for (const [prefix, cache] of loaded) this.#caches.get(prefix)?.replaceWith(cache);
    this.#isBehind = false;
    this.#reloads++;
    this.#revision = revision;
    this.#wake();
  }

  /** Resolves once every event up to `revision` is in the cache. */
  waitFor(revision: number): Promise<void> {
    if (this.#revision >= revision) return Promise.resolve();
    if (this.#hasEnded) return Promise.reject(shuttingDown());
    this.#requestProgressLater();
    return new Promise((resolve, reject) => this.#waiters.push({ revision, resolve, reject }));
  }

  /** Another server's compaction, for example, makes a revision without an event for the registry. */
  #requestProgressLater(): void {
    this.#progress ??= this.#ctx.clock.after(PROGRESS_MS, () => {
      this.#progress = undefined;
      if (this.#waiters.length === 0 || this.#hasEnded) return;
      if (this.#isFollowing) this.#watch?.requestProgress();
      this.#requestProgressLater();
    });
  }

  /**
   * For a client's resourceVersion: fails with 504 when that revision is not reached soon. Upstream has no cache of events:
   * it does not wait there, and does not say when to try again.
   */
  async waitForClient(revision: number | bigint, { plural }: { readonly plural: string }): Promise<void> {
    if (this.#revision >= revision) return;
    const current = await this.#latest.ask();
    if (current >= revision) return this.waitFor(Number(revision));
    if (plural === 'events') throw tooLargeResourceVersion(revision, this.#revision, 0);
    let timer: { cancel(): void } | undefined;
    const late = new Promise<'late'>(
      (resolve) => (timer = this.#ctx.clock.after(WAIT_LIMIT_MS, () => resolve('late'))),
    );
    const outcome = await Promise.race([late, this.waitFor(Number(revision))]);
    timer?.cancel();
    if (outcome === 'late') throw tooLargeResourceVersion(revision, this.#revision);
  }

  /** Resolves once the cache is as recent as the store; undefined when it is already. */
  waitUntilCurrent(): Promise<void> | undefined {
    const latest = this.#latest.ask();
    if (latest instanceof Promise) return latest.then((revision) => this.waitFor(revision));
    return this.#revision >= latest ? undefined : this.waitFor(latest);
  }

  /** `memory`: where many are loaded together. */
  entryOf(resource: CachedResource, kv: KeyValue, memory?: ByteAllocator): Entry {
    const at = { key: kv.key, ...splitKey(kv.key, resource.prefix, resource.namespaced) };
    if (kv.lazyValue instanceof LazyEncoding) return Entry.overValue(at, kv.lazyValue, kv.modRevision);
    const written = this.written.take(kv.key, kv.value);
    if (written) return Entry.fromValue(at, kv.value, kv.modRevision, written);
    const { value, object } = decodeStored(this.#transformer, kv);
    if (this.#store.keepsValues && value === kv.value) return Entry.overValue(at, value, kv.modRevision);
    return memory && object === undefined
      ? Entry.loaded(at, value, kv.modRevision, memory)
      : Entry.fromValue(at, value, kv.modRevision, object);
  }

  async #loadRange(
    prefix: string,
    revision: number,
    cacheOf: (key: string) => ResourceCache | undefined,
  ): Promise<void> {
    const { rangeEnd } = prefixRange(prefix);
    const memory = new SlabBytes();
    /** Thousands of one resource follow each other. */
    let last: ResourceCache | undefined;
    for (let key = prefix; ;) {
      const at = revision > 0 ? { revision } : {};
      const page = await this.#store.range({ key, rangeEnd, limit: PAGE, isSweep: true, ...at });
      await this.#transformer.prepare?.(page.kvs);
      for (const kv of page.kvs) {
        const cache = last && kv.key.startsWith(last.resource.prefix) ? last : cacheOf(kv.key);
        if (cache) this.#loadInto(cache, kv, memory);
        last = cache;
      }
      if (!page.more || page.kvs.length === 0) return;
      key = `${page.kvs.at(-1)!.key}\0`;
    }
  }

  #loadInto(cache: ResourceCache, kv: KeyValue, memory: ByteAllocator): void {
    try {
      cache.load(this.entryOf(cache.resource, kv, memory));
      cache.counts.storageFetched++;
      cache.counts.storageReturned++;
    } catch (error) {
      this.#ctx.logger.error(error, 'Failed to decode a stored object; it is not served', { key: kv.key });
    }
  }

  #applyBatch(batch: WatchBatch): void {
    for (const event of batch.events) {
      const cache = this.#cacheOfKey(event.kv.key);
      if (cache) this.#applyTo(cache, event.type, event.kv);
      else if (this.#loading.size > 0) this.#ofKey(this.#loading, event.kv.key)?.events.push(event);
    }
    if (batch.revision > this.#revision) this.#revision = batch.revision;
    if (this.#waiters.length > 0) this.#wake();
  }

  #applyTo(cache: ResourceCache, type: 'put' | 'delete', kv: KeyValue): void {
    try {
      if (type === 'put') cache.put(this.entryOf(cache.resource, kv));
      else cache.delete(kv.key, kv.modRevision);
    } catch (error) {
      this.#ctx.logger.error(error, 'Failed to apply an event to the watch cache', { key: kv.key });
    }
  }

  #wake(): void {
    const waiting = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiting) {
      if (waiter.revision <= this.#revision) waiter.resolve();
      else this.#waiters.push(waiter);
    }
  }

  /** `/registry/pods/default/a` belongs to `/registry/pods/`, `/registry/services/specs/…` to its two-part prefix. */
  #cacheOfKey(key: string): ResourceCache | undefined {
    return this.#ofKey(this.#caches, key);
  }

  #ofKey<T>(byPrefix: ReadonlyMap<string, T>, key: string): T | undefined {
    const first = key.indexOf('/', REGISTRY.length);
    if (first < 0) return undefined;
    const short = byPrefix.get(key.slice(0, first + 1));
    if (short) return short;
    const second = key.indexOf('/', first + 1);
    return second < 0 ? undefined : byPrefix.get(key.slice(0, second + 1));
  }
}

const isCompaction = (error: unknown): boolean => error instanceof StoreError && error.code === 'compacted';

function ifCompacted(error: unknown): true {
  if (!isCompaction(error)) throw error;
  return true;
}

/** A resource that is being loaded while events continue. */
interface Loading {
  readonly resource: CachedResource;
  readonly events: WatchBatch['events'][number][];
  readonly cache: Promise<ResourceCache>;
}

export function tooLargeResourceVersion(revision: number | bigint, current: number, retryAfterSeconds = 1): Error {
  const error = timeout(`Too large resource version: ${revision}, current: ${current}`, retryAfterSeconds);
  error.status.details = {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
  };
  return error;
}
