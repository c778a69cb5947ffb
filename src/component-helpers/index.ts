/**
 * Semantics of pods and nodes that several components need: requests and limits of a pod, its QoS class, tolerations and
 * taints, node affinity, containers, pod CIDRs, finalizers, the state of a pod (terminal, ready, available), RBAC
 * rules, the plan of a Service on a node, and the DNS configuration of a pod. Pure functions on API objects.
 * `scripts/check-meanings.mjs` refuses a second implementation elsewhere.
 */
export { chooseEndpoints, endpointsOfPort, type EndpointAddress, type NodeTopology } from './choose-endpoints.ts';
export { allContainers, isRestartableInitContainer, longRunningContainers } from './containers.ts';
export { hasFinalizer } from './finalizers.ts';
export {
  namedNodes,
  nodeLike,
  nodeSelectorMatcher,
  nodeSelectorTermMatcher,
  podMatchesNode,
  requiredNodeMatcher,
  type NodeMatcher,
} from './node-affinity.ts';
export { podCidrsOf } from './pod-cidrs.ts';
export { podDns } from './pod-dns.ts';
export { computePodQos, podQos } from './pod-qos.ts';
export {
  hasPodLevelResources,
  isPodLevelResource,
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
export {
  matchingRestartRule,
  mayRestartAllContainers,
  restartsAfter,
  type RestartableContainer,
} from './restart-policy.ts';
export {
  apiGroupMatches,
  describeGrant,
  findInRoles,
  identityKeys,
  nonResourceUrlMatches,
  resourceNameMatches,
  subjectKey,
  type AccessRequest,
  type NearMiss,
  type RbacFinding,
  type RoleGrant,
} from './rbac-rules.ts';
export {
  externalEndpoints,
  familyOf,
  internalEndpoints,
  planService,
  serviceOfSlice,
  type Family,
  type Protocol,
  type ServicePlan,
} from './service-plan.ts';
export { findUntoleratedTaint, toleratesTaint } from './tolerations.ts';
