/**
 * Stored versions that are not the ones stored here. Upstream stores some kinds in an older version than the one that it serves:
 * CustomResourceDefinitions as v1beta1, kinds that became stable in this release in their beta version. A cluster that was
 * upgraded may also hold what an earlier release wrote. Such objects are converted when they are read; the next write
 * stores them in the version that is served.
 */
import { devicesToV1, type KubeObject } from '../../machinery/index.ts';
import { definitionFromV1beta1 } from './definition-from-v1beta1.ts';

interface StoredVersion {
  /** The apiVersion that is served. */
  readonly servedAs: string;
  /** For versions whose fields differ; the others have the same fields under the same protobuf numbers. */
  readonly convert?: (object: KubeObject) => KubeObject;
}

const sameFields = (
  group: string,
  versions: readonly string[],
  kinds: readonly string[],
  servedAs = 'v1',
): [string, StoredVersion][] =>
  versions.flatMap((version) =>
    kinds.map((kind): [string, StoredVersion] => [
      `${group}/${version} ${kind}`,
      { servedAs: servedAs.includes('/') ? servedAs : `${group}/${servedAs}` },
    ]),
  );

const devicesV1beta1 = ['ResourceClaim', 'ResourceClaimTemplate', 'ResourceSlice'];

/** Versions that no supported release stores: of objects that nobody has written since. */
const LONG_AGO: readonly [string, StoredVersion][] = [
  ...sameFields(
    'admissionregistration.k8s.io',
    ['v1beta1'],
    ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
  ),
  ...sameFields('apps', ['v1beta1'], ['ControllerRevision', 'StatefulSet']),
  ...sameFields('apps', ['v1beta2'], ['ControllerRevision', 'DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet']),
  ...sameFields('autoscaling', ['v2beta2'], ['HorizontalPodAutoscaler'], 'v2'),
  ...sameFields('batch', ['v1beta1'], ['CronJob']),
  ...sameFields('certificates.k8s.io', ['v1beta1'], ['CertificateSigningRequest']),
  ...sameFields('coordination.k8s.io', ['v1beta1'], ['Lease']),
  ...sameFields('extensions', ['v1beta1'], ['ReplicaSet'], 'apps/v1'),
  ...sameFields('extensions', ['v1beta1'], ['NetworkPolicy'], 'networking.k8s.io/v1'),
  ...sameFields('flowcontrol.apiserver.k8s.io', ['v1beta1', 'v1beta2', 'v1beta3'], ['FlowSchema']),
  ...sameFields('flowcontrol.apiserver.k8s.io', ['v1beta3'], ['PriorityLevelConfiguration']),
  ...sameFields('networking.k8s.io', ['v1beta1'], ['IngressClass']),
  ...sameFields('node.k8s.io', ['v1beta1'], ['RuntimeClass']),
  ...sameFields('rbac.authorization.k8s.io', ['v1beta1'], ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding']),
  ...sameFields('scheduling.k8s.io', ['v1alpha1', 'v1beta1'], ['PriorityClass']),
  ...sameFields('storage.k8s.io', ['v1alpha1', 'v1beta1'], ['CSIStorageCapacity', 'VolumeAttachment']),
  ...sameFields('storage.k8s.io', ['v1beta1'], ['CSIDriver', 'CSINode', 'StorageClass']),
];

const STORED_VERSIONS: ReadonlyMap<string, StoredVersion> = new Map([
  [
    'apiextensions.k8s.io/v1beta1 CustomResourceDefinition',
    { servedAs: 'apiextensions.k8s.io/v1', convert: definitionFromV1beta1 },
  ],
  ...sameFields(
    'admissionregistration.k8s.io',
    ['v1alpha1', 'v1beta1'],
    [
      ...['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding'],
      ...['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
    ],
  ),
  ...sameFields('certificates.k8s.io', ['v1alpha1'], ['ClusterTrustBundle'], 'v1beta1'),
  ...sameFields('coordination.k8s.io', ['v1alpha2'], ['LeaseCandidate'], 'v1beta1'),
  ...sameFields('networking.k8s.io', ['v1beta1'], ['IPAddress', 'ServiceCIDR']),
  ...sameFields('storage.k8s.io', ['v1alpha1', 'v1beta1'], ['VolumeAttributesClass']),
  ...devicesV1beta1.map((kind): [string, StoredVersion] => [
    `resource.k8s.io/v1beta1 ${kind}`,
    { servedAs: 'resource.k8s.io/v1', convert: devicesToV1 },
  ]),
  ...sameFields('resource.k8s.io', ['v1beta2'], ['DeviceTaintRule'], 'v1alpha3'),
  ...sameFields('resource.k8s.io', ['v1beta1'], ['DeviceClass']),
  ...sameFields(
    'resource.k8s.io',
    ['v1beta2'],
    ['DeviceClass', 'ResourceClaim', 'ResourceClaimTemplate', 'ResourceSlice'],
  ),
  ...LONG_AGO,
]);

/** The apiVersion that an object of a stored version is served as; undefined for those that are served as they are. */
export const servedVersionOf = (apiVersion: string, kind: string): string | undefined =>
  STORED_VERSIONS.get(`${apiVersion} ${kind}`)?.servedAs;

/** The object in the version that is served. */
export function fromStoredVersion(object: KubeObject): KubeObject {
  const version = STORED_VERSIONS.get(`${object.apiVersion} ${object.kind}`);
  if (!version) return object;
  const converted = version.convert ? version.convert(object) : object;
  return { ...converted, apiVersion: version.servedAs };
}
