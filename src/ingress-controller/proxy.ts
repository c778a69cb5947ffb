/** Proxies HTTP requests and upgraded connections to an endpoint. */
import http from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from '../kernel/index.ts';
import { HOP_BY_HOP_HEADERS } from '../net/http/index.ts';

export interface Endpoint {
  readonly ip: string;
  readonly port: number;
}

export interface ProxyOptions {
  readonly logger: Logger;
  /** The endpoint for a request; 'not-found' if no rule matches, 'unavailable' if no endpoint is ready. */
  readonly route: (host: string, path: string) => Endpoint | 'not-found' | 'unavailable';
  readonly scheme: 'http' | 'https';
  /** Connects to an endpoint; by default over the process's own network. */
  readonly connect?: (endpoint: Endpoint) => net.Socket;
}

export class IngressProxy {
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
  readonly #connect: (endpoint: Endpoint) => net.Socket;

  readonly #options: ProxyOptions;

  constructor(options: ProxyOptions) {
    this.#options = options;
    this.#connect = options.connect ?? (({ ip, port }) => net.connect(port, ip));
    // Node's types declare createConnection for http.request only.
    Object.assign(this.#agent, {
      createConnection: ({ host, port }: { host: string; port: number }) => this.#connect({ ip: host, port }),
    });
  }

  readonly handle = (request: http.IncomingMessage, response: http.ServerResponse): void => {
    const target = this.#route(request);
    if (typeof target === 'string') {
      const [status, text] =
        target === 'not-found' ? [404, 'default backend - 404\n'] : [503, 'no endpoint is ready\n'];
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
      return;
    }
    const upstream = http.request(
      {
        host: target.ip,
        port: target.port,
        method: request.method,
        path: request.url,
        headers: this.#headers(request, false),
        agent: this.#agent,
      },
      (answer) => {
        const headers = Object.fromEntries(
          Object.entries(answer.headers).filter(([name]) => !HOP_BY_HOP_HEADERS.has(name)),
        );
        const status = answer.statusCode ?? 0;
        // writeHead throws for a status below 100, and nothing here would catch it.
        if (status < 100) return void upstream.destroy(new Error(`the endpoint answered with status ${status}`));
        response.writeHead(status, headers);
        answer.pipe(response);
        answer.on('error', () => response.destroy());
      },
    );
    upstream.on('error', (error) => {
      this.#options.logger
        .v(2)
        .info('Failed to proxy a request to the endpoint', { endpoint: `${target.ip}:${target.port}`, err: error });
      if (response.headersSent) response.destroy();
      else
        response.writeHead(502, { 'content-type': 'text/plain; charset=utf-8' }).end('the endpoint did not answer\n');
    });
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  };

  /** WebSockets and other upgrades: after the response, bytes are copied in both directions. */
  readonly upgrade = (request: http.IncomingMessage, socket: Duplex, head: Buffer): void => {
    const target = this.#route(request);
    socket.on('error', () => socket.destroy());
    if (typeof target === 'string') {
      socket.end(
        `HTTP/1.1 ${target === 'not-found' ? '404 Not Found' : '503 Service Unavailable'}\r\nconnection: close\r\n\r\n`,
      );
      return;
    }
    const upstream = http.request({
      host: target.ip,
      port: target.port,
      method: request.method,
      path: request.url,
      headers: this.#headers(request, true),
      createConnection: () => this.#connect(target),
    });
    upstream.on('error', () => socket.destroy());
    upstream.on('upgrade', (answer, other, otherHead) => {
      socket.write(responseHead(answer));
      if (otherHead.length > 0) socket.write(otherHead);
      if (head.length > 0) other.write(head);
      other.on('error', () => socket.destroy());
      socket.on('close', () => other.destroy());
      other.on('close', () => socket.destroy());
      other.pipe(socket).pipe(other);
    });
    upstream.on('response', (answer) => {
      socket.write(responseHead(answer));
      answer.pipe(socket);
    });
    upstream.end();
  };

  close(): void {
    this.#agent.destroy();
  }

  #route(request: http.IncomingMessage): Endpoint | 'not-found' | 'unavailable' {
    return this.#options.route(request.headers.host ?? '', (request.url ?? '/').split('?')[0]!);
  }

  #headers(request: http.IncomingMessage, upgrade: boolean): http.OutgoingHttpHeaders {
    const address = request.socket.remoteAddress ?? '';
    const before = request.headers['x-forwarded-for'];
    return {
      ...Object.fromEntries(
        Object.entries(request.headers).filter(([name]) => upgrade || !HOP_BY_HOP_HEADERS.has(name)),
      ),
      'x-forwarded-for': before ? `${String(before)}, ${address}` : address,
      // HTTP/1.0 has no Host.
      ...(request.headers.host === undefined ? {} : { 'x-forwarded-host': request.headers.host }),
      'x-forwarded-proto': this.#options.scheme,
      'x-real-ip': address,
    };
  }
}

function responseHead(answer: http.IncomingMessage): string {
  const lines = [`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}`];
  for (let i = 0; i < answer.rawHeaders.length; i += 2)
    lines.push(`${answer.rawHeaders[i]}: ${answer.rawHeaders[i + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
