/** One simulated node: what the component keeps of it in memory. */
import type { NodeHeartbeat } from './heartbeats.ts';
import type { PodAddresses } from './pod-addresses.ts';
import type { PodHost, SimulatedPod } from './simulated-pod.ts';

export interface SimulatedNode {
  readonly name: string;
  readonly address: string;
  readonly heartbeat: NodeHeartbeat;
  readonly pods: Map<string, SimulatedPod>;
  readonly host: PodHost;
  addresses: PodAddresses | undefined;
  allocatable: Readonly<Record<string, string>>;
}
