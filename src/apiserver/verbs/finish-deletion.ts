/** An object that is being deleted is removed by the write that removes its last finalizer. */
import type { KubeObject } from '../../machinery/index.ts';
import type { Entry } from '../storage/entry.ts';
import { writeContext } from './prepare-for-create.ts';
import type { Scope } from './scope.ts';

/** Removes the object instead of storing this write; undefined when another write came first. */
export async function removeFinished(scope: Scope, current: Entry, object: KubeObject): Promise<Entry | undefined> {
  const { backend, served, place } = scope;
  const revision = await backend.objects.remove(served, place, current, false, scope.span);
  if (revision === undefined) return undefined;
  await served.strategy.afterDelete?.(object, writeContext(scope, false));
  return current.showing(object);
}

export function isFinished(scope: Scope, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  if (!deletionTimestamp || (finalizers?.length ?? 0) > 0) return false;
  if (scope.served.strategy.deletionHeld) return !scope.served.strategy.deletionHeld(object);
  return deletionGracePeriodSeconds === undefined || deletionGracePeriodSeconds === 0;
}
