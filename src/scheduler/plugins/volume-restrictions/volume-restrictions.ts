/**
 * The plugin VolumeRestrictions: disks that only one pod of a node may use, and claims with access mode
 * ReadWriteOncePod.
 */
import type { PersistentVolumeClaim, Volume } from '../../../api/generated/core-v1.ts';
import type { NodeInfo } from '../../cache/node-info.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import { Action, ANY_UPDATE } from '../../framework/cluster-event.ts';
import type { CycleState } from '../../framework/cycle-state.ts';
import type { Handle } from '../../framework/handle.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { skip, unresolvable, unschedulable } from '../../framework/status.ts';
import { claimSignature, claimVolumes } from '../pod-claims.ts';

const NAME = 'VolumeRestrictions';
const DISK_CONFLICT = unschedulable('node(s) had no available disk');
const CLAIM_CONFLICT = unschedulable(
  'node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode',
);

interface State {
  /** The pod's claims with ReadWriteOncePod. */
  readonly claims: ReadonlySet<string>;
  /** The number of other pods that use one of them. */
  users: number;
}

export function volumeRestrictions({ listers, cache }: Handle): Plugin {
  const uses = (other: PodInfo, claims: ReadonlySet<string>): number =>
    claimVolumes(other).filter((c) => claims.has(`${other.namespace}/${c.name}`)).length;
  const countUsers = (state: CycleState, other: PodInfo, by: 1 | -1): void => {
    const data = state.get<State>(NAME);
    if (data !== undefined && data.claims.size > 0) data.users += by * uses(other, data.claims);
  };
  return {
    name: NAME,
    signature: claimSignature,
    preFilter(state, pod) {
      const claims = new Set<string>();
      for (const { name } of claimVolumes(pod)) {
        const key = `${pod.namespace}/${name}`;
        const claim = listers.get('v1/persistentvolumeclaims', key);
        if (claim === undefined)
          return { status: unresolvable(`persistentvolumeclaim ${JSON.stringify(name)} not found`) };
        if (claim.spec?.accessModes?.includes('ReadWriteOncePod')) claims.add(key);
      }
      const disks = pod.shape.volumes.some(isDisk);
      if (claims.size === 0 && !disks) return { status: skip() };
      let users = 0;
      if (claims.size > 0)
        for (const node of cache.table.nodes) for (const key of claims) users += node?.claims.get(key) ?? 0;
      state.set(NAME, { claims, users } satisfies State);
      return undefined;
    },
    filter(state, pod, node) {
      if (pod.shape.volumes.some((volume) => isDisk(volume) && conflicts(volume, node))) return DISK_CONFLICT;
      return (state.get<State>(NAME)?.users ?? 0) > 0 ? CLAIM_CONFLICT : undefined;
    },
    podAdded: (state, _pod, { other }) => countUsers(state, other, 1),
    podRemoved: (state, _pod, { other }) => countUsers(state, other, -1),
    eventsToRegister: () => [
      { resource: 'AssignedPod', action: Action.Delete },
      { resource: 'Node', action: Action.Add },
      {
        resource: 'PersistentVolumeClaim',
        action: Action.Add | ANY_UPDATE,
        hint: (pod, _before, after) => {
          const claim = after as PersistentVolumeClaim;
          return (
            claim.metadata.namespace === pod.namespace && claimVolumes(pod).some((c) => c.name === claim.metadata.name)
          );
        },
      },
    ],
  };
}

const isDisk = (volume: Volume): boolean =>
  volume.gcePersistentDisk !== undefined ||
  volume.awsElasticBlockStore !== undefined ||
  volume.iscsi !== undefined ||
  volume.rbd !== undefined;

function conflicts(volume: Volume, node: NodeInfo): boolean {
  for (const other of node.pods.values())
    if (other.shape.volumes.some((existing) => sameDisk(volume, existing))) return true;
  return false;
}

/** Whether the volumes are one disk, and not both read-only where that may be shared. */
function sameDisk(a: Volume, b: Volume): boolean {
  if (a.gcePersistentDisk && b.gcePersistentDisk)
    return (
      a.gcePersistentDisk.pdName === b.gcePersistentDisk.pdName &&
      !(a.gcePersistentDisk.readOnly && b.gcePersistentDisk.readOnly)
    );
  if (a.awsElasticBlockStore && b.awsElasticBlockStore)
    return a.awsElasticBlockStore.volumeID === b.awsElasticBlockStore.volumeID;
  if (a.iscsi && b.iscsi) return a.iscsi.iqn === b.iscsi.iqn && !(a.iscsi.readOnly && b.iscsi.readOnly);
  if (a.rbd && b.rbd) {
    const monitors = new Set(a.rbd.monitors);
    const sameImage = (a.rbd.pool ?? 'rbd') === (b.rbd.pool ?? 'rbd') && a.rbd.image === b.rbd.image;
    return sameImage && b.rbd.monitors.some((m) => monitors.has(m)) && !(a.rbd.readOnly && b.rbd.readOnly);
  }
  return false;
}
