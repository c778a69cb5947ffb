/**
 * A private address of the cluster for one command: a secret path on loopback, and a kubeconfig that names it and that only
 * the owner of this process can read.
 */
import fs from 'node:fs/promises';
import type http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import type { Context } from '../kernel/index.ts';
import { closeServer, createHttpServer, HOP_BY_HOP_HEADERS } from '../net/http/index.ts';

export interface PrivateServer {
  /** For the command's environment variable KUBECONFIG. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

export interface PrivateRequest {
  readonly method: string;
  /** Without the secret path, with the query. */
  readonly target: string;
  /** Without those of the connection and of the sender's identity. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
  /** Aborts when the command closes the connection. */
  readonly signal: AbortSignal;
}

export type ServePrivately = (request: PrivateRequest, response: http.ServerResponse) => Promise<void>;

/** The API server's own limit is lower. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

export async function startPrivateServer(
  ctx: Context,
  { namespace, serve }: { readonly namespace: string; readonly serve: ServePrivately },
): Promise<PrivateServer> {
  const secret = `/${Buffer.from(ctx.random.bytes(24)).toString('hex')}`;
  const server = createHttpServer({
    request: (request, response) => admit({ secret, serve }, request, response),
    failed: (error, { method }) => ctx.logger.v(1).info('A request was not served', { method, err: error }),
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-private-'));
  const kubeconfig = path.join(directory, 'kubeconfig');
  const { port } = server.address() as AddressInfo;
  await fs.writeFile(kubeconfig, kubeconfigOf(`http://127.0.0.1:${port}${secret}`, namespace), { mode: 0o600 });
  return {
    kubeconfig,
    async close() {
      await fs.rm(directory, { recursive: true, force: true });
      await closeServer(server);
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

/** Headers of one connection, and those that tell who sends a request and why. */
export const NOT_FORWARDED: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP_HEADERS,
  ...['host', 'content-length', 'authorization', 'traceparent', 'baggage'],
]);

async function admit(
  { secret, serve }: { readonly secret: string; readonly serve: ServePrivately },
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const { url = '', method = 'GET' } = request;
  if (!url.startsWith(`${secret}/`)) return refuse(response, 404, 'not found');
  if (request.headers.upgrade !== undefined)
    return refuse(response, 501, 'exec, attach and port-forward are not served by this address');
  const gone = new AbortController();
  response.once('close', () => gone.abort(new Error('the command has closed the connection')));
  const body = await readBody(request);
  if (!body) return refuse(response, 413, 'the body is too large');
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && !NOT_FORWARDED.has(name)) headers[name] = value;
  await serve({ method, target: url.slice(secret.length), headers, body, signal: gone.signal }, response);
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
