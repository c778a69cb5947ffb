import { type Context, RunGroup, unlessAborted, untilAborted } from '../kernel/index.ts';
import { builtIn, type BuiltInResource, type ObjectOf } from './built-in-resources.ts';
import type { Client } from './client.ts';
import type { IndexFunction } from './indexer.ts';
import { SharedInformer, type InformerOptions } from './informer.ts';
import type { ListerWatcher } from './reflector.ts';
import type { ResourceClient } from './resource-client.ts';
import { apiVersionOf, type ApiObject, type Resource } from './resource.ts';

export interface InformerScope {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** Keep only the objects' metadata. */
  metadataOnly?: boolean;
}

export interface InformerFactoryOptions {
  client: Client;
  /** Options of all informers. */
  defaults?: Pick<InformerOptions<ApiObject>, 'streamingList' | 'timing' | 'resyncMs'>;
}

/** Shares one informer per resource and scope; informers run as long as the factory. */
export class InformerFactory {
  readonly #ctx: Context;
  readonly #options: InformerFactoryOptions;
  readonly #informers = new Map<string, SharedInformer<ApiObject>>();
  #group: RunGroup | undefined;

  constructor(ctx: Context, options: InformerFactoryOptions) {
    this.#ctx = ctx;
    this.#options = options;
  }

  /** The informer of a resource; while the factory runs, a new one starts at once. */
  informer<K extends BuiltInResource>(
    resource: K,
    scope?: InformerScope,
    indexes?: Readonly<Record<string, IndexFunction<ObjectOf<K>>>>,
  ): SharedInformer<ObjectOf<K>>;
  informer<T extends ApiObject>(
    resource: Resource<T>,
    scope?: InformerScope,
    indexes?: Readonly<Record<string, IndexFunction<T>>>,
  ): SharedInformer<T>;
  informer<T extends ApiObject>(
    named: BuiltInResource | Resource<T>,
    scope: InformerScope = {},
    indexes: Readonly<Record<string, IndexFunction<T>>> = {},
  ): SharedInformer<T> {
    const resource = typeof named === 'string' ? (builtIn(named) as unknown as Resource<T>) : named;
    const key = informerKey(resource, scope);
    let informer = this.#informers.get(key) as SharedInformer<T> | undefined;
    if (informer === undefined) {
      informer = this.#create(resource, scope);
      /** The map's type is wider; the key guarantees that an informer is returned only for its own resource. */
      this.#informers.set(key, informer as unknown as SharedInformer<ApiObject>);
      this.#start(key, informer);
    }
    for (const [name, of] of Object.entries(indexes))
      if (!informer.indexer.hasIndex(name)) informer.indexer.addIndex(name, of);
    return informer;
  }

  /** The informer of all objects of a resource, if there is one. */
  existing(resource: Resource): SharedInformer<ApiObject> | undefined {
    return this.#informers.get(informerKey(resource, {}));
  }

  /** Runs all informers until the context's signal aborts. */
  async run(): Promise<void> {
    this.#group = new RunGroup({ signal: this.#ctx.signal, logger: this.#ctx.logger });
    for (const [key, informer] of this.#informers) this.#start(key, informer);
    this.#group.start('until stopped', untilAborted);
    await this.#group.wait();
  }

  /** Resolves when every informer so far has synced. */
  async waitForSync(signal: AbortSignal = this.#ctx.signal): Promise<void> {
    // One listener for all: adding one to a signal takes as long as it has others.
    await unlessAborted(signal, Promise.all(Array.from(this.#informers.values(), ({ synced }) => synced)));
  }

  #create<T extends ApiObject>(resource: Resource<T>, scope: InformerScope): SharedInformer<T> {
    const { client, defaults } = this.#options;
    const { clock, random, logger } = this.#ctx;
    const name = `${resource.plural}.${apiVersionOf(resource)}`;
    /** With metadataOnly the caller uses only T's metadata, which PartialObjectMetadata has. */
    const source =
      scope.metadataOnly === true
        ? (client.metadata(resource) as unknown as ResourceClient<T>)
        : client.resource(resource);
    return new SharedInformer<T>({
      ...defaults,
      clock,
      random: random.fork(`informer/${name}`),
      logger: logger.named('informer').with({ resource: name }),
      source: scoped(source, scope),
    });
  }

  #start<T extends ApiObject>(name: string, informer: SharedInformer<T>): void {
    this.#group?.start(name, (signal) => informer.run(signal));
  }
}

const informerKey = (
  resource: Resource,
  { namespace, labelSelector, fieldSelector, metadataOnly }: InformerScope,
): string =>
  JSON.stringify([apiVersionOf(resource), resource.plural, namespace, labelSelector, fieldSelector, metadataOnly]);

/** A resource client whose lists and watches see only the scope. */
export function scoped<T extends ApiObject>(client: ResourceClient<T>, scope: InformerScope): ListerWatcher<T> {
  const { namespace, labelSelector, fieldSelector } = scope;
  return {
    isInProcess: client.isInProcess,
    list: (options) => client.list({ ...options, namespace, labelSelector, fieldSelector }),
    watch: (options) => client.watch({ ...options, namespace, labelSelector, fieldSelector }),
  };
}
