/** The status of a DaemonSet. */
import type { DaemonSetStatus } from '../../api/generated/apps-v1.ts';
import { isPodAvailable, isPodReady } from '../../component-helpers/index.ts';
import { withoutZeros } from '../status.ts';
import { isUpdated, templateGeneration, verdictFor } from './daemon-pod.ts';
import { byAge, type DaemonState } from './node-plan.ts';

export function daemonSetStatus(
  { set, nodes, podsOn, hash, now }: DaemonState,
  observedGeneration: number | undefined,
): DaemonSetStatus {
  let [desired, current, misscheduled, ready, available, updated] = [0, 0, 0, 0, 0, 0];
  for (const node of nodes) {
    const pods = podsOn.get(node.metadata.name ?? '') ?? [];
    const { shouldRun } = verdictFor(set, node);
    if (shouldRun) desired++;
    const [oldest] = [...pods].sort(byAge);
    if (!oldest) continue;
    if (!shouldRun) {
      misscheduled++;
      continue;
    }
    current++;
    if (isPodReady(oldest)) ready++;
    if (isPodAvailable(oldest, set.spec?.minReadySeconds ?? 0, now)) available++;
    if (isUpdated(oldest, hash, templateGeneration(set))) updated++;
  }
  return {
    currentNumberScheduled: current,
    numberMisscheduled: misscheduled,
    desiredNumberScheduled: desired,
    numberReady: ready,
    ...withoutZeros({
      observedGeneration,
      updatedNumberScheduled: updated,
      numberAvailable: available,
      numberUnavailable: desired - available,
    }),
    ...(set.status?.collisionCount === undefined ? {} : { collisionCount: set.status.collisionCount }),
    ...(set.status?.conditions === undefined ? {} : { conditions: set.status.conditions }),
  };
}
