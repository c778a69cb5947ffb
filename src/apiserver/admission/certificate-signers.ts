/** CertificateApproval, CertificateSigning, ClusterTrustBundleAttest: users need approve, sign or attest on the named signer. */
import type { CertificateSigningRequest } from '../../api/generated/certificates-v1.ts';
import type { PodCertificateRequest } from '../../api/generated/certificates-v1beta1.ts';
import { deepEqual, quote } from '../../base/index.ts';
import { forbiddenField, invalid, path } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Authorizer } from '../authz/authorizer.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';
import { newForbidden } from './new-forbidden.ts';
import { isForResource } from './request-objects.ts';

const GROUP = 'certificates.k8s.io';

type Request = CertificateSigningRequest & KubeObject;

const isForRequests = (attributes: AdmissionAttributes, subresource: string): boolean =>
  isForResource(attributes, GROUP, 'certificatesigningrequests') && attributes.subresource === subresource;

export const certificateApprovalPlugin = (authorizer: Authorizer): AdmissionPlugin => ({
  name: 'CertificateApproval',
  operations: ['UPDATE'],
  matches: (attributes) => isForRequests(attributes, 'approval'),
  async validate(attributes) {
    const { signerName } = (attributes.oldObject as Request).spec;
    if (await isAuthorizedForSigner(authorizer, attributes, 'approve', signerName)) return;
    throw newForbidden(attributes, `user not permitted to approve requests with signerName ${quote(signerName)}`);
  },
});

export const certificateSigningPlugin = (authorizer: Authorizer): AdmissionPlugin => ({
  name: 'CertificateSigning',
  operations: ['UPDATE'],
  matches: (attributes) => isForRequests(attributes, 'status'),
  async validate(attributes) {
    const old = attributes.oldObject as Request;
    const { status } = attributes.object as Request;
    if (
      old.status?.certificate === status?.certificate &&
      deepEqual(old.status?.conditions ?? [], status?.conditions ?? [])
    )
      return;
    if (await isAuthorizedForSigner(authorizer, attributes, 'sign', old.spec.signerName)) return;
    throw newForbidden(attributes, `user not permitted to sign requests with signerName ${quote(old.spec.signerName)}`);
  },
});

export const clusterTrustBundleAttestPlugin = (authorizer: Authorizer): AdmissionPlugin => ({
  name: 'ClusterTrustBundleAttest',
  operations: ['CREATE', 'UPDATE'],
  matches: (attributes) => isForResource(attributes, GROUP, 'clustertrustbundles') && attributes.subresource === '',
  async validate(attributes) {
    const signerName = (attributes.object as { spec?: { signerName?: string } } | undefined)?.spec?.signerName ?? '';
    if (
      signerName === '' ||
      (attributes.operation === 'UPDATE' && deepEqual(attributes.object!['spec'], attributes.oldObject!['spec']))
    )
      return;
    if (await isAuthorizedForSigner(authorizer, attributes, 'attest', signerName)) return;
    throw newForbidden(attributes, `user not permitted to attest for signerName ${quote(signerName)}`);
  },
});

/** Whoever writes the status of a PodCertificateRequest signs. Upstream checks it with the object's validation. */
export const podCertificateSigningCheck = (authorizer: Authorizer): AdmissionPlugin => ({
  name: 'PodCertificateSigning',
  operations: ['UPDATE'],
  matches: (attributes) =>
    isForResource(attributes, GROUP, 'podcertificaterequests') && attributes.subresource === 'status',
  async validate(attributes) {
    const [object, old] = [attributes.object, attributes.oldObject] as (PodCertificateRequest & KubeObject)[];
    if (!object || !old || deepEqual(object.status ?? {}, old.status ?? {})) return;
    const { signerName } = old.spec;
    if (await isAuthorizedForSigner(authorizer, attributes, 'sign', signerName)) return;
    const { group, kind } = attributes.served;
    const detail = `User ${quote(attributes.user.name)} is not permitted to "sign" for signer ${quote(signerName)}`;
    throw invalid({ group, kind }, attributes.name, [forbiddenField(path('spec', 'signerName'), detail)]);
  },
});

/** A role can name the signer itself, or all signers of its domain as `domain/*`. */
async function isAuthorizedForSigner(
  authorizer: Authorizer,
  { user }: AdmissionAttributes,
  verb: string,
  signerName: string,
): Promise<boolean> {
  for (const name of [signerName, `${signerName.split('/', 1)[0]}/*`]) {
    const { decision } = await authorizer.authorize({
      user,
      verb,
      isResourceRequest: true,
      apiGroup: GROUP,
      apiVersion: '*',
      namespace: '',
      resource: 'signers',
      subresource: '',
      name,
      path: '',
    });
    if (decision === 'allow') return true;
  }
  return false;
}
