/** CertificateSubjectRestriction: rejects requests for client certificates in the group system:masters. */
import type { CertificateSigningRequest } from '../../api/generated/certificates-v1.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { AdmissionPlugin } from './admission.ts';
import { requestedSubject } from './certificate-subject.ts';
import { newForbidden } from './new-forbidden.ts';
import { isForResource } from './request-objects.ts';

const SIGNER = 'kubernetes.io/kube-apiserver-client';
const MASTERS = 'system:masters';

export const certificateSubjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  operations: ['CREATE'],
  matches: (attributes) =>
    isForResource(attributes, 'certificates.k8s.io', 'certificatesigningrequests') && attributes.subresource === '',
  validate(attributes) {
    const { spec } = attributes.object as CertificateSigningRequest & KubeObject;
    if (spec.signerName !== SIGNER || !organizationsOf(spec.request).includes(MASTERS)) return;
    throw newForbidden(attributes, `use of ${SIGNER} signer with ${MASTERS} group is not allowed`);
  },
};

/** Validation has already rejected requests that cannot be parsed. */
function organizationsOf(request: string): readonly string[] {
  try {
    return requestedSubject(request).organizations;
  } catch {
    return [];
  }
}
