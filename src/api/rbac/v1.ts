/** The rbac.authorization.k8s.io group, v1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const rbacV1: PackageDeclaration = {
  alias: 'rbac',
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.api.rbac.v1',
  strings: {},
  messages: {
    AggregationRule: message("Builds a ClusterRole's rules from those of others.", {
      clusterRoleSelectors: field(
        1,
        '[]meta.LabelSelector',
        'Labels of ClusterRoles whose rules are added; any match counts.',
        { list: 'atomic' },
      ),
    }),
    ClusterRole: object('Permissions for the whole cluster, or for use in any namespace.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      rules: field(2, '[]PolicyRule', 'What is allowed.', { keep: true, list: 'atomic' }),
      aggregationRule: field(
        3,
        '*AggregationRule',
        'Fills rules from other ClusterRoles; then rules is not to be edited.',
      ),
    }),
    ClusterRoleBinding: object('Grants a ClusterRole in the whole cluster.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      subjects: field(2, '[]Subject', 'Who gets the permissions.', { list: 'atomic' }),
      roleRef: field(3, 'RoleRef', 'The role that is granted; fixed after creation.', { required: true, keep: true }),
    }),
    ClusterRoleBindingList: listOf('ClusterRoleBinding'),
    ClusterRoleList: listOf('ClusterRole'),
    PolicyRule: message('Verbs allowed on some resources or URLs.', {
      verbs: field(1, '[]string', 'Allowed verbs; * for all.', { required: true, keep: true, list: 'atomic' }),
      apiGroups: field(2, '[]string', 'API groups of the resources; "" for core, * for all.', { list: 'atomic' }),
      resources: field(3, '[]string', 'Resources or resource/subresource; * for all.', { list: 'atomic' }),
      resourceNames: field(4, '[]string', 'Names of the objects; empty for all.', { list: 'atomic' }),
      nonResourceURLs: field(5, '[]string', 'URL paths, such as /healthz; * only as a last part; cluster-wide only.', {
        list: 'atomic',
      }),
    }),
    Role: object('Permissions in one namespace.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      rules: field(2, '[]PolicyRule', 'What is allowed.', { keep: true, list: 'atomic' }),
    }),
    RoleBinding: object('Grants a Role or ClusterRole in one namespace.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      subjects: field(2, '[]Subject', 'Who gets the permissions.', { list: 'atomic' }),
      roleRef: field(3, 'RoleRef', 'The role that is granted; fixed after creation.', { required: true, keep: true }),
    }),
    RoleBindingList: listOf('RoleBinding'),
    RoleList: listOf('Role'),
    RoleRef: message(
      'Points to a role.',
      {
        apiGroup: field(1, 'string', 'API group of the role: rbac.authorization.k8s.io.', {
          keep: true,
          default: 'rbac.authorization.k8s.io',
        }),
        kind: field(2, 'string', 'Role or ClusterRole.', { required: true, keep: true }),
        name: field(3, 'string', 'Name of the role.', { required: true, keep: true }),
      },
      { atomic: true },
    ),
    Subject: message(
      'A user, group or service account.',
      {
        kind: field(1, 'string', 'User, Group or ServiceAccount.', { required: true, keep: true }),
        apiGroup: field(2, 'string', '"" for ServiceAccount, rbac.authorization.k8s.io for the others.'),
        name: field(3, 'string', 'Name of the subject.', { required: true, keep: true }),
        namespace: field(4, 'string', 'Namespace of a ServiceAccount; empty for the others.'),
      },
      { atomic: true },
    ),
  },
  kinds: [
    {
      kind: 'ClusterRoleBinding',
      plural: 'clusterrolebindings',
      namespaced: false,
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
      namespaced: false,
      columns: [column('Name', 'string', 0, 'name'), column('Created At', 'date')],
    },
    {
      kind: 'RoleBinding',
      plural: 'rolebindings',
      namespaced: true,
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
      namespaced: true,
      columns: [column('Name', 'string', 0, 'name'), column('Created At', 'date')],
    },
  ],
};
