/** What each built-in controller may do. Each runs as the ServiceAccount of its name in kube-system. */
import type { ServiceAccount } from '../../api/generated/core-v1.ts';
import type { ClusterRole, ClusterRoleBinding, PolicyRule } from '../../api/generated/rbac-v1.ts';
import { READ, clusterRole, clusterRoleBinding, recordEvents, rule, serviceAccount } from './rbac-builders.ts';
import type { Stored } from './stored.ts';

const CONTROLLERS: Readonly<Record<string, readonly PolicyRule[]>> = {
  'attachdetach-controller': [
    rule('list,watch', 'core', 'persistentvolumeclaims,persistentvolumes'),
    rule(READ, 'core', 'nodes'),
    rule('patch,update', 'core', 'nodes/status'),
    rule('list,watch', 'core', 'pods'),
    recordEvents,
    rule('create,delete,get,list,watch', 'storage.k8s.io', 'volumeattachments'),
    rule(READ, 'storage.k8s.io', 'csidrivers'),
    rule(READ, 'storage.k8s.io', 'csinodes'),
  ],
  'certificate-controller': [
    rule('delete,get,list,watch', 'certificates.k8s.io', 'certificatesigningrequests'),
    rule('update', 'certificates.k8s.io', 'certificatesigningrequests/approval,certificatesigningrequests/status'),
    rule('approve', 'certificates.k8s.io', 'signers', 'kubernetes.io/kube-apiserver-client-kubelet'),
    rule('sign', 'certificates.k8s.io', 'signers', 'kubernetes.io/kube-apiserver-client,kubernetes.io/kube-apiserver-client-kubelet,kubernetes.io/kubelet-serving,kubernetes.io/legacy-unknown'),
    rule('create', 'authorization.k8s.io', 'subjectaccessreviews'),
    recordEvents,
  ],
  'clusterrole-aggregation-controller': [rule('escalate,get,list,patch,update,watch', 'rbac.authorization.k8s.io', 'clusterroles')],
  'cronjob-controller': [
    rule('get,list,update,watch', 'batch', 'cronjobs'),
    rule('create,delete,get,list,patch,update,watch', 'batch', 'jobs'),
    rule('update', 'batch', 'cronjobs/status'),
    rule('update', 'batch', 'cronjobs/finalizers'),
    rule('delete,list,watch', 'core', 'pods'),
    recordEvents,
  ],
  'daemon-set-controller': [
    rule(READ, 'apps,extensions', 'daemonsets'),
    rule('update', 'apps,extensions', 'daemonsets/status'),
    rule('update', 'apps,extensions', 'daemonsets/finalizers'),
    rule('list,watch', 'core', 'nodes'),
    rule('create,delete,list,patch,watch', 'core', 'pods'),
    rule('create', 'core', 'pods/binding'),
    rule('create,delete,get,list,patch,update,watch', 'apps', 'controllerrevisions'),
    recordEvents,
  ],
  'deployment-controller': [
    rule('get,list,update,watch', 'apps,extensions', 'deployments'),
    rule('update', 'apps,extensions', 'deployments/status'),
    rule('update', 'apps,extensions', 'deployments/finalizers'),
    rule('create,delete,get,list,patch,update,watch', 'apps,extensions', 'replicasets'),
    rule('get,list,update,watch', 'core', 'pods'),
    recordEvents,
  ],
  'device-taint-eviction-controller': [
    rule('delete,get,list,watch', 'core', 'pods'),
    rule('patch,update', 'core', 'pods/status'),
    rule(READ, 'resource.k8s.io', 'resourceclaims'),
    rule(READ, 'resource.k8s.io', 'resourceslices'),
    rule(READ, 'resource.k8s.io', 'deviceclasses'),
    recordEvents,
  ],
  'disruption-controller': [
    rule(READ, 'apps,extensions', 'deployments'),
    rule(READ, 'apps,extensions', 'replicasets'),
    rule(READ, 'core', 'replicationcontrollers'),
    rule(READ, 'policy', 'poddisruptionbudgets'),
    rule(READ, 'apps', 'statefulsets'),
    rule('update', 'policy', 'poddisruptionbudgets/status'),
    rule('patch,update', 'core', 'pods/status'),
    rule('get', '*', '*/scale'),
    recordEvents,
  ],
  'endpoint-controller': [
    rule(READ, 'core', 'pods,services'),
    rule('create,delete,get,list,update,watch', 'core', 'endpoints'),
    rule('create', 'core', 'endpoints/restricted'),
    recordEvents,
  ],
  'endpointslice-controller': [
    rule(READ, 'core', 'nodes,pods,services'),
    rule('update', 'core', 'services/finalizers'),
    rule('create,delete,get,list,update,watch', 'discovery.k8s.io', 'endpointslices'),
    recordEvents,
  ],
  'endpointslicemirroring-controller': [
    rule(READ, 'core', 'endpoints,services'),
    rule('update', 'core', 'services/finalizers'),
    rule('update', 'core', 'endpoints/finalizers'),
    rule('create,delete,get,list,update,watch', 'discovery.k8s.io', 'endpointslices'),
    recordEvents,
  ],
  'ephemeral-volume-controller': [
    rule(READ, 'core', 'pods'),
    rule('update', 'core', 'pods/finalizers'),
    rule('create,get,list,watch', 'core', 'persistentvolumeclaims'),
    recordEvents,
  ],
  'expand-controller': [
    rule('get,list,patch,update,watch', 'core', 'persistentvolumes'),
    rule('patch,update', 'core', 'persistentvolumeclaims/status'),
    rule(READ, 'core', 'persistentvolumeclaims'),
    recordEvents,
  ],
  'generic-garbage-collector': [
    rule('delete,get,list,patch,update,watch', '*', '*'),
    recordEvents,
  ],
  'horizontal-pod-autoscaler': [
    rule(READ, 'autoscaling', 'horizontalpodautoscalers'),
    rule('update', 'autoscaling', 'horizontalpodautoscalers/status'),
    rule('get,update', '*', '*/scale'),
    rule('list,watch', 'core', 'pods'),
    rule('list,watch', 'metrics.k8s.io', 'pods'),
    rule(READ, 'custom.metrics.k8s.io', '*'),
    rule(READ, 'external.metrics.k8s.io', '*'),
    recordEvents,
  ],
  'job-controller': [
    rule('get,list,patch,update,watch', 'batch', 'jobs'),
    rule('update', 'batch', 'jobs/status'),
    rule('update', 'batch', 'jobs/finalizers'),
    rule('create,delete,list,patch,watch', 'core', 'pods'),
    recordEvents,
  ],
  'legacy-service-account-token-cleaner': [
    rule('get', 'core', 'configmaps', 'kube-apiserver-legacy-service-account-token-tracking'),
    rule('delete,patch', 'core', 'secrets'),
  ],
  'namespace-controller': [
    rule('delete,get,list,watch', 'core', 'namespaces'),
    rule('update', 'core', 'namespaces/finalize,namespaces/status'),
    rule('delete,deletecollection,get,list,watch', '*', '*'),
  ],
  'node-controller': [
    rule('delete,get,list,patch,update,watch', 'core', 'nodes'),
    rule('patch,update', 'core', 'nodes/status'),
    rule('patch,update', 'core', 'pods/status'),
    rule('delete,get,list,watch', 'core', 'pods'),
    recordEvents,
  ],
  'persistent-volume-binder': [
    rule('create,delete,get,list,update,watch', 'core', 'persistentvolumes'),
    rule('update', 'core', 'persistentvolumes/status'),
    rule('get,list,update,watch', 'core', 'persistentvolumeclaims'),
    rule('update', 'core', 'persistentvolumeclaims/status'),
    rule('create,delete,get,list,watch', 'core', 'pods'),
    rule(READ, 'storage.k8s.io', 'storageclasses'),
    rule('list,watch', 'core', 'nodes'),
    recordEvents,
    rule('watch', 'core', 'events'),
  ],
  'pod-garbage-collector': [
    rule('delete,list,watch', 'core', 'pods'),
    rule(READ, 'core', 'nodes'),
    rule('patch', 'core', 'pods/status'),
  ],
  'pv-protection-controller': [
    rule('get,list,update,watch', 'core', 'persistentvolumes'),
    recordEvents,
  ],
  'pvc-protection-controller': [
    rule('get,list,update,watch', 'core', 'persistentvolumeclaims'),
    rule('update', 'core', 'persistentvolumeclaims/status'),
    rule(READ, 'core', 'pods'),
    recordEvents,
  ],
  'replicaset-controller': [
    rule('get,list,update,watch', 'apps,extensions', 'replicasets'),
    rule('update', 'apps,extensions', 'replicasets/status'),
    rule('update', 'apps,extensions', 'replicasets/finalizers'),
    rule('create,delete,list,patch,watch', 'core', 'pods'),
    recordEvents,
  ],
  'replication-controller': [
    rule('get,list,update,watch', 'core', 'replicationcontrollers'),
    rule('update', 'core', 'replicationcontrollers/status'),
    rule('update', 'core', 'replicationcontrollers/finalizers'),
    rule('create,delete,list,patch,watch', 'core', 'pods'),
    recordEvents,
  ],
  'resource-claim-controller': [
    rule(READ, 'core', 'pods'),
    rule('update', 'core', 'pods/finalizers'),
    rule('create,delete,get,list,watch', 'resource.k8s.io', 'resourceclaims'),
    rule('patch,update', 'resource.k8s.io', 'resourceclaims,resourceclaims/status'),
    rule('patch,update', 'core', 'pods/status'),
    recordEvents,
    rule('patch,update', 'resource.k8s.io', 'resourceclaims/binding'),
  ],
  'resourcequota-controller': [
    rule('list,watch', '*', '*'),
    rule('update', 'core', 'resourcequotas/status'),
    recordEvents,
  ],
  'root-ca-cert-publisher': [
    rule('create,update', 'core', 'configmaps'),
    recordEvents,
  ],
  'route-controller': [
    rule('list,watch', 'core', 'nodes'),
    rule('patch', 'core', 'nodes/status'),
    recordEvents,
  ],
  'selinux-warning-controller': [
    recordEvents,
    rule(READ, 'core', 'persistentvolumes'),
    rule(READ, 'core', 'persistentvolumeclaims'),
    rule(READ, 'core', 'pods'),
    rule(READ, 'storage.k8s.io', 'csidrivers'),
  ],
  'service-account-controller': [
    rule('create', 'core', 'serviceaccounts'),
    recordEvents,
  ],
  'service-cidrs-controller': [
    rule('get,list,patch,update,watch', 'networking.k8s.io', 'servicecidrs'),
    rule('patch,update', 'networking.k8s.io', 'servicecidrs/finalizers'),
    rule('patch,update', 'networking.k8s.io', 'servicecidrs/status'),
    rule(READ, 'networking.k8s.io', 'ipaddresses'),
    recordEvents,
  ],
  'service-controller': [
    rule(READ, 'core', 'services'),
    rule('patch,update', 'core', 'services/status'),
    rule('list,watch', 'core', 'nodes'),
    recordEvents,
  ],
  'statefulset-controller': [
    rule('list,watch', 'core', 'pods'),
    rule(READ, 'apps', 'statefulsets'),
    rule('update', 'apps', 'statefulsets/status'),
    rule('update', 'apps', 'statefulsets/finalizers'),
    rule('create,delete,get,patch,update', 'core', 'pods'),
    rule('create,delete,get,list,patch,update,watch', 'apps', 'controllerrevisions'),
    rule('create,get,list,watch', 'core', 'persistentvolumeclaims'),
    rule('delete,update', 'core', 'persistentvolumeclaims'),
    rule('update', 'core', 'pods/finalizers'),
    recordEvents,
  ],
  'ttl-after-finished-controller': [
    rule('delete,get,list,watch', 'batch', 'jobs'),
    recordEvents,
  ],
  'ttl-controller': [
    rule('list,patch,update,watch', 'core', 'nodes'),
    recordEvents,
  ],
  'validatingadmissionpolicy-status-controller': [
    rule(READ, 'admissionregistration.k8s.io', 'validatingadmissionpolicies'),
    rule('get,patch,update', 'admissionregistration.k8s.io', 'validatingadmissionpolicies/status'),
    recordEvents,
  ],
  'volumeattributesclass-protection-controller': [
    rule(READ, 'core', 'persistentvolumeclaims'),
    rule(READ, 'core', 'persistentvolumes'),
    rule('get,list,update,watch', 'storage.k8s.io', 'volumeattributesclasses'),
    recordEvents,
  ],
};

export const controllerRoles = (): Stored<ClusterRole>[] =>
  Object.entries(CONTROLLERS).map(([name, rules]) => clusterRole(`system:controller:${name}`, rules));

export const controllerRoleBindings = (): Stored<ClusterRoleBinding>[] =>
  Object.keys(CONTROLLERS).map((name) => clusterRoleBinding(`system:controller:${name}`, [serviceAccount(name)]));

/** These need a cloud provider, or are switched on by name. */
const NOT_STARTED_BY_DEFAULT = ['route-controller', 'selinux-warning-controller', 'service-controller'];

/**
 * The accounts of the controllers that run by default. Upstream they come into being when the controller manager asks for
 * their tokens; controllers that talk to the server in-process never ask.
 */
export const controllerServiceAccounts = (): Stored<ServiceAccount>[] =>
  Object.keys(CONTROLLERS)
    .filter((name) => !NOT_STARTED_BY_DEFAULT.includes(name))
    .map((name) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: 'kube-system' } }));
