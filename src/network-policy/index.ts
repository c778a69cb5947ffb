/**
 * Enforces NetworkPolicy on a node with nftables. `plan-policies` is a pure function from policies, pods and
 * namespaces to a table of rules; `sync-policies` writes its changes, each in one transaction. The table
 * "k8ts-network-policy" is the only thing that it changes. It works with every pod network that routes pods' traffic
 * through the node.
 */
export { run } from './run.ts';
export { PodGate } from './pod-gate.ts';
export { removePolicies } from './sync-policies.ts';
