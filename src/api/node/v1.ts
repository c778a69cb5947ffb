/** The node.k8s.io group, v1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const nodeV1: PackageDeclaration = {
  alias: 'node',
  group: 'node.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.api.node.v1',
  strings: {},
  messages: {
    Overhead: message('Resources that running a Pod costs beyond its containers.', {
      podFixed: field(1, 'map[string]Quantity', 'Amount for each Pod.'),
    }),
    RuntimeClass: object('A container runtime that Pods can choose.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      handler: field(2, 'string', "Name of the runtime's configuration on the nodes; fixed.", {
        required: true,
        keep: true,
      }),
      overhead: field(3, '*Overhead', 'Resources that each Pod costs beyond its containers.'),
      scheduling: field(4, '*Scheduling', 'Nodes that have the runtime; default all.'),
    }),
    RuntimeClassList: listOf('RuntimeClass'),
    Scheduling: message('Nodes that have a runtime.', {
      nodeSelector: field(1, 'map[string]string', "Labels of the nodes; added to the Pod's own.", { atomic: true }),
      tolerations: field(2, '[]core.Toleration', "Tolerations that are added to the Pod's own.", { list: 'atomic' }),
    }),
  },
  kinds: [
    {
      kind: 'RuntimeClass',
      plural: 'runtimeclasses',
      namespaced: false,
      columns: [column('Name', 'string', 0, 'name'), column('Handler', 'string'), column('Age', 'string')],
    },
  ],
};
