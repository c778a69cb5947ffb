/** What a claim and its volume say of growing the file system, and the patches of the claim's status that answer it. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/generated/core-v1.ts';
import { formatTime, parseQuantity, type Quantity } from '../../../base/index.ts';

/** Where a resizer has found out that nodes have nothing to do. */
const NOT_REQUIRED = 'volume.kubernetes.io/node-expansion-not-required';
const RESIZE_CONDITIONS = ['FileSystemResizePending', 'Resizing', 'ControllerResizeError', 'NodeResizeError'];

export type ExpansionPlan =
  /** It is not, or not yet, the node's pending. */
  | { readonly type: 'wait' }
  /** Everything is done for this size, elsewhere. */
  | { readonly type: 'done'; readonly size: string }
  | {
      readonly type: 'expand';
      readonly size: string;
      /** Whether the resizer follows the states in `allocatedResourceStatuses`; older ones know conditions alone. */
      readonly tracked: boolean;
      /** False where another node has grown the volume before, and has told so. */
      readonly updatesClaim: boolean;
    };

export const storageOf = (resources: Readonly<Record<string, string>> | undefined): Quantity =>
  parseQuantity(resources?.['storage'] ?? '0');

/** To be asked when the volume is larger than what this node knows of its file system. */
export function planExpansion(claim: PersistentVolumeClaim, volume: PersistentVolume): ExpansionPlan {
  const { allocatedResources, allocatedResourceStatuses, capacity } = claim.status ?? {};
  const state = allocatedResourceStatuses?.['storage'] ?? '';
  const volumeSize = volume.spec?.capacity?.['storage'] ?? '0';
  const tracked = state !== '' || allocatedResources !== undefined;
  const size = tracked ? (allocatedResources?.['storage'] ?? volumeSize) : volumeSize;
  const isUpdated = storageOf(capacity).cmp(parseQuantity(size)) >= 0;
  if (!tracked) return { type: 'expand', size, tracked, updatesClaim: !isUpdated };
  if (state === '' && isUpdated) {
    // Every node that has the file system mounted must take note of its size, not only the first.
    const isShared =
      claim.spec?.accessModes?.includes('ReadWriteMany') === true &&
      claim.metadata.annotations?.[NOT_REQUIRED] === undefined;
    return isShared ? { type: 'expand', size, tracked, updatesClaim: false } : { type: 'done', size };
  }
  return state === 'NodeResizePending' || state === 'NodeResizeInProgress'
    ? { type: 'expand', size, tracked, updatesClaim: true }
    : { type: 'wait' };
}

/** With the version that was read: whoever decides by an older state must look again. */
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

export interface ResizeFailure {
  readonly message: string;
  readonly at: number;
  /** Nobody tries again until the resizer says so. */
  readonly infeasible: boolean;
}

/** Undefined where the claim tells it already. */
export function failedPatch(
  { status }: PersistentVolumeClaim,
  { message, at, infeasible }: ResizeFailure,
): object | undefined {
  const conditions = status?.conditions ?? [];
  const isTold = conditions.some((condition) => condition.type === 'NodeResizeError' && condition.status === 'True');
  if (isTold && !infeasible) return undefined;
  const told = {
    type: 'NodeResizeError',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: formatTime(at),
    message: `failed to expand pvc with ${message}`,
  };
  const order = [...conditions.filter(({ type }) => type !== told.type), told].map(({ type }) => ({ type }));
  return {
    status: {
      ...(infeasible ? { allocatedResourceStatuses: { storage: 'NodeResizeInfeasible' } } : {}),
      ...(isTold ? {} : { conditions: [told], '$setElementOrder/conditions': order }),
    },
  };
}
