/** NamespaceLifecycle: nothing is made in a namespace that does not exist or is going away; three are never deleted. */
import { forbidden, notFound } from '../../machinery/status.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';

const IMMORTAL = new Set(['default', 'kube-system', 'kube-public']);

export const namespaceLifecycle: AdmissionPlugin = {
  name: 'NamespaceLifecycle',
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  admit(attributes) {
    if (attributes.served.kind === 'Namespace' && attributes.served.group === '') return checkNamespaceItself(attributes);
    if (attributes.operation !== 'CREATE' || attributes.namespace === '') return;
    if (attributes.served.plural === 'localsubjectaccessreviews') return;
    checkNamespaceOf(attributes);
  },
};

function checkNamespaceItself({ operation, name, groupResource }: AdmissionAttributes): void {
  if (operation === 'DELETE' && IMMORTAL.has(name)) throw forbidden(groupResource, name, 'this namespace may not be deleted');
}

function checkNamespaceOf({ registry, namespace, groupResource, name }: AdmissionAttributes): void {
  const found = registry.lookup('', 'v1', 'namespaces', '', namespace);
  if (!found) throw notFound({ group: '', resource: 'namespaces' }, namespace);
  const status = found['status'] as { phase?: string } | undefined;
  if (status?.phase !== 'Terminating' && !found.metadata.deletionTimestamp) return;
  const error = forbidden(groupResource, name, `unable to create new content in namespace ${namespace} because it is being terminated`);
  error.status.details!.causes = [{ reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' }];
  throw error;
}
