/** The bootstrap Roles and RoleBindings in system namespaces: leader election, bootstrap tokens, extension API servers. */
import type { Role, RoleBinding, Subject } from '../../api/generated/rbac-v1.ts';
import { READ, recordEvents, role, roleBinding, rule, serviceAccount, user } from './rbac-builders.ts';
import type { Stored } from './stored.ts';

const leaderElectionRules = [
  rule('create,get,list,update,watch', 'coordination.k8s.io', 'leases'),
  rule('create,get,list,update,watch', 'coordination.k8s.io', 'leasecandidates'),
];

export const namespacedRoles = (): Stored<Role>[] => [
  role('kube-system', 'extension-apiserver-authentication-reader', [
    rule(READ, 'core', 'configmaps', 'extension-apiserver-authentication'),
  ]),
  role('kube-system', 'system::leader-locking-kube-controller-manager', leaderElectionRules),
  role('kube-system', 'system::leader-locking-kube-scheduler', leaderElectionRules),
  role('kube-system', 'system:controller:bootstrap-signer', [rule(READ, 'core', 'secrets')]),
  role('kube-system', 'system:controller:cloud-provider', [rule('create,get,list,watch', 'core', 'configmaps')]),
  role('kube-system', 'system:controller:token-cleaner', [
    rule('delete,get,list,watch', 'core', 'secrets'),
    recordEvents,
  ]),
  role('kube-public', 'system:controller:bootstrap-signer', [
    rule(READ, 'core', 'configmaps'),
    rule('update', 'core', 'configmaps', 'cluster-info'),
    recordEvents,
  ]),
];

const MANAGER = 'system:kube-controller-manager';
const SCHEDULER = 'system:kube-scheduler';

export const namespacedRoleBindings = (): Stored<RoleBinding>[] => [
  roleBinding(
    'kube-system',
    'system::extension-apiserver-authentication-reader',
    'extension-apiserver-authentication-reader',
    [user(MANAGER), user(SCHEDULER)],
  ),
  bindOwnName('kube-system', 'system::leader-locking-kube-controller-manager', [
    user(MANAGER),
    serviceAccount('kube-controller-manager'),
    serviceAccount('leader-election-controller'),
  ]),
  bindOwnName('kube-system', 'system::leader-locking-kube-scheduler', [
    user(SCHEDULER),
    serviceAccount('kube-scheduler'),
  ]),
  bindOwnName('kube-system', 'system:controller:bootstrap-signer', [serviceAccount('bootstrap-signer')]),
  bindOwnName('kube-system', 'system:controller:cloud-provider', [serviceAccount('cloud-provider')]),
  bindOwnName('kube-system', 'system:controller:token-cleaner', [serviceAccount('token-cleaner')]),
  bindOwnName('kube-public', 'system:controller:bootstrap-signer', [serviceAccount('bootstrap-signer')]),
];

function bindOwnName(namespace: string, name: string, subjects: readonly Subject[]): Stored<RoleBinding> {
  return roleBinding(namespace, name, name, subjects);
}
