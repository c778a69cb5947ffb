/** Namespaces. */
import {
  column,
  field,
  listOf,
  message,
  object,
  type KindDeclaration,
  type MessageDeclarations,
} from '../../declare.ts';

export const messages = {
  Namespace: object('A scope for names, policy and access.', {
    metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
    spec: field(2, 'NamespaceSpec', 'The desired state, as the user asks for it.'),
    status: field(3, 'NamespaceStatus', 'The observed state, as the system last reported it.'),
  }),
  NamespaceCondition: message("One aspect of the namespace's current state.", {
    type: field(1, 'NamespaceConditionType', 'Which condition, such as NamespaceContentRemaining.', {
      required: true,
      keep: true,
    }),
    status: field(2, 'ConditionStatus', 'Whether the condition holds: True, False or Unknown.', {
      required: true,
      keep: true,
    }),
    lastTransitionTime: field(4, 'Time', 'When the status last changed.'),
    reason: field(5, 'string', 'One CamelCase word on why the condition has its status.'),
    message: field(6, 'string', 'Details of the last change, for people to read.'),
  }),
  NamespaceList: listOf('Namespace'),
  NamespaceSpec: message('What holds the namespace in existence.', {
    finalizers: field(1, '[]FinalizerName', 'Names that must be gone before the namespace is removed.', {
      list: 'atomic',
    }),
  }),
  NamespaceStatus: message('State of the namespace.', {
    phase: field(1, 'NamespacePhase', 'Active or Terminating.', { default: 'Active' }),
    conditions: field(2, '[]NamespaceCondition', 'Conditions, mostly on how deletion gets along.', {
      list: { map: ['type'] },
      patch: 'merge',
      mergeKey: 'type',
    }),
  }),
} satisfies MessageDeclarations;

export const kinds: readonly KindDeclaration[] = [
  {
    kind: 'Namespace',
    plural: 'namespaces',
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
    columns: [column('Name', 'string', 0, 'name'), column('Status', 'string'), column('Age', 'string')],
  },
];
