/**
 * The CRI streaming server for exec, attach and port-forward. The CRI calls return a URL, to which the kubelet proxies
 * the client's connection. The token in the URL is the authorization: it can be used once and expires soon.
 */
import type http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorMessage } from '../../base/index.ts';
import { type Timer, untilAborted } from '../../kernel/index.ts';
import { closeServer, createHttpServer, splitTarget } from '../../net/http/index.ts';
import { newId, type RuntimeParts } from '../runtime-parts.ts';
import { serveStreams } from './serve-streams.ts';
import type { StreamRequest } from './stream-request.ts';

/** As in other runtimes. */
const TOKEN_LIFETIME_MS = 60_000;
const MAX_TOKENS = 10_000;

export class StreamingServer {
  readonly #parts: RuntimeParts;
  readonly #server: http.Server;
  readonly #tokens = new Map<string, { readonly stream: StreamRequest; readonly expiry: Timer }>();
  readonly #sessions = new Set<Promise<void>>();

  private constructor(parts: RuntimeParts) {
    this.#parts = parts;
    this.#server = createHttpServer({
      request: (request, response) => {
        const known = this.#peek(request.url ?? '') !== undefined;
        response
          .writeHead(known ? 400 : 404, { 'content-type': 'text/plain' })
          .end(known ? 'an upgrade is required\n' : 'no such stream\n');
      },
      upgrade: (request, socket, head) => this.#upgrade(request, socket, head),
      failed: (error) => parts.ctx.logger.error(error, 'Failed to serve a streaming request'),
    });
  }

  static async listen(parts: RuntimeParts, { host, port }: { host: string; port: number }): Promise<StreamingServer> {
    const server = new StreamingServer(parts);
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject);
      server.#server.listen(port, host, () => resolve());
    });
    return server;
  }

  get url(): string {
    const { address, port } = this.#server.address() as AddressInfo;
    return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
  }

  urlFor(request: StreamRequest): string {
    if (this.#tokens.size >= MAX_TOKENS) throw new Error('maximum number of in-flight streaming requests exceeded');
    const token = newId(this.#parts.ctx).slice(0, 32);
    this.#tokens.set(token, {
      stream: request,
      expiry: this.#parts.ctx.clock.after(TOKEN_LIFETIME_MS, () => this.#tokens.delete(token)),
    });
    return `${this.url}/${request.kind}/${token}`;
  }

  /** Serves until the signal aborts, then closes all connections. */
  async until(signal: AbortSignal): Promise<void> {
    await untilAborted(signal);
    const closed = closeServer(this.#server);
    for (const { expiry } of this.#tokens.values()) expiry.cancel();
    await Promise.all([closed, ...this.#sessions]);
  }

  #peek(url: string): { token: string; stream: StreamRequest } | undefined {
    const [, kind, token = ''] = splitTarget(url).path.split('/');
    const stream = this.#tokens.get(token)?.stream;
    return stream !== undefined && stream.kind === kind ? { token, stream } : undefined;
  }

  #upgrade(request: http.IncomingMessage, socket: Duplex, head: Buffer): void {
    const found = this.#peek(request.url ?? '');
    if (found === undefined) {
      socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    this.#tokens.get(found.token)?.expiry.cancel();
    this.#tokens.delete(found.token);
    const session = serveStreams(this.#parts, found.stream, { request, socket, head })
      .catch((error: unknown) => {
        this.#parts.ctx.logger
          .v(2)
          .info('Streaming session failed', { kind: found.stream.kind, err: errorMessage(error) });
        socket.destroy();
      })
      .finally(() => this.#sessions.delete(session));
    this.#sessions.add(session);
  }
}
