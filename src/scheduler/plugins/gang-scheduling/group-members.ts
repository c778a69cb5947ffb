/** The pods of a group, and how far the scheduler is with them. */
import type { Pod } from '../../../api/generated/core-v1.ts';
import type { SharedInformer } from '../../../client/index.ts';
import { isPodTerminal } from '../../../component-helpers/index.ts';
import type { Handle, WaitingPod } from '../../framework/handle.ts';
import { groupOf, type GroupReference } from './pod-group.ts';

const PODS_BY_GROUP = 'podGroup';
const NO_GROUP: readonly string[] = [];

export class GroupMembers {
  readonly #handle: Handle;
  readonly #pods: SharedInformer<Pod>;

  constructor(handle: Handle) {
    this.#handle = handle;
    this.#pods = handle.informers.informer('v1/pods', {}, { [PODS_BY_GROUP]: groupKeys });
  }

  /** All that are neither finished nor being deleted. */
  of(group: GroupReference): Pod[] {
    return this.#pods.indexer
      .byIndex(PODS_BY_GROUP, group.key)
      .filter((pod) => pod.metadata.deletionTimestamp === undefined && !isPodTerminal(pod));
  }

  /** How many have a place on a node, be it only assumed. */
  placedCount(group: GroupReference): number {
    return this.of(group).filter((pod) => this.#handle.cache.pod(pod.metadata.uid ?? '') !== undefined).length;
  }

  /** Those that Permit holds back. */
  *waiting(group: GroupReference): Iterable<WaitingPod> {
    for (const other of this.#handle.waitingPods.values()) if (groupOf(other.pod.pod)?.key === group.key) yield other;
  }
}

/** Most pods are in no group, and are not in the index at all. */
function groupKeys(pod: Pod): readonly string[] {
  const group = groupOf(pod);
  return group === undefined ? NO_GROUP : [group.key];
}
