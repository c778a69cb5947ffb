/** The user-facing bootstrap ClusterRoles: cluster-admin, admin, edit, view, discovery and others. */
import type { ClusterRole, PolicyRule } from '../../api/generated/rbac-v1.ts';
import {
  CHANGE,
  READ,
  READ_AND_CHANGE,
  aggregateTo,
  aggregatedClusterRole,
  clusterRole,
  rule,
  urls,
} from './rbac-builders.ts';
import type { Stored } from './stored.ts';

const ADMIN: readonly PolicyRule[] = [
  rule('create', 'authorization.k8s.io', 'localsubjectaccessreviews'),
  rule(READ_AND_CHANGE, 'rbac.authorization.k8s.io', 'rolebindings,roles'),
];

const EDIT: readonly PolicyRule[] = [
  rule(READ, 'core', 'pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy'),
  rule('impersonate', 'core', 'serviceaccounts'),
  rule(CHANGE, 'core', 'pods,pods/attach,pods/exec,pods/portforward,pods/proxy'),
  rule('create', 'core', 'pods/eviction'),
  rule(
    CHANGE,
    'core',
    'configmaps,persistentvolumeclaims,replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy',
  ),
  rule('create', 'core', 'serviceaccounts/token'),
  rule(CHANGE, 'core,events.k8s.io', 'events'),
  rule(
    CHANGE,
    'apps',
    'daemonsets,deployments,deployments/rollback,deployments/scale,replicasets,replicasets/scale,statefulsets,statefulsets/scale',
  ),
  rule(CHANGE, 'autoscaling', 'horizontalpodautoscalers'),
  rule(CHANGE, 'batch', 'cronjobs,jobs'),
  rule(
    CHANGE,
    'extensions',
    'daemonsets,deployments,deployments/rollback,deployments/scale,ingresses,networkpolicies,replicasets,replicasets/scale,replicationcontrollers/scale',
  ),
  rule(CHANGE, 'policy', 'poddisruptionbudgets'),
  rule(CHANGE, 'networking.k8s.io', 'ingresses,networkpolicies'),
  rule(READ_AND_CHANGE, 'coordination.k8s.io', 'leases'),
  rule(CHANGE, 'resource.k8s.io', 'resourceclaims,resourceclaimtemplates'),
];

const VIEW: readonly PolicyRule[] = [
  rule(
    READ,
    'core',
    'configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,services/status',
  ),
  rule(
    READ,
    'core',
    'bindings,limitranges,namespaces/status,pods/log,pods/status,replicationcontrollers/status,resourcequotas,resourcequotas/status',
  ),
  rule(READ, 'core', 'namespaces'),
  rule(READ, 'core,events.k8s.io', 'events'),
  rule(READ, 'discovery.k8s.io', 'endpointslices'),
  rule(
    READ,
    'apps',
    'controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,replicasets,replicasets/scale,replicasets/status,statefulsets,statefulsets/scale,statefulsets/status',
  ),
  rule(READ, 'autoscaling', 'horizontalpodautoscalers,horizontalpodautoscalers/status'),
  rule(READ, 'batch', 'cronjobs,cronjobs/status,jobs,jobs/status'),
  rule(
    READ,
    'extensions',
    'daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,ingresses,ingresses/status,networkpolicies,replicasets,replicasets/scale,replicasets/status,replicationcontrollers/scale',
  ),
  rule(READ, 'policy', 'poddisruptionbudgets,poddisruptionbudgets/status'),
  rule(READ, 'networking.k8s.io', 'ingresses,ingresses/status,networkpolicies'),
  rule(READ, 'resource.k8s.io', 'resourceclaims,resourceclaims/status,resourceclaimtemplates'),
];

const GENERAL_ROLES: Readonly<Record<string, readonly PolicyRule[]>> = {
  'cluster-admin': [rule('*', '*', '*'), urls('*', '*')],
  'system:basic-user': [
    rule('create', 'authorization.k8s.io', 'selfsubjectaccessreviews,selfsubjectrulesreviews'),
    rule('create', 'authentication.k8s.io', 'selfsubjectreviews'),
  ],
  'system:discovery': [
    urls('get', '/api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,/version/'),
  ],
  'system:monitoring': [
    urls('get', '/flagz,/healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/*,/statusz'),
    rule('get', 'core', 'nodes/metrics'),
  ],
  'system:public-info-viewer': [urls('get', '/healthz,/livez,/readyz,/version,/version/')],
  'system:service-account-issuer-discovery': [
    urls(
      'get',
      '/.well-known/openid-configuration,/.well-known/openid-configuration/,/openid/v1/jwks,/openid/v1/jwks/',
    ),
  ],
};

/** edit aggregates view, and admin aggregates edit, each with all roles that have its aggregation label. */
export const clusterRoles = (): Stored<ClusterRole>[] => [
  aggregatedClusterRole('admin'),
  aggregatedClusterRole('edit', aggregateTo('admin')),
  aggregatedClusterRole('view', aggregateTo('edit')),
  clusterRole('system:aggregate-to-admin', ADMIN, aggregateTo('admin')),
  clusterRole('system:aggregate-to-edit', EDIT, aggregateTo('edit')),
  clusterRole('system:aggregate-to-view', VIEW, aggregateTo('view')),
  ...Object.entries(GENERAL_ROLES).map(([name, rules]) => clusterRole(name, rules)),
];
