/** What the ReplicaSet and ReplicationController controllers watch, and which owners an event concerns. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { controllerOf, keyOf, NAMESPACE_INDEX } from '../../client/index.ts';
import { isTerminalPhase } from '../../component-helpers/index.ts';
import { watch, type Keyed, type Watch } from '../controller.ts';
import { ownerKeyIn } from '../owners.ts';
import { STATUS_BATCH_MS, type ReplicaParts } from './replica-kind.ts';

export function replicaWatches({ kind, owners, pods, expectations }: ReplicaParts): readonly Watch[] {
  const ownerKey = ownerKeyIn(owners, kind);
  /** The owners that may adopt an orphan. */
  const claimants = ({ metadata }: Pod): string[] =>
    owners.indexer
      .byIndex(NAMESPACE_INDEX, metadata.namespace ?? '')
      .filter((owner) => kind.selectorOf(owner).matches(metadata.labels ?? {}))
      .map(keyOf);
  const podDeleted = (pod: Pod): string[] => {
    const key = ownerKey(pod);
    if (key === undefined) return [];
    expectations.deletionObserved(key, keyOf(pod));
    return [key];
  };
  const podAdded = (pod: Pod): string[] => {
    if (pod.metadata.deletionTimestamp !== undefined) return podDeleted(pod);
    const key = ownerKey(pod);
    if (key === undefined) return controllerOf(pod) === undefined ? claimants(pod) : [];
    expectations.creationObserved(key);
    return [key];
  };
  const podUpdated = (before: Pod, pod: Pod): Keyed[] => {
    const keys: Keyed[] = pod.metadata.deletionTimestamp === undefined ? [] : podDeleted(pod);
    const [previous, key] = [ownerKey(before), ownerKey(pod)];
    if (previous !== undefined && previous !== key) keys.push(previous);
    if (key !== undefined) keys.push(needsReplacement(before, pod) ? key : { key, afterMs: STATUS_BATCH_MS });
    else if (
      controllerOf(pod) === undefined &&
      (before.metadata.labels !== pod.metadata.labels || previous !== undefined)
    ) {
      keys.push(...claimants(pod));
    }
    return keys;
  };
  return [
    watch(owners, {
      added: (owner) => [keyOf(owner)],
      updated: (_, owner) => [keyOf(owner)],
      deleted: (owner) => {
        expectations.forget(keyOf(owner));
        return [keyOf(owner)];
      },
    }),
    watch(pods.informer, { added: podAdded, updated: podUpdated, deleted: podDeleted }),
  ];
}

/** The pod has become terminal or is being deleted, so it may have to be replaced at once. */
function needsReplacement(before: Pod, after: Pod): boolean {
  if (after.metadata.deletionTimestamp !== before.metadata.deletionTimestamp) return true;
  const { phase } = after.status ?? {};
  return phase !== before.status?.phase && isTerminalPhase(phase);
}
