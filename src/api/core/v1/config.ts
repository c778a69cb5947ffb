/** ConfigMaps and Secrets. */
import { column, field, listOf, message, object, type KindDeclaration, type MessageDeclarations } from '../../declare.ts';

export const messages = {
  ConfigMap: object('', {
    metadata: field(1, 'meta.ObjectMeta', ''),
    immutable: field(4, '*bool', ''),
    data: field(2, 'map[string]string', ''),
    binaryData: field(3, 'map[string]bytes', ''),
  }),
  ConfigMapList: listOf('ConfigMap'),
  Secret: object('', {
    metadata: field(1, 'meta.ObjectMeta', ''),
    immutable: field(5, '*bool', ''),
    data: field(2, 'map[string]bytes', ''),
    stringData: field(4, 'map[string]string', ''),
    type: field(3, 'SecretType', ''),
  }),
  SecretList: listOf('Secret'),
  SecretReference: message('', {
    name: field(1, 'string', ''),
    namespace: field(2, 'string', ''),
  }, { atomic: true }),
} satisfies MessageDeclarations;

export const kinds: readonly KindDeclaration[] = [
  {
    kind: 'ConfigMap',
    plural: 'configmaps',
    singular: 'configmap',
    namespaced: true,
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    shortNames: ['cm'],
    columns: [
      column('Name', 'string', 0, 'name'),
      column('Data', 'string'),
      column('Age', 'string'),
    ],
  },
  {
    kind: 'Secret',
    plural: 'secrets',
    singular: 'secret',
    namespaced: true,
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    selectableFields: {
      'type': 'type',
    },
    columns: [
      column('Name', 'string', 0, 'name'),
      column('Type', 'string'),
      column('Data', 'string'),
      column('Age', 'string'),
    ],
  },
];
