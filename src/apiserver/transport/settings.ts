/** How connections are set up, whichever thread they are in. */
import type tls from 'node:tls';
import type { Http2Options } from '../../kernel/http2/index.ts';
import type { Clock } from '../../kernel/index.ts';
import type { TlsOptions } from './serve.ts';

export const MAX_HEADER_BYTES = 1024 * 1024;

/** HTTP/2's own windows of 64 KB make one large upload hold up all others. */
export const http2Options = (clock: Clock): Http2Options => ({
  clock,
  maxHeaderBytes: MAX_HEADER_BYTES,
  maxHeaderPairs: 2000,
  maxConcurrentStreams: 1000,
  streamWindow: 1024 * 1024,
  connectionWindow: 8 * 1024 * 1024,
});

export const tlsOptions = ({ key, cert, clientCa, minVersion = 'TLSv1.2' }: TlsOptions): tls.TlsOptions => ({
  key,
  cert,
  ...(clientCa ? { ca: clientCa } : {}),
  requestCert: true,
  // An unknown client certificate is not a broken connection: its bearer is just not authenticated by it.
  rejectUnauthorized: false,
  minVersion,
});
