import { once } from 'node:events';
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { closeServer, createHttpServer, createHttpsServer, type HttpHandlers } from './http-server.ts';

const failures: unknown[] = [];
let close = (): void => {};
afterEach(() => close());

/** What a server with these handlers answers to the bytes, until it hangs up. */
async function answerTo(handlers: Omit<HttpHandlers, 'failed'>, bytes: string): Promise<string> {
  failures.length = 0;
  const server = createHttpServer({ ...handlers, failed: (error) => void failures.push(error) }).listen(0, '127.0.0.1');
  close = () => server.close().closeAllConnections();
  await once(server, 'listening');
  const socket = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1');
  let answer = '';
  socket.on('data', (piece: Buffer) => (answer += piece.toString()));
  // A server that hangs up on what it has not read resets the connection.
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(bytes);
  await closed;
  return answer;
}

const REQUEST = 'GET // HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const UPGRADE = 'GET // HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
const broken = (): never => {
  throw new Error('nobody thought of this request');
};

describe('a server whose handlers throw', () => {
  it.each([
    ['one that throws', broken],
    ['one that rejects', () => Promise.reject(new Error('late'))],
  ])('answers 500 and continues: %s', async (_name, request) => {
    expect(await answerTo({ request }, REQUEST)).toContain('HTTP/1.1 500 Internal Server Error');
    expect(failures).toHaveLength(1);
  });

  it('hangs up when the answer has begun', async () => {
    const answer = await answerTo(
      {
        request: (_request, response) => {
          response.writeHead(200, { 'content-length': '100' });
          response.write('half');
          broken();
        },
      },
      REQUEST,
    );
    expect(answer).not.toContain('500');
    expect(failures).toHaveLength(1);
  });

  it.each([
    ['one that throws', broken],
    ['one that rejects', () => Promise.reject(new Error('late'))],
  ])('hangs up on an upgrade: %s', async (_name, upgrade) => {
    expect(await answerTo({ request: broken, upgrade }, UPGRADE)).toBe('');
    expect(failures).toHaveLength(1);
  });

  it('answers an upgrade that it has no handler for like any other request', async () => {
    const request: HttpHandlers['request'] = (_request, response) =>
      void response.writeHead(404, { connection: 'close' }).end();
    expect(await answerTo({ request }, UPGRADE)).toContain('HTTP/1.1 404');
  });
});

describe('a long request', () => {
  const served: Omit<HttpHandlers, 'failed'> = {
    request: (request, response) => void response.end(String(request.url!.length)),
  };
  const request = (length: number): string =>
    `GET /${'a'.repeat(length - 1)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;

  it('is served up to a mebibyte: the command of an exec is in the URL', async () => {
    expect(await answerTo(served, request(1_000_000))).toMatch(/\r\n1000000$/);
    // The reset may overtake the answer on a busy machine.
    expect(await answerTo(served, request(1_100_000))).toMatch(/^$|431 Request Header Fields Too Large/);
  });
});

describe('closing a server', () => {
  const handlers: HttpHandlers = { request: () => {}, upgrade: () => {}, failed: () => {} };

  it.each([
    ['an idle connection', createHttpServer(handlers), ''],
    ['a request without an answer', createHttpServer(handlers), REQUEST],
    ['an upgraded connection', createHttpServer(handlers), UPGRADE],
    ['a TLS handshake that does not end', createHttpsServer(handlers, {}), ''],
  ])('ends %s', async (_name, server, bytes) => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1');
    const closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
    await Promise.all([once(server, 'connection'), once(socket, 'connect')]);
    if (bytes !== '') {
      socket.write(bytes);
      await once(server, bytes === UPGRADE ? 'upgrade' : 'request');
    }
    await Promise.all([closeServer(server), closed]);
  });
});
