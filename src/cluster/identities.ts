/** The users of a cluster's components, as upstream's components authenticate. */
import type { UserInfo } from '../apiserver/index.ts';

const AUTHENTICATED = 'system:authenticated';

/**
 * The user of the command line and the library, which set up the cluster. The only one in system:masters besides the
 * API server.
 */
export const ADMIN: UserInfo = { name: 'kubernetes-admin', groups: ['system:masters', AUTHENTICATED] };

/** A component with a user of its own, such as `system:kube-scheduler`. */
export const componentUser = (component: string): UserInfo => ({
  name: `system:${component}`,
  groups: [AUTHENTICATED],
});

/** What a cluster itself asks for while it runs: whether it is ready, and what `k8ts status` shows. */
export const OWN_USER: UserInfo = componentUser('k8ts');

/** The kubelet of a node. */
export const nodeUser = (nodeName: string): UserInfo => ({
  name: `system:node:${nodeName}`,
  groups: ['system:nodes', AUTHENTICATED],
});

/** A ServiceAccount of kube-system. */
export const serviceAccountUser = (account: string): UserInfo => ({
  name: `system:serviceaccount:kube-system:${account}`,
  groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', AUTHENTICATED],
});

/** What of a node in this process talks to the API server, each as the user that upstream has for it. */
export const agentUser = (agent: 'kubelet' | 'kube-proxy' | 'network-policy', nodeName: string): UserInfo =>
  agent === 'kubelet'
    ? nodeUser(nodeName)
    : agent === 'kube-proxy'
      ? componentUser('kube-proxy')
      : serviceAccountUser('network-policy');
