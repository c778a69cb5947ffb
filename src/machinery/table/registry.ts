/** The table printers of the built-in resources. */
import type { KubeObject } from '../index.ts';
import * as admissionregistration from './admissionregistration.ts';
import * as apps from './apps.ts';
import * as autoscaling from './autoscaling.ts';
import * as batch from './batch.ts';
import * as cluster from './cluster.ts';
import * as core from './core.ts';
import { coreEventCells, eventCells } from './event.ts';
import * as gated from './gated-kinds.ts';
import * as networking from './networking.ts';
import { podCells, podConditions, podTemplateCells } from './pod.ts';
import { endpointsCells, serviceCells } from './service.ts';
import * as storage from './storage.ts';
import type { TablePrinter } from './table-printer.ts';

type Cells = Omit<TablePrinter, 'columns'>;

/** The only place that casts a generic object to the type of its resource. */
function of<Kind>(
  cells: (object: Kind, now: number) => ReturnType<Cells['cells']>,
  conditions?: (object: Kind) => ReturnType<NonNullable<Cells['conditions']>>,
): Cells {
  const narrow = (object: KubeObject) => object as unknown as Kind;
  return {
    cells: (object, now) => cells(narrow(object), now),
    ...(conditions ? { conditions: (object: KubeObject) => conditions(narrow(object)) } : {}),
  };
}

/** Cells by resource; the columns are declared with the kind in `api/`. */
export const printers = {
  componentstatuses: of(core.componentStatusCells),
  configmaps: of(core.configMapCells),
  endpoints: of(endpointsCells),
  events: of(coreEventCells),
  namespaces: of(core.namespaceCells),
  nodes: of(core.nodeCells),
  persistentvolumeclaims: of(core.persistentVolumeClaimCells),
  persistentvolumes: of(core.persistentVolumeCells),
  pods: of(podCells, podConditions),
  podtemplates: of(podTemplateCells),
  replicationcontrollers: of(core.replicationControllerCells),
  resourcequotas: of(core.resourceQuotaCells),
  secrets: of(core.secretCells),
  serviceaccounts: of(core.serviceAccountCells),
  services: of(serviceCells),
  'mutatingadmissionpolicies.admissionregistration.k8s.io': of(admissionregistration.mutatingAdmissionPolicyCells),
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': of(admissionregistration.admissionPolicyBindingCells),
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': of(admissionregistration.webhookConfigurationCells),
  'validatingadmissionpolicies.admissionregistration.k8s.io': of(admissionregistration.validatingAdmissionPolicyCells),
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': of(
    admissionregistration.admissionPolicyBindingCells,
  ),
  'validatingwebhookconfigurations.admissionregistration.k8s.io': of(admissionregistration.webhookConfigurationCells),
  'apiservices.apiregistration.k8s.io': of(cluster.apiServiceCells),
  'controllerrevisions.apps': of(apps.controllerRevisionCells),
  'daemonsets.apps': of(apps.daemonSetCells),
  'deployments.apps': of(apps.deploymentCells),
  'replicasets.apps': of(apps.replicaSetCells),
  'statefulsets.apps': of(apps.statefulSetCells),
  'horizontalpodautoscalers.autoscaling': of(autoscaling.horizontalPodAutoscalerCells),
  scale: of(autoscaling.scaleCells),
  'cronjobs.batch': of(batch.cronJobCells),
  'jobs.batch': of(batch.jobCells),
  'certificatesigningrequests.certificates.k8s.io': of(cluster.certificateSigningRequestCells),
  'clustertrustbundles.certificates.k8s.io': of(gated.clusterTrustBundleCells),
  'podcertificaterequests.certificates.k8s.io': of(gated.podCertificateRequestCells),
  'leasecandidates.coordination.k8s.io': of(gated.leaseCandidateCells),
  'leases.coordination.k8s.io': of(cluster.leaseCells),
  'endpointslices.discovery.k8s.io': of(networking.endpointSliceCells),
  'events.events.k8s.io': of(eventCells),
  'flowschemas.flowcontrol.apiserver.k8s.io': of(cluster.flowSchemaCells),
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': of(cluster.priorityLevelConfigurationCells),
  'ingressclasses.networking.k8s.io': of(networking.ingressClassCells),
  'ingresses.networking.k8s.io': of(networking.ingressCells),
  'storageversions.internal.apiserver.k8s.io': of(gated.storageVersionCells),
  'ipaddresses.networking.k8s.io': of(networking.ipAddressCells),
  'networkpolicies.networking.k8s.io': of(networking.networkPolicyCells),
  'servicecidrs.networking.k8s.io': of(networking.serviceCIDRCells),
  'runtimeclasses.node.k8s.io': of(cluster.runtimeClassCells),
  'poddisruptionbudgets.policy': of(cluster.podDisruptionBudgetCells),
  'clusterrolebindings.rbac.authorization.k8s.io': of(cluster.roleBindingCells),
  'rolebindings.rbac.authorization.k8s.io': of(cluster.roleBindingCells),
  'deviceclasses.resource.k8s.io': of(cluster.namedCells),
  'devicetaintrules.resource.k8s.io': of(gated.deviceTaintRuleCells),
  'resourceclaims.resource.k8s.io': of(cluster.resourceClaimCells),
  'resourceclaimtemplates.resource.k8s.io': of(cluster.namedCells),
  'resourcepoolstatusrequests.resource.k8s.io': of(gated.resourcePoolStatusRequestCells),
  'resourceslices.resource.k8s.io': of(cluster.resourceSliceCells),
  'podgroups.scheduling.k8s.io': of(gated.podGroupCells),
  'priorityclasses.scheduling.k8s.io': of(cluster.priorityClassCells),
  'workloads.scheduling.k8s.io': of(cluster.namedCells),
  'csidrivers.storage.k8s.io': of(storage.csiDriverCells),
  'csinodes.storage.k8s.io': of(storage.csiNodeCells),
  'storageclasses.storage.k8s.io': of(storage.storageClassCells),
  'volumeattachments.storage.k8s.io': of(storage.volumeAttachmentCells),
  'volumeattributesclasses.storage.k8s.io': of(storage.volumeAttributesClassCells),
  'storageversionmigrations.storagemigration.k8s.io': of(gated.storageVersionMigrationCells),
} satisfies Record<string, Cells>;
