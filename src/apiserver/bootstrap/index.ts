/**
 * The objects that the API server creates at its start (upstream's post-start hooks): RBAC roles and bindings, namespaces,
 * priority classes, flow control, the kubernetes Service, APIServices and ConfigMaps. The functions return fresh objects;
 * the `reconcile…` functions decide how objects of an earlier start are updated. `post-start.ts` writes them.
 *
 * Controllers add the rest: the rules of aggregated roles, default ServiceAccounts, kube-root-ca.crt ConfigMaps, statuses,
 * leader election Leases, and the IPAddress of the Service.
 */
import type { ClusterRole, ClusterRoleBinding } from '../../api/generated/rbac-v1.ts';
import { clusterRoleBindings } from './cluster-role-bindings.ts';
import { clusterRoles } from './cluster-roles.ts';
import { componentRoles } from './component-roles.ts';
import { controllerRoleBindings, controllerRoles } from './controller-roles.ts';
import { gatedRoleBindings, gatedRoles, withGatedRules } from './gated-roles.ts';
import { nodeRoles } from './node-roles.ts';
import type { Stored } from './stored.ts';

export { localAPIServiceNames, localAPIServices } from './api-services.ts';
export { extensionAuthenticationConfigMap, legacyTokenTrackingConfigMap } from './config-maps.ts';
export { flowSchemas, priorityLevels } from './flow-control.ts';
export { IDENTITY_LABEL, identityLease, serverIdentityName } from './identity-lease.ts';
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
export { reconcileFlowControl } from './reconcile-flow-control.ts';
export { reconcileBinding, reconcileRole, type Reconciliation } from './reconcile-rbac.ts';
export { singleRules, uncoveredRules } from './rule-coverage.ts';

/** In the order of creation; `features` are the gates that differ from their defaults. */
export const allClusterRoles = (features?: Readonly<Record<string, boolean>>): Stored<ClusterRole>[] => [
  ...withGatedRules([...clusterRoles(), ...componentRoles(), ...nodeRoles(), ...controllerRoles()], features),
  ...gatedRoles(features),
];

export const allClusterRoleBindings = (features?: Readonly<Record<string, boolean>>): Stored<ClusterRoleBinding>[] => [
  ...clusterRoleBindings(),
  ...controllerRoleBindings(),
  ...gatedRoleBindings(features),
];
