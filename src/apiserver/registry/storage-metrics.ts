/** Metrics of the stored resources and the watch cache, under upstream's names. They are computed when they are read. */
import type { MetricsRegistry } from '../../kernel/index.ts';
import { WINDOW_LIMIT, type ResourceCache } from '../storage/resource-cache.ts';
import type { ResourceCounts } from '../storage/resource-counts.ts';
import type { WatchCache } from '../storage/watch-cache.ts';
import type { Registry } from './registry.ts';

/** A resource whose objects are stored, under the group and the name that it is stored with. */
interface Stored {
  readonly group: string;
  readonly resource: string;
  readonly cache: ResourceCache;
}

/** How many objects the estimate of a resource's size is made from. */
const SAMPLE = 100;

export function registerStorageMetrics(metrics: MetricsRegistry, registry: Registry, watchCache: WatchCache): void {
  const labels = ['group', 'resource'] as const;
  const each = (value: (stored: Stored) => number) => () =>
    storedResources(registry).map((stored) => ({
      labels: { group: stored.group, resource: stored.resource },
      value: value(stored),
    }));
  const gauge = (name: string, help: string, value: (stored: Stored) => number): void =>
    metrics.gauge({ name, help, labels }).collectEach(each(value));
  /** Resources of which nothing was counted have no series. */
  const counter = (name: string, help: string, count: keyof ResourceCounts): void =>
    metrics
      .counter({ name, help, labels })
      .collectEach(() => each(({ cache }) => cache.counts[count])().filter(({ value }) => value > 0));

  gauge('apiserver_resource_objects', 'Number of stored objects of a resource.', ({ cache }) => cache.size);
  gauge('apiserver_resource_size_estimate_bytes', 'Estimated size of the objects of a resource.', ({ cache }) =>
    estimatedSize(cache),
  );
  gauge(
    'apiserver_watch_cache_resource_version',
    'Revision that the watch cache has reached.',
    () => watchCache.revision,
  );
  gauge('watch_cache_capacity', 'Number of events that the watch cache keeps at most.', () => 2 * WINDOW_LIMIT);
  metrics
    .gauge({ name: 'apiserver_storage_objects', help: 'Number of stored objects, by resource.', labels: ['resource'] })
    .collectEach(() =>
      storedResources(registry).map(({ group, resource, cache }) => ({
        labels: { resource: group === '' ? resource : `${resource}.${group}` },
        value: cache.size,
      })),
    );
  counter('apiserver_storage_events_received_total', 'Number of events that the store sent.', 'events');
  counter('apiserver_watch_cache_events_received_total', 'Number of events that the watch cache got.', 'events');
  counter(
    'apiserver_watch_cache_events_dispatched_total',
    'Number of events that the watch cache passed on.',
    'events',
  );
  counter('apiserver_init_events_total', 'Number of initial events of watches.', 'initialEvents');
  counter(
    'apiserver_cache_list_returned_objects_total',
    'Objects that lists from the cache returned.',
    'cacheReturned',
  );
  counter('apiserver_storage_list_total', 'Number of lists from the store.', 'storageLists');
  counter('apiserver_storage_list_fetched_objects_total', 'Objects that lists read from the store.', 'storageFetched');
  counter(
    'apiserver_storage_list_evaluated_objects_total',
    'Objects that lists from the store compared with their selectors.',
    'storageFetched',
  );
  counter(
    'apiserver_storage_list_returned_objects_total',
    'Objects that lists from the store returned.',
    'storageReturned',
  );
  metrics
    .counter({
      name: 'apiserver_watch_cache_initializations_total',
      help: 'How often the watch cache of a resource was loaded.',
      labels,
    })
    .collectEach(each(() => 1));
  const indexed = (name: string, help: string, count: 'cacheLists' | 'cacheFetched'): void =>
    metrics.counter({ name, help, labels: ['group', 'index', 'resource'] }).collectEach(() =>
      storedResources(registry)
        .filter(({ cache }) => cache.counts[count] > 0)
        .map(({ group, resource, cache }) => ({ labels: { group, index: '', resource }, value: cache.counts[count] })),
    );
  indexed('apiserver_cache_list_total', 'Number of lists from the watch cache.', 'cacheLists');
  indexed('apiserver_cache_list_fetched_objects_total', 'Objects that lists from the cache looked at.', 'cacheFetched');
  metrics
    .counter({
      name: 'apiserver_watch_cache_consistent_read_total',
      help: 'Reads for which the cache had to be as recent as the store.',
      labels: ['fallback', 'group', 'resource', 'success'],
    })
    .collectEach(() =>
      storedResources(registry)
        .filter(({ cache }) => cache.counts.consistentReads > 0)
        .map(({ group, resource, cache }) => ({
          labels: { fallback: 'false', group, resource, success: 'true' },
          value: cache.counts.consistentReads,
        })),
    );
}

/** Each stored resource once, whatever number of versions serve it. */
function storedResources(registry: Registry): Stored[] {
  const found = new Map<ResourceCache, Stored>();
  for (const { group, plural, cache, verbs, conversion } of registry.all()) {
    if (!verbs.includes('get') || (found.has(cache) && conversion)) continue;
    found.set(cache, { group, resource: plural, cache });
  }
  return [...found.values()];
}

function estimatedSize(cache: ResourceCache): number {
  let sampled = 0;
  let bytes = 0;
  for (const entry of cache.entries()) {
    bytes += entry.size;
    if (++sampled === SAMPLE) break;
  }
  return sampled === 0 ? 0 : Math.round((bytes / sampled) * cache.size);
}
