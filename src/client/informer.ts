import { deepFreeze } from '../base/index.ts';
import { deliver, revisionOf, unlessAborted, type Clock, type Logger, type Random } from '../kernel/index.ts';
import { Indexer, type IndexFunction } from './indexer.ts';
import { Reflector, type ListerWatcher, type ReflectorSink, type ReflectorTiming } from './reflector.ts';
import { keyOf, type ApiObject } from './resource.ts';

/**
 * Event handlers are called synchronously in the order of revisions, after the cache has changed. They enqueue work and
 * return.
 */
export interface InformerHandler<T> {
  onAdd?(object: T, context: { initial: boolean }): void;
  onUpdate?(before: T, after: T): void;
  /** `stale`: the DELETED event was missed; `object` is the last known state (client-go's DeletedFinalStateUnknown). */
  onDelete?(object: T, context: { stale: boolean }): void;
}

export interface InformerOptions<T extends ApiObject> {
  clock: Clock;
  random: Random;
  logger: Logger;
  source: ListerWatcher<T>;
  indexes?: Readonly<Record<string, IndexFunction<T>>>;
  /** Calls onUpdate for every object this often; default never. */
  resyncMs?: number;
  /** Drops unneeded fields before an object is cached. */
  transform?: (object: T) => T;
  streamingList?: boolean;
  timing?: Partial<ReflectorTiming>;
}

/** A local cache of a resource that follows the server, shared by all its users in the process. */
export class SharedInformer<T extends ApiObject> {
  readonly indexer: Indexer<T>;
  readonly #options: InformerOptions<T>;
  readonly #reflector: Reflector<T>;
  readonly #handlers = new Set<InformerHandler<T>>();
  #tellSynced: () => void = () => undefined;
  readonly #whenSynced = new Promise<void>((resolve) => (this.#tellSynced = resolve));
  #synced = false;

  constructor(options: InformerOptions<T>) {
    this.#options = options;
    this.indexer = new Indexer<T>(options.indexes);
    this.#reflector = new Reflector<T>({ ...options, sink: this.#sink() });
  }

  /** Whether the first list is in the cache. */
  get hasSynced(): boolean {
    return this.#synced;
  }

  get resourceVersion(): string {
    return this.#reflector.resourceVersion;
  }

  get(key: string): T | undefined {
    return this.indexer.get(key);
  }

  list(): T[] {
    return this.indexer.list();
  }

  /** A handler that is added late gets an onAdd for every cached object. The result removes it. */
  addHandler(handler: InformerHandler<T>): () => void {
    this.#handlers.add(handler);
    for (const object of this.indexer.list()) {
      try {
        handler.onAdd?.(object, { initial: true });
      } catch (error) {
        this.#failed(error);
      }
    }
    return () => void this.#handlers.delete(handler);
  }

  /** Follows the server until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, resyncMs } = this.#options;
    const resync = resyncMs === undefined ? undefined : clock.every(resyncMs, () => this.#resync());
    try {
      await this.#reflector.run(signal);
    } finally {
      resync?.cancel();
    }
  }

  /** Resolves when the first list is in the cache. */
  get synced(): Promise<void> {
    return this.#whenSynced;
  }

  /** Resolves when the first list is in the cache; rejects with the signal's reason when that aborts first. */
  waitForSync(signal: AbortSignal): Promise<void> {
    return this.#synced ? Promise.resolve() : unlessAborted(signal, this.#whenSynced);
  }

  #sink(): ReflectorSink<T> {
    return {
      set: (object) => this.#set(object),
      delete: (object) => this.#delete(keyOf(object), this.#keep(object)),
      replace: (objects) => {
        const present = new Set<string>();
        for (const object of objects) {
          present.add(keyOf(object));
          this.#set(object);
        }
        for (const key of this.indexer.keys()) if (!present.has(key)) this.#delete(key);
        if (this.#synced) return;
        this.#synced = true;
        this.#tellSynced();
      },
    };
  }

  #set(received: T): void {
    const before = this.indexer.get(keyOf(received));
    /** A relist mostly returns known objects: handlers are not called, and the old copy stays shared. */
    if (before !== undefined && sameVersion(before, received)) return;
    const object = this.#keep(received);
    this.indexer.set(object);
    /** The object was deleted and recreated during a gap of the watch. */
    const reborn = before !== undefined && before.metadata.uid !== object.metadata.uid;
    if (before === undefined) return this.#added(object, { initial: !this.#synced });
    if (!reborn) return this.#updated(before, object);
    this.#deleted(before, { stale: true });
    this.#added(object, { initial: false });
  }

  #delete(key: string, last?: T): void {
    const before = this.indexer.delete(key);
    if (before !== undefined) this.#deleted(last ?? before, { stale: last === undefined });
  }

  #resync(): void {
    for (const object of this.indexer.list()) this.#updated(object, object);
  }

  #added(object: T, context: { initial: boolean }): void {
    this.#deliver(object, (handler) => handler.onAdd?.(object, context));
  }

  #updated(before: T, after: T): void {
    this.#deliver(after, (handler) => handler.onUpdate?.(before, after));
  }

  #deleted(object: T, context: { stale: boolean }): void {
    this.#deliver(object, (handler) => handler.onDelete?.(object, context));
  }

  #deliver({ metadata }: T, call: (handler: InformerHandler<T>) => void): void {
    if (this.#handlers.size === 0) return;
    deliver(revisionOf(metadata.resourceVersion), () => {
      for (const handler of this.#handlers) {
        try {
          call(handler);
        } catch (error) {
          this.#failed(error);
        }
      }
    });
  }

  #keep(object: T): T {
    return deepFreeze(this.#options.transform?.(object) ?? object);
  }

  /** A failing handler must stop neither the others nor the informer. */
  #failed(error: unknown): void {
    this.#options.logger.error(error, 'An informer handler failed');
  }
}

function sameVersion(a: ApiObject, b: ApiObject): boolean {
  return (
    a.metadata.resourceVersion !== undefined &&
    a.metadata.resourceVersion === b.metadata.resourceVersion &&
    a.metadata.uid === b.metadata.uid
  );
}
