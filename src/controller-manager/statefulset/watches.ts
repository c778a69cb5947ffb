/** What the StatefulSet controller watches, and which StatefulSets an event concerns. */
import type { ControllerRevision, StatefulSet } from '../../api/generated/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import { controllerOf, keyOf, NAMESPACE_INDEX } from '../../client/index.ts';
import { watch, type Watch } from '../controller.ts';
import { parentAndOrdinal } from './identity.ts';
import type { StatefulSetParts } from './reconcile.ts';

export function statefulSetWatches({ sets, pods, history, claims }: StatefulSetParts): readonly Watch[] {
  const itself = (set: StatefulSet): string[] => [keyOf(set)];
  /**
   * The set that owns the object and the set that its name belongs to: a pod of another owner that has the name of one
   * of the set's pods blocks it until it is deleted.
   */
  const setsOf = (object: Pod | ControllerRevision): string[] => {
    const controller = controllerOf(object);
    const owner = controller?.kind === 'StatefulSet' ? controller.name : undefined;
    const names = new Set([owner, parentAndOrdinal(object.metadata.name ?? '')?.parent]);
    return [...names].flatMap((name) => {
      const key = `${object.metadata.namespace}/${name}`;
      return name !== undefined && sets.get(key) ? [key] : [];
    });
  };
  /** The sets whose next pod may wait for the deletion of the claim. */
  const setsOfClaim = ({ metadata: { namespace = '', name = '' } }: PersistentVolumeClaim): string[] => {
    const parent = parentAndOrdinal(name)?.parent;
    if (parent === undefined) return [];
    return sets.indexer
      .byIndex(NAMESPACE_INDEX, namespace)
      .filter((set) => parent.endsWith(`-${set.metadata.name}`))
      .map(keyOf);
  };
  return [
    watch(sets, { added: itself, updated: (_, after) => itself(after), deleted: itself }),
    watch(pods.informer, { added: setsOf, updated: (_, after) => setsOf(after), deleted: setsOf }),
    watch(history.informer, { deleted: setsOf }),
    watch(claims.informer, { deleted: setsOfClaim }),
  ];
}
