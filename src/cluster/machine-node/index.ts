/**
 * A machine that is a node itself: runtime, kubelet, kube-proxy, network policies and the network to other machines run
 * in the machine's own network namespace. `joinCluster` makes the machine a node of a cluster elsewhere, from a bootstrap
 * token; the server's own node is started by `startMachineNode` with clients in the process. Containers outlive the
 * process; `leaveCluster` ends them and removes everything.
 */
export { joinCluster, type JoinedMachine } from './join-cluster.ts';
export { ISSUER_ANNOTATION, TRUSTED_ANNOTATION } from './follow-authorities.ts';
export { cordonNode, drainNode } from './drain-node.ts';
export { leaveCluster, removeMachineNode, type LeaveOptions } from './leave-cluster.ts';
export { kubeconfigOf as machineKubeconfigOf, machineRecordOf } from './machine-record.ts';
export { approveServingCertificates } from './approve-serving-certificates.ts';
export { addressTowards } from './address-towards.ts';
export { startMachineNode, type MachineNode } from './start-machine-node.ts';
