import { once } from 'node:events';
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { RealClock } from '../../kernel/index.ts';
import { nodeDialer } from './dial.ts';
import { httpGet } from './http-get.ts';

const clock = new RealClock();
let server: net.Server;
const sockets = new Set<net.Socket>();
afterEach(() => {
  server.close();
  for (const socket of sockets) socket.destroy();
});

/** Asks a server that treats every connection so; within 200 ms. */
async function ask(serve: (socket: net.Socket) => void): Promise<string> {
  server = net.createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}/`);
  const request = httpGet({ url, headers: [], dial: nodeDialer(undefined), signal: clock.deadline(200) });
  return request.then(
    ({ status }) => String(status),
    (error: Error) => error.message,
  );
}

const answer =
  (text: string, end = false) =>
  (socket: net.Socket): void =>
    void socket.once('data', () => (end ? socket.end(text) : socket.write(text)));
const UPGRADE = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

describe('a request of a probe ends, whatever the server does', () => {
  it.each([
    ['answers', answer('HTTP/1.1 204 No Content\r\n\r\n'), '204'],
    ['is silent', () => {}, 'The operation was aborted'],
    ['hangs up', (socket) => socket.end(), 'socket hang up'],
    ['hangs up on the request', answer('', true), 'socket hang up'],
    ['upgrades the connection', answer(UPGRADE), 'socket hang up'],
    ['upgrades the connection and hangs up', answer(UPGRADE, true), 'socket hang up'],
    ['continues', answer('HTTP/1.1 100 Continue\r\n\r\n'), 'The operation was aborted'],
    ['sends half of a body', answer('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'), 'The operation was aborted'],
    ['ends in the body', answer('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx', true), 'aborted'],
    ['ends the body by hanging up', answer('HTTP/1.0 200 OK\r\n\r\nx', true), '200'],
    ['sends a body without end', answer('HTTP/1.1 200 OK\r\n\r\nx'), 'The operation was aborted'],
    ['does not speak HTTP', answer('hello\r\n\r\n'), 'Parse Error: Expected HTTP/'],
  ] satisfies [string, (socket: net.Socket) => void, string][])('%s', async (_name, serve, expected) => {
    expect(await ask(serve)).toContain(expected);
  });
});
