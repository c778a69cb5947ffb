/**
 * The clients of the controller manager, as with upstream's `--use-service-account-credentials`: informers use the
 * manager's user, each controller its ServiceAccount.
 */
import { KUBERNETES_VERSION } from '../api/kubernetes-version.ts';
import type { Client } from '../client/index.ts';
import { serviceAccountOf } from '../controller-manager/index.ts';
import type { ControlPlane } from './control-plane.ts';
import { componentUser, serviceAccountUser } from './identities.ts';

interface ControllerClients {
  readonly client: Client;
  readonly clientFor: (controller: string) => Client;
}

export function controllerClients(controlPlane: ControlPlane, signal: AbortSignal): ControllerClients {
  const clientAs = controlPlane.clientsAs(`kube-controller-manager/${KUBERNETES_VERSION}`, signal);
  const client = clientAs(componentUser('kube-controller-manager'));
  const clientFor = (controller: string): Client => {
    const account = serviceAccountOf(controller);
    return account === undefined ? client : clientAs(serviceAccountUser(account));
  };
  return { client, clientFor };
}
