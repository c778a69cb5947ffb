/** The PodGroup of a pod: Kubernetes' own, or that of the coscheduling plugin. */
import type { Pod } from '../../../api/generated/core-v1.ts';
import { defineResource, type ApiObject, type Resource } from '../../../client/index.ts';

/** The label of the coscheduling plugin that names a pod's group. */
export const POD_GROUP_LABEL = 'scheduling.x-k8s.io/pod-group';

/** The API of the PodGroup: Kubernetes' own, or that of the coscheduling plugin. */
export type GroupSource = 'workload' | 'coscheduling';

export interface GroupReference {
  readonly source: GroupSource;
  /** `source namespace/name`. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
}

export interface PodGroup {
  /** How many pods must be scheduled together; 1 without a gang policy. */
  readonly minCount: number;
  /** How long pods wait in Permit for the others. */
  readonly timeoutMs: number;
}

const WORKLOAD_TIMEOUT_MS = 5 * 60_000;
const COSCHEDULING_TIMEOUT_MS = 60_000;

export function groupOf(pod: Pod): GroupReference | undefined {
  const namespace = pod.metadata.namespace ?? '';
  const own = pod.spec?.schedulingGroup?.podGroupName;
  const labelled = pod.metadata.labels?.[POD_GROUP_LABEL];
  if (own) return { source: 'workload', key: `workload ${namespace}/${own}`, namespace, name: own };
  if (labelled)
    return { source: 'coscheduling', key: `coscheduling ${namespace}/${labelled}`, namespace, name: labelled };
  return undefined;
}

interface WorkloadPodGroup extends ApiObject {
  spec?: { schedulingPolicy?: { gang?: { minCount?: number } } };
}

interface CoschedulingPodGroup extends ApiObject {
  spec?: { minMember?: number; scheduleTimeoutSeconds?: number };
}

interface GroupKind {
  readonly resource: Resource;
  read(object: ApiObject): PodGroup;
}

export const GROUP_KINDS: Readonly<Record<GroupSource, GroupKind>> = {
  workload: {
    resource: defineResource<WorkloadPodGroup>({
      group: 'scheduling.k8s.io',
      version: 'v1alpha2',
      plural: 'podgroups',
      kind: 'PodGroup',
      namespaced: true,
    }),
    read: (object) => ({
      minCount: (object as WorkloadPodGroup).spec?.schedulingPolicy?.gang?.minCount ?? 1,
      timeoutMs: WORKLOAD_TIMEOUT_MS,
    }),
  },
  coscheduling: {
    resource: defineResource<CoschedulingPodGroup>({
      group: 'scheduling.x-k8s.io',
      version: 'v1alpha1',
      plural: 'podgroups',
      kind: 'PodGroup',
      namespaced: true,
    }),
    read: (object) => {
      const { minMember = 1, scheduleTimeoutSeconds } = (object as CoschedulingPodGroup).spec ?? {};
      return {
        minCount: minMember,
        timeoutMs: scheduleTimeoutSeconds ? scheduleTimeoutSeconds * 1000 : COSCHEDULING_TIMEOUT_MS,
      };
    },
  },
};
