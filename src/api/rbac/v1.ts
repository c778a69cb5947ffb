/** The rbac.authorization.k8s.io group, v1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const rbacV1: PackageDeclaration = {
  alias: 'rbac',
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.api.rbac.v1',
  strings: {
  },
  messages: {
    AggregationRule: message('', {
      clusterRoleSelectors: field(1, '[]meta.LabelSelector', '', { list: 'atomic' }),
    }),
    ClusterRole: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      rules: field(2, '[]PolicyRule', '', { keep: true, list: 'atomic' }),
      aggregationRule: field(3, '*AggregationRule', ''),
    }),
    ClusterRoleBinding: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      subjects: field(2, '[]Subject', '', { list: 'atomic' }),
      roleRef: field(3, 'RoleRef', '', { required: true, keep: true }),
    }),
    ClusterRoleBindingList: listOf('ClusterRoleBinding'),
    ClusterRoleList: listOf('ClusterRole'),
    PolicyRule: message('', {
      verbs: field(1, '[]string', '', { required: true, keep: true, list: 'atomic' }),
      apiGroups: field(2, '[]string', '', { list: 'atomic' }),
      resources: field(3, '[]string', '', { list: 'atomic' }),
      resourceNames: field(4, '[]string', '', { list: 'atomic' }),
      nonResourceURLs: field(5, '[]string', '', { list: 'atomic' }),
    }),
    Role: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      rules: field(2, '[]PolicyRule', '', { keep: true, list: 'atomic' }),
    }),
    RoleBinding: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      subjects: field(2, '[]Subject', '', { list: 'atomic' }),
      roleRef: field(3, 'RoleRef', '', { required: true, keep: true }),
    }),
    RoleBindingList: listOf('RoleBinding'),
    RoleList: listOf('Role'),
    RoleRef: message('', {
      apiGroup: field(1, 'string', '', { keep: true }),
      kind: field(2, 'string', '', { required: true, keep: true }),
      name: field(3, 'string', '', { required: true, keep: true }),
    }, { atomic: true }),
    Subject: message('', {
      kind: field(1, 'string', '', { required: true, keep: true }),
      apiGroup: field(2, 'string', ''),
      name: field(3, 'string', '', { required: true, keep: true }),
      namespace: field(4, 'string', ''),
    }, { atomic: true }),
  },
  kinds: [
    {
      kind: 'ClusterRoleBinding',
      plural: 'clusterrolebindings',
      singular: 'clusterrolebinding',
      namespaced: false,
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Role', 'string'),
        column('Age', 'string'),
        column('Users', 'string', 1),
        column('Groups', 'string', 1),
        column('ServiceAccounts', 'string', 1),
      ],
    },
    {
      kind: 'ClusterRole',
      plural: 'clusterroles',
      singular: 'clusterrole',
      namespaced: false,
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Created At', 'date'),
      ],
    },
    {
      kind: 'RoleBinding',
      plural: 'rolebindings',
      singular: 'rolebinding',
      namespaced: true,
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Role', 'string'),
        column('Age', 'string'),
        column('Users', 'string', 1),
        column('Groups', 'string', 1),
        column('ServiceAccounts', 'string', 1),
      ],
    },
    {
      kind: 'Role',
      plural: 'roles',
      singular: 'role',
      namespaced: true,
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Created At', 'date'),
      ],
    },
  ],
};
