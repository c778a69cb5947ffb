/** How connections are set up, whichever thread they are in. */
import type http2 from 'node:http2';
import type tls from 'node:tls';
import type { TlsOptions } from './serve.ts';

export const MAX_HEADER_BYTES = 1024 * 1024;
const MAX_CONCURRENT_STREAMS = 1000;
/** What a connection may have on its way to us: HTTP/2's own 64 KB make one large upload hold up all others. */
const CONNECTION_WINDOW = 8 * 1024 * 1024;

/** `maxHeaderListPairs` is missing from Node's types. */
export const HTTP2_OPTIONS = {
  maxHeaderListPairs: 2000,
  settings: { maxConcurrentStreams: MAX_CONCURRENT_STREAMS, initialWindowSize: 1024 * 1024, maxHeaderListSize: MAX_HEADER_BYTES },
} satisfies http2.ServerOptions & { maxHeaderListPairs: number };

export const tlsOptions = ({ key, cert, clientCa, minVersion = 'TLSv1.2' }: TlsOptions): tls.TlsOptions => ({
  key,
  cert,
  ...(clientCa ? { ca: clientCa } : {}),
  requestCert: true,
  // An unknown client certificate is not a broken connection: its bearer is just not authenticated by it.
  rejectUnauthorized: false,
  minVersion,
});

/** What every new HTTP/2 session gets. */
export function ofSession(session: http2.ServerHttp2Session): void {
  session.on('error', () => session.destroy());
  session.setLocalWindowSize(CONNECTION_WINDOW);
}
