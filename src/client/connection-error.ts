import { errorMessage } from '../base/index.ts';
import { CertificateVerificationError } from '../net/tls/index.ts';
import { TransportError } from './transport.ts';

/** Converts Node's network errors: `connection-refused` means that the server cannot have seen the request. */
export function connectionError(error: unknown): TransportError {
  if (error instanceof TransportError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = errorMessage(error);
  const untrusted = error instanceof CertificateVerificationError || /CERT|SIGNATURE|TLS|SSL/.test(code);
  const unreachable = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'ETIMEDOUT'].includes(
    code,
  );
  return new TransportError(untrusted || unreachable ? 'connection-refused' : 'connection-lost', message, {
    cause: error,
  });
}
