/**
 * Node expansion of a PersistentVolumeClaim: whether the node must expand the volume, and the patches of the claim's
 * status.
 */
import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/generated/core-v1.ts';
import { formatTime, parseQuantity, type Quantity } from '../../../base/index.ts';

/** Set by a resizer when no node expansion is needed. */
const NOT_REQUIRED = 'volume.kubernetes.io/node-expansion-not-required';
const RESIZE_CONDITIONS = ['FileSystemResizePending', 'Resizing', 'ControllerResizeError', 'NodeResizeError'];

type ExpansionPlan =
  /** The node must not expand the volume, or not yet. */
  | { readonly type: 'wait' }
  /** The volume already has this size. */
  | { readonly type: 'done'; readonly size: string }
  | {
      readonly type: 'expand';
      readonly size: string;
      /** Whether the resizer uses `allocatedResourceStatuses`; older ones use conditions only. */
      readonly tracked: boolean;
      /** False when another node has expanded the volume and updated the claim. */
      readonly updatesClaim: boolean;
    };

export const storageOf = (resources: Readonly<Record<string, string>> | undefined): Quantity =>
  parseQuantity(resources?.['storage'] ?? '0');

/** Called when the volume is larger than the known size of its file system. */
export function planExpansion(claim: PersistentVolumeClaim, volume: PersistentVolume): ExpansionPlan {
  const { allocatedResources, allocatedResourceStatuses, capacity } = claim.status ?? {};
  const state = allocatedResourceStatuses?.['storage'] ?? '';
  const volumeSize = volume.spec?.capacity?.['storage'] ?? '0';
  const tracked = state !== '' || allocatedResources !== undefined;
  const size = tracked ? (allocatedResources?.['storage'] ?? volumeSize) : volumeSize;
  const isUpdated = storageOf(capacity).cmp(parseQuantity(size)) >= 0;
  if (!tracked) return { type: 'expand', size, tracked, updatesClaim: !isUpdated };
  if (state === '' && isUpdated) {
    // For ReadWriteMany, every node that has the volume mounted must expand it.
    const isShared =
      claim.spec?.accessModes?.includes('ReadWriteMany') === true &&
      claim.metadata.annotations?.[NOT_REQUIRED] === undefined;
    return isShared ? { type: 'expand', size, tracked, updatesClaim: false } : { type: 'done', size };
  }
  return state === 'NodeResizePending' || state === 'NodeResizeInProgress'
    ? { type: 'expand', size, tracked, updatesClaim: true }
    : { type: 'wait' };
}

/** With the resourceVersion, so that a decision by an old state conflicts. */
export const inProgressPatch = ({ metadata }: PersistentVolumeClaim): object => ({
  metadata: { resourceVersion: metadata.resourceVersion },
  status: { allocatedResourceStatuses: { storage: 'NodeResizeInProgress' } },
});

export function finishedPatch({ metadata, status }: PersistentVolumeClaim, size: string): object {
  const { allocatedResourceStatuses = {}, conditions = [] } = status ?? {};
  const isLastState = Object.keys(allocatedResourceStatuses).every((resource) => resource === 'storage');
  const gone = conditions
    .filter(({ type }) => RESIZE_CONDITIONS.includes(type))
    .map(({ type }) => ({ $patch: 'delete', type }));
  return {
    metadata: { resourceVersion: metadata.resourceVersion },
    status: {
      capacity: { storage: size },
      allocatedResourceStatuses: isLastState ? null : { storage: null },
      ...(gone.length === 0 ? {} : { conditions: gone }),
    },
  };
}

interface ResizeFailure {
  readonly message: string;
  readonly at: number;
  /** Not retried until the resizer resets the state. */
  readonly infeasible: boolean;
}

/** Undefined when the claim has the condition already. */
export function failedPatch(
  { status }: PersistentVolumeClaim,
  { message, at, infeasible }: ResizeFailure,
): object | undefined {
  const conditions = status?.conditions ?? [];
  const hasCondition = conditions.some(({ type, status: value }) => type === 'NodeResizeError' && value === 'True');
  if (hasCondition && !infeasible) return undefined;
  const condition = {
    type: 'NodeResizeError',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: formatTime(at),
    message: `failed to expand pvc with ${message}`,
  };
  const order = [...conditions.filter(({ type }) => type !== condition.type), condition].map(({ type }) => ({ type }));
  return {
    status: {
      ...(infeasible ? { allocatedResourceStatuses: { storage: 'NodeResizeInfeasible' } } : {}),
      ...(hasCondition ? {} : { conditions: [condition], '$setElementOrder/conditions': order }),
    },
  };
}
