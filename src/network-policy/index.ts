/**
 * Enforces NetworkPolicy on a node with nftables: a pure function from policies, pods and namespaces to a table of rules,
 * and a loop that writes its changes, each in one transaction. The table "k8ts-network-policy" is the only thing it
 * touches; it works with every pod network whose pods are reached by routing through the node.
 */
export { run } from './run.ts';
export { PodGate } from './pod-gate.ts';
