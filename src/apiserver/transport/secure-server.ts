/** A TLS port of two protocols. */
import type net from 'node:net';
import tls from 'node:tls';
import { tlsOptions } from './settings.ts';
import type { TlsOptions } from './transport.ts';

interface SecureServer {
  readonly server: tls.Server;
  /** As they come from the network. */
  readonly sockets: ReadonlySet<net.Socket>;
}

/** Passes connections on by the protocol that their client chose. */
export function secureServer(
  options: TlsOptions,
  protocols: { readonly http1: (socket: tls.TLSSocket) => void; readonly http2: (socket: tls.TLSSocket) => void },
): SecureServer {
  const sockets = new Set<net.Socket>();
  const server = tls.createServer({ ...tlsOptions(options), ALPNProtocols: ['h2', 'http/1.1'] });
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.setNoDelay(true);
  });
  server.on('secureConnection', (socket: tls.TLSSocket) => {
    if (socket.alpnProtocol === 'h2') protocols.http2(socket);
    else protocols.http1(socket);
  });
  server.on('tlsClientError', ignore);
  return { server, sockets };
}

const ignore = (): void => {};
