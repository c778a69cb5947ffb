/** What the DaemonSet controller watches, and which DaemonSets an event concerns. */
import type { ControllerRevision, DaemonSet } from '../../api/generated/apps-v1.ts';
import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { deepEqual } from '../../base/index.ts';
import { controllerOf, keyOf, NAMESPACE_INDEX } from '../../client/index.ts';
import { watch, type Watch } from '../controller.ts';
import { ownerKeyIn } from '../owners.ts';
import { matcherOf, selectsEverything } from '../selector-matchers.ts';
import type { DaemonSetParts } from './reconcile.ts';

export function daemonSetWatches({ sets, nodes, pods, history, expectations }: DaemonSetParts): readonly Watch[] {
  const ownerKey = ownerKeyIn(sets, { kind: 'DaemonSet' });
  /** The DaemonSet that owns the object; for an orphan, all that may adopt it. */
  const ownerKeys = (object: Pod | ControllerRevision): string[] => {
    const key = ownerKey(object);
    if (key !== undefined) return [key];
    if (controllerOf(object) !== undefined) return [];
    return sets.indexer
      .byIndex(NAMESPACE_INDEX, object.metadata.namespace ?? '')
      .filter(
        (set) =>
          !selectsEverything(set.spec?.selector) && matcherOf(set.spec?.selector).matches(object.metadata.labels ?? {}),
      )
      .map(keyOf);
  };
  const podDeleted = (pod: Pod): string[] => {
    const key = ownerKey(pod);
    if (key === undefined) return [];
    expectations.deletionObserved(key, keyOf(pod));
    return [key];
  };
  const itself = (set: DaemonSet): string[] => [keyOf(set)];
  const allSets = (): string[] => sets.list().map(keyOf);
  return [
    watch(sets, { added: itself, updated: (_, after) => itself(after), deleted: itself }),
    watch(pods.informer, {
      added: (pod) => {
        if (pod.metadata.deletionTimestamp !== undefined) return podDeleted(pod);
        const key = ownerKey(pod);
        if (key !== undefined) expectations.creationObserved(key);
        return ownerKeys(pod);
      },
      updated: (before, pod) => {
        const deleted = pod.metadata.deletionTimestamp === undefined ? [] : podDeleted(pod);
        const previous = ownerKey(before);
        const left = previous !== undefined && previous !== ownerKey(pod) ? [previous] : [];
        return [...deleted, ...left, ...ownerKeys(pod)];
      },
      deleted: podDeleted,
    }),
    watch(history.informer, { updated: (_, after) => ownerKeys(after), deleted: ownerKeys }),
    watch(nodes, {
      added: allSets,
      updated: (before, after) => (decidesPlacement(before, after) ? allSets() : []),
      deleted: allSets,
    }),
  ];
}

const decidesPlacement = (before: Node, after: Node): boolean =>
  !deepEqual(before.metadata.labels, after.metadata.labels) || !deepEqual(before.spec?.taints, after.spec?.taints);
