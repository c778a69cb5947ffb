import http2 from 'node:http2';
import type { Credentials } from './k8ts-process.ts';

/** A bare HTTP/2 connection to an API server: what a test sends is what goes over the wire. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: http2.IncomingHttpHeaders;
  readonly body: Buffer;
  json(): KubeAnswer;
}

export interface KubeAnswer {
  kind: string;
  metadata: {
    name: string;
    namespace: string;
    uid: string;
    resourceVersion: string;
    annotations?: Record<string, string>;
    continue?: string;
  };
  [field: string]: unknown;
}

export interface WatchLine {
  type: string;
  object: KubeAnswer;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly timeoutMs?: number;
  /** Takes what has come this long after the head: answers that go on until somebody stops them. */
  readonly cutOffMs?: number;
}

/** The connection ended before the answer did. */
export class ConnectionBroken extends Error {
  override name = 'ConnectionBroken';
}

export class ApiConnection {
  readonly session: http2.ClientHttp2Session;

  constructor(server: string, credentials: Partial<Credentials>) {
    this.session = http2.connect(server, {
      ...credentials,
      rejectUnauthorized: credentials.ca !== undefined,
      settings: { initialWindowSize: 4 * 1024 * 1024 },
    });
    this.session.on('error', () => {});
    this.session.setMaxListeners(0);
  }

  /** Fails when the connection breaks before the answer is complete, or when it takes too long. */
  call(method: string, path: string, options: CallOptions = {}): Promise<ApiAnswer> {
    return new Promise((resolve, reject) => {
      const { body } = options;
      const bytes =
        body === undefined
          ? undefined
          : Buffer.isBuffer(body)
            ? body
            : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
      if (this.session.destroyed || this.session.closed)
        return reject(new ConnectionBroken(`${method} ${path} was not sent`));
      const stream = this.session.request(
        {
          ':method': method,
          ':path': path,
          ...(bytes ? { 'content-type': 'application/json' } : {}),
          ...options.headers,
        },
        { endStream: bytes === undefined },
      );
      let headers: http2.IncomingHttpHeaders = {};
      const pieces: Buffer[] = [];
      const late = setTimeout(() => {
        stream.close();
        reject(new Error(`${method} ${path} was not answered`));
      }, options.timeoutMs ?? 30_000);
      let cutOff: NodeJS.Timeout | undefined;
      stream.on('response', (received) => {
        headers = received;
        if (options.cutOffMs === undefined) return;
        cutOff = setTimeout(() => {
          finish(true);
          stream.close(http2.constants.NGHTTP2_CANCEL);
        }, options.cutOffMs);
      });
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('error', () => {});
      const finish = (complete: boolean): void => {
        clearTimeout(late);
        clearTimeout(cutOff);
        const status = Number(headers[':status']);
        if (!complete || Number.isNaN(status)) return reject(new ConnectionBroken(`${method} ${path} broke off`));
        const whole = Buffer.concat(pieces);
        resolve({ status, headers, body: whole, json: () => JSON.parse(whole.toString()) as KubeAnswer });
      };
      stream.on('end', () => finish(true));
      stream.on('close', () => finish(false));
      if (bytes) stream.end(bytes);
    });
  }

  /** The events of a watch until it ends or the consumer stops; a broken connection ends it like the server does. */
  async *watch(path: string): AsyncGenerator<WatchLine> {
    const stream = this.session.request({ ':method': 'GET', ':path': path });
    stream.on('error', () => {});
    let rest = '';
    try {
      for await (const piece of stream.setEncoding('utf8')) {
        const lines = (rest + (piece as string)).split('\n');
        rest = lines.pop()!;
        for (const line of lines) yield JSON.parse(line) as WatchLine;
      }
    } catch {
      // The connection is gone.
    } finally {
      stream.close();
    }
  }

  close(): void {
    this.session.destroy();
  }
}
