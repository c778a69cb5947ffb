/**
 * What a pod, a node and an owner mean, once for all components: what a pod requests, its QoS class, which taints it
 * tolerates, which nodes its node affinity selects, when it is terminal, ready or available. Pure functions on API
 * objects. A component that needs one of these imports it; `scripts/check-meanings.mjs` refuses a second declaration.
 */
export { isRestartableInitContainer, longRunningContainers } from './containers.ts';
export {
  matchesNodeSelector,
  namedNodes,
  nodeLike,
  nodeSelectorMatcher,
  nodeSelectorTermMatcher,
  podMatchesNode,
  requiredNodeMatcher,
  type NodeLike,
  type NodeMatcher,
} from './node-affinity.ts';
export { computePodQos, podQos, type QosClass } from './pod-qos.ts';
export {
  hasPodLevelResources,
  isPodLevelResource,
  isPodResizeInfeasible,
  podLimits,
  podRequests,
  podResourceTotals,
  type Amounts,
  type Arithmetic,
  type PodResourcesOptions,
} from './pod-resources.ts';
export {
  availableInMs,
  isPodActive,
  isPodAvailable,
  isPodReady,
  isPodTerminal,
  isPodTerminating,
  isTerminalPhase,
  podCondition,
  podReadyCondition,
} from './pod-state.ts';
export { findUntoleratedTaint, isSchedulingTaint, toleratesTaint } from './tolerations.ts';
