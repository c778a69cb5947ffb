/** An HTTPS server on loopback for tests: records each request, and responds with a function. */
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { createContext } from '../../../kernel/index.ts';
import { createAuthority, issue } from '../../pki/certificates.ts';

export interface TestCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Record<string, unknown>;
  /** The common name of the client certificate. */
  readonly clientName: string | undefined;
}

export interface TestReply {
  readonly status?: number;
  readonly contentType?: string;
  readonly body: unknown;
}

export interface TestHttpsServer {
  readonly port: number;
  readonly url: string;
  /** PEM in base64, for caBundle fields. */
  readonly caBundle: string;
  readonly calls: TestCall[];
  readonly connections: () => number;
  readonly server: https.Server;
  close(): Promise<void>;
}

interface TestHttpsOptions {
  readonly dnsNames?: readonly string[];
  readonly addresses?: readonly string[];
  /** Request a client certificate of this CA (PEM). */
  readonly clientCa?: string;
}

/** Undefined: the server never responds. */
type Answer = (call: TestCall) => TestReply | undefined | Promise<TestReply | undefined>;

export async function startHttpsServer(answer: Answer, options: TestHttpsOptions = {}): Promise<TestHttpsServer> {
  const ctx = createContext({ writeLog: () => {} });
  const authority = await createAuthority(ctx, 'test-ca');
  const pair = await issue(ctx, authority, {
    commonName: 'webhook',
    usage: 'server',
    dnsNames: options.dnsNames ?? [],
    addresses: options.addresses ?? ['127.0.0.1'],
  });
  const calls: TestCall[] = [];
  let connections = 0;
  const clientTls = options.clientCa ? { requestCert: true, rejectUnauthorized: false, ca: options.clientCa } : {};
  const server = https.createServer({ key: pair.key, cert: pair.certificate, ...clientTls }, (request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString();
      const peer = (request.socket as import('node:tls').TLSSocket).getPeerCertificate?.();
      const call: TestCall = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
        clientName: peer?.subject?.CN as string | undefined,
      };
      calls.push(call);
      void Promise.resolve(answer(call)).then((reply) => {
        if (!reply) return;
        response.writeHead(reply.status ?? 200, { 'content-type': reply.contentType ?? 'application/json' });
        response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
      });
    });
  });
  server.on('secureConnection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `https://127.0.0.1:${port}`,
    caBundle: Buffer.from(authority.certificate).toString('base64'),
    calls,
    connections: () => connections,
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
