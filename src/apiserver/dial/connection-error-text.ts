/** What kept a connection from working, in the words of Go's net and tls packages: clients and operators know those. */
import { dialText } from './dial-error.ts';

interface ConnectionError extends Error {
  readonly code?: string;
  readonly host?: string;
  readonly cert?: { readonly subjectaltname?: string };
  readonly reason?: string;
}

const UNTRUSTED = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
  'INVALID_CA',
]);

const VERIFY = 'tls: failed to verify certificate: x509:';

export function connectionErrorText(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code = '', host, cert } = error as ConnectionError;
  if (UNTRUSTED.has(code)) return `${VERIFY} certificate signed by unknown authority`;
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return `${VERIFY} certificate has expired or is not yet valid`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `${VERIFY} ${nameMismatch(cert?.subjectaltname ?? '', host ?? '')}`;
  if (code === 'ECONNRESET') return error.message === 'socket hang up' ? 'EOF' : 'read: connection reset by peer';
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return 'tls: first record does not look like a TLS handshake';
  return dialText(error);
}

function nameMismatch(alternativeNames: string, host: string): string {
  const names = alternativeNames
    .split(', ')
    .filter((name) => name !== '')
    .map((name) => name.replace(/^(DNS|IP Address):/, ''));
  if (names.length === 0) return `certificate is not valid for any names, but wanted to match ${host}`;
  return `certificate is valid for ${names.join(', ')}, not ${host}`;
}
