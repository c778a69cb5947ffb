/** The bootstrap ClusterRoles of nodes and node agents. */
import type { ClusterRole, PolicyRule } from '../../api/generated/rbac-v1.ts';
import { READ, clusterRole, recordEvents, rule } from './rbac-builders.ts';
import type { Stored } from './stored.ts';

const NODE_ROLES: Readonly<Record<string, readonly PolicyRule[]>> = {
  'system:node': [
    rule('create', 'authentication.k8s.io', 'tokenreviews'),
    rule('create', 'authorization.k8s.io', 'localsubjectaccessreviews,subjectaccessreviews'),
    rule(READ, 'core', 'services'),
    rule('create,get,list,watch', 'core', 'nodes'),
    rule('patch,update', 'core', 'nodes/status'),
    rule('patch,update', 'core', 'nodes'),
    recordEvents,
    rule(READ, 'core', 'pods'),
    rule('create,delete', 'core', 'pods'),
    rule('patch,update', 'core', 'pods/status'),
    rule('create', 'core', 'pods/eviction'),
    rule(READ, 'core', 'configmaps,secrets'),
    rule('get', 'core', 'persistentvolumeclaims,persistentvolumes'),
    rule('get', 'core', 'endpoints'),
    rule('create,get,list,watch', 'certificates.k8s.io', 'certificatesigningrequests'),
    rule('create,delete,get,patch,update', 'coordination.k8s.io', 'leases'),
    rule('get', 'storage.k8s.io', 'volumeattachments'),
    rule('create', 'core', 'serviceaccounts/token'),
    rule('get,patch,update', 'core', 'persistentvolumeclaims/status'),
    rule(READ, 'storage.k8s.io', 'csidrivers'),
    rule('create,delete,get,patch,update', 'storage.k8s.io', 'csinodes'),
    rule(READ, 'node.k8s.io', 'runtimeclasses'),
    rule('get', 'resource.k8s.io', 'resourceclaims'),
    rule('deletecollection', 'resource.k8s.io', 'resourceslices'),
    rule('get', 'core', 'serviceaccounts'),
  ],
  'system:node-bootstrapper': [rule('create,get,list,watch', 'certificates.k8s.io', 'certificatesigningrequests')],
  'system:node-problem-detector': [rule('get', 'core', 'nodes'), rule('patch', 'core', 'nodes/status'), recordEvents],
  'system:node-proxier': [
    rule('list,watch', 'core', 'endpoints,services'),
    rule(READ, 'core', 'nodes'),
    recordEvents,
    rule('list,watch', 'networking.k8s.io', 'servicecidrs'),
    rule('list,watch', 'discovery.k8s.io', 'endpointslices'),
  ],
  'system:kubelet-api-admin': [
    rule(READ, 'core', 'nodes'),
    rule('proxy', 'core', 'nodes'),
    rule('*', 'core', 'nodes/log,nodes/metrics,nodes/proxy,nodes/stats'),
    rule('*', 'core', 'nodes/configz,nodes/healthz,nodes/pods'),
  ],
  'system:certificates.k8s.io:certificatesigningrequests:nodeclient': [
    rule('create', 'certificates.k8s.io', 'certificatesigningrequests/nodeclient'),
  ],
  'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient': [
    rule('create', 'certificates.k8s.io', 'certificatesigningrequests/selfnodeclient'),
  ],
};

export const nodeRoles = (): Stored<ClusterRole>[] =>
  Object.entries(NODE_ROLES).map(([name, rules]) => clusterRole(name, rules));
