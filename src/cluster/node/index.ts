/**
 * One node that runs containers: its container runtime, kubelet, kube-proxy and network policy agent in this process.
 * The node is a network namespace of the fabric (`node-fleet/`), or the machine itself (`machine-node/`).
 */
export {
  servingIssuer,
  startNode,
  type DnsServer,
  type NodeAgent,
  type NodeOptions,
  type RunningNode,
} from './start-node.ts';
export { endContainers, openRuntime, type NodeRuntimeOptions } from './node-runtime.ts';
