/**
 * ServiceAccounts and ClusterRoles of components that the API server's bootstrap policy does not cover. A cluster
 * creates them for the components that it runs, with the least privileges that each needs.
 */
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Subject } from '../api/generated/rbac-v1.ts';
import { reconcileRole, recordEvents, rule, type Reconciliation } from '../apiserver/index.ts';
import { isAlreadyExists, type ApiObject, type Client, type ResourceClient } from '../client/index.ts';
import { OWN_USER } from './identities.ts';

const RBAC = 'rbac.authorization.k8s.io';
const NAMESPACE = 'kube-system';

interface Access {
  /** The ClusterRole, and the ClusterRoleBinding of it to the ServiceAccount. */
  readonly role: string;
  readonly rules: readonly PolicyRule[];
}

/** By ServiceAccount. */
const ACCESS = {
  'cloud-controller-manager': {
    role: 'system:cloud-controller-manager',
    rules: [
      rule('delete,get,list,patch,watch', 'core', 'nodes'),
      rule('patch', 'core', 'nodes/status'),
      rule('get,list,patch,watch', 'core', 'services'),
      rule('patch', 'core', 'services/status'),
      rule('create,get,update', 'coordination.k8s.io', 'leases'),
      recordEvents,
    ],
  },
  coredns: {
    role: 'system:coredns',
    rules: [
      rule('list,watch', 'core', 'endpoints,namespaces,pods,services'),
      rule('list,watch', 'core', 'configmaps', 'coredns'),
      rule('list,watch', 'discovery.k8s.io', 'endpointslices'),
    ],
  },
  'ingress-controller': {
    role: 'k8ts:ingress-controller',
    rules: [
      rule('list,watch', 'networking.k8s.io', 'ingresses'),
      rule('patch', 'networking.k8s.io', 'ingresses/status'),
      rule('create,list,watch', 'networking.k8s.io', 'ingressclasses'),
      rule('list,watch', 'core', 'secrets,services'),
      rule('list,watch', 'discovery.k8s.io', 'endpointslices'),
    ],
  },
  'metrics-server': {
    role: 'system:metrics-server',
    rules: [rule('get', 'core', 'nodes/metrics'), rule('get,list,watch', 'core', 'nodes,pods')],
  },
  'network-policy': {
    role: 'k8ts:network-policy',
    rules: [rule('list,watch', 'networking.k8s.io', 'networkpolicies'), rule('list,watch', 'core', 'namespaces,pods')],
  },
  'serving-certificate-approver': {
    role: 'k8ts:serving-certificate-approver',
    rules: [
      rule('list,watch', 'certificates.k8s.io', 'certificatesigningrequests'),
      rule('update', 'certificates.k8s.io', 'certificatesigningrequests/approval'),
      rule('approve', 'certificates.k8s.io', 'signers', 'kubernetes.io/kubelet-serving'),
      rule('get', 'core', 'nodes'),
    ],
  },
  /** One watch serves all simulated kubelets; each writes as its own node. */
  'simulated-kubelet': {
    role: 'k8ts:simulated-kubelet',
    rules: [rule('list,watch', 'core', 'nodes,pods')],
  },
} as const satisfies Readonly<Record<string, Access>>;

export type ComponentAccount = keyof typeof ACCESS;

/** For the cluster's own user. */
const OWN_ACCESS: Access = {
  role: OWN_USER.name,
  rules: [
    rule('list,watch', 'core', 'nodes'),
    rule('list', 'core', 'namespaces,pods,services'),
    rule('watch', 'core', 'serviceaccounts'),
  ],
};

/**
 * What the agents of a machine read and a kubelet may not: they act as the machine's node. Its Node is all that it may
 * delete, by NodeRestriction.
 */
const MACHINE_ACCESS: Access = {
  role: 'k8ts:machine',
  rules: [
    rule('list,watch', 'core', 'endpoints,namespaces,nodes,pods,services'),
    rule('list,watch', 'discovery.k8s.io', 'endpointslices'),
    rule('list,watch', 'networking.k8s.io', 'networkpolicies,servicecidrs'),
    rule('delete', 'core', 'nodes'),
  ],
};

/** Adds missing rules to existing roles; rules that an administrator added stay. */
export async function grantAccess(client: Client, accounts: readonly ComponentAccount[]): Promise<void> {
  await Promise.all([createServiceAccounts(client, accounts), ...accounts.map((account) => grant(client, account))]);
}

/** ServiceAccounts of kube-system. */
export async function createServiceAccounts(client: Client, names: readonly string[]): Promise<void> {
  const accounts = client.resource('v1/serviceaccounts');
  await Promise.all(names.map((name) => ensure(accounts, { metadata: { name, namespace: NAMESPACE } })));
}

const grant = (client: Client, account: ComponentAccount): Promise<void> =>
  grantTo(client, ACCESS[account], { kind: 'ServiceAccount', namespace: NAMESPACE, name: account });

/** The access of the cluster's own user, which is no ServiceAccount: it needs no token. */
export const grantOwnAccess = (client: Client): Promise<void> =>
  grantTo(client, OWN_ACCESS, { kind: 'User', name: OWN_USER.name });

export const grantMachineAccess = (client: Client): Promise<void> =>
  grantTo(client, MACHINE_ACCESS, { kind: 'Group', name: 'system:nodes' });

async function grantTo(client: Client, { role, rules }: Access, subject: ClusterBinding['subject']): Promise<void> {
  const clusterRole: ClusterRole = { metadata: { name: role }, rules: structuredClone([...rules]) };
  await Promise.all([
    ensure(client.resource(`${RBAC}/v1/clusterroles`), clusterRole, reconcileRole<ClusterRole>),
    bindClusterRole(client, { name: role, role, subject }),
  ]);
}

export interface ClusterBinding {
  readonly name: string;
  readonly role: string;
  readonly subject: Readonly<Pick<Subject, 'name' | 'namespace'>> & {
    readonly kind: 'User' | 'Group' | 'ServiceAccount';
  };
}

/** An existing binding is left alone. */
export async function bindClusterRole(client: Client, { name, role, subject }: ClusterBinding): Promise<void> {
  const subjects = [subject.kind === 'ServiceAccount' ? { ...subject } : { ...subject, apiGroup: RBAC }];
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: role };
  const binding: ClusterRoleBinding = { metadata: { name }, roleRef, subjects };
  await ensure(client.resource(`${RBAC}/v1/clusterrolebindings`), binding);
}

/** Creates the object; `reconcile` may change an existing one, which is otherwise left alone. */
export async function ensure<T extends ApiObject>(
  resource: ResourceClient<T>,
  desired: T,
  reconcile?: (existing: T, desired: T) => Reconciliation<T>,
): Promise<void> {
  try {
    await resource.create(desired);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    if (reconcile === undefined) return;
    const { name = '', namespace } = desired.metadata;
    const reconciliation = reconcile(await resource.get({ name, namespace }), desired);
    if (reconciliation.action === 'update') await resource.update(reconciliation.object);
  }
}
