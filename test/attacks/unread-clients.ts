/** Clients that ask for much and read nothing, on connections that let the server send as much as it likes. */
import { once } from 'node:events';
import tls from 'node:tls';
import { END_HEADERS, END_STREAM, HEADERS, MAX_WINDOW, PREFACE, SETTING } from '../../src/net/http2/frames.ts';
import { frame, settings, windowUpdate } from '../../src/net/http2/testing/frames.ts';
import { blockOf } from '../../src/net/http2/testing/hpack.ts';
import type { Credentials } from '../k8ts-process.ts';

export type Protocol = 'HTTP/1.1' | 'HTTP/2';
export const PROTOCOLS: readonly Protocol[] = ['HTTP/1.1', 'HTTP/2'];

const STREAMS_PER_CONNECTION = 100;
const INITIAL_WINDOW = 65_535;
/** Handshakes at once. */
const LANES = 16;

export class UnreadClients {
  readonly #sockets: tls.TLSSocket[] = [];

  constructor(
    private readonly port: number,
    private readonly credentials: Credentials,
  ) {}

  /** Sends `count` requests: over HTTP/1.1 a connection for each, over HTTP/2 a hundred on each connection. */
  async send(protocol: Protocol, count: number, path: string, headers: Record<string, string> = {}): Promise<void> {
    const perConnection = protocol === 'HTTP/1.1' ? 1 : STREAMS_PER_CONNECTION;
    const connections = Math.ceil(count / perConnection);
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < connections) {
        const requests = Math.min(perConnection, count - next++ * perConnection);
        const socket = await this.#connect(protocol === 'HTTP/1.1' ? 'http/1.1' : 'h2');
        socket.write(protocol === 'HTTP/1.1' ? http1Request(path, headers) : http2Requests(requests, path, headers));
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  async #connect(protocol: string): Promise<tls.TLSSocket> {
    const socket = tls.connect({
      port: this.port,
      host: '127.0.0.1',
      ...this.credentials,
      checkServerIdentity: () => undefined,
      ALPNProtocols: [protocol],
    });
    this.#sockets.push(socket);
    socket.on('error', () => {});
    socket.pause();
    await once(socket, 'secureConnect');
    return socket;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

const http1Request = (path: string, headers: Record<string, string>): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;

function http2Requests(count: number, path: string, headers: Record<string, string>): Buffer {
  const block = blockOf([
    [':method', 'GET'],
    [':scheme', 'https'],
    [':authority', 'x'],
    [':path', path],
    ...Object.entries(headers),
  ]);
  const requests = Array.from({ length: count }, (_, i) => frame(HEADERS, END_HEADERS | END_STREAM, 2 * i + 1, block));
  return Buffer.concat([
    PREFACE,
    settings([SETTING.initialWindowSize, MAX_WINDOW]),
    windowUpdate(0, MAX_WINDOW - INITIAL_WINDOW),
    ...requests,
  ]);
}
