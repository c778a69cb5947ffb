/**
 * Certificates: which servers a TLS client trusts, which client certificates a server accepts, and DER. All
 * verification of certificates is here, with the rules and messages of Go's crypto/x509, which operators and other
 * clients of Kubernetes expect.
 */
export * from './der.ts';
export { certificatesOfDer, certificatesOfPem } from './certificate.ts';
export { CertificateError, CertificateVerificationError } from './certificate-error.ts';
export { clientCertificateOptions } from './client-certificate-options.ts';
export { ClientCertificates, type ClientChain } from './client-certificates.ts';
export { commonName, organizations, valuesOf, type Name } from './name.ts';
export { peerChain } from './peer-chain.ts';
export { isRotationOverdue, isSignedBy, nextRotationDeadline, sleepUntil, validityOf } from './rotation.ts';
export { TlsTrust, TlsTrustAgent, withTrust } from './tls-trust.ts';
export { bundlePool } from './trust-anchors.ts';
export {
  checkCertificateAndKey,
  ServingCertificates,
  type CertificateAndKey,
  type NamedCertificate,
  type ServingOptions,
  type TlsSettings,
} from './serving-certificates.ts';
export { CIPHER_SUITES, http2CipherProblem, opensslCiphers, opensslCurves } from './cipher-suites.ts';
export { CLIENT_AUTH, verifyChain } from './verify-chain.ts';
