import { createHash, X509Certificate } from 'node:crypto';

/** The hash of the CA's public key (SubjectPublicKeyInfo), as kubeadm's discovery-token-ca-cert-hash: `sha256:…`. */
export const caHash = (certificate: string): string =>
  `sha256:${createHash('sha256')
    .update(new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')}`;
