/**
 * ConfigMaps and Secrets that pods of this node use, each watched by its name: a node may see no others. They are followed
 * as long as a pod uses them, and whoever mounted them is told of changes.
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

  /** The object as the server has it; undefined when there is none. The pod is told of changes until it is released. */
  async get(podUid: string, namespace: string, name: string): Promise<ObjectOf<K> | undefined> {
    const key = `${namespace}/${name}`;
    const entry = this.#entries.get(key) ?? this.#watch(namespace, name);
    entry.users.add(podUid);
    await entry.informer.waitForSync(entry.stop.signal);
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
      if (!isAbort(error, signal)) logger.error(error, 'Watching an object failed', { namespace, name });
    });
    const entry = { informer, stop, users, running };
    this.#entries.set(`${namespace}/${name}`, entry);
    return entry;
  }
}
