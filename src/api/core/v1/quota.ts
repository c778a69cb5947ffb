/** ResourceQuotas and LimitRanges. */
import { column, field, listOf, message, object, type KindDeclaration, type MessageDeclarations } from '../../declare.ts';

export const messages = {
  LimitRange: object('', {
    metadata: field(1, 'meta.ObjectMeta', ''),
    spec: field(2, 'LimitRangeSpec', ''),
  }),
  LimitRangeItem: message('', {
    type: field(1, 'LimitType', '', { required: true, keep: true }),
    max: field(2, 'map[string]Quantity', ''),
    min: field(3, 'map[string]Quantity', ''),
    default: field(4, 'map[string]Quantity', ''),
    defaultRequest: field(5, 'map[string]Quantity', ''),
    maxLimitRequestRatio: field(6, 'map[string]Quantity', ''),
  }),
  LimitRangeList: listOf('LimitRange'),
  LimitRangeSpec: message('', {
    limits: field(1, '[]LimitRangeItem', '', { required: true, keep: true, list: 'atomic' }),
  }),
  ResourceQuota: object('', {
    metadata: field(1, 'meta.ObjectMeta', ''),
    spec: field(2, 'ResourceQuotaSpec', ''),
    status: field(3, 'ResourceQuotaStatus', ''),
  }),
  ResourceQuotaList: listOf('ResourceQuota'),
  ResourceQuotaSpec: message('', {
    hard: field(1, 'map[string]Quantity', ''),
    scopes: field(2, '[]ResourceQuotaScope', '', { list: 'atomic' }),
    scopeSelector: field(3, '*ScopeSelector', ''),
  }),
  ResourceQuotaStatus: message('', {
    hard: field(1, 'map[string]Quantity', ''),
    used: field(2, 'map[string]Quantity', ''),
  }),
} satisfies MessageDeclarations;

export const kinds: readonly KindDeclaration[] = [
  {
    kind: 'LimitRange',
    plural: 'limitranges',
    singular: 'limitrange',
    namespaced: true,
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    shortNames: ['limits'],
    columns: [
      column('Name', 'string', 0, 'name'),
      column('Created At', 'date'),
    ],
  },
  {
    kind: 'ResourceQuota',
    plural: 'resourcequotas',
    singular: 'resourcequota',
    namespaced: true,
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    shortNames: ['quota'],
    subresources: {
      status: { verbs: ['get', 'patch', 'update'] },
    },
    columns: [
      column('Name', 'string', 0, 'name'),
      column('Request', 'string'),
      column('Limit', 'string'),
      column('Age', 'string'),
    ],
  },
];
