/** The node.k8s.io group, v1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const nodeV1: PackageDeclaration = {
  alias: 'node',
  group: 'node.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.api.node.v1',
  strings: {
  },
  messages: {
    Overhead: message('', {
      podFixed: field(1, 'map[string]Quantity', ''),
    }),
    RuntimeClass: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      handler: field(2, 'string', '', { required: true, keep: true }),
      overhead: field(3, '*Overhead', ''),
      scheduling: field(4, '*Scheduling', ''),
    }),
    RuntimeClassList: listOf('RuntimeClass'),
    Scheduling: message('', {
      nodeSelector: field(1, 'map[string]string', '', { atomic: true }),
      tolerations: field(2, '[]core.Toleration', '', { list: 'atomic' }),
    }),
  },
  kinds: [
    {
      kind: 'RuntimeClass',
      plural: 'runtimeclasses',
      singular: 'runtimeclass',
      namespaced: false,
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Handler', 'string'),
        column('Age', 'string'),
      ],
    },
  ],
};
