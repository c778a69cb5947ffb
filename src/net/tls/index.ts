/**
 * Certificates: which servers a TLS client trusts, which client certificates a server accepts, and DER. All
 * verification of certificates is here, with the rules and words of Go's crypto/x509, which operators and other clients
 * of Kubernetes expect.
 */
export * from './der.ts';
export { certificatesOfDer, certificatesOfPem, parseCertificate, type Certificate } from './certificate.ts';
export { CertificateError, CertificateVerificationError, type CertificateErrorCode } from './certificate-error.ts';
export { ClientCertificates, type ClientChain } from './client-certificates.ts';
export { commonName, organizations, valuesOf, type Name } from './name.ts';
export { peerChain } from './peer-chain.ts';
export { TlsTrust, TlsTrustAgent, withTrust, type TlsEndpoint, type TlsTrustOptions } from './tls-trust.ts';
export { bundlePool, CertificatePool, systemPool } from './trust-anchors.ts';
export { CLIENT_AUTH, SERVER_AUTH, verifyChain, type VerifyOptions } from './verify-chain.ts';
export { verifyHostname } from './verify-hostname.ts';
