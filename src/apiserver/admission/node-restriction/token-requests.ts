/** NodeRestriction for TokenRequests: tokens must be bound to a pod on the node, for an audience that the pod uses. */
import type { TokenRequest } from '../../../api/generated/authentication-v1.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/generated/core-v1.ts';
import type { CSIDriver } from '../../../api/generated/storage-v1.ts';
import { aggregateMessage, isStatusError } from '../../../machinery/errors/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import { newForbidden } from '../new-forbidden.ts';
import { specOf, type PodObject } from '../request-objects.ts';
import { getObject } from './get-object.ts';
import type { NodeRequest } from './node-request.ts';
import { getPod } from './pods.ts';

export async function admitTokenRequest(request: NodeRequest): Promise<void> {
  const { nodeName, attributes } = request;
  if (attributes.operation !== 'CREATE' || attributes.subresource !== 'token') return;
  const { spec = {} } = attributes.object as TokenRequest & KubeObject;
  const ref = spec.boundObjectRef;
  if (ref?.apiVersion !== 'v1' || ref.kind !== 'Pod' || !ref.name)
    throw newForbidden(attributes, 'node requested token not bound to a pod');
  if (!ref.uid) throw newForbidden(attributes, 'node requested token with a pod binding without a uid');
  const pod = getPod(request, ref.name);
  if (ref.uid !== pod.metadata.uid) {
    throw newForbidden(
      attributes,
      `the UID in the bound object reference (${ref.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  if (specOf(pod).nodeName !== nodeName)
    throw newForbidden(attributes, 'node requested token bound to a pod scheduled on a different node');
  await checkAudience(request, pod, spec.audiences ?? []);
}

async function checkAudience(request: NodeRequest, pod: PodObject, audiences: readonly string[]): Promise<void> {
  const { attributes } = request;
  if (audiences.length > 1) throw newForbidden(attributes, 'node may only request 0 or 1 audiences');
  const audience = audiences[0] ?? '';
  const errors: string[] = [];
  if (podReferencesAudience(request, pod, audience, errors) || (await isAudienceAuthorized(request, audience))) return;
  if (errors.length > 0)
    throw newForbidden(attributes, `error validating audience "${audience}": ${aggregateMessage(errors)}`);
  throw newForbidden(
    attributes,
    `audience "${audience}" not found in pod spec volume, ${attributes.user.name} is not authorized to request tokens for this audience`,
  );
}

function podReferencesAudience(request: NodeRequest, pod: PodObject, audience: string, errors: string[]): boolean {
  for (const volume of specOf(pod).volumes ?? []) {
    if (
      volume.projected?.sources?.some(({ serviceAccountToken: token }) => token && (token.audience ?? '') === audience)
    )
      return true;
    try {
      const claim = volume.ephemeral?.volumeClaimTemplate
        ? `${pod.metadata.name}-${volume.name}`
        : volume.persistentVolumeClaim?.claimName;
      const driver = claim === undefined ? volume.csi?.driver : csiDriverOfClaim(request, claim);
      if (driver && csiDriverRequestsAudience(request, driver, audience)) return true;
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error;
      errors.push(error.message);
    }
  }
  return false;
}

function csiDriverOfClaim({ registry, attributes }: NodeRequest, name: string): string | undefined {
  const claim = getObject(
    registry,
    { group: '', version: 'v1', plural: 'persistentvolumeclaims', singular: 'persistentvolumeclaim' },
    { namespace: attributes.namespace, name },
  );
  const volumeName = (claim as PersistentVolumeClaim & KubeObject).spec?.volumeName ?? '';
  const volume = getObject(
    registry,
    { group: '', version: 'v1', plural: 'persistentvolumes', singular: 'persistentvolume' },
    { namespace: '', name: volumeName },
  );
  return (volume as PersistentVolume & KubeObject).spec?.csi?.driver;
}

function csiDriverRequestsAudience({ registry }: NodeRequest, name: string, audience: string): boolean {
  const driver = getObject(
    registry,
    { group: 'storage.k8s.io', version: 'v1', plural: 'csidrivers', singular: 'csidriver' },
    { namespace: '', name },
  );
  return ((driver as CSIDriver & KubeObject).spec?.tokenRequests ?? []).some(
    (tokenRequest) => (tokenRequest.audience ?? '') === audience,
  );
}

/** RBAC can grant a kubelet further audiences, for credential providers. */
async function isAudienceAuthorized({ attributes, authorizer }: NodeRequest, audience: string): Promise<boolean> {
  const { decision } = await authorizer.authorize({
    user: attributes.user,
    verb: 'request-serviceaccounts-token-audience',
    isResourceRequest: true,
    apiGroup: '',
    apiVersion: 'v1',
    namespace: attributes.namespace,
    resource: audience,
    subresource: '',
    name: attributes.name,
    path: '',
  });
  return decision === 'allow';
}
