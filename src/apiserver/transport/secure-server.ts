/** A TLS port for HTTP/2 and HTTP/1.1. */
import net from 'node:net';
import tls from 'node:tls';
import { addressText, parseIp } from '../../base/index.ts';
import { ServingCertificates, type ServingOptions } from '../../net/tls/index.ts';

interface SecureServer {
  readonly server: net.Server;
  /** Sockets before their TLS handshake. */
  readonly sockets: ReadonlySet<net.Socket>;
  /** New connections get the new certificates. */
  renew(options: ServingOptions): void;
}

interface Protocols {
  readonly http1: (socket: tls.TLSSocket) => void;
  /** Without it the port offers HTTP/1.1 alone. */
  readonly http2?: (socket: tls.TLSSocket) => void;
  /** Called for each connection that ends before it is secure. */
  readonly handshakeFailed: () => void;
}

/** Dispatches connections by the protocol that ALPN negotiated. */
export function secureServer(options: ServingOptions, { http1, http2, handshakeFailed }: Protocols): SecureServer {
  const sockets = new Set<net.Socket>();
  const certificates = new ServingCertificates(options);
  const ALPNProtocols = http2 ? ['h2', 'http/1.1'] : ['http/1.1'];
  const serve = (address?: string): tls.Server => {
    const server = tls.createServer({ ...certificates.serverOptions(address), ALPNProtocols });
    server.on('secureConnection', (socket: tls.TLSSocket) => {
      if (http2 && socket.alpnProtocol === 'h2') http2(socket);
      else http1(socket);
    });
    // Node may report a connection twice: for what it sent, and when it closes.
    const failed = new WeakSet<tls.TLSSocket>();
    server.on('tlsClientError', (_error, socket) => {
      if (failed.has(socket)) return;
      failed.add(socket);
      handshakeFailed();
    });
    return server;
  };
  const main = serve();
  const byAddress = new Map(certificates.addresses.map((address) => [address, serve(address)]));
  const server = byAddress.size === 0 ? main : dispatching(main, byAddress);
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.setNoDelay(true);
  });
  return {
    server,
    sockets,
    renew(renewed) {
      certificates.renew(renewed);
      certificates.refresh(main);
      for (const [address, other] of byAddress) certificates.refresh(other, address);
    },
  };
}

/** A client that names no host gets the certificate of the address that it connected to; only a server of its own has another. */
function dispatching(main: tls.Server, byAddress: ReadonlyMap<string, tls.Server>): net.Server {
  return net.createServer((socket) => {
    const server = byAddress.get(textOf(socket.localAddress)) ?? main;
    server.emit('connection', socket);
  });
}

/** As flags have it: 127.0.0.1 instead of ::ffff:127.0.0.1. */
function textOf(address = ''): string {
  const parsed = parseIp(address);
  return parsed === undefined ? address : addressText(Uint8Array.from(parsed.bytes));
}
