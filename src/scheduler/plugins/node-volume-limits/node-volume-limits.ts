/** The plugin NodeVolumeLimits: a node can attach a limited number of volumes of a CSI driver. */
import type { NodeInfo } from '../../cache/node-info.ts';
import { Action, ANY_UPDATE } from '../../framework/cluster-event.ts';
import type { Handle } from '../../framework/handle.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { skip, unschedulable, type Status } from '../../framework/status.ts';
import type { Listers } from '../../listers.ts';
import { claimSignature, claimVolumes } from '../pod-claims.ts';
import { volumesOfPod, volumesOnNode, type VolumesByDriver } from './volumes-by-driver.ts';

const TOO_MANY = unschedulable('node(s) exceed max volume count');

export function nodeVolumeLimits({ listers }: Handle): Plugin {
  return {
    name: 'NodeVolumeLimits',
    signature: claimSignature,
    preFilter: (_state, pod) => (claimVolumes(pod).length === 0 ? { status: skip() } : undefined),
    bindFilter(_state, pod) {
      const wanted = volumesOfPod(listers, pod);
      return (node) => (wanted.size === 0 ? undefined : exceedsLimit(listers, wanted, node));
    },
    eventsToRegister: () => [
      { resource: 'CSINode', action: Action.Add | ANY_UPDATE },
      { resource: 'AssignedPod', action: Action.Delete },
      { resource: 'PersistentVolumeClaim', action: Action.Add | ANY_UPDATE },
      { resource: 'VolumeAttachment', action: Action.Delete },
      { resource: 'CSIDriver', action: ANY_UPDATE },
    ],
  };
}

function exceedsLimit(listers: Listers, wanted: VolumesByDriver, node: NodeInfo): Status | undefined {
  const drivers = listers.get('storage.k8s.io/v1/csinodes', node.name)?.spec?.drivers ?? [];
  const limited = drivers.filter(({ name, allocatable }) => allocatable?.count !== undefined && wanted.has(name));
  if (limited.length === 0) return undefined;
  const onNode = volumesOnNode(listers, node);
  for (const { name, allocatable } of limited) {
    const present = onNode.get(name) ?? new Set<string>();
    const more = [...wanted.get(name)!].filter((handle) => !present.has(handle)).length;
    if (more > 0 && present.size + more > allocatable!.count!) return TOO_MANY;
  }
  return undefined;
}
