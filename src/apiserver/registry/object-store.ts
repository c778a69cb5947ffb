/**
 * Reads and writes objects. Each write is one compare-and-set transaction on the object's revision, and returns only
 * after it is durable and the watch cache has it.
 */
import type { ObjectMeta } from '../../api/generated/meta-v1.ts';
import { deepEqual, whenDone, type MaybePromise } from '../../base/index.ts';
import { StoreError, type Store } from '../../etcd/index.ts';
import { noTracer, type Span, type Tracer } from '../../kernel/index.ts';
import { alreadyExists, failure, internalError, notFound, serviceUnavailable } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { encodeForStorage } from '../storage/encode-for-storage.ts';
import { Entry, servedBytes } from '../storage/entry.ts';
import { EventLeases } from '../storage/event-leases.ts';
import { objectKey } from '../storage/keys.ts';
import { LazyEncoding } from '../storage/lazy-encoding.ts';
import type { Transformer } from '../storage/transformer.ts';
import type { WatchCache } from '../storage/watch-cache.ts';
import { toStored, viewOf, type ServedResource } from './served-resource.ts';
import type { StoreRequests } from './store-requests.ts';

/**
 * Whether storing `object` over `current` would change nothing but the resourceVersion. The status differs most often
 * and is compared first.
 */
function sameObject(current: KubeObject, object: KubeObject): boolean {
  if (!deepEqual(current['status'], object['status'])) return false;
  for (const name in object) if (object[name] !== undefined && current[name] === undefined) return false;
  for (const name in current) if (name !== 'metadata' && !deepEqual(current[name], object[name])) return false;
  return sameMetadata(current.metadata, object.metadata);
}

/**
 * The same for a large object, of which the bytes are compared first: comparing the fields takes much longer. Maps whose keys
 * have another order have the same length.
 */
function sameBytes(current: Entry, object: KubeObject, encoded: Buffer): boolean {
  const bytes = servedBytes(encoded, current.revision);
  return bytes.length === current.bytes.length && (bytes.equals(current.bytes) || sameObject(current.object, object));
}

function sameMetadata(current: ObjectMeta, metadata: ObjectMeta): boolean {
  for (const name in metadata)
    if (
      name !== 'resourceVersion' &&
      metadata[name as keyof ObjectMeta] !== undefined &&
      current[name as keyof ObjectMeta] === undefined
    )
      return false;
  for (const name in current)
    if (name !== 'resourceVersion' && !deepEqual(current[name as keyof ObjectMeta], metadata[name as keyof ObjectMeta]))
      return false;
  return true;
}

export interface Place {
  readonly namespace: string;
  readonly name: string;
}

interface ObjectStoreOptions {
  readonly store: Store;
  readonly cache: WatchCache;
  readonly transformer: Transformer;
  readonly leases: EventLeases;
  readonly requests: StoreRequests;
  /** Hands the object itself to a store that keeps values in memory. */
  readonly lazyEncoding?: boolean;
  /** Where commits are recorded. */
  readonly tracer?: Tracer;
}

export class ObjectStore {
  readonly #store: Store;
  readonly #cache: WatchCache;
  readonly #transformer: Transformer;
  readonly #leases: EventLeases;
  readonly #requests: StoreRequests;
  readonly #encodesLazily: boolean;
  readonly #tracer: Tracer;

  constructor({
    store,
    cache,
    transformer,
    leases,
    requests,
    lazyEncoding = false,
    tracer = noTracer,
  }: ObjectStoreOptions) {
    this.#requests = requests;
    this.#tracer = tracer;
    this.#store = store;
    this.#cache = cache;
    this.#transformer = transformer;
    this.#leases = leases;
    this.#encodesLazily = lazyEncoding && store.keepsValues === true;
  }

  /** From the cache, once it is as recent as the store. */
  get(served: ServedResource, place: Place): Promise<Entry> | Entry {
    const current = this.#cache.waitUntilCurrent();
    return current || served.prepareViews ? this.#getLater(current, served, place) : this.cached(served, place);
  }

  async #getLater(current: Promise<void> | undefined, served: ServedResource, place: Place): Promise<Entry> {
    if (current) await current;
    const entry = served.cache.get(place.namespace, place.name);
    if (entry) await served.prepareViews?.([entry]);
    return this.cached(served, place);
  }

  /** Resolves once the cache is as recent as the store. */
  async untilCurrent(): Promise<void> {
    await this.#cache.waitUntilCurrent();
  }

  /** From the cache as it is now. */
  cached(served: ServedResource, place: Place): Entry {
    const entry = served.cache.get(place.namespace, place.name);
    if (!entry) throw notFound(served.groupResource, place.name);
    return viewOf(served, entry);
  }

  /** From the store itself, after a conflict. */
  async fresh(served: ServedResource, place: Place): Promise<Entry> {
    const key = objectKey(served.stored.prefix, place.namespace, place.name);
    const { kvs } = await this.#guard(() => this.#requests.measure(served, 'get', () => this.#store.range({ key })));
    const kv = kvs[0];
    if (!kv) throw notFound(served.groupResource, place.name);
    const entry = this.#cache.entryOf(served.stored, kv);
    await served.prepareViews?.([entry]);
    return viewOf(served, entry);
  }

  /** `encoded`: the object's bytes, where they were encoded ahead, in slices; `span`: the request that writes. */
  async create(
    served: ServedResource,
    place: Place,
    object: KubeObject,
    dryRun: boolean,
    encoded?: Buffer,
    span?: Span,
  ): Promise<Entry> {
    const key = objectKey(served.stored.prefix, place.namespace, place.name);
    if (dryRun) {
      if (served.cache.get(place.namespace, place.name)) throw alreadyExists(served.groupResource, place.name);
      return this.#dryRunEntry(key, place, object, '', encoded);
    }
    const entry = await this.#write({ served, place, key, object, over: 0, encoded, span });
    if (!entry) throw alreadyExists(served.groupResource, place.name);
    return entry;
  }

  /** Stores `object` over `current`; undefined when another write came first. */
  async replace(
    served: ServedResource,
    place: Place,
    current: Entry,
    object: KubeObject,
    dryRun: boolean,
    encoded?: Buffer,
    span?: Span,
  ): Promise<Entry | undefined> {
    const key = objectKey(served.stored.prefix, place.namespace, place.name);
    if (dryRun) return this.#dryRunEntry(key, place, object, String(current.revision), encoded);
    if (encoded ? sameBytes(current, object, encoded) : sameObject(current.object, object)) return current;
    return this.#write({ served, place, key, object, over: current.revision, encoded, span });
  }

  /** Removes `current` and returns the revision of the removal; undefined when another write came first. */
  async remove(
    served: ServedResource,
    place: Place,
    current: Entry,
    dryRun: boolean,
    span?: Span,
  ): Promise<number | undefined> {
    if (dryRun) return current.revision;
    const startedAt = this.#requests.start();
    const key = objectKey(served.stored.prefix, place.namespace, place.name);
    const result = await this.#guard(() =>
      this.#requests.measure(served, 'delete', () =>
        this.#store.txn({
          compare: [{ key, target: 'mod', result: 'equal', value: current.revision }],
          success: [{ op: 'delete', key }],
        }),
      ),
    );
    if (!result.succeeded) return undefined;
    await this.#cache.waitFor(result.revision);
    if (this.#tracer.enabled)
      this.#recordCommit({ served, place, span, startedAt, revision: result.revision, type: 'delete' });
    return result.revision;
  }

  /** undefined when the object is not at the revision that `write` replaces. */
  async #write(write: Write): Promise<Entry | undefined> {
    const { ttlSeconds } = write.served.strategy;
    const lease = ttlSeconds ? { lease: await this.#leases.lease(ttlSeconds) } : undefined;
    return whenDone(toStored(write.served, write.object), (stored) =>
      // `#commit` forgets what `#valueOf` remembers: nothing may fail in between.
      whenDone(this.#valueOf(write, stored), (value) => this.#commit(write, value, lease)),
    );
  }

  async #commit(
    { served, place, key, object, over, span }: Write,
    value: Uint8Array | LazyEncoding,
    lease: { readonly lease: bigint } | undefined,
  ): Promise<Entry | undefined> {
    const startedAt = this.#requests.start();
    const operation = over === 0 ? 'create' : 'update';
    let isAnswered = false;
    try {
      const { succeeded, revision } = await this.#store.txn({
        compare: [{ key, target: 'mod', result: 'equal', value: over }],
        success: [{ op: 'put', key, value, ...lease }],
      });
      isAnswered = true;
      this.#requests.ended(served, operation, startedAt);
      if (!succeeded) return undefined;
      if (value instanceof LazyEncoding) value.objectAt(revision);
      if (this.#cache.revision < revision) await this.#cache.waitFor(revision);
      if (this.#tracer.enabled) this.#recordCommit({ served, place, span, startedAt, revision, type: 'put' });
      return await this.#committed({ served, place, key, object, revision });
    } catch (error) {
      if (!isAnswered) this.#requests.failed(served, operation, startedAt);
      throw asStatusError(error);
    } finally {
      if (value instanceof Uint8Array) this.#cache.written.forget(key, value);
    }
  }

  #recordCommit({ served, place, span, startedAt, revision, type }: Commit): void {
    if (span) nameCreated(span, served, place);
    this.#tracer.committed({
      revision,
      parent: span?.id ?? 0,
      startedAt,
      operation: type,
      group: served.group,
      resource: served.plural,
      namespace: place.namespace,
      name: place.name,
      deliveries: served.cache.deliveriesOf(revision),
    });
  }

  /** The value that is stored. Where it is the object's JSON, the event of the write need not parse it. */
  #valueOf({ key, object, encoded }: Write, stored: KubeObject): MaybePromise<Uint8Array | LazyEncoding> {
    const bytes = stored === object ? encoded : undefined;
    if (this.#encodesLazily && this.#transformer.keeps?.(key)) return new LazyEncoding(stored, bytes);
    const plain = bytes ?? encodeForStorage(stored);
    const value = this.#transformer.toStorage(plain, key);
    if (value === plain) this.#cache.written.remember(key, value, stored);
    return value;
  }

  #committed({
    served,
    place,
    key,
    object,
    revision,
  }: Omit<Write, 'over' | 'encoded' | 'span'> & { readonly revision: number }): Entry | Promise<Entry> {
    const cached = served.cache.get(place.namespace, place.name);
    // A later write may have replaced it in the cache already: the response still shows this one.
    if (cached?.revision !== revision)
      return Entry.fromValue({ key, ...place }, encodeForStorage(object), revision, object);
    if (served.prepareViews) return served.prepareViews([cached]).then(() => viewOf(served, cached));
    return served.conversion ? cached.viewOnce(served.conversion.fromStorage) : cached;
  }

  #dryRunEntry(key: string, place: Place, object: KubeObject, resourceVersion: string, encoded?: Buffer): Entry {
    const bytes = encoded ?? encodeForStorage(object);
    const entry = Entry.fromValue({ key, ...place }, bytes, Number(resourceVersion || 0), object);
    return resourceVersion === '' ? entry.withoutRevision() : entry;
  }

  async #guard<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw asStatusError(error);
    }
  }
}

interface Write {
  readonly served: ServedResource;
  readonly place: Place;
  readonly key: string;
  readonly object: KubeObject;
  /** The revision that is replaced; 0 for a create. */
  readonly over: number;
  readonly encoded: Buffer | undefined;
  /** The request that writes; undefined for the server's own writes. */
  readonly span: Span | undefined;
}

interface Commit extends Pick<Write, 'served' | 'place' | 'span'> {
  readonly startedAt: number;
  readonly revision: number;
  readonly type: 'put' | 'delete';
}

/** The path of a create has no name: its request has that of the object that it created. */
function nameCreated({ attributes }: Span, served: ServedResource, place: Place): void {
  if (attributes['k8s.verb'] !== 'create' || attributes['k8s.object.name'] !== '') return;
  // A Service's create writes IPAddresses, too.
  if (attributes['k8s.resource'] === served.plural && attributes['k8s.group'] === served.group)
    attributes['k8s.object.name'] = place.name;
}

/** Store errors as the API reports them. */
function asStatusError(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error;
  if (error.code === 'no-space') return failure(500, 'InternalError', 'etcdserver: mvcc: database space exceeded');
  if (error.code === 'request-too-large') return failure(500, '', 'etcdserver: request is too large');
  if (error.code === 'unavailable' || error.code === 'timeout' || error.code === 'closed')
    return serviceUnavailable(error.message);
  return internalError(error.message);
}
