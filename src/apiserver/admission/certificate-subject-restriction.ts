/** CertificateSubjectRestriction: no client certificate makes its holder a member of system:masters. */
import type { CertificateSigningRequest } from '../../api/generated/certificates-v1.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { AdmissionPlugin } from './admission.ts';
import { requestedSubject } from './certificate-subject.ts';
import { isFor } from './kinds.ts';
import { refuse } from './refuse.ts';

const SIGNER = 'kubernetes.io/kube-apiserver-client';
const MASTERS = 'system:masters';

export const certificateSubjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  operations: ['CREATE'],
  matches: (attributes) =>
    isFor(attributes, 'certificates.k8s.io', 'certificatesigningrequests') && attributes.subresource === '',
  validate(attributes) {
    const { spec } = attributes.object as CertificateSigningRequest & KubeObject;
    if (spec.signerName !== SIGNER || !organizationsOf(spec.request).includes(MASTERS)) return;
    throw refuse(attributes, `use of ${SIGNER} signer with ${MASTERS} group is not allowed`);
  },
};

/** A request that cannot be read has been refused by validation. */
function organizationsOf(request: string): readonly string[] {
  try {
    return requestedSubject(request).organizations;
  } catch {
    return [];
  }
}
