/**
 * Sends a page's request to the API server with the session's credentials, and the answer back as it arrives: lists, watches,
 * logs, and WebSockets of exec. Only the headers named here pass, so pages can neither impersonate nor authenticate.
 */
import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { WebSocket, type ClientOptions } from 'ws';
import { errorMessage } from '../../base/index.ts';
import type { ClientConfig } from '../../client/index.ts';
import { failure, StatusError } from '../../machinery/errors/index.ts';
import { TlsTrust, TlsTrustAgent, withTrust } from '../../net/tls/index.ts';
import { NEUTRAL_PROTOCOL, PROOF_PROTOCOL } from './check-request.ts';
import { readJsonBody } from './json-body.ts';

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const REQUEST_HEADERS = ['accept', 'content-type', 'content-length', 'transfer-encoding'] as const;
const WEBSOCKET_HEADERS = ['sec-websocket-key', 'sec-websocket-version', 'sec-websocket-protocol'] as const;
const RESPONSE_HEADERS = ['content-type', 'warning', 'retry-after', 'audit-id'] as const;
const UPGRADE_RESPONSE_HEADERS = ['sec-websocket-accept', 'sec-websocket-protocol'] as const;

/** An answer of the API server is data: a browser that is led to open it as a page must not run it. */
const DATA_HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox",
  'content-disposition': 'attachment',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

/** WebSockets of browsers cannot name the form of the answer, so their query does. */
const TABLE_PARAMETER = 'console-table';

/** Pages of proxied pods and services would get the console's origin. */
const PROXIED = /^\/api\/v1\/(?:namespaces\/[^/]+\/)?(?:nodes|pods|services)\/[^/]+\/proxy(?:\/|$)/;

export class ApiProxy {
  readonly #agent = new TlsTrustAgent(undefined, { keepAlive: true, maxFreeSockets: 4 });
  readonly #plainAgent = new http.Agent({ keepAlive: true });

  /** @param target path and query at the API server */
  async serve(
    request: http.IncomingMessage,
    response: http.ServerResponse,
    { config, target }: { config: ClientConfig; target: string },
  ): Promise<void> {
    const refused = refusal(request.method ?? '', target);
    if (refused !== undefined) return sendStatus(response, 403, { reason: 'Forbidden', message: refused });
    const outgoing = await this.#request(request, {
      config,
      target,
      headers: picked(request.headers, REQUEST_HEADERS),
    });
    response.once('close', () => outgoing.destroy());
    const answer = await new Promise<http.IncomingMessage | Error>((resolve) => {
      outgoing.once('response', resolve).once('error', resolve);
      request.pipe(outgoing);
    });
    if (answer instanceof Error) {
      const message = `The API server at ${config.server} does not answer: ${errorMessage(answer)}`;
      return sendStatus(response, 502, { reason: 'ServiceUnavailable', message });
    }
    outgoing.on('error', () => response.destroy());
    if (answer.statusCode === 401) config.credentials.refused();
    response.writeHead(answer.statusCode ?? 502, { ...picked(answer.headers, RESPONSE_HEADERS), ...DATA_HEADERS });
    response.flushHeaders();
    // A page that is left ends its watches.
    await pipeline(answer, response).catch(() => undefined);
  }

  async upgrade(
    request: http.IncomingMessage,
    socket: Duplex,
    { head, config, target }: { head: Buffer; config: ClientConfig; target: string },
  ): Promise<void> {
    if (refusal(request.method ?? '', target) !== undefined) return endUpgrade(socket, '403 Forbidden');
    const { 'sec-websocket-protocol': offered, ...picks } = picked(request.headers, WEBSOCKET_HEADERS);
    const protocols = String(offered ?? '')
      .split(',')
      .map((protocol) => protocol.trim())
      .filter((protocol) => protocol !== '' && protocol !== NEUTRAL_PROTOCOL && !protocol.startsWith(PROOF_PROTOCOL));
    const headers = {
      ...picks,
      ...(protocols.length > 0 ? { 'sec-websocket-protocol': protocols.join(', ') } : {}),
      connection: 'Upgrade',
      upgrade: 'websocket',
      origin: originOf(config),
    };
    const outgoing = await this.#request(request, { config, ...tableForm(target, headers) });
    socket.once('close', () => outgoing.destroy());
    outgoing.once('error', () => endUpgrade(socket, '502 Bad Gateway'));
    outgoing.once('response', (answer) => {
      answer.resume();
      endUpgrade(socket, `${answer.statusCode ?? 502} ${answer.statusMessage ?? ''}`);
    });
    outgoing.once('upgrade', (answer, upstream, upstreamHead) => {
      const accepted = {
        upgrade: 'websocket',
        connection: 'Upgrade',
        'sec-websocket-protocol': NEUTRAL_PROTOCOL,
        ...picked(answer.headers, UPGRADE_RESPONSE_HEADERS),
      };
      const lines = Object.entries(accepted).map(([name, value]) => `${name}: ${String(value)}\r\n`);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`);
      if (upstreamHead.length > 0) socket.write(upstreamHead);
      if (head.length > 0) upstream.write(head);
      upstream.on('error', () => socket.destroy());
      socket.once('close', () => upstream.destroy());
      upstream.once('close', () => socket.destroy());
      upstream.pipe(socket);
      socket.pipe(upstream);
    });
    outgoing.end();
  }

  close(): void {
    this.#agent.destroy();
    this.#plainAgent.destroy();
  }

  async #request(
    request: http.IncomingMessage,
    { config, target, headers }: { config: ClientConfig; target: string; headers: http.OutgoingHttpHeaders },
  ): Promise<http.ClientRequest> {
    const server = new URL(config.server);
    const secure = server.protocol === 'https:';
    const options: https.RequestOptions = {
      ...(await this.#identity(config)),
      method: request.method,
      host: server.hostname.replace(/^\[|\]$/g, ''),
      port: server.port || (secure ? 443 : 80),
      path: pathAt(server, target),
    };
    const sent = { ...options, headers: { ...headers, ...options.headers } };
    // TlsTrust verifies the server.
    return secure ? https.request(sent) : http.request(sent);
  }

  /** A WebSocket of this process' own to the API server, as the user of a session. It is paused. */
  async connect(config: ClientConfig, target: string, protocol: string): Promise<WebSocket> {
    const server = new URL(config.server);
    const url = new URL(pathAt(server, target), server);
    url.protocol = server.protocol === 'https:' ? 'wss:' : 'ws:';
    // A connection of its own: one that was used before may be about to close.
    const agent = url.protocol === 'wss:' ? new TlsTrustAgent(undefined, {}) : new http.Agent();
    const origin = originOf(config);
    const options = { ...(await this.#identity(config)), agent, origin, perMessageDeflate: false } as ClientOptions;
    const socket = new WebSocket(url, protocol, options);
    return new Promise((resolve, reject) => {
      socket.once('open', () => {
        // Messages wait for their listener.
        socket.pause();
        resolve(socket);
      });
      socket.once('error', reject);
      socket.once('unexpected-response', (_request, answer) => {
        void refusedBy(answer).then(reject);
      });
    });
  }

  async #identity(config: ClientConfig): Promise<https.RequestOptions> {
    const secure = config.server.startsWith('https:');
    const authorization = await config.credentials.authorization();
    return {
      ...(secure ? withTrust(await trustOf(config)) : {}),
      headers: { ...impersonation(config), ...(authorization === undefined ? {} : { authorization }) },
      agent: secure ? this.#agent : this.#plainAgent,
    };
  }
}

/** kube-apiserver refuses WebSockets without an Origin, whatever it is. */
const originOf = ({ server }: ClientConfig): string => new URL(server).origin;

const pathAt = (server: URL, target: string): string => `${server.pathname.replace(/\/$/, '')}${target}`;

const MAX_REFUSAL_BYTES = 64 * 1024;

/** The API server's own words, where it has some. */
async function refusedBy(answer: http.IncomingMessage): Promise<Error> {
  const code = answer.statusCode ?? 502;
  const body = await readJsonBody(answer, MAX_REFUSAL_BYTES);
  const message = typeof body?.['message'] === 'string' ? body['message'] : `The API server answered with ${code}.`;
  return failure(code, typeof body?.['reason'] === 'string' ? body['reason'] : '', message, {});
}

async function trustOf({ ca, insecureSkipTlsVerify, tlsServerName, credentials }: ClientConfig): Promise<TlsTrust> {
  const certificate = await credentials.certificate();
  return new TlsTrust({ ca, insecureSkipVerify: insecureSkipTlsVerify, serverName: tlsServerName, ...certificate });
}

function refusal(method: string, target: string): string | undefined {
  if (!METHODS.has(method)) return `The console sends no ${method} requests.`;
  if (PROXIED.test(target))
    return 'The console does not open pages of pods, services and nodes: use kubectl port-forward.';
  return undefined;
}

function tableForm(
  target: string,
  headers: http.OutgoingHttpHeaders,
): { target: string; headers: http.OutgoingHttpHeaders } {
  const plain = target.replace(`&${TABLE_PARAMETER}=1`, '');
  return plain === target ? { target, headers } : { target: plain, headers: { ...headers, accept: TABLE } };
}

function impersonation({ impersonate }: ClientConfig): http.OutgoingHttpHeaders {
  if (impersonate === undefined) return {};
  return {
    'impersonate-user': impersonate.user,
    ...(impersonate.uid === undefined ? {} : { 'impersonate-uid': impersonate.uid }),
    ...(impersonate.groups === undefined ? {} : { 'impersonate-group': [...impersonate.groups] }),
  };
}

function picked(headers: http.IncomingHttpHeaders, names: readonly string[]): http.OutgoingHttpHeaders {
  return Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
}

function endUpgrade(socket: Duplex, status: string): void {
  if (!socket.destroyed) socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

/** A Status, which the pages show as they show the API server's. */
export function sendStatus(
  response: http.ServerResponse,
  code: number,
  { reason, message }: { reason: string; message: string },
): void {
  if (response.headersSent) return void response.destroy();
  response
    .writeHead(code, { 'content-type': 'application/json', ...DATA_HEADERS })
    .end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code }));
}

/** What failed, as the API server said it or in the words of the error. */
export function sendError(response: http.ServerResponse, error: unknown): void {
  const [code, reason] = error instanceof StatusError ? [error.code, error.status.reason] : [500, undefined];
  sendStatus(response, code, { reason: reason ?? 'InternalError', message: errorMessage(error) });
}
