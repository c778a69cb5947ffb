/** NamespaceExists rejects requests in missing namespaces; NamespaceAutoProvision creates the namespace instead. */
import { formatTime } from '../../base/index.ts';
import type { Context } from '../../kernel/index.ts';
import { isStatusError } from '../../machinery/errors/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';
import { isForResource } from './request-objects.ts';

const isInNamespace = (attributes: AdmissionAttributes): boolean =>
  attributes.namespace !== '' && !isForResource(attributes, '', 'namespaces');

export const namespaceExistsPlugin = (registry: Registry): AdmissionPlugin => {
  const namespaces = registry.require('', 'v1', 'namespaces');
  return {
    name: 'NamespaceExists',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    matches: (attributes) => isInNamespace(attributes) && !namespaces.cache.get('', attributes.namespace),
    async validate({ namespace }) {
      await registry.objects.fresh(namespaces, { namespace: '', name: namespace });
    },
  };
};

export const namespaceAutoProvisionPlugin = (ctx: Context, registry: Registry): AdmissionPlugin => {
  const namespaces = registry.require('', 'v1', 'namespaces');
  return {
    name: 'NamespaceAutoProvision',
    operations: ['CREATE'],
    matches: (attributes) =>
      !attributes.dryRun && isInNamespace(attributes) && !namespaces.cache.get('', attributes.namespace),
    async admit({ namespace: name, span }) {
      const metadata = {
        name,
        uid: ctx.random.uid(),
        creationTimestamp: formatTime(ctx.clock.now()),
        labels: { 'kubernetes.io/metadata.name': name },
      };
      try {
        await registry.objects.create(
          namespaces,
          { namespace: '', name },
          {
            apiVersion: 'v1',
            kind: 'Namespace',
            metadata,
            spec: { finalizers: ['kubernetes'] },
            status: { phase: 'Active' },
          },
          false,
          undefined,
          span,
        );
      } catch (error) {
        if (!isStatusError(error, 'AlreadyExists')) throw error;
      }
    },
  };
};
