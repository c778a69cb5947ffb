/**
 * Proxies upgrade requests (upstream's UpgradeAwareHandler): exec, attach, port-forward, the proxies of pods, services and
 * nodes, and aggregated API servers. The connection to the backend carries the API server's credentials, so:
 *
 * - The backend gets only the head of the request before it accepts. Early bytes of the client wait.
 * - The two are joined only after a well-formed `HTTP/1.1 101` with `Connection: Upgrade` and an `Upgrade` header that
 *   names a protocol that the client requested. The size and the time of its head are limited.
 * - Any other answer is an ordinary response: an error of the backend is forwarded, with a limit on its size and time;
 *   anything else is a 500. Then both connections are closed.
 * - Protocols in which the client could send further requests to the backend (HTTP/2, HTTP over TLS) are rejected.
 */
import type http from 'node:http';
import type { Duplex } from 'node:stream';
import { quote } from '../../base/index.ts';
import { badRequest, failure, isStatusError } from '../../machinery/errors/index.ts';
import type { ApiRequest, ApiResponse } from '../request/request.ts';
import { connectionErrorText } from './connection-error-text.ts';
import type { Dialer } from './dialer.ts';
import { relayedHeaders, startRequest } from './forward-request.ts';
import { forwardedHeaders, headText, tokensOf } from './headers.ts';
import { closeAfterAnswer, joinConnections } from './join-connections.ts';
import type { PermittedTarget } from './target.ts';

interface UpgradeRequest {
  readonly request: ApiRequest;
  readonly target: PermittedTarget;
  /** The path for the backend, with the query. */
  readonly path: string;
  /** In addition to the client's headers. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** Includes the time to connect. */
export const ANSWER_TIMEOUT_MS = 30_000;
/** The limits for the body of an error response. */
const REFUSAL_TIMEOUT_MS = 10_000;
const REFUSAL_LIMIT = 64 * 1024;
/** HTTP protocols: after the upgrade the client could send requests with the API server's credentials. */
const HTTP_PROTOCOL = /^(?:h2c?|h3|http(?:\/.*)?|tls(?:\/.*)?)$/;

type Answer =
  | { readonly accepted: true; readonly head: http.IncomingMessage; readonly backend: Duplex; readonly early: Buffer }
  | { readonly accepted: false; readonly head: http.IncomingMessage };

/** Returns the response to the upgrade request; `hijacked` if the connections are joined. */
export async function proxyUpgrade(dialer: Dialer, upgrade: UpgradeRequest): Promise<ApiResponse> {
  const { socket } = upgrade.request.upgrade!;
  let response: ApiResponse | undefined;
  try {
    response = await negotiate(dialer, upgrade);
    return response;
  } finally {
    if (!response?.hijacked) closeAfterAnswer(socket, dialer.clock);
  }
}

async function negotiate(
  dialer: Dialer,
  { request, target, path, headers = {} }: UpgradeRequest,
): Promise<ApiResponse> {
  const { socket: client, head: early, rawRequest } = request.upgrade!;
  const requested = rawRequest.headers['upgrade'] ?? '';
  const protocols = tokensOf(requested);
  if (protocols.length === 0 || protocols.some((protocol) => HTTP_PROTOCOL.test(protocol)))
    throw badRequest(`unable to upgrade to ${quote(requested)}`);
  const forwarded = { ...forwardedHeaders(rawRequest.headers), 'x-forwarded-for': request.remoteAddress, ...headers };
  const answer = await withTimeout(dialer, request.signal, (signal) =>
    sendUpgradeRequest(dialer, {
      target,
      method: request.method,
      path,
      headers: { ...forwarded, connection: 'Upgrade', upgrade: requested },
      signal,
    }),
  );
  if (!answer.accepted) return rejection(dialer, answer.head);
  const { head, backend } = answer;
  if (!accepts(head, protocols)) {
    backend.destroy();
    throw failure(500, '', `invalid upgrade response: the backend switched to ${quote(head.headers['upgrade'] ?? '')}`);
  }
  client.write(headText('HTTP/1.1 101 Switching Protocols', head.rawHeaders));
  if (answer.early.length > 0) client.write(answer.early);
  if (early.length > 0) backend.write(early);
  joinConnections(client, backend, { clock: dialer.clock, signal: request.signal });
  return { status: 101, headers: {}, hijacked: true };
}

async function withTimeout<T>(
  dialer: Dialer,
  parent: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const cancel = (): void => controller.abort(parent.reason);
  const timer = dialer.clock.after(ANSWER_TIMEOUT_MS, () =>
    controller.abort(new Error('timed out waiting for the answer to the upgrade request')),
  );
  if (parent.aborted) cancel();
  parent.addEventListener('abort', cancel, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    timer.cancel();
    parent.removeEventListener('abort', cancel);
  }
}

/** Whether the backend switched to a requested protocol. Node.js has checked that both headers are present. */
function accepts(head: http.IncomingMessage, protocols: readonly string[]): boolean {
  const switched = tokensOf(head.headers['upgrade']);
  return (
    head.httpVersion === '1.1' && head.statusCode === 101 && switched.length === 1 && protocols.includes(switched[0]!)
  );
}

/**
 * Sends the head of the upgrade request. Interim responses (1xx, and a malformed 101) fail: Node.js would wait for another
 * response.
 */
function sendUpgradeRequest(dialer: Dialer, outgoing: Parameters<typeof startRequest>[1]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const upgradeRequest = startRequest(dialer, outgoing);
    const fail = (error: unknown): void => {
      upgradeRequest.destroy();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    upgradeRequest.once('upgrade', (head, backend, early) => resolve({ accepted: true, head, backend, early }));
    upgradeRequest.once('response', (head) => resolve({ accepted: false, head }));
    upgradeRequest.once('information', ({ statusCode }) => fail(invalidResponse(statusCode)));
    upgradeRequest.on('error', (error) =>
      fail(
        isStatusError(error)
          ? error
          : failure(500, '', failureText(error, { dialled: upgradeRequest.socket !== null, signal: outgoing.signal })),
      ),
    );
    upgradeRequest.end();
  });
}

const invalidResponse = (statusCode: number | undefined): Error =>
  failure(500, '', `invalid upgrade response: status code ${statusCode}`);

function failureText(
  error: Error & { code?: string },
  { dialled, signal }: { dialled: boolean; signal: AbortSignal },
): string {
  if (signal.aborted && signal.reason instanceof Error) return signal.reason.message;
  if (error.code?.startsWith('HPE_')) return 'malformed HTTP response';
  return dialled ? connectionErrorText(error) : `error dialing backend: ${connectionErrorText(error)}`;
}

/** The error response of a backend that rejects the upgrade, truncated by the limits. */
async function rejection(dialer: Dialer, head: http.IncomingMessage): Promise<ApiResponse> {
  const status = head.statusCode ?? 0;
  // Node.js clears head.socket when the response is complete.
  const backend = head.socket;
  const timer = dialer.clock.after(REFUSAL_TIMEOUT_MS, () => backend.destroy());
  try {
    if (status < 400 || status > 599) throw invalidResponse(status);
    const headers = relayedHeaders(head);
    delete headers['content-length'];
    return { status, headers, body: await firstBytes(head) };
  } finally {
    timer.cancel();
    // Close the connection even if the backend would keep it alive: it carries the API server's credentials.
    backend.destroy();
  }
}

async function firstBytes(incoming: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of incoming) {
      chunks.push(chunk.subarray(0, REFUSAL_LIMIT - length));
      length += chunk.length;
      if (length >= REFUSAL_LIMIT) break;
    }
  } catch {
    // The backend closed the connection: return what was received.
  }
  return Buffer.concat(chunks);
}
