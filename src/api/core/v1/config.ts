/** ConfigMaps and Secrets. */
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
  ConfigMap: object('Configuration that Pods can read.', {
    metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
    immutable: field(4, '*bool', 'Whether the data can never change; once true it stays.'),
    data: field(2, 'map[string]string', 'Text values; keys of letters, digits, "-", "_" and ".".'),
    binaryData: field(3, 'map[string]bytes', 'Binary values, in base64; keys must not be in data.'),
  }),
  ConfigMapList: listOf('ConfigMap'),
  Secret: object('Confidential data; keys and values together at most 1 MiB.', {
    metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
    immutable: field(5, '*bool', 'Whether the data can never change; once true it stays.'),
    data: field(2, 'map[string]bytes', 'Values in base64; keys of letters, digits, "-", "_" and ".".'),
    stringData: field(4, 'map[string]string', 'Values as plain text; written into data and never returned.'),
    type: field(3, 'SecretType', 'What the Secret is for; default Opaque.', { default: 'Opaque' }),
  }),
  SecretList: listOf('Secret'),
  SecretReference: message(
    'A Secret by name and namespace.',
    {
      name: field(1, 'string', 'Name of the Secret.'),
      namespace: field(2, 'string', 'Namespace of the Secret.'),
    },
    { atomic: true },
  ),
} satisfies MessageDeclarations;

export const kinds: readonly KindDeclaration[] = [
  {
    kind: 'ConfigMap',
    plural: 'configmaps',
    namespaced: true,
    shortNames: ['cm'],
    columns: [column('Name', 'string', 0, 'name'), column('Data', 'string'), column('Age', 'string')],
  },
  {
    kind: 'Secret',
    plural: 'secrets',
    namespaced: true,
    selectableFields: {
      type: 'type',
    },
    columns: [
      column('Name', 'string', 0, 'name'),
      column('Type', 'string'),
      column('Data', 'string'),
      column('Age', 'string'),
    ],
  },
];
