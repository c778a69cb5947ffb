/**
 * Stored versions that are not the ones stored here. Upstream stores some kinds in an older version than the one that it serves:
 * CustomResourceDefinitions as v1beta1, kinds that became stable in this release in their beta version. A cluster that was
 * upgraded may also hold what an earlier release wrote. Such objects are converted when they are read; the next write
 * stores them in the version of `storageVersions`. A version of a built-in kind that cannot be converted is refused by name.
 */
import { removedVersionsWithSameFields, schema } from '../../../api/index.ts';
import { quote } from '../../../base/index.ts';
import { badRequest } from '../../../machinery/errors/index.ts';
import { devicesToV1, type KubeObject } from '../../../machinery/index.ts';
import { autoscalerToV2 } from './convert-autoscaler.ts';
import { eventToCore } from './convert-event.ts';
import { definitionFromV1beta1 } from './definition-from-v1beta1.ts';
import { fromRemovedVersions, type ToServed } from './from-removed-versions.ts';

interface StoredVersion {
  /** The apiVersion that is served. */
  readonly servedAs: string;
  /** For versions whose fields differ; the others have the same fields under the same protobuf numbers. */
  readonly convert?: ToServed;
}

const sameFields = (servedAs: string, stored: string, kinds: readonly string[]): [string, StoredVersion][] =>
  kinds.map((kind) => [`${stored} ${kind}`, { servedAs }]);

const converted = (
  servedAs: string,
  convert: ToServed,
  stored: string,
  kinds: readonly string[],
): [string, StoredVersion][] => kinds.map((kind) => [`${stored} ${kind}`, { servedAs, convert }]);

const ADMISSION = 'admissionregistration.k8s.io';
const MUTATING_POLICIES = ['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding'];
const DEVICES = ['ResourceClaim', 'ResourceClaimTemplate', 'ResourceSlice'];

const STORED_VERSIONS: ReadonlyMap<string, StoredVersion> = new Map([
  ...removedVersionsWithSameFields.flatMap(([served, removed, kinds]) => sameFields(served, removed, kinds)),
  ...sameFields(`${ADMISSION}/v1`, `${ADMISSION}/v1alpha1`, MUTATING_POLICIES),
  ...sameFields(`${ADMISSION}/v1`, `${ADMISSION}/v1beta1`, MUTATING_POLICIES),
  ...sameFields('certificates.k8s.io/v1beta1', 'certificates.k8s.io/v1alpha1', ['ClusterTrustBundle']),
  ...sameFields('coordination.k8s.io/v1beta1', 'coordination.k8s.io/v1alpha2', ['LeaseCandidate']),
  ...sameFields('networking.k8s.io/v1', 'networking.k8s.io/v1beta1', ['IPAddress', 'ServiceCIDR']),
  ...sameFields('storage.k8s.io/v1', 'storage.k8s.io/v1beta1', ['VolumeAttributesClass']),
  ...sameFields('resource.k8s.io/v1', 'resource.k8s.io/v1beta1', ['DeviceClass']),
  ...sameFields('resource.k8s.io/v1', 'resource.k8s.io/v1beta2', ['DeviceClass', ...DEVICES]),
  ...sameFields('resource.k8s.io/v1alpha3', 'resource.k8s.io/v1beta2', ['DeviceTaintRule']),
  ...converted('resource.k8s.io/v1', devicesToV1, 'resource.k8s.io/v1beta1', DEVICES),
  ...converted('apiextensions.k8s.io/v1', definitionFromV1beta1, 'apiextensions.k8s.io/v1beta1', [
    'CustomResourceDefinition',
  ]),
  ...converted('autoscaling/v2', autoscalerToV2, 'autoscaling/v1', ['HorizontalPodAutoscaler']),
  ...['v1', 'v1beta1'].flatMap((version) => converted('v1', eventToCore, `events.k8s.io/${version}`, ['Event'])),
  ...Object.entries(fromRemovedVersions).map(([key, [servedAs, convert]]): [string, StoredVersion] => [
    key,
    { servedAs, convert },
  ]),
]);

/** Kinds whose version was looked up and that are served as they are. */
const servedAsStored = new Set<string>();

/** What becomes of a stored version; undefined for those that are served as they are. Throws for those that cannot be. */
export function storedVersionOf(apiVersion: string, kind: string): StoredVersion | undefined {
  const key = `${apiVersion} ${kind}`;
  const version = STORED_VERSIONS.get(key);
  if (version || servedAsStored.has(key)) return version;
  if (isUnknownVersion(apiVersion, kind))
    throw badRequest(`no kind ${quote(kind)} is registered for version ${quote(apiVersion)}`);
  servedAsStored.add(key);
  return undefined;
}

/** Whether the API has the kind, but in other versions of the group only. Custom resources are of other kinds. */
function isUnknownVersion(apiVersion: string, kind: string): boolean {
  const slash = apiVersion.indexOf('/');
  const [group, version] = [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)];
  return (
    !schema.kind({ group, version, kind }) &&
    schema.resources.some((resource) => resource.group === group && resource.kind === kind)
  );
}

/** The object in the version that is served. */
export function toServedVersion(object: KubeObject, { servedAs, convert }: StoredVersion): KubeObject {
  return { ...(convert ? convert(object) : object), apiVersion: servedAs };
}
