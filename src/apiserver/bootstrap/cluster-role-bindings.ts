/** The bootstrap ClusterRoleBindings; those of controllers are in `controller-roles.ts`. */
import type { ClusterRoleBinding } from '../../api/generated/rbac-v1.ts';
import { clusterRoleBinding, group, serviceAccount, user } from './rbac-builders.ts';
import type { Stored } from './stored.ts';

export const clusterRoleBindings = (): Stored<ClusterRoleBinding>[] => [
  clusterRoleBinding('cluster-admin', [group('system:masters')]),
  clusterRoleBinding('system:monitoring', [group('system:monitoring')]),
  clusterRoleBinding('system:discovery', [group('system:authenticated')]),
  clusterRoleBinding('system:basic-user', [group('system:authenticated')]),
  clusterRoleBinding('system:public-info-viewer', [group('system:authenticated'), group('system:unauthenticated')]),
  clusterRoleBinding('system:service-account-issuer-discovery', [group('system:serviceaccounts')]),
  clusterRoleBinding('system:kube-controller-manager', [user('system:kube-controller-manager')]),
  clusterRoleBinding('system:kube-scheduler', [user('system:kube-scheduler')]),
  clusterRoleBinding('system:volume-scheduler', [user('system:kube-scheduler')]),
  clusterRoleBinding('system:kube-dns', [serviceAccount('kube-dns')]),
  clusterRoleBinding('system:node-proxier', [user('system:kube-proxy')]),
  // The node authorizer decides for nodes; the role has no subjects by default.
  clusterRoleBinding('system:node', []),
];
