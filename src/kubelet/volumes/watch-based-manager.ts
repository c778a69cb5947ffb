/**
 * Watch-based manager of the ConfigMaps and Secrets of this node's pods. Each object is watched by name, because the
 * node authorizer allows no other watches, and only while a pod uses it.
 */
import {
  builtIn,
  scoped,
  SharedInformer,
  type ApiObject,
  type BuiltInResource,
  type Client,
  type ObjectOf,
} from '../../client/index.ts';
import { childContext, isAbort, type Context } from '../../kernel/index.ts';

interface Entry<T extends ApiObject> {
  readonly informer: SharedInformer<T>;
  readonly stop: AbortController;
  /** Ends with the entry or with the kubelet. */
  readonly signal: AbortSignal;
  readonly users: Set<string>;
  readonly running: Promise<void>;
}

export class WatchBasedManager<K extends BuiltInResource> {
  readonly #ctx: Context;
  readonly #client: Client;
  readonly #resource: K;
  readonly #onChange: (users: ReadonlySet<string>) => void;
  readonly #entries = new Map<string, Entry<ObjectOf<K>>>();

  constructor(ctx: Context, options: { client: Client; resource: K; onChange: (users: ReadonlySet<string>) => void }) {
    this.#ctx = childContext(ctx, options.resource);
    this.#client = options.client;
    this.#resource = options.resource;
    this.#onChange = options.onChange;
  }

  /** The newest object; undefined if it does not exist. `onChange` is called with the pod until it is released. */
  async get(podUid: string, namespace: string, name: string): Promise<ObjectOf<K> | undefined> {
    this.#ctx.signal.throwIfAborted();
    const key = `${namespace}/${name}`;
    const entry = this.#entries.get(key) ?? this.#watch(namespace, name);
    entry.users.add(podUid);
    await entry.informer.waitForSync(entry.signal);
    return entry.informer.get(key);
  }

  release(podUid: string): void {
    for (const [key, entry] of this.#entries) {
      if (!entry.users.delete(podUid) || entry.users.size > 0) continue;
      this.#entries.delete(key);
      entry.stop.abort(new Error('no pod uses it any more'));
    }
  }

  async stop(): Promise<void> {
    const entries = [...this.#entries.values()];
    for (const { stop } of entries) stop.abort(this.#ctx.signal.reason);
    await Promise.all(entries.map(({ running }) => running));
  }

  #watch(namespace: string, name: string): Entry<ObjectOf<K>> {
    const stop = new AbortController();
    const { clock, random, logger } = this.#ctx;
    const signal = AbortSignal.any([stop.signal, this.#ctx.signal]);
    const source = scoped(this.#client.resource(builtIn(this.#resource)), {
      namespace,
      fieldSelector: `metadata.name=${name}`,
    });
    const informer = new SharedInformer<ObjectOf<K>>({ clock, random, logger, source });
    const users = new Set<string>();
    const changed = (): void => {
      if (informer.hasSynced) this.#onChange(users);
    };
    informer.addHandler({ onAdd: changed, onUpdate: changed, onDelete: changed });
    const running = informer.run(signal).catch((error: unknown) => {
      if (!isAbort(error, signal)) logger.error(error, 'Failed to watch an object', { namespace, name });
    });
    const entry = { informer, stop, signal, users, running };
    this.#entries.set(`${namespace}/${name}`, entry);
    return entry;
  }
}
