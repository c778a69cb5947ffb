/**
 * Nodes that run no containers: they register, send heartbeats, move their pods through a kubelet's states, keep logs and
 * report usage, thousands of them in one process. What a pod does is a function (`PodBehaviour`), data (`PodScript`), or a
 * pod's own annotation. To the rest of the cluster they are nodes like any other: the component only uses the API, and
 * serves the kubelet API on connections inside the process.
 */
export { SimulatedNodes, type AddNodes, type SimulatedNodesOptions } from './simulated-nodes.ts';
export { SIMULATED_LABEL, type NodeTemplate } from './node-object.ts';
export {
  BEHAVIOUR_ANNOTATION,
  type Duration,
  type ExecResult,
  type PodBehaviour,
  type PodScript,
  type PodUsage,
} from './behaviour.ts';
export type { SimulatedPod } from './simulated-pod.ts';
