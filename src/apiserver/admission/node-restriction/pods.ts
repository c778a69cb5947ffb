/** NodeRestriction for Pods: a kubelet creates mirror pods, and updates the status of, evicts and deletes its own pods. */
import type { PodResourceClaimStatus } from '../../../api/generated/core-v1.ts';
import { deepEqual } from '../../../base/index.ts';
import { newForbidden } from '../new-forbidden.ts';
import { referencesConfigMaps, referencesSecrets } from '../pod-references.ts';
import { isMirrorPod, MIRROR_POD, oldPodOf, podOf, specOf, type PodObject } from '../request-objects.ts';
import { getObject } from './get-object.ts';
import type { NodeRequest } from './node-request.ts';

export function admitPod(request: NodeRequest): void {
  const { nodeName, attributes } = request;
  if (attributes.operation === 'CREATE') return admitMirrorPod(request);
  if (attributes.operation !== 'DELETE') {
    throw newForbidden(
      attributes,
      `unexpected operation "${attributes.operation}", node "${nodeName}" can only create and delete mirror pods`,
    );
  }
  if (specOf(getPod(request, attributes.name)).nodeName !== nodeName) {
    throw newForbidden(attributes, `node "${nodeName}" can only delete pods with spec.nodeName set to itself`);
  }
}

export const getPod = ({ registry, attributes }: NodeRequest, name: string): PodObject =>
  getObject(
    registry,
    { group: '', version: 'v1', plural: 'pods', singular: 'pod' },
    { namespace: attributes.namespace, name },
  ) as PodObject;

function admitMirrorPod(request: NodeRequest): void {
  const { nodeName, attributes } = request;
  const pod = podOf(attributes);
  const spec = specOf(pod);
  const node = `node "${nodeName}"`;
  if (!isMirrorPod(pod))
    throw newForbidden(attributes, `pod does not have "${MIRROR_POD}" annotation, ${node} can only create mirror pods`);
  if (spec.nodeName !== nodeName)
    throw newForbidden(attributes, `${node} can only create pods with spec.nodeName set to itself`);
  checkOwner(request, pod);
  if (spec.serviceAccountName)
    throw newForbidden(attributes, `${node} can not create pods that reference a service account`);
  const forbidden = referencedKind(pod);
  if (forbidden) throw newForbidden(attributes, `${node} can not create pods that reference ${forbidden}`);
}

/** Mirror pods may not reference API objects: a node may read whatever its pods reference. */
function referencedKind(pod: PodObject): string | undefined {
  const spec = specOf(pod);
  if (referencesSecrets(spec)) return 'secrets';
  if (referencesConfigMaps(spec)) return 'configmaps';
  const sources = (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  if (sources.some(({ clusterTrustBundle }) => clusterTrustBundle)) return 'clustertrustbundles';
  if ((spec.volumes ?? []).some(({ persistentVolumeClaim }) => persistentVolumeClaim)) return 'persistentvolumeclaims';
  return (spec.resourceClaims?.length ?? 0) > 0 ? 'resourceclaims' : undefined;
}

function checkOwner({ nodeName, attributes, registry }: NodeRequest, { metadata }: PodObject): void {
  const node = `node "${nodeName}"`;
  const [owner, ...more] = metadata.ownerReferences ?? [];
  if (more.length > 0)
    throw newForbidden(attributes, `${node} can only create pods with a single owner reference set to itself`);
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== nodeName) {
    throw newForbidden(attributes, `${node} can only create pods with an owner reference set to itself`);
  }
  if (!owner.controller)
    throw newForbidden(attributes, `${node} can only create pods with a controller owner reference set to itself`);
  if (owner.blockOwnerDeletion)
    throw newForbidden(attributes, `${node} must not set blockOwnerDeletion on an owner reference`);
  const found = getObject(
    registry,
    { group: '', version: 'v1', plural: 'nodes', singular: 'node' },
    { namespace: '', name: nodeName },
  );
  if (owner.uid !== found.metadata.uid)
    throw newForbidden(attributes, `node ${nodeName} UID mismatch: expected ${owner.uid} got ${found.metadata.uid}`);
}

export function admitPodStatus({ nodeName, attributes }: NodeRequest): void {
  if (attributes.operation !== 'UPDATE')
    throw newForbidden(attributes, `unexpected operation "${attributes.operation}"`);
  const [pod, old] = [podOf(attributes), oldPodOf(attributes)];
  const node = `node "${nodeName}"`;
  if (specOf(old).nodeName !== nodeName)
    throw newForbidden(attributes, `${node} can only update pod status for pods with spec.nodeName set to itself`);
  if (!deepEqual(old.metadata.labels ?? {}, pod.metadata.labels ?? {}))
    throw newForbidden(attributes, `${node} cannot update labels through pod status`);
  if (!sameClaims(old.status?.resourceClaimStatuses, pod.status?.resourceClaimStatuses))
    throw newForbidden(attributes, `${node} cannot update resource claim statues`);
  if (!deepEqual(old.status?.extendedResourceClaimStatus, pod.status?.extendedResourceClaimStatus)) {
    throw newForbidden(attributes, `${node} cannot update extended resource claim status`);
  }
}

const sameClaims = (a: readonly PodResourceClaimStatus[] = [], b: readonly PodResourceClaimStatus[] = []): boolean =>
  a.length === b.length &&
  a.every((claim, i) => claim.name === b[i]!.name && claim.resourceClaimName === b[i]!.resourceClaimName);

export function admitEviction(request: NodeRequest): void {
  const { nodeName, attributes } = request;
  if (attributes.operation !== 'CREATE') throw newForbidden(attributes, `unexpected operation ${attributes.operation}`);
  const name = attributes.name || attributes.object?.metadata.name;
  if (!name) throw newForbidden(attributes, 'could not determine pod from request data');
  if (specOf(getPod(request, name)).nodeName !== nodeName)
    throw newForbidden(attributes, `node ${nodeName} can only evict pods with spec.nodeName set to itself`);
}
