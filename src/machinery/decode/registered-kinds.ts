/** The kinds that upstream's schemes register, also those that it no longer serves. */
import { apiVersionOf, schema as builtIn, type GroupVersionKind, type Message, type Schema } from '../../api/index.ts';

/** Kinds that upstream registers in every group and version. */
const KINDS_OF_ALL_VERSIONS = [
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'UpdateOptions',
  'WatchEvent',
];
/** Kinds that upstream registers as `v1` without a group. */
const UNVERSIONED_KINDS = ['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'Status'];

const ADMISSION_POLICIES = [
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
];
const DEVICES = ['DeviceClass', 'ResourceClaim', 'ResourceClaimTemplate', 'ResourceSlice'];
const ROLES = ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];
const PRIORITIES = ['FlowSchema', 'PriorityLevelConfiguration'];

/** Kinds by apiVersion that upstream decodes but no longer serves; `v1` of the same group has them. */
const RETIRED_KINDS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    'admissionregistration.k8s.io/v1alpha1': ADMISSION_POLICIES,
    'admissionregistration.k8s.io/v1beta1': [
      'MutatingWebhookConfiguration',
      'ValidatingWebhookConfiguration',
      ...ADMISSION_POLICIES,
    ],
    'apps/v1beta1': ['ControllerRevision', 'Deployment', 'StatefulSet'],
    'apps/v1beta2': ['ControllerRevision', 'DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'],
    'authentication.k8s.io/v1alpha1': ['SelfSubjectReview'],
    'authentication.k8s.io/v1beta1': ['SelfSubjectReview', 'TokenReview'],
    'authorization.k8s.io/v1beta1': [
      'LocalSubjectAccessReview',
      'SelfSubjectAccessReview',
      'SelfSubjectRulesReview',
      'SubjectAccessReview',
    ],
    'batch/v1beta1': ['CronJob'],
    'certificates.k8s.io/v1beta1': ['CertificateSigningRequest'],
    'coordination.k8s.io/v1beta1': ['Lease'],
    'discovery.k8s.io/v1beta1': ['EndpointSlice'],
    'events.k8s.io/v1beta1': ['Event'],
    'flowcontrol.apiserver.k8s.io/v1beta1': PRIORITIES,
    'flowcontrol.apiserver.k8s.io/v1beta2': PRIORITIES,
    'flowcontrol.apiserver.k8s.io/v1beta3': PRIORITIES,
    'networking.k8s.io/v1beta1': ['IPAddress', 'Ingress', 'IngressClass', 'ServiceCIDR'],
    'node.k8s.io/v1alpha1': ['RuntimeClass'],
    'node.k8s.io/v1beta1': ['RuntimeClass'],
    'policy/v1beta1': ['Eviction', 'PodDisruptionBudget'],
    'rbac.authorization.k8s.io/v1alpha1': ROLES,
    'rbac.authorization.k8s.io/v1beta1': ROLES,
    'resource.k8s.io/v1beta1': DEVICES,
    'resource.k8s.io/v1beta2': DEVICES,
    'scheduling.k8s.io/v1beta1': ['PriorityClass'],
    'storage.k8s.io/v1alpha1': ['CSIStorageCapacity', 'VolumeAttachment', 'VolumeAttributesClass'],
    'storage.k8s.io/v1beta1': [
      'CSIDriver',
      'CSINode',
      'CSIStorageCapacity',
      'StorageClass',
      'VolumeAttachment',
      'VolumeAttributesClass',
    ],
  }),
);

/** The kinds of `extensions/v1beta1` and the groups that have them now. */
const EXTENSIONS_KINDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    DaemonSet: 'apps',
    Deployment: 'apps',
    Ingress: 'networking.k8s.io',
    NetworkPolicy: 'networking.k8s.io',
    ReplicaSet: 'apps',
  }),
);

function successorGroup({ group, kind }: GroupVersionKind, apiVersion: string): string | undefined {
  if (apiVersion === 'extensions/v1beta1') return EXTENSIONS_KINDS.get(kind);
  return RETIRED_KINDS.get(apiVersion)?.includes(kind) ? group : undefined;
}

/** The message that a kind decodes into, served or not. */
export function registeredMessage(gvk: GroupVersionKind, schema: Schema = builtIn): Message | undefined {
  const apiVersion = apiVersionOf(gvk);
  const meta =
    KINDS_OF_ALL_VERSIONS.includes(gvk.kind) || (UNVERSIONED_KINDS.includes(gvk.kind) && apiVersion === 'v1');
  const group = successorGroup(gvk, apiVersion);
  return (
    schema.kind(gvk) ??
    (meta ? builtIn.kind({ group: 'meta.k8s.io', version: 'v1', kind: gvk.kind }) : undefined) ??
    (group !== undefined ? schema.kind({ group, version: 'v1', kind: gvk.kind }) : undefined)
  );
}

/** Upstream still accepts Evictions of policy/v1beta1. */
export const isAcceptedVersion = (gvk: GroupVersionKind, expected: GroupVersionKind): boolean =>
  (gvk.group === expected.group && gvk.version === expected.version) ||
  (gvk.kind === 'Eviction' && gvk.group === 'policy' && gvk.version === 'v1beta1');
