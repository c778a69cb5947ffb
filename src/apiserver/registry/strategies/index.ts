/**
 * The strategies of built-in kinds, by `group/plural`; kinds without an entry need none. A file holds the kinds of one
 * group, or of one topic of the core group.
 */
import type { Strategy } from '../strategy.ts';
import * as apps from './apps.ts';
import { cronJobs, jobs } from './batch.ts';
import { certificateSigningRequests, podCertificateRequests } from './certificates.ts';
import * as config from './core-config.ts';
import { endpointSlices } from './discovery.ts';
import * as extensions from './extension-apis.ts';
import { horizontalPodAutoscalers } from './horizontal-pod-autoscaler.ts';
import { ingresses } from './ingress.ts';
import { namespaces } from './namespace.ts';
import { networkPolicies } from './network-policy.ts';
import { nodes } from './node.ts';
import { persistentVolumeClaims, persistentVolumes } from './persistent-volume.ts';
import { pods } from './pod.ts';
import * as devices from './resource.ts';
import { priorityClasses } from './scheduling.ts';
import { services } from './service.ts';
import { specChanges } from './spec-generation.ts';
import * as storage from './storage.ts';

const countsSpecChanges: Strategy = { generationChanges: specChanges };
/** Status and the rest are written by different clients, neither of which touches the other's. */
const separateStatus: Strategy = { statusMetadata: 'none', statusResetFields: ['spec', 'metadata'] };
const rbac: Strategy = { allowCreateOnUpdate: true };
const flowControl: Strategy = {
  generationChanges: specChanges,
  statusMetadata: 'none',
  statusResetFields: ['spec', 'metadata'],
};

export const strategies: Readonly<Record<string, Strategy | undefined>> = {
  '/componentstatuses': config.componentStatuses,
  '/endpoints': config.endpoints,
  '/events': config.events,
  '/limitranges': config.limitRanges,
  '/namespaces': namespaces,
  '/nodes': nodes,
  '/persistentvolumeclaims': persistentVolumeClaims,
  '/persistentvolumes': persistentVolumes,
  '/pods': pods,
  '/podtemplates': config.podTemplates,
  '/replicationcontrollers': config.replicationControllers,
  '/resourcequotas': config.resourceQuotas,
  '/secrets': config.secrets,
  '/serviceaccounts': config.serviceAccounts,
  '/services': services,

  'admissionregistration.k8s.io/mutatingadmissionpolicies': extensions.admissionPolicies,
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': extensions.admissionPolicyBindings,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': extensions.webhookConfigurations,
  'admissionregistration.k8s.io/validatingadmissionpolicies': extensions.admissionPolicies,
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': extensions.admissionPolicyBindings,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': extensions.webhookConfigurations,
  'apiextensions.k8s.io/customresourcedefinitions': extensions.customResourceDefinitions,
  'apiregistration.k8s.io/apiservices': extensions.apiServices,

  'apps/daemonsets': apps.daemonSets,
  'apps/deployments': apps.deployments,
  'apps/replicasets': apps.replicaSets,
  'apps/statefulsets': apps.statefulSets,

  'autoscaling/horizontalpodautoscalers': horizontalPodAutoscalers,

  'batch/cronjobs': cronJobs,
  'batch/jobs': jobs,

  'certificates.k8s.io/certificatesigningrequests': certificateSigningRequests,
  'certificates.k8s.io/clustertrustbundles': { requireResourceVersionOnUpdate: true },
  'certificates.k8s.io/podcertificaterequests': podCertificateRequests,
  'coordination.k8s.io/leasecandidates': { allowCreateOnUpdate: true, requireResourceVersionOnUpdate: true },
  'coordination.k8s.io/leases': { allowCreateOnUpdate: true, requireResourceVersionOnUpdate: true },
  'discovery.k8s.io/endpointslices': endpointSlices,
  'events.k8s.io/events': config.events,
  'flowcontrol.apiserver.k8s.io/flowschemas': flowControl,
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': flowControl,

  'internal.apiserver.k8s.io/storageversions': { ...separateStatus, requireResourceVersionOnUpdate: true },

  'networking.k8s.io/ingressclasses': countsSpecChanges,
  'networking.k8s.io/ingresses': ingresses,
  'networking.k8s.io/networkpolicies': networkPolicies,

  'node.k8s.io/runtimeclasses': { allowCreateOnUpdate: true, requireResourceVersionOnUpdate: true },
  'policy/poddisruptionbudgets': { requireResourceVersionOnUpdate: true, generationChanges: specChanges },

  'rbac.authorization.k8s.io/clusterrolebindings': rbac,
  'rbac.authorization.k8s.io/clusterroles': rbac,
  'rbac.authorization.k8s.io/rolebindings': rbac,
  'rbac.authorization.k8s.io/roles': rbac,

  'resource.k8s.io/deviceclasses': devices.deviceClasses,
  'resource.k8s.io/devicetaintrules': { ...separateStatus, ...devices.deviceTaintRules },
  'resource.k8s.io/resourceclaims': devices.resourceClaims,
  'resource.k8s.io/resourceclaimtemplates': devices.resourceClaimTemplates,
  'resource.k8s.io/resourcepoolstatusrequests': { ...separateStatus, ...devices.resourcePoolStatusRequests },
  'resource.k8s.io/resourceslices': devices.resourceSlices,

  'scheduling.k8s.io/podgroups': { ...separateStatus, ownsSentStatus: true },
  'scheduling.k8s.io/priorityclasses': priorityClasses,

  'storage.k8s.io/csidrivers': storage.csiDrivers,
  'storage.k8s.io/csinodes': storage.csiNodes,
  'storage.k8s.io/csistoragecapacities': storage.csiStorageCapacities,
  'storage.k8s.io/storageclasses': storage.storageClasses,
  'storage.k8s.io/volumeattachments': storage.volumeAttachments,
  'storage.k8s.io/volumeattributesclasses': storage.volumeAttributesClasses,
  'storagemigration.k8s.io/storageversionmigrations': { ...separateStatus, requireResourceVersionOnUpdate: true },
};
