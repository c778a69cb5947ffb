/** ComponentStatuses. */
import { column, field, listOf, message, object, type KindDeclaration, type MessageDeclarations } from '../../declare.ts';

export const messages = {
  ComponentCondition: message('', {
    type: field(1, 'ComponentConditionType', '', { required: true, keep: true }),
    status: field(2, 'ConditionStatus', '', { required: true, keep: true }),
    message: field(3, 'string', ''),
    error: field(4, 'string', ''),
  }),
  ComponentStatus: object('', {
    metadata: field(1, 'meta.ObjectMeta', ''),
    conditions: field(2, '[]ComponentCondition', '', { list: { map: ['type'] }, patch: 'merge', mergeKey: 'type' }),
  }),
  ComponentStatusList: listOf('ComponentStatus'),
} satisfies MessageDeclarations;

export const kinds: readonly KindDeclaration[] = [
  {
    kind: 'ComponentStatus',
    plural: 'componentstatuses',
    singular: 'componentstatus',
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
