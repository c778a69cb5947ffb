/** Validation of the certificates group: requests for certificates, with the keys inside them, and trust bundles. */
import type { KindValidation } from '../kind-validation.ts';
import { certificateSigningRequest } from './certificate-signing-request.ts';
import { clusterTrustBundle } from './cluster-trust-bundle.ts';
import { podCertificateRequest } from './pod-certificate-request.ts';

export const certificatesValidations: Readonly<Record<string, KindValidation>> = {
  'certificates.k8s.io/certificatesigningrequests': certificateSigningRequest,
  'certificates.k8s.io/clustertrustbundles': clusterTrustBundle,
  'certificates.k8s.io/podcertificaterequests': podCertificateRequest,
};
