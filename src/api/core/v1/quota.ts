/** ResourceQuotas and LimitRanges. */
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
  LimitRange: object('Limits and defaults for resources in a namespace.', {
    metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
    spec: field(2, 'LimitRangeSpec', 'The desired state, as the user asks for it.'),
  }),
  LimitRangeItem: message('Limits for one type of object.', {
    type: field(1, 'LimitType', 'Pod, Container or PersistentVolumeClaim.', { required: true, keep: true }),
    max: field(2, 'map[string]Quantity', 'Most of each resource.'),
    min: field(3, 'map[string]Quantity', 'Least of each resource.'),
    default: field(4, 'map[string]Quantity', 'Limits that are set when a container has none.'),
    defaultRequest: field(5, 'map[string]Quantity', 'Requests that are set when a container has none.'),
    maxLimitRequestRatio: field(6, 'map[string]Quantity', 'Most that the limit may be, as a multiple of the request.'),
  }),
  LimitRangeList: listOf('LimitRange'),
  LimitRangeSpec: message('The limits of a LimitRange.', {
    limits: field(1, '[]LimitRangeItem', 'The limits, one entry a type.', {
      required: true,
      keep: true,
      list: 'atomic',
    }),
  }),
  ResourceQuota: object('Caps the resources used in a namespace.', {
    metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
    spec: field(2, 'ResourceQuotaSpec', 'The desired state, as the user asks for it.'),
    status: field(3, 'ResourceQuotaStatus', 'The observed state, as the system last reported it.'),
  }),
  ResourceQuotaList: listOf('ResourceQuota'),
  ResourceQuotaSpec: message('What is capped and how high.', {
    hard: field(1, 'map[string]Quantity', 'Most of each resource or number of objects.'),
    scopes: field(
      2,
      '[]ResourceQuotaScope',
      'Scopes that an object must all match to be counted; default everything.',
      { list: 'atomic' },
    ),
    scopeSelector: field(3, '*ScopeSelector', 'Further tests on scopes.'),
  }),
  ResourceQuotaStatus: message('The caps and what is used of them.', {
    hard: field(1, 'map[string]Quantity', 'The caps in force.'),
    used: field(2, 'map[string]Quantity', 'What is used now.'),
  }),
} satisfies MessageDeclarations;

export const kinds: readonly KindDeclaration[] = [
  {
    kind: 'LimitRange',
    plural: 'limitranges',
    namespaced: true,
    shortNames: ['limits'],
    columns: [column('Name', 'string', 0, 'name'), column('Created At', 'date')],
  },
  {
    kind: 'ResourceQuota',
    plural: 'resourcequotas',
    namespaced: true,
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
