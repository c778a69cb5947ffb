/** Cluster events that an update of a pod causes. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { schedulerRequests } from '../cache/pod-requests.ts';
import { hasUnchangedShape } from '../cache/pod-shape.ts';
import { Action, event, type ClusterEvent } from '../framework/cluster-event.ts';

const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/** The events of an update of an unscheduled pod, for the plugins that rejected it. */
export function podUpdateEvents(before: Pod, after: Pod): ClusterEvent[] {
  const events: ClusterEvent[] = [];
  const push = (action: number, label: string): void => void events.push(event('UnscheduledPod', action, label));
  const claims = (): void => {
    if (!same(before.status?.resourceClaimStatuses, after.status?.resourceClaimStatuses))
      push(Action.UpdatePodGeneratedResourceClaim, 'UnscheduledPodUpdateGeneratedResourceClaim');
  };
  if (hasUnchangedShape(before, after)) {
    claims();
    return events;
  }
  if (!same(before.metadata.labels, after.metadata.labels)) push(Action.UpdatePodLabel, 'UnscheduledPodUpdateLabel');
  if (scaledDown(before, after)) push(Action.UpdatePodScaleDown, 'UnscheduledPodUpdateScaleDown');
  if ((before.spec?.schedulingGates?.length ?? 0) > 0 && (after.spec?.schedulingGates?.length ?? 0) === 0)
    push(Action.UpdatePodSchedulingGatesEliminated, 'UnscheduledPodUpdateSchedulingGatesEliminated');
  if (!same(before.spec?.tolerations, after.spec?.tolerations))
    push(Action.UpdatePodToleration, 'UnscheduledPodUpdateToleration');
  claims();
  if (events.length === 0 && !same(before.spec, after.spec)) push(Action.UpdateOther, 'UnscheduledPodUpdate');
  return events;
}

/** The events of an update of an assigned pod, which may help other pods. */
export function assignedPodUpdateEvents(before: Pod, after: Pod): ClusterEvent[] {
  if (hasUnchangedShape(before, after)) return [];
  const events: ClusterEvent[] = [];
  if (!same(before.metadata.labels, after.metadata.labels))
    events.push(event('AssignedPod', Action.UpdatePodLabel, 'AssignedPodUpdateLabel'));
  if (scaledDown(before, after))
    events.push(event('AssignedPod', Action.UpdatePodScaleDown, 'AssignedPodUpdateScaleDown'));
  return events;
}

/** Of the status as well: a pod requests what it had until the kubelet reports its resize. */
function scaledDown(before: Pod, after: Pod): boolean {
  const [was, is] = [schedulerRequests(before), schedulerRequests(after)];
  if (is.milliCpu < was.milliCpu || is.memory < was.memory || is.ephemeralStorage < was.ephemeralStorage) return true;
  const amounts = new Map(is.scalars);
  return was.scalars.some(([name, amount]) => (amounts.get(name) ?? 0) < amount);
}
