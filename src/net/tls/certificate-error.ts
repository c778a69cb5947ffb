/** Why a certificate is not accepted, in the words of Go's crypto/x509, which operators know. */

/** Node's error codes where Node has one; callers choose their message by the code. */
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

/** The error of a server's certificate in a handshake, in the words of Go's crypto/tls. */
export class CertificateVerificationError extends Error {
  readonly code: CertificateErrorCode;

  constructor(override readonly cause: CertificateError) {
    super(`tls: failed to verify certificate: ${cause.message}`);
    this.name = 'CertificateVerificationError';
    this.code = cause.code;
  }
}
