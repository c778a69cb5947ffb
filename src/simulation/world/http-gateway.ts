/**
 * A port on loopback for operators that come with a client of their own: what they ask goes over the links of their process in
 * the world, with all that faults do to it. Answers are JSON; a lost answer is a connection that ends.
 */
import { once } from 'node:events';
import type http from 'node:http';
import type { AddressInfo } from 'node:net';
import { TransportError, type Transport, type TransportRequest } from '../../client/index.ts';
import { closeServer, createHttpServer, splitTarget } from '../../net/http/index.ts';

interface HttpGateway {
  /** A kubeconfig that every client library can read. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

export async function openHttpGateway(transport: Transport): Promise<HttpGateway> {
  const server = createHttpServer({
    request: (request, response) => {
      answer(transport, request, response).catch(() => response.destroy());
    },
    failed: () => undefined,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    kubeconfig: kubeconfigOf(`http://127.0.0.1:${port}`),
    close: () => closeServer(server),
  };
}

async function answer(
  transport: Transport,
  incoming: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const stopped = new AbortController();
  response.once('close', () => stopped.abort(new TransportError('closed', 'the client has gone')));
  const request = await requestOf(incoming, stopped.signal);
  if (request.query?.['watch'] === true) return streamEvents(transport, request, response);
  const { status, headers, body } = await transport.request(request);
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const type = headers['content-type'] ?? 'application/json';
  response.writeHead(status, { ...passed(headers), 'content-type': type }).end(text);
}

async function streamEvents(
  transport: Transport,
  request: TransportRequest,
  response: http.ServerResponse,
): Promise<void> {
  const events = await transport.watch(request).catch((error: unknown) => {
    const { status } = error as { status?: { code?: number } };
    if (status?.code === undefined) throw error;
    response.writeHead(status.code, { 'content-type': 'application/json' }).end(JSON.stringify(status));
    return undefined;
  });
  if (!events) return;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  for await (const { type, object } of events) response.write(`${JSON.stringify({ type, object })}\n`);
  response.end();
}

async function requestOf(incoming: http.IncomingMessage, signal: AbortSignal): Promise<TransportRequest> {
  const { path, query } = splitTarget(incoming.url ?? '/');
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const headers: Record<string, string> = {};
  for (const name of ['accept', 'content-type', 'user-agent'])
    if (typeof incoming.headers[name] === 'string') headers[name] = incoming.headers[name];
  return {
    method: (incoming.method ?? 'GET') as TransportRequest['method'],
    path,
    query: Object.fromEntries([...query].map(([name, value]) => [name, value === 'true' ? true : value])),
    headers,
    signal,
    ...(bytes.length === 0 ? {} : { body: bytes }),
  };
}

const passed = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(content-length|transfer-encoding)$/i.test(name)));

/** JSON is YAML, too. */
const kubeconfigOf = (server: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'world',
    clusters: [{ name: 'world', cluster: { server } }],
    users: [{ name: 'operator', user: {} }],
    contexts: [{ name: 'world', context: { cluster: 'world', user: 'operator' } }],
  });
