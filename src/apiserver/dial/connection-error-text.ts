/** The text of a connection error in the words of Go's net and tls packages, which clients and operators know. */
import { dialText } from './dial-error.ts';

/** A CertificateVerificationError already has Go's text. */
export function connectionErrorText(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'ECONNRESET') return error.message === 'socket hang up' ? 'EOF' : 'read: connection reset by peer';
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return 'tls: first record does not look like a TLS handshake';
  return dialText(error);
}
