/** The pods of a gang, and how many of them are scheduled or wait. */
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

  /** The pods of the gang that are neither terminal nor being deleted. */
  of(group: GroupReference): Pod[] {
    return this.#pods.indexer
      .byIndex(PODS_BY_GROUP, group.key)
      .filter((pod) => pod.metadata.deletionTimestamp === undefined && !isPodTerminal(pod));
  }

  /** The number of pods that are assigned to a node or assumed on one. */
  scheduledCount(group: GroupReference): number {
    return this.of(group).filter((pod) => this.#handle.cache.pod(pod.metadata.uid ?? '') !== undefined).length;
  }

  /** The pods that wait in Permit. */
  *waiting(group: GroupReference): Iterable<WaitingPod> {
    for (const other of this.#handle.waitingPods.values()) if (groupOf(other.pod.pod)?.key === group.key) yield other;
  }
}

/** Pods without a group are not in the index. */
function groupKeys(pod: Pod): readonly string[] {
  const group = groupOf(pod);
  return group === undefined ? NO_GROUP : [group.key];
}
