/** ServiceAccounts. */
import { column, field, listOf, object, type KindDeclaration, type MessageDeclarations } from '../../declare.ts';

export const messages = {
  ServiceAccount: object('', {
    metadata: field(1, 'meta.ObjectMeta', ''),
    secrets: field(2, '[]ObjectReference', '', { list: { map: ['name'] }, patch: 'merge', mergeKey: 'name' }),
    imagePullSecrets: field(3, '[]LocalObjectReference', '', { list: 'atomic' }),
    automountServiceAccountToken: field(4, '*bool', ''),
  }),
  ServiceAccountList: listOf('ServiceAccount'),
} satisfies MessageDeclarations;

export const kinds: readonly KindDeclaration[] = [
  {
    kind: 'ServiceAccount',
    plural: 'serviceaccounts',
    singular: 'serviceaccount',
    namespaced: true,
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    shortNames: ['sa'],
    subresources: {
      token: { verbs: ['create'], kind: 'authentication.k8s.io/v1.TokenRequest' },
    },
    columns: [
      column('Name', 'string', 0, 'name'),
      column('Age', 'string'),
    ],
  },
];
