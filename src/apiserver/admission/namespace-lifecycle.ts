import { forbidden } from '../../machinery/errors/index.ts';
/** NamespaceLifecycle: nothing is made in a namespace that does not exist or is going away; three are never deleted. */
import type { KubeObject } from '../../machinery/index.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';
import { refuse } from './refuse.ts';

const IMMORTAL = new Set(['default', 'kube-system', 'kube-public']);

export const namespaceLifecycle: AdmissionPlugin = {
  name: 'NamespaceLifecycle',
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  admit(attributes) {
    if (attributes.served.kind === 'Namespace' && attributes.served.group === '')
      return checkNamespaceItself(attributes);
    if (attributes.operation !== 'CREATE' || attributes.namespace === '') return;
    if (attributes.served.plural === 'localsubjectaccessreviews') return;
    return checkNamespaceOf(attributes);
  },
};

function checkNamespaceItself({ operation, name, groupResource }: AdmissionAttributes): void {
  if (operation === 'DELETE' && IMMORTAL.has(name))
    throw forbidden(groupResource, name, 'this namespace may not be deleted');
}

function checkNamespaceOf(attributes: AdmissionAttributes): void | Promise<void> {
  const { registry, namespace } = attributes;
  const known = registry.lookup('', 'v1', 'namespaces', '', namespace);
  if (known) return checkAlive(attributes, known);
  // Another server may have made it a moment ago: the store itself knows.
  const stored = registry.objects.fresh(registry.require('', 'v1', 'namespaces'), { namespace: '', name: namespace });
  return stored.then((entry) => checkAlive(attributes, entry.object));
}

function checkAlive(attributes: AdmissionAttributes, found: KubeObject): void {
  const { namespace } = attributes;
  const status = found['status'] as { phase?: string } | undefined;
  if (status?.phase !== 'Terminating' && !found.metadata.deletionTimestamp) return;
  const error = refuse(
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
