/** When a node was last heard of, and what is said of one that is silent. */

import type { Lease } from '../../api/generated/coordination-v1.ts';
import type { Node, NodeCondition } from '../../api/generated/core-v1.ts';
import { formatTime } from '../../base/index.ts';
import { readyCondition } from './taints.ts';

/** The conditions that only the kubelet knows. */
const KUBELET_CONDITIONS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

export interface NodeHealth {
  /** When a sign of life was last seen, on our clock: clocks of nodes may differ. */
  probeAt: number;
  sign: string;
  /** What the sign was read from. */
  node: Node;
  lease: Lease | undefined;
}

/** What changes whenever the kubelet reports: its lease, or the heartbeat in the node's status. */
export function signOfLife(node: Node, lease: Lease | undefined): string {
  const ready = readyCondition(node);
  return `${lease?.spec?.renewTime ?? ''} ${ready?.lastHeartbeatTime ?? ''} ${ready?.status ?? ''}`;
}

/** The node with everything unknown that its kubelet would have to tell; undefined when it says so already. */
export function silentNode(node: Node, now: number): Node | undefined {
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
