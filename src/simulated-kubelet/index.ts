/**
 * Simulated nodes, as kwok has them: they run no containers, and thousands fit in one process. They register, renew
 * their Leases, report their pods' statuses as a kubelet would, keep logs and report usage. A function
 * (`PodBehaviour`), data (`PodScript`) or an annotation of the pod says what a pod does. The component uses only the
 * API, and serves the kubelet API on in-process connections, so other components cannot tell simulated nodes from real
 * ones.
 */
export { SimulatedNodes, type SimulatedNodesOptions } from './simulated-nodes.ts';
export { SIMULATED_LABEL, type NodeTemplate } from './node-object.ts';
export { BEHAVIOUR_ANNOTATION, type Duration, type ExecResult, type PodScript, type PodUsage } from './pod-script.ts';
export type { PodBehaviour, SimulatedPod } from './simulated-pod.ts';
