/**
 * The plugin GangScheduling: schedules all pods of a PodGroup or none. Pods of a gang wait in Permit until minCount of
 * them have a node, and are rejected together when one does not fit or the time is up. The scheduler schedules the
 * pods of a gang one after the other (`companions`), so that two gangs never hold half of what each needs.
 */
import type { Pod } from '../../../api/generated/core-v1.ts';
import { keyOf } from '../../../client/index.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import { Action, ANY_UPDATE } from '../../framework/cluster-event.ts';
import type { CycleState } from '../../framework/cycle-state.ts';
import type { Handle } from '../../framework/handle.ts';
import type { ClusterEventWithHint, Plugin, PostFilterResult } from '../../framework/plugin.ts';
import { unresolvable, unschedulable, waiting, type Status } from '../../framework/status.ts';
import { GroupMembers } from './group-members.ts';
import { GroupStatus } from './group-status.ts';
import { groupOf, type GroupReference } from './pod-group.ts';
import { PodGroups } from './pod-groups.ts';

const NAME = 'GangScheduling';

export const gangScheduling = (handle: Handle): Plugin => new GangScheduling(handle);

class GangScheduling implements Plugin {
  readonly name = NAME;
  readonly #handle: Handle;
  readonly #groups: PodGroups;
  readonly #status: GroupStatus;
  readonly #members: GroupMembers;

  constructor(handle: Handle) {
    this.#handle = handle;
    this.#groups = new PodGroups(handle);
    this.#status = new GroupStatus(handle);
    this.#members = new GroupMembers(handle);
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return EVENTS;
  }

  preEnqueue(pod: PodInfo): Status | undefined {
    const group = groupOf(pod.pod);
    if (group === undefined) return undefined;
    const known = this.#groups.get(group);
    if (known === undefined) return unresolvable(`waiting for pod group ${group.namespace}/${group.name} to appear`);
    const count = this.#members.of(group).length;
    if (count >= known.minCount) return undefined;
    return unresolvable(`waiting for minCount pods from a gang to appear: ${count} of ${known.minCount}`);
  }

  permit(_state: CycleState, pod: PodInfo): { status: Status | undefined; timeoutMs?: number } {
    const group = groupOf(pod.pod);
    const known = group && this.#groups.get(group);
    if (group === undefined || known === undefined) return { status: undefined };
    if (this.#members.scheduledCount(group) < known.minCount) {
      const status = waiting('waiting for minCount pods from a gang to be scheduled');
      return { status, timeoutMs: known.timeoutMs };
    }
    for (const other of this.#members.waiting(group)) other.allow(NAME);
    return { status: undefined };
  }

  companions(pod: PodInfo): { uids: readonly string[]; stillWanted(): boolean } | undefined {
    const { waitingPods } = this.#handle;
    const group = groupOf(pod.pod);
    if (group === undefined || waitingPods.get(pod.uid) === undefined) return undefined;
    return {
      uids: this.#members.of(group).map((member) => member.metadata.uid ?? ''),
      stillWanted: () => waitingPods.get(pod.uid) !== undefined,
    };
  }

  postFilter(_state: CycleState, pod: PodInfo): PostFilterResult {
    const group = groupOf(pod.pod);
    if (group === undefined) return { status: unschedulable() };
    this.#reject(group, `pod ${pod.key} of the same group does not fit anywhere`);
    return { status: unschedulable(`the other pods of group ${group.name} wait for it`) };
  }

  reserve(): undefined {
    return undefined;
  }

  unreserve(_state: CycleState, pod: PodInfo): void {
    const group = groupOf(pod.pod);
    const known = group && this.#groups.get(group);
    if (group === undefined || known === undefined) return;
    // The pod itself is still assumed at this point.
    const others = this.#members.scheduledCount(group) - 1;
    if (others < known.minCount) this.#reject(group, `pod ${pod.key} of the same group was rejected`);
  }

  postBind(_state: CycleState, pod: PodInfo): void {
    const group = groupOf(pod.pod);
    const object = group && this.#groups.object(group);
    if (group === undefined || object === undefined) return;
    const placed = this.#members.scheduledCount(group);
    if (placed >= (this.#groups.get(group)?.minCount ?? 1)) this.#status.scheduled(group, object, placed);
  }

  /** Rejects all pods of the gang that wait in Permit. */
  #reject(group: GroupReference, why: string): void {
    const object = this.#groups.object(group);
    if (object !== undefined) this.#status.unschedulable(group, object, why);
    for (const other of [...this.#members.waiting(group)]) other.reject(NAME, why);
  }
}

const EVENTS: readonly ClusterEventWithHint[] = [
  { resource: 'UnscheduledPod', action: Action.Add, hint: (pod, _before, after) => isSameGroup(pod, after as Pod) },
  { resource: 'PodGroup', action: Action.Add | ANY_UPDATE, hint: (pod, _before, after) => isOwnGroup(pod, after) },
  { resource: 'AssignedPod', action: Action.Delete },
  {
    resource: 'Node',
    action: Action.Add | Action.UpdateNodeAllocatable | Action.UpdateNodeTaint | Action.UpdateNodeLabel,
  },
];

function isSameGroup(pod: PodInfo, other: Pod): boolean {
  const group = groupOf(pod.pod);
  return group !== undefined && groupOf(other)?.key === group.key;
}

function isOwnGroup(pod: PodInfo, object: unknown): boolean {
  const group = groupOf(pod.pod);
  return group !== undefined && keyOf(object as Pod) === `${group.namespace}/${group.name}`;
}
