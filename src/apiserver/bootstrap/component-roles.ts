/** The bootstrap ClusterRoles of control plane components and common add-ons. */
import type { ClusterRole, PolicyRule } from '../../api/generated/rbac-v1.ts';
import { READ, READ_AND_CHANGE, clusterRole, recordEvents, rule } from './rbac-builders.ts';
import type { Stored } from './stored.ts';

const COMPONENT_ROLES: Readonly<Record<string, readonly PolicyRule[]>> = {
  'system:kube-controller-manager': [
    recordEvents,
    rule('create', 'coordination.k8s.io', 'leases'),
    rule('get,update', 'coordination.k8s.io', 'leases', 'kube-controller-manager'),
    rule('create', 'core', 'secrets,serviceaccounts'),
    rule('delete', 'core', 'secrets'),
    rule('get', 'core', 'configmaps,namespaces,secrets,serviceaccounts'),
    rule('update', 'core', 'secrets,serviceaccounts'),
    rule('create', 'authentication.k8s.io', 'tokenreviews'),
    rule('create', 'authorization.k8s.io', 'subjectaccessreviews'),
    rule('list,watch', '*', '*'),
    rule('create', 'core', 'serviceaccounts/token'),
  ],
  'system:kube-scheduler': [
    recordEvents,
    rule('create', 'coordination.k8s.io', 'leases'),
    rule('get,list,update,watch', 'coordination.k8s.io', 'leases', 'kube-scheduler'),
    rule(READ_AND_CHANGE, 'coordination.k8s.io', 'leasecandidates'),
    rule(READ, 'core', 'nodes'),
    rule('delete,get,list,watch', 'core', 'pods'),
    rule('create', 'core', 'bindings,pods/binding'),
    rule('patch,update', 'core', 'pods/status'),
    rule(READ, 'core', 'replicationcontrollers,services'),
    rule(READ, 'apps,extensions', 'replicasets'),
    rule(READ, 'apps', 'statefulsets'),
    rule(READ, 'policy', 'poddisruptionbudgets'),
    rule(READ, 'core', 'persistentvolumeclaims,persistentvolumes'),
    rule('create', 'authentication.k8s.io', 'tokenreviews'),
    rule('create', 'authorization.k8s.io', 'subjectaccessreviews'),
    rule(READ, 'storage.k8s.io', 'csinodes'),
    rule(READ, 'storage.k8s.io', 'volumeattachments'),
    rule(READ, 'core', 'namespaces'),
    rule(READ, 'storage.k8s.io', 'csidrivers'),
    rule(READ, 'storage.k8s.io', 'csistoragecapacities'),
    rule(READ, 'resource.k8s.io', 'deviceclasses'),
    rule('get,list,patch,update,watch', 'resource.k8s.io', 'resourceclaims'),
    rule('get,list,patch,update,watch', 'resource.k8s.io', 'resourceclaims/status'),
    rule('update', 'core', 'pods/finalizers'),
    rule(READ, 'resource.k8s.io', 'resourceslices'),
    rule('create,delete', 'resource.k8s.io', 'resourceclaims'),
    rule('patch,update', 'resource.k8s.io', 'resourceclaims/binding'),
  ],
  'system:volume-scheduler': [
    rule('get,list,patch,update,watch', 'core', 'persistentvolumes'),
    rule(READ, 'storage.k8s.io', 'storageclasses'),
    rule('get,list,patch,update,watch', 'core', 'persistentvolumeclaims'),
  ],
  'system:kube-dns': [rule('list,watch', 'core', 'endpoints,services')],
  'system:kube-aggregator': [rule(READ, 'core', 'endpoints,services')],
  'system:auth-delegator': [
    rule('create', 'authentication.k8s.io', 'tokenreviews'),
    rule('create', 'authorization.k8s.io', 'subjectaccessreviews'),
  ],
  'system:persistent-volume-provisioner': [
    rule('create,delete,get,list,watch', 'core', 'persistentvolumes'),
    rule('get,list,update,watch', 'core', 'persistentvolumeclaims'),
    rule(READ, 'storage.k8s.io', 'storageclasses'),
    rule('watch', 'core', 'events'),
    recordEvents,
  ],
  'system:heapster': [rule(READ, 'core', 'events,namespaces,nodes,pods'), rule(READ, 'extensions', 'deployments')],
  'system:certificates.k8s.io:kube-apiserver-client-approver': [
    rule('approve', 'certificates.k8s.io', 'signers', 'kubernetes.io/kube-apiserver-client'),
  ],
  'system:certificates.k8s.io:kube-apiserver-client-kubelet-approver': [
    rule('approve', 'certificates.k8s.io', 'signers', 'kubernetes.io/kube-apiserver-client-kubelet'),
  ],
  'system:certificates.k8s.io:kubelet-serving-approver': [
    rule('approve', 'certificates.k8s.io', 'signers', 'kubernetes.io/kubelet-serving'),
  ],
  'system:certificates.k8s.io:legacy-unknown-approver': [
    rule('approve', 'certificates.k8s.io', 'signers', 'kubernetes.io/legacy-unknown'),
  ],
};

export const componentRoles = (): Stored<ClusterRole>[] =>
  Object.entries(COMPONENT_ROLES).map(([name, rules]) => clusterRole(name, rules));
