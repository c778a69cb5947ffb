/** NamespaceLifecycle: rejects creates in missing or terminating namespaces, and deletion of the three system namespaces. */
import { forbidden } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';
import { newForbidden } from './new-forbidden.ts';

const UNDELETABLE = new Set(['default', 'kube-system', 'kube-public']);

export const namespaceLifecycle: AdmissionPlugin = {
  name: 'NamespaceLifecycle',
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  admit(attributes) {
    if (attributes.served.kind === 'Namespace' && attributes.served.group === '')
      return checkNamespaceDeletion(attributes);
    return checkNamespaceOf(attributes);
  },
  /** A namespace can go while a webhook thinks: nothing would ever collect what is created in it then. */
  recheck: checkNamespaceOf,
};

function checkNamespaceDeletion({ operation, name, groupResource }: AdmissionAttributes): void {
  if (operation === 'DELETE' && UNDELETABLE.has(name))
    throw forbidden(groupResource, name, 'this namespace may not be deleted');
}

function checkNamespaceOf(attributes: AdmissionAttributes): void | Promise<void> {
  const { registry, namespace, operation, served } = attributes;
  if (operation !== 'CREATE' || namespace === '' || served.plural === 'localsubjectaccessreviews') return;
  const cached = registry.lookup('', 'v1', 'namespaces', '', namespace);
  if (cached) return checkNotTerminating(attributes, cached);
  // The watch cache may lag behind another API server that has just created the namespace.
  const stored = registry.objects.fresh(registry.require('', 'v1', 'namespaces'), { namespace: '', name: namespace });
  return stored.then((entry) => checkNotTerminating(attributes, entry.object));
}

function checkNotTerminating(attributes: AdmissionAttributes, found: KubeObject): void {
  const { namespace } = attributes;
  const status = found['status'] as { phase?: string } | undefined;
  if (status?.phase !== 'Terminating' && !found.metadata.deletionTimestamp) return;
  const error = newForbidden(
    attributes,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  error.status.details!.causes = [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ];
  throw error;
}
