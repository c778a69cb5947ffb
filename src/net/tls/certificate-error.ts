/** Why a certificate is not accepted, in the words of Go's crypto/x509: operators know those. */

/** As Node calls them where it knows the like: callers tell by the code what to say of it. */
type CertificateErrorCode =
  | 'CERT_HAS_EXPIRED'
  | 'CERT_NOT_YET_VALID'
  | 'CERT_UNTRUSTED'
  | 'CERT_REJECTED'
  | 'INVALID_CA'
  | 'INVALID_PURPOSE'
  | 'ERR_TLS_CERT_ALTNAME_INVALID';

export class CertificateError extends Error {
  constructor(
    readonly code: CertificateErrorCode,
    reason: string,
  ) {
    super(`x509: ${reason}`);
    this.name = 'CertificateError';
  }
}

/** The certificate of a server, in a handshake: what Go's crypto/tls says of it. */
export class CertificateVerificationError extends Error {
  readonly code: CertificateErrorCode;

  constructor(override readonly cause: CertificateError) {
    super(`tls: failed to verify certificate: ${cause.message}`);
    this.name = 'CertificateVerificationError';
    this.code = cause.code;
  }
}
