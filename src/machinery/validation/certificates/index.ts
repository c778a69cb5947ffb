/** Validation of the certificates group: CertificateSigningRequests, with the requests inside them. */
import type { KindValidation } from '../kind-validation.ts';
import { certificateSigningRequest } from './certificate-signing-request.ts';

export const certificatesValidations: Readonly<Record<string, KindValidation>> = {
  'certificates.k8s.io/certificatesigningrequests': certificateSigningRequest,
};
