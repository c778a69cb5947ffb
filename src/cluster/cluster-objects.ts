/** The objects that components need at their start, which an installer such as kubeadm would create. */
import { KUBELET_CLIENT_USER } from '../apiserver/index.ts';
import type { Client } from '../client/index.ts';
import { enabledControllers, serviceAccountOf, STANDARD_CLASS } from '../controller-manager/index.ts';
import { isJoinable, type ClusterOptions } from './cluster-options.ts';
import {
  bindClusterRole,
  createServiceAccounts,
  ensure,
  grantAccess,
  grantMachineAccess,
  grantOwnAccess,
  type ClusterBinding,
  type ComponentAccount,
} from './component-access.ts';
import { createJoinObjects } from './join-objects.ts';

/** The API server's access to kubelets, as kubeadm binds it. */
const KUBELET_CLIENT: ClusterBinding = {
  name: 'k8ts:apiserver-kubelet-client',
  role: 'system:kubelet-api-admin',
  subject: { kind: 'User', name: KUBELET_CLIENT_USER },
};

/** Resolves when every component has its permissions. */
export async function createClusterObjects(client: Client, options: ClusterOptions): Promise<void> {
  const { addons = [] } = options;
  await Promise.all([
    grantOwnAccess(client),
    grantAccess(client, componentAccounts(options)),
    bindClusterRole(client, KUBELET_CLIENT),
    addons.includes('storage') ? createStandardClass(client) : undefined,
    addons.includes('join') ? createJoinObjects(client) : undefined,
    isJoinable(options) ? grantMachineAccess(client) : undefined,
  ]);
}

const createStandardClass = (client: Client): Promise<void> =>
  ensure(client.resource('storage.k8s.io/v1/storageclasses'), STANDARD_CLASS);

function componentAccounts(options: ClusterOptions): ComponentAccount[] {
  const { addons = [], nodes = 0 } = options;
  const accounts: ComponentAccount[] = ['simulated-kubelet'];
  if (addons.includes('metrics')) accounts.push('metrics-server');
  if (isJoinable(options)) accounts.push('serving-certificate-approver');
  if (nodes === 0 && !isJoinable(options)) return accounts;
  accounts.push('cloud-controller-manager', 'network-policy');
  if (addons.includes('dns')) accounts.push('coredns');
  if (addons.includes('ingress')) accounts.push('ingress-controller');
  return accounts;
}

/**
 * The ServiceAccounts of controllers. Upstream's manager creates them when it requests their tokens; in-process
 * controllers need no tokens, so nothing waits for the accounts.
 */
export async function createControllerAccounts(client: Client, { controllers }: ClusterOptions): Promise<void> {
  if (controllers.length === 0) return;
  const accounts = enabledControllers(controllers).flatMap(({ name }) => serviceAccountOf(name) ?? []);
  await createServiceAccounts(client, [...new Set(accounts)]);
}
