/** The watch cache, filled from the store, and the registry of built-in resources over it. */
import { isServedByDefault, schema, type Resource } from '../../api/index.ts';
import { unlessAborted, type Context } from '../../kernel/index.ts';
import { featureEnabled } from '../../machinery/index.ts';
import { ObjectStore } from '../registry/object-store.ts';
import { builtinServed, builtinStoredKinds, Registry } from '../registry/registry.ts';
import type { ServedResource, StoredKind } from '../registry/served-resource.ts';
import { registerStorageMetrics } from '../registry/storage-metrics.ts';
import { storageVersionOf } from '../registry/storage-versions.ts';
import { StoreRequests } from '../registry/store-requests.ts';
import type { SpeedOptions } from '../request/speed-options.ts';
import { EventLeases } from '../storage/event-leases.ts';
import { ResourceCache } from '../storage/resource-cache.ts';
import { identityTransformer } from '../storage/transformer.ts';
import { WatchCache } from '../storage/watch-cache.ts';
import { noWrittenObjects, WrittenObjectMap } from '../storage/written-objects.ts';
import type { PipelineOptions } from './pipeline-options.ts';

interface RegistryOptions extends Pick<
  PipelineOptions,
  'store' | 'encryption' | 'servesVersion' | 'featureGates' | 'eventTtlSeconds' | 'effectiveVersion'
> {
  readonly speed: SpeedOptions;
}

interface Storage {
  readonly cache: WatchCache;
  readonly objects: ObjectStore;
  readonly registry: Registry;
}

export async function buildRegistry(ctx: Context, options: RegistryOptions): Promise<Storage> {
  const { store, encryption: transformer = identityTransformer, eventTtlSeconds, speed } = options;
  const cache = new WatchCache(
    ctx,
    store,
    transformer,
    speed.writtenObjects ? new WrittenObjectMap() : noWrittenObjects,
  );
  const kinds = builtinStoredKinds(schema);
  // An etcd that does not answer must not hold up a start that was cancelled.
  const resources = schema.resources.filter((resource) => isServed(resource, options));
  const stored = new Set(resources.flatMap((resource) => kinds.get(resource) ?? []));
  await unlessAborted(ctx.signal, cache.load([...stored]));

  const objects = new ObjectStore({
    store,
    cache,
    transformer,
    leases: new EventLeases(store, ctx.clock),
    requests: new StoreRequests(ctx),
    lazyEncoding: speed.lazyEncoding,
    tracer: ctx.tracer,
  });
  const registry = new Registry(objects);
  for (const resource of resources)
    registry.add({
      ...withEventTtl(servedBuiltin(resource, kinds.get(resource), cache), eventTtlSeconds),
      storage: { ...storageVersionOf(resource, options.effectiveVersion), kind: resource.kind },
    });
  registerStorageMetrics(ctx.metrics, registry, cache);
  return { cache, objects, registry };
}

function isServed(
  { group, version, plural, gate }: Resource,
  { servesVersion, featureGates }: RegistryOptions,
): boolean {
  if (gate !== undefined && !featureEnabled(gate, featureGates)) return false;
  return servesVersion?.(group, version, plural) ?? isServedByDefault(version);
}

function servedBuiltin(resource: Resource, stored: StoredKind | undefined, cache: WatchCache): ServedResource {
  if (stored) return builtinServed(resource, stored, cache.cacheOf(stored.prefix));
  const none: StoredKind = {
    prefix: `/none/${resource.plural}/`,
    namespaced: resource.namespaced,
    apiVersion: '',
    kind: resource.kind,
    fieldsOf: () => ({}),
  };
  return builtinServed(resource, none, new ResourceCache(none, 0));
}

const withEventTtl = (served: ServedResource, ttlSeconds: number | undefined): ServedResource =>
  served.strategy.ttlSeconds && ttlSeconds ? { ...served, strategy: { ...served.strategy, ttlSeconds } } : served;
