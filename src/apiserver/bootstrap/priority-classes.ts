/** The system PriorityClasses. */
import type { PriorityClass } from '../../api/generated/scheduling-v1.ts';
import type { Stored } from './stored.ts';

/** User-defined classes must have lower values. */
const SYSTEM_CRITICAL_PRIORITY = 2_000_000_000;

export const priorityClasses = (): Stored<PriorityClass>[] => [
  systemPriorityClass(
    'system-node-critical',
    SYSTEM_CRITICAL_PRIORITY + 1000,
    'Used for system critical pods that must not be moved from their current node.',
  ),
  systemPriorityClass(
    'system-cluster-critical',
    SYSTEM_CRITICAL_PRIORITY,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ),
];

const systemPriorityClass = (name: string, value: number, description: string): Stored<PriorityClass> => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
  description,
  preemptionPolicy: 'PreemptLowerPriority',
});
