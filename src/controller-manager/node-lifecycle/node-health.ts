/** The heartbeats of a node, and its conditions when they stop. */

import type { Lease } from '../../api/generated/coordination-v1.ts';
import type { Node, NodeCondition } from '../../api/generated/core-v1.ts';
import { formatTime } from '../../base/index.ts';
import { readyCondition } from './taints.ts';

/** The conditions that the kubelet reports. */
const KUBELET_CONDITIONS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

export interface NodeHealth {
  /** When the last heartbeat was seen, on this process' clock, because nodes' clocks may differ. */
  probeAt: number;
  /** How long after it the node counts as healthy. */
  graceMs: number;
  heartbeat: string;
  /** The objects that the heartbeat was read from. */
  node: Node;
  lease: Lease | undefined;
}

/** The heartbeat: the renew time of the node's lease, or the heartbeat time in its status. */
export function heartbeatOf(node: Node, lease: Lease | undefined): string {
  const ready = readyCondition(node);
  return `${lease?.spec?.renewTime ?? ''} ${ready?.lastHeartbeatTime ?? ''} ${ready?.status ?? ''}`;
}

/** The node with its kubelet's conditions set to Unknown; undefined when they are already. */
export function withUnknownConditions(node: Node, now: number): Node | undefined {
  const time = formatTime(now);
  const conditions = [...(node.status?.conditions ?? [])];
  let changed = false;
  for (const type of KUBELET_CONDITIONS) {
    const index = conditions.findIndex((condition) => condition.type === type);
    const known = conditions[index];
    if (!known) {
      conditions.push({
        type,
        status: 'Unknown',
        reason: 'NodeStatusNeverUpdated',
        message: 'Kubelet never posted node status.',
        lastHeartbeatTime: node.metadata.creationTimestamp,
        lastTransitionTime: time,
      });
      changed = true;
    } else if (known.status !== 'Unknown') {
      conditions[index] = {
        ...known,
        status: 'Unknown',
        reason: 'NodeStatusUnknown',
        message: 'Kubelet stopped posting node status.',
        lastTransitionTime: time,
      } satisfies NodeCondition;
      changed = true;
    }
  }
  return changed ? { ...node, status: { ...node.status, conditions } } : undefined;
}
