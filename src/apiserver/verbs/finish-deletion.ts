/** An object that is being deleted goes when its last finalizer does: the write that removes it removes the object. */
import type { KubeObject } from '../../machinery/object.ts';
import { writeContext } from '../registry/prepare-for-create.ts';
import type { Scope } from '../scope.ts';
import type { Entry } from '../storage/entry.ts';

/** The object's last state when this write finished its deletion. */
export async function removeIfFinished(scope: Scope, entry: Entry, dryRun: boolean): Promise<Entry | undefined> {
  if (dryRun || !isFinished(scope, entry.object)) return undefined;
  const { backend, served, place } = scope;
  const revision = await backend.objects.remove(served, place, entry, false);
  if (revision === undefined) return undefined;
  await served.strategy.afterDelete?.(entry.object, writeContext(scope, false));
  return entry;
}

export function isFinished(scope: Scope, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  if (!deletionTimestamp || (finalizers?.length ?? 0) > 0) return false;
  if (scope.served.strategy.deletionHeld) return !scope.served.strategy.deletionHeld(object);
  return deletionGracePeriodSeconds === undefined || deletionGracePeriodSeconds === 0;
}
