/**
 * Hands a client's connection over to a backend that speaks another protocol on it: exec, attach, port-forward, the
 * proxies of pods, services and nodes, and aggregated API servers all come here. The connection to the backend is the
 * API server's own and carries its credentials, so the contract is:
 *
 * - The backend gets one request head and nothing else before it has accepted. The client's early bytes wait.
 * - The two are joined only after a well-formed `HTTP/1.1 101` with `Connection: Upgrade` and an `Upgrade` header that
 *   names a protocol the client asked for. Its head has a limit in size and in time.
 * - Any other answer is an ordinary response: an error of the backend is passed on, with a limit in size and in time;
 *   anything else is an error of ours. Then both connections are closed.
 * - Protocols in which the client could send the backend further requests (HTTP/2, or HTTP over TLS) are not
 *   negotiated.
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

export interface HandOver {
  /** An upgrade request. */
  readonly request: ApiRequest;
  readonly target: PermittedTarget;
  /** With the query, as the backend is to see it. */
  readonly path: string;
  /** Besides those of the client. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** How long the backend may take to answer, the connection included. */
export const ANSWER_TIMEOUT_MS = 30_000;
/** How long the body of a refusal may take, and how much of it is passed on. */
const REFUSAL_TIMEOUT_MS = 10_000;
const REFUSAL_LIMIT = 64 * 1024;
/** HTTP on the same connection: what follows the upgrade would be requests again, with the API server's credentials. */
const HTTP_PROTOCOL = /^(?:h2c?|h3|http(?:\/.*)?|tls(?:\/.*)?)$/;

type Answer =
  | { readonly accepted: true; readonly head: http.IncomingMessage; readonly backend: Duplex; readonly early: Buffer }
  | { readonly accepted: false; readonly head: http.IncomingMessage };

/** The answer to the upgrade request: `hijacked` when the connections are joined. */
export async function handOver(dialer: Dialer, handing: HandOver): Promise<ApiResponse> {
  const { socket } = handing.request.upgrade!;
  let response: ApiResponse | undefined;
  try {
    response = await negotiate(dialer, handing);
    return response;
  } finally {
    if (!response?.hijacked) closeAfterAnswer(socket, dialer.clock);
  }
}

async function negotiate(dialer: Dialer, { request, target, path, headers = {} }: HandOver): Promise<ApiResponse> {
  const { socket: client, head: early, rawRequest } = request.upgrade!;
  const asked = rawRequest.headers['upgrade'] ?? '';
  const protocols = tokensOf(asked);
  if (protocols.length === 0 || protocols.some((protocol) => HTTP_PROTOCOL.test(protocol)))
    throw badRequest(`unable to upgrade to ${quote(asked)}`);
  const forwarded = { ...forwardedHeaders(rawRequest.headers), 'x-forwarded-for': request.remoteAddress, ...headers };
  const answer = await withinTime(dialer, request.signal, (signal) =>
    askToUpgrade(dialer, {
      target,
      method: request.method,
      path,
      headers: { ...forwarded, connection: 'Upgrade', upgrade: asked },
      signal,
    }),
  );
  if (!answer.accepted) return refusal(dialer, answer.head);
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

async function withinTime<T>(
  dialer: Dialer,
  parent: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const giveUp = (): void => controller.abort(parent.reason);
  const timer = dialer.clock.after(ANSWER_TIMEOUT_MS, () =>
    controller.abort(new Error('timed out waiting for the answer to the upgrade request')),
  );
  if (parent.aborted) giveUp();
  parent.addEventListener('abort', giveUp, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    timer.cancel();
    parent.removeEventListener('abort', giveUp);
  }
}

/** Whether the answer is the switch that was asked for; Node has seen to it that both headers are there. */
function accepts(head: http.IncomingMessage, protocols: readonly string[]): boolean {
  const switched = tokensOf(head.headers['upgrade']);
  return (
    head.httpVersion === '1.1' && head.statusCode === 101 && switched.length === 1 && protocols.includes(switched[0]!)
  );
}

/**
 * Sends the head. Interim answers, a 101 that is not one among them, end the matter: Node would wait for another
 * answer.
 */
function askToUpgrade(dialer: Dialer, outgoing: Parameters<typeof startRequest>[1]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = startRequest(dialer, outgoing);
    const fail = (error: unknown): void => {
      asking.destroy();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    asking.once('upgrade', (head, backend, early) => resolve({ accepted: true, head, backend, early }));
    asking.once('response', (head) => resolve({ accepted: false, head }));
    asking.once('information', ({ statusCode }) => fail(invalidResponse(statusCode)));
    asking.on('error', (error) =>
      fail(
        isStatusError(error)
          ? error
          : failure(500, '', failureText(error, { dialled: asking.socket !== null, signal: outgoing.signal })),
      ),
    );
    asking.end();
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

/** What a backend says that does not want to: passed on as an ordinary response, as far as it came in time. */
async function refusal(dialer: Dialer, head: http.IncomingMessage): Promise<ApiResponse> {
  const status = head.statusCode ?? 0;
  // Node takes it from the answer when that is complete.
  const backend = head.socket;
  const timer = dialer.clock.after(REFUSAL_TIMEOUT_MS, () => backend.destroy());
  try {
    if (status < 400 || status > 599) throw invalidResponse(status);
    const headers = relayedHeaders(head);
    delete headers['content-length'];
    return { status, headers, body: await firstBytes(head) };
  } finally {
    timer.cancel();
    // A backend that keeps its connections alive would keep this one, with our credentials on it.
    backend.destroy();
  }
}

async function firstBytes(incoming: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of incoming) {
      pieces.push(piece.subarray(0, REFUSAL_LIMIT - length));
      length += piece.length;
      if (length >= REFUSAL_LIMIT) break;
    }
  } catch {
    // The backend broke off: the client gets what there is.
  }
  return Buffer.concat(pieces);
}
