/**
 * Writes objects: each write is one compare-and-set transaction on the object's revision, and is answered only after
 * it is durable and the watch cache has it.
 */
import { StoreError, type Store } from '../../etcd/index.ts';
import { deepEqual } from '../../machinery/patch/deep-equal.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { alreadyExists, failure, internalError, notFound, serviceUnavailable } from '../../machinery/status.ts';
import { toStored, viewOf, type ServedResource } from '../registry/served-resource.ts';
import { encodeForStorage, Entry } from './entry.ts';
import { EventLeases } from './event-leases.ts';
import { objectKey } from './keys.ts';
import type { Transformer } from './transformer.ts';
import type { WatchCache } from './watch-cache.ts';

/** Whether storing `object` over `current` would change nothing; versions and times of field ownership do not count. */
function sameObject(current: KubeObject, object: KubeObject): boolean {
  const { resourceVersion: _, ...before } = current.metadata;
  const { resourceVersion: __, ...after } = object.metadata;
  return deepEqual({ ...current, metadata: before }, { ...object, metadata: after });
}

export interface Place {
  readonly namespace: string;
  readonly name: string;
}

export class ObjectStore {
  constructor(
    private readonly store: Store,
    private readonly cache: WatchCache,
    private readonly transformer: Transformer,
    private readonly leases: EventLeases,
  ) {}

  /** From the cache, as new as the store is now. */
  get(served: ServedResource, place: Place): Promise<Entry> | Entry {
    const current = this.cache.waitUntilCurrent();
    return current || served.prepareViews ? this.#getLater(current, served, place) : this.cached(served, place);
  }

  async #getLater(current: Promise<void> | undefined, served: ServedResource, place: Place): Promise<Entry> {
    if (current) await current;
    const entry = served.cache.get(place.namespace, place.name);
    if (entry) await served.prepareViews?.([entry]);
    return this.cached(served, place);
  }

  /** Resolves once the cache is as new as the store is now. */
  async untilCurrent(): Promise<void> {
    await this.cache.waitUntilCurrent();
  }

  /** From the cache as it stands. */
  cached(served: ServedResource, place: Place): Entry {
    const entry = served.cache.get(place.namespace, place.name);
    if (!entry) throw notFound(served.groupResource, place.name);
    return viewOf(served, entry);
  }

  /** From the store itself: what a lost race looks at. */
  async fresh(served: ServedResource, place: Place): Promise<Entry> {
    const { kvs } = await this.#guard(() => this.store.range({ key: objectKey(served.stored.prefix, place.namespace, place.name) }));
    const kv = kvs[0];
    if (!kv) throw notFound(served.groupResource, place.name);
    const entry = this.cache.entryOf(served.stored, kv);
    await served.prepareViews?.([entry]);
    return viewOf(served, entry);
  }

  async create(served: ServedResource, place: Place, object: KubeObject, dryRun: boolean): Promise<Entry> {
    const key = objectKey(served.stored.prefix, place.namespace, place.name);
    if (dryRun) {
      if (served.cache.get(place.namespace, place.name)) throw alreadyExists(served.groupResource, place.name);
      return this.#dryRunEntry(key, place, object, '');
    }
    const written = await this.#encode(served, key, object);
    const lease = served.strategy.ttlSeconds ? await this.leases.lease(served.strategy.ttlSeconds) : undefined;
    const result = await this.#guard(() =>
      this.store.txn({
        compare: [{ key, target: 'mod', result: 'equal', value: 0 }],
        success: [{ op: 'put', key, value: written, ...(lease === undefined ? {} : { lease }) }],
      }),
    );
    if (!result.succeeded) throw alreadyExists(served.groupResource, place.name);
    return this.#committed(served, place, object, result.revision);
  }

  /** Stores `object` over `current`; undefined when somebody else was faster. */
  async replace(served: ServedResource, place: Place, current: Entry, object: KubeObject, dryRun: boolean): Promise<Entry | undefined> {
    const key = objectKey(served.stored.prefix, place.namespace, place.name);
    if (dryRun) return this.#dryRunEntry(key, place, object, String(current.revision));
    if (sameObject(current.object, object)) return current;
    const written = await this.#encode(served, key, object);
    const lease = served.strategy.ttlSeconds ? await this.leases.lease(served.strategy.ttlSeconds) : undefined;
    const result = await this.#guard(() =>
      this.store.txn({
        compare: [{ key, target: 'mod', result: 'equal', value: current.revision }],
        success: [{ op: 'put', key, value: written, ...(lease === undefined ? {} : { lease }) }],
      }),
    );
    if (!result.succeeded) return undefined;
    return this.#committed(served, place, object, result.revision);
  }

  /** Removes `current`; the revision of the removal, or undefined when somebody else was faster. */
  async remove(served: ServedResource, place: Place, current: Entry, dryRun: boolean): Promise<number | undefined> {
    if (dryRun) return current.revision;
    const key = objectKey(served.stored.prefix, place.namespace, place.name);
    const result = await this.#guard(() =>
      this.store.txn({
        compare: [{ key, target: 'mod', result: 'equal', value: current.revision }],
        success: [{ op: 'delete', key }],
      }),
    );
    if (!result.succeeded) return undefined;
    await this.cache.waitFor(result.revision);
    return result.revision;
  }

  async #encode(served: ServedResource, key: string, object: KubeObject): Promise<Buffer> {
    const stored = await toStored(served, object);
    const plain = encodeForStorage(stored);
    const written = await this.transformer.toStorage(plain, key);
    if (written === plain) this.cache.remember(written, stored);
    return written;
  }

  async #committed(served: ServedResource, place: Place, object: KubeObject, revision: number): Promise<Entry> {
    await this.cache.waitFor(revision);
    const cached = served.cache.get(place.namespace, place.name);
    if (cached?.revision === revision) {
      await served.prepareViews?.([cached]);
      return viewOf(served, cached);
    }
    // A later write has already replaced it in the cache: the answer still shows what this one wrote.
    const key = objectKey(served.stored.prefix, place.namespace, place.name);
    return Entry.fromValue({ key, ...place }, encodeForStorage(object), revision, object);
  }

  #dryRunEntry(key: string, place: Place, object: KubeObject, resourceVersion: string): Entry {
    const entry = Entry.fromValue({ key, ...place }, encodeForStorage(object), Number(resourceVersion || 0), object);
    return resourceVersion === '' ? entry.withoutRevision() : entry;
  }

  /** Store failures as the API words them. */
  async #guard<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.code === 'no-space') throw failure(500, 'InternalError', 'etcdserver: mvcc: database space exceeded');
      if (error.code === 'request-too-large') throw failure(500, '', 'etcdserver: request is too large');
      if (error.code === 'unavailable' || error.code === 'timeout' || error.code === 'closed') throw serviceUnavailable(error.message);
      throw internalError(error.message);
    }
  }
}

