/** Every controller of the controller manager, and which of them `--controllers` enables. */

import { attachDetachController } from './attach-detach/attach-detach.ts';
import { bootstrapSignerController } from './bootstrap/bootstrap-signer.ts';
import { tokenCleanerController } from './bootstrap/token-cleaner.ts';
import { certificateSigningRequestApprovingController } from './certificates/certificate-signing-request-approving.ts';
import { certificateSigningRequestCleanerController } from './certificates/certificate-signing-request-cleaner.ts';
import { certificateSigningRequestSigningController } from './certificates/certificate-signing-request-signing.ts';
import { podCertificateRequestCleanerController } from './certificates/pod-certificate-request-cleaner.ts';
import { clusterRoleAggregationController } from './clusterrole-aggregation/cluster-role-aggregation.ts';
import { clusterTrustBundlePublisherController } from './clustertrustbundle-publisher/cluster-trust-bundle-publisher.ts';
import type { ControllerDescriptor } from './controller.ts';
import { cronJobController } from './cronjob/cronjob.ts';
import { daemonSetController } from './daemonset/daemonset.ts';
import { deploymentController } from './deployment/deployment.ts';
import { deviceTaintEvictionController } from './device-taint-eviction/device-taint-eviction.ts';
import { disruptionController } from './disruption/disruption.ts';
import { endpointsController } from './endpoint/endpoint.ts';
import { endpointSliceController } from './endpointslice/endpointslice.ts';
import { endpointSliceMirroringController } from './endpointslicemirroring/endpointslicemirroring.ts';
import { ephemeralVolumeController } from './ephemeral-volume/ephemeral-volume.ts';
import { garbageCollectorController } from './garbage-collector/garbage-collector.ts';
import { hostPathProvisionerController } from './host-path-provisioner/host-path-provisioner.ts';
import { jobController } from './job/job.ts';
import { namespaceController } from './namespace/namespace.ts';
import { nodeIpamController } from './node-ipam/node-ipam.ts';
import { nodeLifecycleController } from './node-lifecycle/node-lifecycle.ts';
import { persistentVolumeBinderController } from './persistentvolume-binder/persistent-volume-binder.ts';
import { persistentVolumeExpanderController } from './persistentvolume-expander/persistent-volume-expander.ts';
import { podGarbageCollectorController } from './pod-garbage-collector/pod-garbage-collector.ts';
import { horizontalPodAutoscalerController } from './podautoscaler/podautoscaler.ts';
import { podGroupProtectionController } from './podgroup-protection/pod-group-protection.ts';
import { replicaSetController } from './replicaset/replicaset.ts';
import { replicationControllerController } from './replicaset/replicationcontroller.ts';
import { resourceClaimController } from './resourceclaim/resource-claim.ts';
import { resourcePoolStatusRequestController } from './resourcepoolstatusrequest/resource-pool-status-request.ts';
import { resourceQuotaController } from './resourcequota/resource-quota.ts';
import { rootCaCertificatePublisherController } from './root-ca-certificate-publisher/root-ca-certificate-publisher.ts';
import { serviceCidrController } from './service-cidr/service-cidr.ts';
import { legacyServiceAccountTokenCleanerController } from './serviceaccount/legacy-token-cleaner.ts';
import { serviceAccountTokenController } from './serviceaccount/service-account-token.ts';
import { serviceAccountController } from './serviceaccount/service-account.ts';
import { statefulSetController } from './statefulset/statefulset.ts';
import { storageVersionMigratorController } from './storage-version-migrator/storage-version-migrator.ts';
import { storageVersionGarbageCollectorController } from './storageversion-garbage-collector/storage-version-garbage-collector.ts';
import { taintEvictionController } from './taint-eviction/taint-eviction.ts';
import { ttlAfterFinishedController } from './ttl-after-finished/ttl-after-finished.ts';
import { ttlController } from './ttl/ttl.ts';
import { validatingAdmissionPolicyStatusController } from './validatingadmissionpolicy-status/validating-admission-policy-status.ts';
import { persistentVolumeClaimProtectionController } from './volume-protection/persistent-volume-claim-protection.ts';
import { persistentVolumeProtectionController } from './volume-protection/persistent-volume-protection.ts';
import { volumeAttributesClassProtectionController } from './volume-protection/volume-attributes-class-protection.ts';

export const controllers: readonly ControllerDescriptor[] = [
  serviceAccountController,
  namespaceController,
  garbageCollectorController,
  rootCaCertificatePublisherController,
  clusterRoleAggregationController,
  resourceQuotaController,
  persistentVolumeBinderController,
  replicaSetController,
  replicationControllerController,
  persistentVolumeClaimProtectionController,
  persistentVolumeProtectionController,
  volumeAttributesClassProtectionController,
  persistentVolumeExpanderController,
  ephemeralVolumeController,
  hostPathProvisionerController,
  deploymentController,
  nodeLifecycleController,
  taintEvictionController,
  nodeIpamController,
  podGarbageCollectorController,
  ttlController,
  ttlAfterFinishedController,
  endpointsController,
  endpointSliceController,
  endpointSliceMirroringController,
  serviceAccountTokenController,
  legacyServiceAccountTokenCleanerController,
  certificateSigningRequestSigningController,
  certificateSigningRequestApprovingController,
  certificateSigningRequestCleanerController,
  bootstrapSignerController,
  tokenCleanerController,
  serviceCidrController,
  validatingAdmissionPolicyStatusController,
  attachDetachController,
  resourceClaimController,
  deviceTaintEvictionController,
  storageVersionGarbageCollectorController,
  storageVersionMigratorController,
  podCertificateRequestCleanerController,
  podGroupProtectionController,
  clusterTrustBundlePublisherController,
  resourcePoolStatusRequestController,
  jobController,
  daemonSetController,
  statefulSetController,
  cronJobController,
  disruptionController,
  horizontalPodAutoscalerController,
];

/** Upstream's other controllers, which are off unless they are asked for. */
const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  ['selinux-warning-controller', 'no node of a cluster has volumes with SELinux labels'],
]);

/** `*` enables all that are on by default, `name` enables one, `-name` disables one; the last one counts. */
export function enabledControllers(
  wanted: readonly string[],
  all: readonly ControllerDescriptor[] = controllers,
): ControllerDescriptor[] {
  const known = new Set(all.flatMap((c) => [c.name, ...(c.aliases ?? [])]));
  for (const word of wanted) {
    const name = word.replace(/^-/, '');
    const unsupported = UNSUPPORTED.get(name);
    if (unsupported !== undefined && word === name) throw new Error(`"${name}" is not supported: ${unsupported}`);
    if (name !== '*' && !known.has(name) && unsupported === undefined)
      throw new Error(`"${name}" is not in the list of known controllers`);
  }
  return all.filter((controller) => {
    const names = [controller.name, ...(controller.aliases ?? [])];
    const star = wanted.includes('*') && !controller.disabledByDefault;
    const last = wanted.findLast((word) => names.includes(word.replace(/^-/, '')));
    return last === undefined ? star : !last.startsWith('-');
  });
}
