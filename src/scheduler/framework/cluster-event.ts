/** Cluster events: changes that may make an unschedulable pod schedulable, which plugins register for. */
export type EventResource =
  | 'Pod'
  | 'AssignedPod'
  | 'UnscheduledPod'
  | 'Node'
  | 'PersistentVolume'
  | 'PersistentVolumeClaim'
  | 'StorageClass'
  | 'CSINode'
  | 'CSIDriver'
  | 'CSIStorageCapacity'
  | 'VolumeAttachment'
  | 'ResourceClaim'
  | 'ResourceSlice'
  | 'DeviceClass'
  | 'PodGroup'
  | 'Namespace'
  | '*';

/** Bits, so that a plugin can register for several actions of a resource. */
export const Action = {
  Add: 1,
  Delete: 2,
  UpdateNodeAllocatable: 4,
  UpdateNodeLabel: 8,
  UpdateNodeTaint: 16,
  UpdateNodeCondition: 32,
  UpdateNodeAnnotation: 64,
  UpdatePodLabel: 128,
  UpdatePodScaleDown: 256,
  UpdatePodToleration: 512,
  UpdatePodSchedulingGatesEliminated: 1024,
  UpdatePodGeneratedResourceClaim: 2048,
  UpdateOther: 4096,
  UpdateNodeDeclaredFeature: 8192,
} as const;

const UPDATE = Object.values(Action).reduce((all, bit) => all | bit, 0) & ~Action.Add & ~Action.Delete;

/** Any update at all. */
export const ANY_UPDATE = UPDATE;
export const ANY_ACTION = UPDATE | Action.Add | Action.Delete;

export interface ClusterEvent {
  readonly resource: EventResource;
  readonly action: number;
  /** The event's name in metrics: `NodeAdd`, `AssignedPodDelete`. */
  readonly label: string;
}

export const event = (resource: EventResource, action: number, label: string): ClusterEvent => ({
  resource,
  action,
  label,
});

/** Whether a plugin that registered for this resource and action wants the event. */
export function matchesEvent(
  registered: { resource: EventResource; action: number },
  clusterEvent: ClusterEvent,
): boolean {
  if (registered.resource === '*') return true;
  const { resource } = clusterEvent;
  const sameResource =
    registered.resource === resource ||
    (registered.resource === 'Pod' && (resource === 'AssignedPod' || resource === 'UnscheduledPod'));
  return sameResource && (registered.action & clusterEvent.action) !== 0;
}

/** Events that are not about one object. */
export const FORCE_ACTIVATE = event('*', ANY_ACTION, 'ForceActivate');
export const UNSCHEDULABLE_TIMEOUT = event('*', ANY_ACTION, 'UnschedulableTimeout');
export const POD_ADD = event('UnscheduledPod', Action.Add, 'UnschedulablePodAdd');
export const ASSIGNED_POD_ADD = event('AssignedPod', Action.Add, 'AssignedPodAdd');
export const ASSIGNED_POD_DELETE = event('AssignedPod', Action.Delete, 'AssignedPodDelete');
