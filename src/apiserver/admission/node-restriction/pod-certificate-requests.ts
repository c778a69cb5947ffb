/** NodeRestriction for PodCertificateRequests: a kubelet asks for certificates of the pods on its node only. */
import type { PodCertificateRequest } from '../../../api/generated/certificates-v1beta1.ts';
import { quote } from '../../../base/index.ts';
import { internalError } from '../../../machinery/errors/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import { newForbidden } from '../new-forbidden.ts';
import { isMirrorPod, specOf } from '../request-objects.ts';
import { getObject } from './get-object.ts';
import type { NodeRequest } from './node-request.ts';
import { getPod } from './pods.ts';

const NODES = { group: '', version: 'v1', plural: 'nodes', singular: 'node' };
const ACCOUNTS = { group: '', version: 'v1', plural: 'serviceaccounts', singular: 'serviceaccount' };

export function admitPodCertificateRequest(request: NodeRequest): void {
  const { nodeName, attributes, registry } = request;
  const { operation, subresource, namespace } = attributes;
  const refuse = (why: string): Error => newForbidden(attributes, why);
  if (operation !== 'CREATE') throw refuse(`unexpected operation ${operation}`);
  if (subresource !== '') throw refuse(`unexpected subresource ${subresource}`);
  const { spec } = attributes.object as PodCertificateRequest & KubeObject;
  const named = quote(`${namespace}/${spec.podName}`);
  if (spec.nodeName !== nodeName)
    throw refuse(
      `PodCertificateRequest.Spec.NodeName=${quote(spec.nodeName)}, which is not the requesting node ${quote(nodeName)}`,
    );
  const node = getObject(registry, NODES, { namespace: '', name: nodeName });
  if (node.metadata.uid !== spec.nodeUID)
    throw internalError(
      `PodCertificateRequest for pod ${named} names node UID ${quote(spec.nodeUID)}, inconsistent with the running node (${quote(node.metadata.uid ?? '')})`,
    );
  const pod = getPod(request, spec.podName);
  if (pod.metadata.uid !== spec.podUID)
    throw internalError(
      `PodCertificateRequest for pod ${named} contains pod UID (${quote(spec.podUID)}) which differs from running pod ${quote(pod.metadata.uid ?? '')}`,
    );
  const { nodeName: scheduled, serviceAccountName = '' } = specOf(pod);
  if (scheduled !== nodeName)
    throw refuse(`pod ${named} is not running on node ${quote(nodeName)} named in the PodCertificateRequest`);
  if (isMirrorPod(pod)) throw refuse(`pod ${named} is a mirror pod`);
  if (spec.serviceAccountName !== serviceAccountName)
    throw refuse(
      `PodCertificateRequest for pod ${named} contains serviceAccountName (${quote(spec.serviceAccountName)}) that differs from running pod (${quote(serviceAccountName)})`,
    );
  const account = getObject(registry, ACCOUNTS, { namespace, name: serviceAccountName });
  if (account.metadata.uid !== spec.serviceAccountUID)
    throw internalError(
      `PodCertificateRequest for pod ${named} names service account UID ${quote(spec.serviceAccountUID)}, which differs from the running service account (${quote(account.metadata.uid ?? '')})`,
    );
}
