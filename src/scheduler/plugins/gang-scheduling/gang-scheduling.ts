/**
 * All or nothing: the pods of a group hold their places until enough of them have one, and give them back together when one
 * cannot be placed or the time is up. The scheduler takes the members of a group one after the other without anybody in
 * between (`companions`), so that two groups never hold half of what each needs.
 */
import type { Pod } from '../../../api/generated/core-v1.ts';
import { keyOf } from '../../../client/index.ts';
import { type PodInfo } from '../../cache/pod-info.ts';
import { isPodTerminal } from '../../../component-helpers/index.ts';
import { Action, ANY_UPDATE } from '../../framework/cluster-event.ts';
import type { Handle } from '../../framework/handle.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { unresolvable, unschedulable, waiting } from '../../framework/status.ts';
import { GroupStatus } from './group-status.ts';
import { groupOf, type GroupReference } from './pod-group.ts';
import { PodGroups } from './pod-groups.ts';

const NAME = 'GangScheduling';
const INDEX = 'podGroup';

export function gangScheduling(handle: Handle): Plugin {
  const groups = new PodGroups(handle);
  const status = new GroupStatus(handle);
  const pods = handle.informers.informer('v1/pods', {}, { [INDEX]: (pod) => membership(pod) });

  const membersOf = (group: GroupReference): Pod[] => pods.indexer.byIndex(INDEX, group.key).filter((pod) => pod.metadata.deletionTimestamp === undefined && !isPodTerminal(pod));
  /** Members that have a place, be it only assumed. */
  const placedCount = (group: GroupReference): number => membersOf(group).filter((pod) => handle.cache.pod(pod.metadata.uid ?? '') !== undefined).length;

  const waitingMembers = function* (group: GroupReference) {
    for (const other of handle.waitingPods.values()) if (groupOf(other.pod.pod)?.key === group.key) yield other;
  };
  const giveUp = (group: GroupReference, why: string): void => {
    const object = groups.object(group);
    if (object !== undefined) status.unschedulable(group, object, why);
    for (const other of [...waitingMembers(group)]) other.reject(NAME, why);
  };

  return {
    name: NAME,
    preEnqueue(pod) {
      const group = groupOf(pod.pod);
      if (group === undefined) return undefined;
      const known = groups.get(group);
      if (known === undefined) return unresolvable(`waiting for pod group ${group.namespace}/${group.name} to appear`);
      const members = membersOf(group).length;
      return members >= known.minCount ? undefined : unresolvable(`waiting for minCount pods from a gang to appear: ${members} of ${known.minCount}`);
    },
    permit(_state, pod) {
      const group = groupOf(pod.pod);
      const known = group && groups.get(group);
      if (group === undefined || known === undefined) return { status: undefined };
      if (placedCount(group) < known.minCount) return { status: waiting(`waiting for minCount pods from a gang to be scheduled`), timeoutMs: known.timeoutMs };
      for (const other of waitingMembers(group)) other.allow(NAME);
      return { status: undefined };
    },
    companions(pod) {
      const group = groupOf(pod.pod);
      if (group === undefined || handle.waitingPods.get(pod.uid) === undefined) return undefined;
      return {
        uids: membersOf(group).map((member) => member.metadata.uid ?? ''),
        stillWanted: () => handle.waitingPods.get(pod.uid) !== undefined,
      };
    },
    postFilter(_state, pod) {
      const group = groupOf(pod.pod);
      if (group === undefined) return { status: unschedulable() };
      giveUp(group, `pod ${pod.key} of the same group does not fit anywhere`);
      return { status: unschedulable(`the other pods of group ${group.name} wait for it`) };
    },
    reserve: () => undefined,
    unreserve(_state, pod) {
      const group = groupOf(pod.pod);
      const known = group && groups.get(group);
      /** The pod is still counted as placed here. */
      if (group !== undefined && known !== undefined && placedCount(group) - 1 < known.minCount) giveUp(group, `pod ${pod.key} of the same group was rejected`);
    },
    postBind(_state, pod) {
      const group = groupOf(pod.pod);
      const object = group && groups.object(group);
      if (group === undefined || object === undefined) return;
      const placed = placedCount(group);
      if (placed >= (groups.get(group)?.minCount ?? 1)) status.scheduled(group, object, placed);
    },
    eventsToRegister: () => [
      { resource: 'UnscheduledPod', action: Action.Add, hint: (pod, _before, after) => sameGroup(pod, after as Pod) },
      { resource: 'PodGroup', action: Action.Add | ANY_UPDATE, hint: (pod, _before, after) => isOwnGroup(pod, after) },
      { resource: 'AssignedPod', action: Action.Delete },
      { resource: 'Node', action: Action.Add | Action.UpdateNodeAllocatable | Action.UpdateNodeTaint | Action.UpdateNodeLabel },
    ],
  };
}

const NO_GROUP: readonly string[] = [];

/** Most pods are in no group, and are not listed at all. */
function membership(pod: Pod): readonly string[] {
  const group = groupOf(pod);
  return group === undefined ? NO_GROUP : [group.key];
}

const sameGroup = (pod: PodInfo, other: Pod): boolean => {
  const group = groupOf(pod.pod);
  return group !== undefined && groupOf(other)?.key === group.key;
};

function isOwnGroup(pod: PodInfo, object: unknown): boolean {
  const group = groupOf(pod.pod);
  return group !== undefined && keyOf(object as Pod) === `${group.namespace}/${group.name}`;
}
