/**
 * A private address of the cluster for one command: it passes requests on as the user of a kubeconfig, with a span as their
 * cause. The address has a secret path, on loopback, and only the owner of the process can read the kubeconfig that names it.
 */
import fs from 'node:fs/promises';
import type http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'yaml';
import { HttpTransport, type ClientConfig } from '../client/index.ts';
import type { Context } from '../kernel/index.ts';
import { createHttpServer } from '../net/http/index.ts';

export interface ForwardingServer {
  /** For the command's environment variable KUBECONFIG. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

interface ForwardingOptions {
  readonly config: ClientConfig;
  readonly namespace: string;
  /** The span that the command's requests are caused by. */
  readonly cause: number;
}

/** The API server's own limit is lower. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

export async function startForwardingServer(ctx: Context, options: ForwardingOptions): Promise<ForwardingServer> {
  const transport = new HttpTransport({ config: options.config, clock: ctx.clock, tracer: ctx.tracer });
  const secret = `/${Buffer.from(ctx.random.bytes(24)).toString('hex')}`;
  const server = createHttpServer({
    request: (request, response) => forward({ transport, secret, cause: options.cause }, request, response),
    failed: (error, { method }) => ctx.logger.v(1).info('A request was not passed on', { method, err: error }),
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-trace-'));
  const kubeconfig = path.join(directory, 'kubeconfig');
  const { port } = server.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}${secret}`;
  await fs.writeFile(kubeconfig, kubeconfigOf(address, options.namespace), { mode: 0o600 });
  return {
    kubeconfig,
    async close() {
      await fs.rm(directory, { recursive: true, force: true });
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await transport.close();
    },
  };
}

const kubeconfigOf = (server: string, namespace: string): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'k8ts', cluster: { server } }],
    users: [{ name: 'k8ts', user: {} }],
    contexts: [{ name: 'k8ts', context: { cluster: 'k8ts', user: 'k8ts', namespace } }],
    'current-context': 'k8ts',
  });

/** Headers of one connection, and those that the client of the kubeconfig sets itself. */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'te', 'trailer', 'upgrade', 'host', 'content-length'],
  ...['authorization', 'traceparent', 'baggage'],
]);

interface Forwarding {
  readonly transport: HttpTransport;
  readonly secret: string;
  readonly cause: number;
}

async function forward(
  { transport, secret, cause }: Forwarding,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const { url = '', method = 'GET' } = request;
  if (!url.startsWith(`${secret}/`)) return refuse(response, 404, 'not found');
  if (request.headers.upgrade !== undefined)
    return refuse(response, 501, 'exec, attach and port-forward are not passed on by this address');
  const gone = new AbortController();
  response.once('close', () => gone.abort(new Error('the command has closed the connection')));
  const body = await readBody(request);
  if (!body) return refuse(response, 413, 'the body is too large');
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && !NOT_FORWARDED.has(name)) headers[name] = value;
  const answer = await transport.forward({
    method: method as 'GET',
    target: url.slice(secret.length),
    headers,
    body: body.length > 0 ? body : undefined,
    signal: gone.signal,
    cause,
  });
  const own = Object.entries(answer.headers).filter(([name]) => !NOT_FORWARDED.has(name));
  response.writeHead(answer.status, Object.fromEntries(own));
  response.flushHeaders();
  await pipeline(answer.body, response).catch(() => response.destroy());
}

function refuse(response: http.ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${message}\n`);
}

async function readBody(request: http.IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request) {
    size += (piece as Buffer).length;
    if (size > MAX_BODY_BYTES) return undefined;
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces);
}
