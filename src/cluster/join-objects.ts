/**
 * RBAC for joining machines with a bootstrap token, as kubeadm creates it: tokens may request node certificates, such
 * requests are approved, and nodes may renew theirs.
 */
import type { Client } from '../client/index.ts';
import { bindClusterRole } from './component-access.ts';

const REQUESTS = 'system:certificates.k8s.io:certificatesigningrequests';

/** Name of the binding, role, group. Every bootstrap token is of the group `system:bootstrappers`. */
const BINDINGS = [
  ['k8ts:node-bootstrap', 'system:node-bootstrapper', 'system:bootstrappers'],
  ['k8ts:node-autoapprove-bootstrap', `${REQUESTS}:nodeclient`, 'system:bootstrappers'],
  ['k8ts:node-autoapprove-certificate-rotation', `${REQUESTS}:selfnodeclient`, 'system:nodes'],
] as const;

export async function createJoinObjects(client: Client): Promise<void> {
  const bind = ([name, role, group]: (typeof BINDINGS)[number]): Promise<void> =>
    bindClusterRole(client, { name, role, subject: { kind: 'Group', name: group } });
  await Promise.all(BINDINGS.map(bind));
}
