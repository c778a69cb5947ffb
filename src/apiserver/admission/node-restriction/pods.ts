/** A node's own pods: it shows its static pods, reports on all, evicts and deletes them. */
import type { PodResourceClaimStatus } from '../../../api/generated/core-v1.ts';
import { deepEqual } from '../../../base/index.ts';
import { isMirrorPod, MIRROR_POD, oldPodOf, podOf, specOf, type PodObject } from '../kinds.ts';
import { referencesConfigMaps, referencesSecrets } from '../pod-references.ts';
import { refuse } from '../refuse.ts';
import { lookUp } from './look-up.ts';
import type { NodeRequest } from './node-restriction.ts';

export function admitPod(request: NodeRequest): void {
  const { nodeName, attributes } = request;
  if (attributes.operation === 'CREATE') return admitMirrorPod(request);
  if (attributes.operation !== 'DELETE') {
    throw refuse(
      attributes,
      `unexpected operation "${attributes.operation}", node "${nodeName}" can only create and delete mirror pods`,
    );
  }
  if (specOf(podNamed(request, attributes.name)).nodeName !== nodeName) {
    throw refuse(attributes, `node "${nodeName}" can only delete pods with spec.nodeName set to itself`);
  }
}

export const podNamed = ({ registry, attributes }: NodeRequest, name: string): PodObject =>
  lookUp(
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
    throw refuse(attributes, `pod does not have "${MIRROR_POD}" annotation, ${node} can only create mirror pods`);
  if (spec.nodeName !== nodeName)
    throw refuse(attributes, `${node} can only create pods with spec.nodeName set to itself`);
  checkOwner(request, pod);
  if (spec.serviceAccountName) throw refuse(attributes, `${node} can not create pods that reference a service account`);
  const forbidden = referencedKind(pod);
  if (forbidden) throw refuse(attributes, `${node} can not create pods that reference ${forbidden}`);
}

/** Mirror pods refer to nothing: else a node could give itself the right to read it. */
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
    throw refuse(attributes, `${node} can only create pods with a single owner reference set to itself`);
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== nodeName) {
    throw refuse(attributes, `${node} can only create pods with an owner reference set to itself`);
  }
  if (!owner.controller)
    throw refuse(attributes, `${node} can only create pods with a controller owner reference set to itself`);
  if (owner.blockOwnerDeletion)
    throw refuse(attributes, `${node} must not set blockOwnerDeletion on an owner reference`);
  const found = lookUp(
    registry,
    { group: '', version: 'v1', plural: 'nodes', singular: 'node' },
    { namespace: '', name: nodeName },
  );
  if (owner.uid !== found.metadata.uid)
    throw refuse(attributes, `node ${nodeName} UID mismatch: expected ${owner.uid} got ${found.metadata.uid}`);
}

export function admitPodStatus({ nodeName, attributes }: NodeRequest): void {
  if (attributes.operation !== 'UPDATE') throw refuse(attributes, `unexpected operation "${attributes.operation}"`);
  const [pod, old] = [podOf(attributes), oldPodOf(attributes)];
  const node = `node "${nodeName}"`;
  if (specOf(old).nodeName !== nodeName)
    throw refuse(attributes, `${node} can only update pod status for pods with spec.nodeName set to itself`);
  if (!deepEqual(old.metadata.labels ?? {}, pod.metadata.labels ?? {}))
    throw refuse(attributes, `${node} cannot update labels through pod status`);
  if (!sameClaims(old.status?.resourceClaimStatuses, pod.status?.resourceClaimStatuses))
    throw refuse(attributes, `${node} cannot update resource claim statues`);
  if (!deepEqual(old.status?.extendedResourceClaimStatus, pod.status?.extendedResourceClaimStatus)) {
    throw refuse(attributes, `${node} cannot update extended resource claim status`);
  }
}

const sameClaims = (a: readonly PodResourceClaimStatus[] = [], b: readonly PodResourceClaimStatus[] = []): boolean =>
  a.length === b.length &&
  a.every((claim, i) => claim.name === b[i]!.name && claim.resourceClaimName === b[i]!.resourceClaimName);

export function admitEviction(request: NodeRequest): void {
  const { nodeName, attributes } = request;
  if (attributes.operation !== 'CREATE') throw refuse(attributes, `unexpected operation ${attributes.operation}`);
  const name = attributes.name || attributes.object?.metadata.name;
  if (!name) throw refuse(attributes, 'could not determine pod from request data');
  if (specOf(podNamed(request, name)).nodeName !== nodeName)
    throw refuse(attributes, `node ${nodeName} can only evict pods with spec.nodeName set to itself`);
}
