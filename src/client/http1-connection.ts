import http from 'node:http';
import https from 'node:https';
import { TlsTrustAgent, withTrust, type TlsTrust } from '../net/tls/index.ts';
import { connectionError } from './connection-error.ts';
import { plainHeaders, type HttpConnection, type HttpRequest, type HttpResponse } from './http-connection.ts';

/** HTTP/1.1, with connections kept for the next request. */
export class Http1Connection implements HttpConnection {
  readonly #server: URL;
  readonly #agent: http.Agent;
  readonly #trust: () => Promise<TlsTrust>;

  constructor(options: { server: URL; trust: () => Promise<TlsTrust> }) {
    this.#server = options.server;
    this.#trust = options.trust;
    this.#agent =
      options.server.protocol === 'https:'
        ? new TlsTrustAgent(undefined, { keepAlive: true })
        : new http.Agent({ keepAlive: true });
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const { signal } = request;
    const secure = this.#server.protocol === 'https:';
    const options: https.RequestOptions = {
      ...(secure ? withTrust(await this.#trust()) : {}),
      method: request.method,
      host: this.#server.hostname.replace(/^\[|\]$/g, ''),
      port: this.#server.port || (secure ? 443 : 80),
      path: request.path,
      headers: request.headers as http.OutgoingHttpHeaders,
      agent: this.#agent,
    };
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const sent = secure ? https.request(options) : http.request(options);
      const onAbort = (): void => {
        sent.destroy(asError(signal?.reason));
        // A request that has no connection yet reports its error only when the attempt to connect has ended.
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      sent.on('close', () => signal?.removeEventListener('abort', onAbort));
      sent.on('error', (error) => reject(signal?.aborted ? signal.reason : connectionError(error)));
      sent.on('response', (response) => {
        resolve({
          status: response.statusCode ?? 0,
          headers: plainHeaders(response.headers),
          body: response,
          complete: () => response.complete,
        });
      });
      sent.end(request.body);
    });
  }

  close(): Promise<void> {
    this.#agent.destroy();
    return Promise.resolve();
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
