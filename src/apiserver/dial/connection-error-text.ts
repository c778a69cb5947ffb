/** What kept a connection from working, in the words of Go's net and tls packages: clients and operators know those. */
import { dialText } from './dial-error.ts';

/** A certificate that is not trusted says so itself, in Go's words (CertificateVerificationError). */
export function connectionErrorText(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'ECONNRESET') return error.message === 'socket hang up' ? 'EOF' : 'read: connection reset by peer';
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return 'tls: first record does not look like a TLS handshake';
  return dialText(error);
}
