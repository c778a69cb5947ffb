/** Deletes all custom resources of a definition. Those with finalizers only get a deletionTimestamp. */
import { cloneJson, formatTime } from '../../base/index.ts';
import type { Context } from '../../kernel/index.ts';
import type { ObjectStore } from '../registry/object-store.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { ResourceCache } from '../storage/resource-cache.ts';

interface Instances {
  readonly versions: readonly ServedResource[];
  readonly cache: ResourceCache;
}

export async function deleteInstances(
  ctx: Context,
  objects: ObjectStore,
  { versions, cache }: Instances,
): Promise<void> {
  const served = versions[0];
  if (!served) return;
  for (const entry of [...cache.list()]) {
    const place = { namespace: entry.namespace, name: entry.name };
    const { metadata } = entry.object;
    if (!metadata.finalizers?.length) {
      await objects.remove(served, place, entry, false);
    } else if (!metadata.deletionTimestamp) {
      const view = objects.cached(served, place);
      const marked = cloneJson(view.object);
      marked.metadata.deletionTimestamp = formatTime(ctx.clock.now());
      marked.metadata.deletionGracePeriodSeconds = 0;
      if (marked.metadata.generation) marked.metadata.generation++;
      await objects.replace(served, place, view, marked, false);
    }
  }
}
