/** ComponentStatuses. */
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
  ComponentCondition: message('Health of a control plane component.', {
    type: field(1, 'ComponentConditionType', 'Which condition: Healthy.', { required: true, keep: true }),
    status: field(2, 'ConditionStatus', 'Whether the condition holds: True, False or Unknown.', {
      required: true,
      keep: true,
    }),
    message: field(3, 'string', 'Result of the health check.'),
    error: field(4, 'string', 'Error of the health check.'),
  }),
  ComponentStatus: object('Health of a control plane component; deprecated.', {
    metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
    conditions: field(2, '[]ComponentCondition', 'What was observed.', {
      list: { map: ['type'] },
      patch: 'merge',
      mergeKey: 'type',
    }),
  }),
  ComponentStatusList: listOf('ComponentStatus'),
} satisfies MessageDeclarations;

export const kinds: readonly KindDeclaration[] = [
  {
    kind: 'ComponentStatus',
    plural: 'componentstatuses',
    namespaced: false,
    verbs: ['get', 'list'],
    shortNames: ['cs'],
    columns: [
      column('Name', 'string', 0, 'name'),
      column('Status', 'string'),
      column('Message', 'string'),
      column('Error', 'string'),
    ],
  },
];
