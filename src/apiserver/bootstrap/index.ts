/**
 * What a fresh control plane holds before anyone uses it: RBAC roles and bindings, namespaces, priority classes, flow
 * control, the server's own Service, APIServices and ConfigMaps. All of it is data, built anew by each call; the
 * `reconcile…` functions say what becomes of objects that an earlier start left.
 *
 * What controllers add after the start is theirs: the rules of the aggregated roles, default ServiceAccounts, the
 * kube-root-ca.crt ConfigMaps, statuses, leader election Leases, and the IPAddress of the Service.
 */
import type { ClusterRole, ClusterRoleBinding } from '../../api/generated/rbac-v1.ts';
import { clusterRoleBindings } from './cluster-role-bindings.ts';
import { clusterRoles } from './cluster-roles.ts';
import { componentRoles } from './component-roles.ts';
import { controllerRoleBindings, controllerRoles } from './controller-roles.ts';
import { nodeRoles } from './node-roles.ts';
import type { Stored } from './stored.ts';

export { localAPIServices } from './api-services.ts';
export {
  extensionAuthenticationConfigMap,
  legacyTokenTrackingConfigMap,
  type RequestAuthentication,
} from './config-maps.ts';
export { flowSchemas, priorityLevels } from './flow-control.ts';
export { identityLease, serverIdentityName, type ServerIdentity } from './identity-lease.ts';
export {
  KUBERNETES_SERVICE,
  kubernetesEndpointSlice,
  kubernetesEndpoints,
  kubernetesService,
  serviceCIDR,
} from './kubernetes-service.ts';
export { namespacedRoleBindings, namespacedRoles } from './namespaced-roles.ts';
export { SYSTEM_NAMESPACES, namespaces } from './namespaces.ts';
export { priorityClasses } from './priority-classes.ts';
export { recordEvents, rule } from './rbac-builders.ts';
export type { Stored } from './stored.ts';
export { obsoleteFlowControlNames, reconcileFlowControl } from './reconcile-flow-control.ts';
export { reconcileBinding, reconcileRole, type Reconciliation } from './reconcile-rbac.ts';
export { singleRules, uncoveredRules } from './rule-coverage.ts';

/** In the order in which they are made; the aggregated roles come before their parts, as nothing is gathered yet. */
export const allClusterRoles = (): Stored<ClusterRole>[] => [
  ...clusterRoles(),
  ...componentRoles(),
  ...nodeRoles(),
  ...controllerRoles(),
];

export const allClusterRoleBindings = (): Stored<ClusterRoleBinding>[] => [
  ...clusterRoleBindings(),
  ...controllerRoleBindings(),
];
