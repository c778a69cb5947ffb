/** Serves the console on loopback: the pages, sessions, the proxy to the API server, and answers to questions about the cluster. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ClientConfig } from '../../client/index.ts';
import type { Context } from '../../kernel/index.ts';
import { createHttpServer, splitTarget } from '../../net/http/index.ts';
import { ApiProxy, sendError, sendStatus } from './api-proxy.ts';
import { cookieName, foreignRequest, isFromPages, proofOf, sessionCookie } from './check-request.ts';
import { readTarget } from './forward-target.ts';
import { readJsonBody } from './json-body.ts';
import { PageFiles } from './page-files.ts';
import { PortForwards } from './port-forwards.ts';
import { serveQuestion, type ConsoleQuestions } from './questions.ts';
import { Sessions, type Opened, type Session } from './sessions.ts';

interface ConsoleOptions {
  /** The API server, and who the one-time link signs in as. */
  readonly config: ClientConfig;
  /** 0 selects a free one. */
  readonly port: number;
  /** What the pages can ask besides the API, by name: `/ask/NAME`. */
  readonly questions: ConsoleQuestions;
  /** The directory of the bundled pages, for tests. */
  readonly pages?: string;
}

export interface Console {
  readonly port: number;
  /** A link that signs in once. */
  createLink(): string;
  /** Resolves when the signal of the context has aborted and all connections are closed. */
  readonly finished: Promise<void>;
}

const HOST = '127.0.0.1';
const MAX_SIGN_IN_BYTES = 64 * 1024;
const API_PREFIX = '/k8s';
const QUESTION_PREFIX = '/ask/';
const FORWARDS = '/forwards';

export async function serveConsole(ctx: Context, options: ConsoleOptions): Promise<Console> {
  const server = new ConsoleServer(ctx, options);
  await server.listen();
  return server;
}

class ConsoleServer implements Console {
  readonly finished: Promise<void>;
  readonly #ctx: Context;
  readonly #options: ConsoleOptions;
  readonly #sessions: Sessions;
  readonly #proxy = new ApiProxy();
  readonly #forwards: PortForwards;
  readonly #pages: PageFiles;
  readonly #server: Server;
  readonly #upgraded = new Set<Duplex>();

  constructor(ctx: Context, options: ConsoleOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.#sessions = new Sessions(ctx, options.config);
    this.#forwards = new PortForwards(ctx, { proxy: this.#proxy, sessions: this.#sessions });
    this.#pages = new PageFiles(options.pages);
    this.#server = createHttpServer({
      request: (request, response) => this.#serve(request, response),
      upgrade: (request, socket, head) => this.#upgrade(request, socket, head),
      failed: (error) => ctx.logger.error(error, 'A request of the console failed'),
    });
    this.finished = new Promise((resolve) => this.#server.once('close', resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  createLink(): string {
    // A fragment is not sent to servers, so it is neither logged nor used up by programs that look at links.
    return `http://${HOST}:${this.port}/#key=${this.#sessions.createKey()}`;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#options.port, HOST, resolve);
    });
    const close = (): void => {
      this.#server.close();
      this.#server.closeAllConnections();
      for (const socket of this.#upgraded) socket.destroy();
      this.#forwards.closeAll();
      this.#proxy.close();
    };
    if (this.#ctx.signal.aborted) close();
    else this.#ctx.signal.addEventListener('abort', close, { once: true });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const foreign = foreignRequest(request, this.port);
    if (foreign !== undefined) return sendStatus(response, 403, { reason: 'Forbidden', message: foreign });
    const { path, query } = splitTarget(request.url ?? '/');
    const file = request.method === 'GET' ? await this.#pages.find(path) : undefined;
    if (file !== undefined) return this.#servePage(request, response, file);
    if (!isFromPages(request, { upgrade: false }))
      return sendStatus(response, 403, {
        reason: 'Forbidden',
        message: 'Only the pages of the console get an answer.',
      });
    if (path === '/session') return this.#serveSession(request, response);
    const session = this.#sessionOf(request);
    if (session === undefined)
      return sendStatus(response, 401, { reason: 'Unauthorized', message: 'Sign in to the console first.' });
    if (path.startsWith(QUESTION_PREFIX)) {
      const name = path.slice(QUESTION_PREFIX.length);
      const { questions } = this.#options;
      return serveQuestion(this.#ctx, { request, response, session, query, name, questions });
    }
    if (path === FORWARDS || path.startsWith(`${FORWARDS}/`))
      return this.#serveForwards(request, response, { session, id: path.slice(FORWARDS.length + 1) });
    const target = targetOf(request);
    if (target === undefined) return sendStatus(response, 404, { reason: 'NotFound', message: `There is no ${path}.` });
    return this.#proxy.serve(request, response, { config: session.config, target });
  }

  async #serveForwards(
    request: IncomingMessage,
    response: ServerResponse,
    { session, id }: { session: Session; id: string },
  ): Promise<void> {
    try {
      if (request.method === 'POST')
        await this.#forwards.open(session, readTarget(await readJsonBody(request, MAX_SIGN_IN_BYTES)));
      if (request.method === 'DELETE') this.#forwards.close(session, id);
      response
        .writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
        .end(JSON.stringify({ forwards: this.#forwards.list(session) }));
    } catch (error) {
      sendError(response, error);
    }
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const session = this.#sessionOf(request);
    const target = targetOf(request);
    const refused =
      foreignRequest(request, this.port) !== undefined ||
      !isFromPages(request, { upgrade: true }) ||
      session === undefined ||
      target === undefined;
    if (refused) return void socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    this.#upgraded.add(socket);
    socket.once('close', () => this.#upgraded.delete(socket));
    return this.#proxy.upgrade(request, socket, { head, config: session.config, target });
  }

  #servePage(request: IncomingMessage, response: ServerResponse, { type, body }: { type: string; body: Buffer }): void {
    const nonce = Buffer.from(this.#ctx.random.bytes(16)).toString('base64');
    const page = type.startsWith('text/html');
    response
      .writeHead(200, {
        'content-type': type,
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'content-security-policy': contentSecurityPolicy(nonce, request.headers.host!),
      })
      // The editor and the terminal add style elements, which the policy allows by this nonce.
      .end(page ? body.toString().replace('STYLE_NONCE', nonce) : body);
  }

  async #serveSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') return this.#sendSession(response, this.#sessionOf(request));
    if (request.method === 'DELETE') {
      this.#sessions.signOut(this.#openedOf(request));
      this.#forwards.closeEnded();
      response.setHeader('set-cookie', `${cookieName(this.port)}=; ${COOKIE_ATTRIBUTES}; Max-Age=0`);
      return this.#sendSession(response, undefined);
    }
    if (request.method !== 'POST')
      return sendStatus(response, 405, {
        reason: 'MethodNotAllowed',
        message: 'A session is created, read and deleted.',
      });
    const body = await readJsonBody(request, MAX_SIGN_IN_BYTES);
    const opened =
      typeof body?.['token'] === 'string' && /^[\x21-\x7e]+$/.test(body['token'])
        ? this.#sessions.signInWithToken(body['token'])
        : typeof body?.['key'] === 'string'
          ? this.#sessions.signInWithKey(body['key'])
          : undefined;
    if (opened === undefined)
      return sendStatus(response, 401, {
        reason: 'Unauthorized',
        message: 'This link was used before, or is not of this console.',
      });
    response.setHeader('set-cookie', `${cookieName(this.port)}=${opened.secret}; ${COOKIE_ATTRIBUTES}`);
    return this.#sendSession(response, this.#sessions.find(opened), opened.proof);
  }

  #openedOf(request: IncomingMessage): Partial<Opened> {
    const [secret, proof] = [sessionCookie(request, this.port), proofOf(request)];
    return { ...(secret === undefined ? {} : { secret }), ...(proof === undefined ? {} : { proof }) };
  }

  #sessionOf(request: IncomingMessage): Session | undefined {
    return this.#sessions.find(this.#openedOf(request));
  }

  #sendSession(response: ServerResponse, session: Session | undefined, proof?: string): void {
    const { server, namespace } = this.#options.config;
    const answer = session
      ? { signedIn: true, as: session.as, server, namespace, ...(proof === undefined ? {} : { proof }) }
      : { signedIn: false, server };
    response
      .writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      .end(JSON.stringify(answer));
  }
}

const COOKIE_ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Strict';

/** `/k8s/api/v1/pods?watch=1` is `/api/v1/pods?watch=1` of the API server. */
function targetOf({ url = '/' }: IncomingMessage): string | undefined {
  if (!url.startsWith(`${API_PREFIX}/`)) return undefined;
  const target = url.slice(API_PREFIX.length);
  const { path } = splitTarget(target);
  return path.includes('//') || /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path) ? undefined : target;
}

const contentSecurityPolicy = (nonce: string, host: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    `connect-src 'self' ws://${host}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
