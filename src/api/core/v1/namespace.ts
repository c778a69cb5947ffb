/** Namespaces. */
import { column, field, listOf, message, object, type KindDeclaration, type MessageDeclarations } from '../../declare.ts';

export const messages = {
  Namespace: object('', {
    metadata: field(1, 'meta.ObjectMeta', ''),
    spec: field(2, 'NamespaceSpec', ''),
    status: field(3, 'NamespaceStatus', ''),
  }),
  NamespaceCondition: message('', {
    type: field(1, 'NamespaceConditionType', '', { required: true, keep: true }),
    status: field(2, 'ConditionStatus', '', { required: true, keep: true }),
    lastTransitionTime: field(4, 'Time', ''),
    reason: field(5, 'string', ''),
    message: field(6, 'string', ''),
  }),
  NamespaceList: listOf('Namespace'),
  NamespaceSpec: message('', {
    finalizers: field(1, '[]FinalizerName', '', { list: 'atomic' }),
  }),
  NamespaceStatus: message('', {
    phase: field(1, 'NamespacePhase', ''),
    conditions: field(2, '[]NamespaceCondition', '', { list: { map: ['type'] }, patch: 'merge', mergeKey: 'type' }),
  }),
} satisfies MessageDeclarations;

export const kinds: readonly KindDeclaration[] = [
  {
    kind: 'Namespace',
    plural: 'namespaces',
    singular: 'namespace',
    namespaced: false,
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
    shortNames: ['ns'],
    subresources: {
      finalize: { verbs: ['update'] },
      status: { verbs: ['get', 'patch', 'update'] },
    },
    selectableFields: {
      'status.phase': 'status.phase',
    },
    columns: [
      column('Name', 'string', 0, 'name'),
      column('Status', 'string'),
      column('Age', 'string'),
    ],
  },
];
