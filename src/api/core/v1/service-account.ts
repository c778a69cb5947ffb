/** ServiceAccounts. */
import { column, field, listOf, object, type KindDeclaration, type MessageDeclarations } from '../../declare.ts';

export const messages = {
  ServiceAccount: object('An identity for processes in Pods.', {
    metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
    secrets: field(2, '[]ObjectReference', 'Secrets that Pods of the account may use, when that is enforced.', {
      list: { map: ['name'] },
      patch: 'merge',
      mergeKey: 'name',
    }),
    imagePullSecrets: field(
      3,
      '[]LocalObjectReference',
      'Secrets with image credentials, copied into Pods without any.',
      { list: 'atomic' },
    ),
    automountServiceAccountToken: field(4, '*bool', "Whether Pods get the account's token; a Pod may say otherwise."),
  }),
  ServiceAccountList: listOf('ServiceAccount'),
} satisfies MessageDeclarations;

export const kinds: readonly KindDeclaration[] = [
  {
    kind: 'ServiceAccount',
    plural: 'serviceaccounts',
    namespaced: true,
    shortNames: ['sa'],
    subresources: {
      token: { verbs: ['create'], kind: 'authentication.k8s.io/v1.TokenRequest' },
    },
    columns: [column('Name', 'string', 0, 'name'), column('Age', 'string')],
  },
];
