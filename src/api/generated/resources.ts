// Generated from src/api by `npm run generate`. Do not edit.
import type { Binding as coreBinding, ComponentStatus as coreComponentStatus, ConfigMap as coreConfigMap, Endpoints as coreEndpoints, Event as coreEvent, LimitRange as coreLimitRange, Namespace as coreNamespace, Node as coreNode, PersistentVolume as corePersistentVolume, PersistentVolumeClaim as corePersistentVolumeClaim, Pod as corePod, PodTemplate as corePodTemplate, ReplicationController as coreReplicationController, ResourceQuota as coreResourceQuota, Secret as coreSecret, Service as coreService, ServiceAccount as coreServiceAccount } from './core-v1.ts';
import type { APIService as apiregistrationAPIService } from './apiregistration-v1.ts';
import type { ControllerRevision as appsControllerRevision, DaemonSet as appsDaemonSet, Deployment as appsDeployment, ReplicaSet as appsReplicaSet, StatefulSet as appsStatefulSet } from './apps-v1.ts';
import type { Event as eventsEvent } from './events-v1.ts';
import type { SelfSubjectReview as authenticationSelfSubjectReview, TokenReview as authenticationTokenReview } from './authentication-v1.ts';
import type { LocalSubjectAccessReview as authorizationLocalSubjectAccessReview, SelfSubjectAccessReview as authorizationSelfSubjectAccessReview, SelfSubjectRulesReview as authorizationSelfSubjectRulesReview, SubjectAccessReview as authorizationSubjectAccessReview } from './authorization-v1.ts';
import type { HorizontalPodAutoscaler as autoscalingv2HorizontalPodAutoscaler } from './autoscaling-v2.ts';
import type { HorizontalPodAutoscaler as autoscalingHorizontalPodAutoscaler } from './autoscaling-v1.ts';
import type { CronJob as batchCronJob, Job as batchJob } from './batch-v1.ts';
import type { CertificateSigningRequest as certificatesCertificateSigningRequest } from './certificates-v1.ts';
import type { ClusterTrustBundle as certificatesv1beta1ClusterTrustBundle, PodCertificateRequest as certificatesv1beta1PodCertificateRequest } from './certificates-v1beta1.ts';
import type { ClusterTrustBundle as certificatesv1alpha1ClusterTrustBundle } from './certificates-v1alpha1.ts';
import type { IPAddress as networkingIPAddress, Ingress as networkingIngress, IngressClass as networkingIngressClass, NetworkPolicy as networkingNetworkPolicy, ServiceCIDR as networkingServiceCIDR } from './networking-v1.ts';
import type { IPAddress as networkingv1beta1IPAddress, ServiceCIDR as networkingv1beta1ServiceCIDR } from './networking-v1beta1.ts';
import type { PodDisruptionBudget as policyPodDisruptionBudget } from './policy-v1.ts';
import type { ClusterRole as rbacClusterRole, ClusterRoleBinding as rbacClusterRoleBinding, Role as rbacRole, RoleBinding as rbacRoleBinding } from './rbac-v1.ts';
import type { CSIDriver as storageCSIDriver, CSINode as storageCSINode, CSIStorageCapacity as storageCSIStorageCapacity, StorageClass as storageStorageClass, VolumeAttachment as storageVolumeAttachment, VolumeAttributesClass as storageVolumeAttributesClass } from './storage-v1.ts';
import type { VolumeAttributesClass as storagev1beta1VolumeAttributesClass } from './storage-v1beta1.ts';
import type { MutatingAdmissionPolicy as admissionregistrationMutatingAdmissionPolicy, MutatingAdmissionPolicyBinding as admissionregistrationMutatingAdmissionPolicyBinding, MutatingWebhookConfiguration as admissionregistrationMutatingWebhookConfiguration, ValidatingAdmissionPolicy as admissionregistrationValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding as admissionregistrationValidatingAdmissionPolicyBinding, ValidatingWebhookConfiguration as admissionregistrationValidatingWebhookConfiguration } from './admissionregistration-v1.ts';
import type { MutatingAdmissionPolicy as admissionregistrationv1beta1MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding as admissionregistrationv1beta1MutatingAdmissionPolicyBinding, ValidatingAdmissionPolicy as admissionregistrationv1beta1ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding as admissionregistrationv1beta1ValidatingAdmissionPolicyBinding } from './admissionregistration-v1beta1.ts';
import type { MutatingAdmissionPolicy as admissionregistrationv1alpha1MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding as admissionregistrationv1alpha1MutatingAdmissionPolicyBinding } from './admissionregistration-v1alpha1.ts';
import type { CustomResourceDefinition as apiextensionsCustomResourceDefinition } from './apiextensions-v1.ts';
import type { PriorityClass as schedulingPriorityClass } from './scheduling-v1.ts';
import type { PodGroup as schedulingv1alpha2PodGroup, Workload as schedulingv1alpha2Workload } from './scheduling-v1alpha2.ts';
import type { Lease as coordinationLease } from './coordination-v1.ts';
import type { LeaseCandidate as coordinationv1beta1LeaseCandidate } from './coordination-v1beta1.ts';
import type { LeaseCandidate as coordinationv1alpha2LeaseCandidate } from './coordination-v1alpha2.ts';
import type { RuntimeClass as nodeRuntimeClass } from './node-v1.ts';
import type { EndpointSlice as discoveryEndpointSlice } from './discovery-v1.ts';
import type { DeviceClass as resourceDeviceClass, ResourceClaim as resourceResourceClaim, ResourceClaimTemplate as resourceResourceClaimTemplate, ResourceSlice as resourceResourceSlice } from './resource-v1.ts';
import type { DeviceClass as resourcev1beta2DeviceClass, DeviceTaintRule as resourcev1beta2DeviceTaintRule, ResourceClaim as resourcev1beta2ResourceClaim, ResourceClaimTemplate as resourcev1beta2ResourceClaimTemplate, ResourceSlice as resourcev1beta2ResourceSlice } from './resource-v1beta2.ts';
import type { DeviceClass as resourcev1beta1DeviceClass, ResourceClaim as resourcev1beta1ResourceClaim, ResourceClaimTemplate as resourcev1beta1ResourceClaimTemplate, ResourceSlice as resourcev1beta1ResourceSlice } from './resource-v1beta1.ts';
import type { DeviceTaintRule as resourcev1alpha3DeviceTaintRule, ResourcePoolStatusRequest as resourcev1alpha3ResourcePoolStatusRequest } from './resource-v1alpha3.ts';
import type { FlowSchema as flowcontrolFlowSchema, PriorityLevelConfiguration as flowcontrolPriorityLevelConfiguration } from './flowcontrol-v1.ts';
import type { StorageVersion as apiserverinternalv1alpha1StorageVersion } from './apiserverinternal-v1alpha1.ts';
import type { StorageVersionMigration as storagemigrationv1beta1StorageVersionMigration } from './storagemigration-v1beta1.ts';

export interface ResourceTypes {
  'v1/componentstatuses': coreComponentStatus;
  'v1/configmaps': coreConfigMap;
  'v1/secrets': coreSecret;
  'v1/events': coreEvent;
  'v1/namespaces': coreNamespace;
  'v1/nodes': coreNode;
  'v1/persistentvolumeclaims': corePersistentVolumeClaim;
  'v1/persistentvolumes': corePersistentVolume;
  'v1/bindings': coreBinding;
  'v1/pods': corePod;
  'v1/limitranges': coreLimitRange;
  'v1/resourcequotas': coreResourceQuota;
  'v1/podtemplates': corePodTemplate;
  'v1/replicationcontrollers': coreReplicationController;
  'v1/endpoints': coreEndpoints;
  'v1/services': coreService;
  'v1/serviceaccounts': coreServiceAccount;
  'apiregistration.k8s.io/v1/apiservices': apiregistrationAPIService;
  'apps/v1/controllerrevisions': appsControllerRevision;
  'apps/v1/daemonsets': appsDaemonSet;
  'apps/v1/deployments': appsDeployment;
  'apps/v1/replicasets': appsReplicaSet;
  'apps/v1/statefulsets': appsStatefulSet;
  'events.k8s.io/v1/events': eventsEvent;
  'authentication.k8s.io/v1/selfsubjectreviews': authenticationSelfSubjectReview;
  'authentication.k8s.io/v1/tokenreviews': authenticationTokenReview;
  'authorization.k8s.io/v1/localsubjectaccessreviews': authorizationLocalSubjectAccessReview;
  'authorization.k8s.io/v1/selfsubjectaccessreviews': authorizationSelfSubjectAccessReview;
  'authorization.k8s.io/v1/selfsubjectrulesreviews': authorizationSelfSubjectRulesReview;
  'authorization.k8s.io/v1/subjectaccessreviews': authorizationSubjectAccessReview;
  'autoscaling/v2/horizontalpodautoscalers': autoscalingv2HorizontalPodAutoscaler;
  'autoscaling/v1/horizontalpodautoscalers': autoscalingHorizontalPodAutoscaler;
  'batch/v1/cronjobs': batchCronJob;
  'batch/v1/jobs': batchJob;
  'certificates.k8s.io/v1/certificatesigningrequests': certificatesCertificateSigningRequest;
  'certificates.k8s.io/v1beta1/clustertrustbundles': certificatesv1beta1ClusterTrustBundle;
  'certificates.k8s.io/v1beta1/podcertificaterequests': certificatesv1beta1PodCertificateRequest;
  'certificates.k8s.io/v1alpha1/clustertrustbundles': certificatesv1alpha1ClusterTrustBundle;
  'networking.k8s.io/v1/ingressclasses': networkingIngressClass;
  'networking.k8s.io/v1/ingresses': networkingIngress;
  'networking.k8s.io/v1/ipaddresses': networkingIPAddress;
  'networking.k8s.io/v1/networkpolicies': networkingNetworkPolicy;
  'networking.k8s.io/v1/servicecidrs': networkingServiceCIDR;
  'networking.k8s.io/v1beta1/ipaddresses': networkingv1beta1IPAddress;
  'networking.k8s.io/v1beta1/servicecidrs': networkingv1beta1ServiceCIDR;
  'policy/v1/poddisruptionbudgets': policyPodDisruptionBudget;
  'rbac.authorization.k8s.io/v1/clusterrolebindings': rbacClusterRoleBinding;
  'rbac.authorization.k8s.io/v1/clusterroles': rbacClusterRole;
  'rbac.authorization.k8s.io/v1/rolebindings': rbacRoleBinding;
  'rbac.authorization.k8s.io/v1/roles': rbacRole;
  'storage.k8s.io/v1/csidrivers': storageCSIDriver;
  'storage.k8s.io/v1/csinodes': storageCSINode;
  'storage.k8s.io/v1/csistoragecapacities': storageCSIStorageCapacity;
  'storage.k8s.io/v1/storageclasses': storageStorageClass;
  'storage.k8s.io/v1/volumeattachments': storageVolumeAttachment;
  'storage.k8s.io/v1/volumeattributesclasses': storageVolumeAttributesClass;
  'storage.k8s.io/v1beta1/volumeattributesclasses': storagev1beta1VolumeAttributesClass;
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicies': admissionregistrationMutatingAdmissionPolicy;
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings': admissionregistrationMutatingAdmissionPolicyBinding;
  'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations': admissionregistrationMutatingWebhookConfiguration;
  'admissionregistration.k8s.io/v1/validatingadmissionpolicies': admissionregistrationValidatingAdmissionPolicy;
  'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings': admissionregistrationValidatingAdmissionPolicyBinding;
  'admissionregistration.k8s.io/v1/validatingwebhookconfigurations': admissionregistrationValidatingWebhookConfiguration;
  'admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicies': admissionregistrationv1beta1MutatingAdmissionPolicy;
  'admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicybindings': admissionregistrationv1beta1MutatingAdmissionPolicyBinding;
  'admissionregistration.k8s.io/v1beta1/validatingadmissionpolicies': admissionregistrationv1beta1ValidatingAdmissionPolicy;
  'admissionregistration.k8s.io/v1beta1/validatingadmissionpolicybindings': admissionregistrationv1beta1ValidatingAdmissionPolicyBinding;
  'admissionregistration.k8s.io/v1alpha1/mutatingadmissionpolicies': admissionregistrationv1alpha1MutatingAdmissionPolicy;
  'admissionregistration.k8s.io/v1alpha1/mutatingadmissionpolicybindings': admissionregistrationv1alpha1MutatingAdmissionPolicyBinding;
  'apiextensions.k8s.io/v1/customresourcedefinitions': apiextensionsCustomResourceDefinition;
  'scheduling.k8s.io/v1/priorityclasses': schedulingPriorityClass;
  'scheduling.k8s.io/v1alpha2/podgroups': schedulingv1alpha2PodGroup;
  'scheduling.k8s.io/v1alpha2/workloads': schedulingv1alpha2Workload;
  'coordination.k8s.io/v1/leases': coordinationLease;
  'coordination.k8s.io/v1beta1/leasecandidates': coordinationv1beta1LeaseCandidate;
  'coordination.k8s.io/v1alpha2/leasecandidates': coordinationv1alpha2LeaseCandidate;
  'node.k8s.io/v1/runtimeclasses': nodeRuntimeClass;
  'discovery.k8s.io/v1/endpointslices': discoveryEndpointSlice;
  'resource.k8s.io/v1/deviceclasses': resourceDeviceClass;
  'resource.k8s.io/v1/resourceclaims': resourceResourceClaim;
  'resource.k8s.io/v1/resourceclaimtemplates': resourceResourceClaimTemplate;
  'resource.k8s.io/v1/resourceslices': resourceResourceSlice;
  'resource.k8s.io/v1beta2/deviceclasses': resourcev1beta2DeviceClass;
  'resource.k8s.io/v1beta2/resourceclaims': resourcev1beta2ResourceClaim;
  'resource.k8s.io/v1beta2/resourceclaimtemplates': resourcev1beta2ResourceClaimTemplate;
  'resource.k8s.io/v1beta2/resourceslices': resourcev1beta2ResourceSlice;
  'resource.k8s.io/v1beta2/devicetaintrules': resourcev1beta2DeviceTaintRule;
  'resource.k8s.io/v1beta1/deviceclasses': resourcev1beta1DeviceClass;
  'resource.k8s.io/v1beta1/resourceclaims': resourcev1beta1ResourceClaim;
  'resource.k8s.io/v1beta1/resourceclaimtemplates': resourcev1beta1ResourceClaimTemplate;
  'resource.k8s.io/v1beta1/resourceslices': resourcev1beta1ResourceSlice;
  'resource.k8s.io/v1alpha3/devicetaintrules': resourcev1alpha3DeviceTaintRule;
  'resource.k8s.io/v1alpha3/resourcepoolstatusrequests': resourcev1alpha3ResourcePoolStatusRequest;
  'flowcontrol.apiserver.k8s.io/v1/flowschemas': flowcontrolFlowSchema;
  'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations': flowcontrolPriorityLevelConfiguration;
  'internal.apiserver.k8s.io/v1alpha1/storageversions': apiserverinternalv1alpha1StorageVersion;
  'storagemigration.k8s.io/v1beta1/storageversionmigrations': storagemigrationv1beta1StorageVersionMigration;
}

export const resources = {
  'v1/componentstatuses': { group: '', version: 'v1', plural: 'componentstatuses', kind: 'ComponentStatus', namespaced: false },
  'v1/configmaps': { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true },
  'v1/secrets': { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true },
  'v1/events': { group: '', version: 'v1', plural: 'events', kind: 'Event', namespaced: true },
  'v1/namespaces': { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false },
  'v1/nodes': { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false },
  'v1/persistentvolumeclaims': { group: '', version: 'v1', plural: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim', namespaced: true },
  'v1/persistentvolumes': { group: '', version: 'v1', plural: 'persistentvolumes', kind: 'PersistentVolume', namespaced: false },
  'v1/bindings': { group: '', version: 'v1', plural: 'bindings', kind: 'Binding', namespaced: true },
  'v1/pods': { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true },
  'v1/limitranges': { group: '', version: 'v1', plural: 'limitranges', kind: 'LimitRange', namespaced: true },
  'v1/resourcequotas': { group: '', version: 'v1', plural: 'resourcequotas', kind: 'ResourceQuota', namespaced: true },
  'v1/podtemplates': { group: '', version: 'v1', plural: 'podtemplates', kind: 'PodTemplate', namespaced: true },
  'v1/replicationcontrollers': { group: '', version: 'v1', plural: 'replicationcontrollers', kind: 'ReplicationController', namespaced: true },
  'v1/endpoints': { group: '', version: 'v1', plural: 'endpoints', kind: 'Endpoints', namespaced: true },
  'v1/services': { group: '', version: 'v1', plural: 'services', kind: 'Service', namespaced: true },
  'v1/serviceaccounts': { group: '', version: 'v1', plural: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true },
  'apiregistration.k8s.io/v1/apiservices': { group: 'apiregistration.k8s.io', version: 'v1', plural: 'apiservices', kind: 'APIService', namespaced: false },
  'apps/v1/controllerrevisions': { group: 'apps', version: 'v1', plural: 'controllerrevisions', kind: 'ControllerRevision', namespaced: true },
  'apps/v1/daemonsets': { group: 'apps', version: 'v1', plural: 'daemonsets', kind: 'DaemonSet', namespaced: true },
  'apps/v1/deployments': { group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment', namespaced: true },
  'apps/v1/replicasets': { group: 'apps', version: 'v1', plural: 'replicasets', kind: 'ReplicaSet', namespaced: true },
  'apps/v1/statefulsets': { group: 'apps', version: 'v1', plural: 'statefulsets', kind: 'StatefulSet', namespaced: true },
  'events.k8s.io/v1/events': { group: 'events.k8s.io', version: 'v1', plural: 'events', kind: 'Event', namespaced: true },
  'authentication.k8s.io/v1/selfsubjectreviews': { group: 'authentication.k8s.io', version: 'v1', plural: 'selfsubjectreviews', kind: 'SelfSubjectReview', namespaced: false },
  'authentication.k8s.io/v1/tokenreviews': { group: 'authentication.k8s.io', version: 'v1', plural: 'tokenreviews', kind: 'TokenReview', namespaced: false },
  'authorization.k8s.io/v1/localsubjectaccessreviews': { group: 'authorization.k8s.io', version: 'v1', plural: 'localsubjectaccessreviews', kind: 'LocalSubjectAccessReview', namespaced: true },
  'authorization.k8s.io/v1/selfsubjectaccessreviews': { group: 'authorization.k8s.io', version: 'v1', plural: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview', namespaced: false },
  'authorization.k8s.io/v1/selfsubjectrulesreviews': { group: 'authorization.k8s.io', version: 'v1', plural: 'selfsubjectrulesreviews', kind: 'SelfSubjectRulesReview', namespaced: false },
  'authorization.k8s.io/v1/subjectaccessreviews': { group: 'authorization.k8s.io', version: 'v1', plural: 'subjectaccessreviews', kind: 'SubjectAccessReview', namespaced: false },
  'autoscaling/v2/horizontalpodautoscalers': { group: 'autoscaling', version: 'v2', plural: 'horizontalpodautoscalers', kind: 'HorizontalPodAutoscaler', namespaced: true },
  'autoscaling/v1/horizontalpodautoscalers': { group: 'autoscaling', version: 'v1', plural: 'horizontalpodautoscalers', kind: 'HorizontalPodAutoscaler', namespaced: true },
  'batch/v1/cronjobs': { group: 'batch', version: 'v1', plural: 'cronjobs', kind: 'CronJob', namespaced: true },
  'batch/v1/jobs': { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true },
  'certificates.k8s.io/v1/certificatesigningrequests': { group: 'certificates.k8s.io', version: 'v1', plural: 'certificatesigningrequests', kind: 'CertificateSigningRequest', namespaced: false },
  'certificates.k8s.io/v1beta1/clustertrustbundles': { group: 'certificates.k8s.io', version: 'v1beta1', plural: 'clustertrustbundles', kind: 'ClusterTrustBundle', namespaced: false },
  'certificates.k8s.io/v1beta1/podcertificaterequests': { group: 'certificates.k8s.io', version: 'v1beta1', plural: 'podcertificaterequests', kind: 'PodCertificateRequest', namespaced: true },
  'certificates.k8s.io/v1alpha1/clustertrustbundles': { group: 'certificates.k8s.io', version: 'v1alpha1', plural: 'clustertrustbundles', kind: 'ClusterTrustBundle', namespaced: false },
  'networking.k8s.io/v1/ingressclasses': { group: 'networking.k8s.io', version: 'v1', plural: 'ingressclasses', kind: 'IngressClass', namespaced: false },
  'networking.k8s.io/v1/ingresses': { group: 'networking.k8s.io', version: 'v1', plural: 'ingresses', kind: 'Ingress', namespaced: true },
  'networking.k8s.io/v1/ipaddresses': { group: 'networking.k8s.io', version: 'v1', plural: 'ipaddresses', kind: 'IPAddress', namespaced: false },
  'networking.k8s.io/v1/networkpolicies': { group: 'networking.k8s.io', version: 'v1', plural: 'networkpolicies', kind: 'NetworkPolicy', namespaced: true },
  'networking.k8s.io/v1/servicecidrs': { group: 'networking.k8s.io', version: 'v1', plural: 'servicecidrs', kind: 'ServiceCIDR', namespaced: false },
  'networking.k8s.io/v1beta1/ipaddresses': { group: 'networking.k8s.io', version: 'v1beta1', plural: 'ipaddresses', kind: 'IPAddress', namespaced: false },
  'networking.k8s.io/v1beta1/servicecidrs': { group: 'networking.k8s.io', version: 'v1beta1', plural: 'servicecidrs', kind: 'ServiceCIDR', namespaced: false },
  'policy/v1/poddisruptionbudgets': { group: 'policy', version: 'v1', plural: 'poddisruptionbudgets', kind: 'PodDisruptionBudget', namespaced: true },
  'rbac.authorization.k8s.io/v1/clusterrolebindings': { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterrolebindings', kind: 'ClusterRoleBinding', namespaced: false },
  'rbac.authorization.k8s.io/v1/clusterroles': { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterroles', kind: 'ClusterRole', namespaced: false },
  'rbac.authorization.k8s.io/v1/rolebindings': { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'rolebindings', kind: 'RoleBinding', namespaced: true },
  'rbac.authorization.k8s.io/v1/roles': { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'roles', kind: 'Role', namespaced: true },
  'storage.k8s.io/v1/csidrivers': { group: 'storage.k8s.io', version: 'v1', plural: 'csidrivers', kind: 'CSIDriver', namespaced: false },
  'storage.k8s.io/v1/csinodes': { group: 'storage.k8s.io', version: 'v1', plural: 'csinodes', kind: 'CSINode', namespaced: false },
  'storage.k8s.io/v1/csistoragecapacities': { group: 'storage.k8s.io', version: 'v1', plural: 'csistoragecapacities', kind: 'CSIStorageCapacity', namespaced: true },
  'storage.k8s.io/v1/storageclasses': { group: 'storage.k8s.io', version: 'v1', plural: 'storageclasses', kind: 'StorageClass', namespaced: false },
  'storage.k8s.io/v1/volumeattachments': { group: 'storage.k8s.io', version: 'v1', plural: 'volumeattachments', kind: 'VolumeAttachment', namespaced: false },
  'storage.k8s.io/v1/volumeattributesclasses': { group: 'storage.k8s.io', version: 'v1', plural: 'volumeattributesclasses', kind: 'VolumeAttributesClass', namespaced: false },
  'storage.k8s.io/v1beta1/volumeattributesclasses': { group: 'storage.k8s.io', version: 'v1beta1', plural: 'volumeattributesclasses', kind: 'VolumeAttributesClass', namespaced: false },
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicies': { group: 'admissionregistration.k8s.io', version: 'v1', plural: 'mutatingadmissionpolicies', kind: 'MutatingAdmissionPolicy', namespaced: false },
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings': { group: 'admissionregistration.k8s.io', version: 'v1', plural: 'mutatingadmissionpolicybindings', kind: 'MutatingAdmissionPolicyBinding', namespaced: false },
  'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations': { group: 'admissionregistration.k8s.io', version: 'v1', plural: 'mutatingwebhookconfigurations', kind: 'MutatingWebhookConfiguration', namespaced: false },
  'admissionregistration.k8s.io/v1/validatingadmissionpolicies': { group: 'admissionregistration.k8s.io', version: 'v1', plural: 'validatingadmissionpolicies', kind: 'ValidatingAdmissionPolicy', namespaced: false },
  'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings': { group: 'admissionregistration.k8s.io', version: 'v1', plural: 'validatingadmissionpolicybindings', kind: 'ValidatingAdmissionPolicyBinding', namespaced: false },
  'admissionregistration.k8s.io/v1/validatingwebhookconfigurations': { group: 'admissionregistration.k8s.io', version: 'v1', plural: 'validatingwebhookconfigurations', kind: 'ValidatingWebhookConfiguration', namespaced: false },
  'admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicies': { group: 'admissionregistration.k8s.io', version: 'v1beta1', plural: 'mutatingadmissionpolicies', kind: 'MutatingAdmissionPolicy', namespaced: false },
  'admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicybindings': { group: 'admissionregistration.k8s.io', version: 'v1beta1', plural: 'mutatingadmissionpolicybindings', kind: 'MutatingAdmissionPolicyBinding', namespaced: false },
  'admissionregistration.k8s.io/v1beta1/validatingadmissionpolicies': { group: 'admissionregistration.k8s.io', version: 'v1beta1', plural: 'validatingadmissionpolicies', kind: 'ValidatingAdmissionPolicy', namespaced: false },
  'admissionregistration.k8s.io/v1beta1/validatingadmissionpolicybindings': { group: 'admissionregistration.k8s.io', version: 'v1beta1', plural: 'validatingadmissionpolicybindings', kind: 'ValidatingAdmissionPolicyBinding', namespaced: false },
  'admissionregistration.k8s.io/v1alpha1/mutatingadmissionpolicies': { group: 'admissionregistration.k8s.io', version: 'v1alpha1', plural: 'mutatingadmissionpolicies', kind: 'MutatingAdmissionPolicy', namespaced: false },
  'admissionregistration.k8s.io/v1alpha1/mutatingadmissionpolicybindings': { group: 'admissionregistration.k8s.io', version: 'v1alpha1', plural: 'mutatingadmissionpolicybindings', kind: 'MutatingAdmissionPolicyBinding', namespaced: false },
  'apiextensions.k8s.io/v1/customresourcedefinitions': { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions', kind: 'CustomResourceDefinition', namespaced: false },
  'scheduling.k8s.io/v1/priorityclasses': { group: 'scheduling.k8s.io', version: 'v1', plural: 'priorityclasses', kind: 'PriorityClass', namespaced: false },
  'scheduling.k8s.io/v1alpha2/podgroups': { group: 'scheduling.k8s.io', version: 'v1alpha2', plural: 'podgroups', kind: 'PodGroup', namespaced: true },
  'scheduling.k8s.io/v1alpha2/workloads': { group: 'scheduling.k8s.io', version: 'v1alpha2', plural: 'workloads', kind: 'Workload', namespaced: true },
  'coordination.k8s.io/v1/leases': { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease', namespaced: true },
  'coordination.k8s.io/v1beta1/leasecandidates': { group: 'coordination.k8s.io', version: 'v1beta1', plural: 'leasecandidates', kind: 'LeaseCandidate', namespaced: true },
  'coordination.k8s.io/v1alpha2/leasecandidates': { group: 'coordination.k8s.io', version: 'v1alpha2', plural: 'leasecandidates', kind: 'LeaseCandidate', namespaced: true },
  'node.k8s.io/v1/runtimeclasses': { group: 'node.k8s.io', version: 'v1', plural: 'runtimeclasses', kind: 'RuntimeClass', namespaced: false },
  'discovery.k8s.io/v1/endpointslices': { group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices', kind: 'EndpointSlice', namespaced: true },
  'resource.k8s.io/v1/deviceclasses': { group: 'resource.k8s.io', version: 'v1', plural: 'deviceclasses', kind: 'DeviceClass', namespaced: false },
  'resource.k8s.io/v1/resourceclaims': { group: 'resource.k8s.io', version: 'v1', plural: 'resourceclaims', kind: 'ResourceClaim', namespaced: true },
  'resource.k8s.io/v1/resourceclaimtemplates': { group: 'resource.k8s.io', version: 'v1', plural: 'resourceclaimtemplates', kind: 'ResourceClaimTemplate', namespaced: true },
  'resource.k8s.io/v1/resourceslices': { group: 'resource.k8s.io', version: 'v1', plural: 'resourceslices', kind: 'ResourceSlice', namespaced: false },
  'resource.k8s.io/v1beta2/deviceclasses': { group: 'resource.k8s.io', version: 'v1beta2', plural: 'deviceclasses', kind: 'DeviceClass', namespaced: false },
  'resource.k8s.io/v1beta2/resourceclaims': { group: 'resource.k8s.io', version: 'v1beta2', plural: 'resourceclaims', kind: 'ResourceClaim', namespaced: true },
  'resource.k8s.io/v1beta2/resourceclaimtemplates': { group: 'resource.k8s.io', version: 'v1beta2', plural: 'resourceclaimtemplates', kind: 'ResourceClaimTemplate', namespaced: true },
  'resource.k8s.io/v1beta2/resourceslices': { group: 'resource.k8s.io', version: 'v1beta2', plural: 'resourceslices', kind: 'ResourceSlice', namespaced: false },
  'resource.k8s.io/v1beta2/devicetaintrules': { group: 'resource.k8s.io', version: 'v1beta2', plural: 'devicetaintrules', kind: 'DeviceTaintRule', namespaced: false },
  'resource.k8s.io/v1beta1/deviceclasses': { group: 'resource.k8s.io', version: 'v1beta1', plural: 'deviceclasses', kind: 'DeviceClass', namespaced: false },
  'resource.k8s.io/v1beta1/resourceclaims': { group: 'resource.k8s.io', version: 'v1beta1', plural: 'resourceclaims', kind: 'ResourceClaim', namespaced: true },
  'resource.k8s.io/v1beta1/resourceclaimtemplates': { group: 'resource.k8s.io', version: 'v1beta1', plural: 'resourceclaimtemplates', kind: 'ResourceClaimTemplate', namespaced: true },
  'resource.k8s.io/v1beta1/resourceslices': { group: 'resource.k8s.io', version: 'v1beta1', plural: 'resourceslices', kind: 'ResourceSlice', namespaced: false },
  'resource.k8s.io/v1alpha3/devicetaintrules': { group: 'resource.k8s.io', version: 'v1alpha3', plural: 'devicetaintrules', kind: 'DeviceTaintRule', namespaced: false },
  'resource.k8s.io/v1alpha3/resourcepoolstatusrequests': { group: 'resource.k8s.io', version: 'v1alpha3', plural: 'resourcepoolstatusrequests', kind: 'ResourcePoolStatusRequest', namespaced: false },
  'flowcontrol.apiserver.k8s.io/v1/flowschemas': { group: 'flowcontrol.apiserver.k8s.io', version: 'v1', plural: 'flowschemas', kind: 'FlowSchema', namespaced: false },
  'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations': { group: 'flowcontrol.apiserver.k8s.io', version: 'v1', plural: 'prioritylevelconfigurations', kind: 'PriorityLevelConfiguration', namespaced: false },
  'internal.apiserver.k8s.io/v1alpha1/storageversions': { group: 'internal.apiserver.k8s.io', version: 'v1alpha1', plural: 'storageversions', kind: 'StorageVersion', namespaced: false },
  'storagemigration.k8s.io/v1beta1/storageversionmigrations': { group: 'storagemigration.k8s.io', version: 'v1beta1', plural: 'storageversionmigrations', kind: 'StorageVersionMigration', namespaced: false },
} as const satisfies Record<keyof ResourceTypes, object>;
