import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestContext } from '../../kernel/index.ts';
import type { ApiRequest, ApiResponse } from '../request/request.ts';
import { Dialer } from './dialer.ts';
import { LINGER_MS } from './join-connections.ts';
import { Permit } from './target.ts';
import { ANSWER_TIMEOUT_MS, proxyUpgrade } from './upgrade-proxy.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listening(server: net.Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A client's upgrade request, handed over to a backend that does with it what the test says. */
async function start(serve: (socket: net.Socket, head: string) => void, stopping = new AbortController()) {
  const ctx = createTestContext();
  const sockets: net.Socket[] = [];
  closing.push(() => sockets.forEach((socket) => socket.destroy()));
  const backend = net.createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', (head: Buffer) => serve(socket, head.toString()));
  });
  const port = await listening(backend);
  const front = http.createServer();
  const answered = new Promise<ApiResponse | Error>((resolve) => {
    front.on('upgrade', (rawRequest: http.IncomingMessage, socket: net.Socket, head: Buffer) => {
      sockets.push(socket);
      const request: ApiRequest = {
        method: 'GET',
        path: '/',
        query: new URLSearchParams(),
        headers: {},
        readBody: () => Promise.resolve(Buffer.alloc(0)),
        remoteAddress: '192.0.2.9',
        signal: stopping.signal,
        upgrade: { socket, head, rawRequest },
      };
      const target = { host: '127.0.0.1', port, permit: new Permit() };
      proxyUpgrade(new Dialer(ctx.clock), {
        request,
        target,
        path: '/exec/ns/pod/c?input=1',
        headers: { 'x-remote-user': 'jane' },
      }).then(resolve, resolve);
    });
  });
  const client = net.connect({ port: await listening(front), host: '127.0.0.1', allowHalfOpen: true });
  const seen = { received: '', ended: false, closed: false };
  sockets.push(client);
  client.on('data', (bytes: Buffer) => (seen.received += bytes.toString()));
  client.on('error', () => undefined);
  client.once('end', () => (seen.ended = true));
  client.once('close', () => (seen.closed = true));
  client.write(
    'GET /x HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, X-Remote-User\r\nUpgrade: echo\r\nAuthorization: Bearer secret\r\nX-Own: 1\r\n\r\n',
  );
  return { ctx, client, seen, answered, stopping };
}

const ACCEPT = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n';

describe('an upgrade', () => {
  it("has one head, with the server's identity headers and without the caller's credentials", async () => {
    let head = '';
    const { client, seen, answered } = await start((socket, text) => {
      head = text;
      socket.write(ACCEPT);
      socket.pipe(socket);
    });
    expect(await answered).toEqual({ status: 101, headers: {}, hijacked: true });
    client.write('ping');
    await expect.poll(() => seen.received).toMatch(/^HTTP\/1\.1 101 [\s\S]*ping$/);
    expect(head).toMatch(/^GET \/exec\/ns\/pod\/c\?input=1 HTTP\/1\.1\r\n/);
    const lines = head.toLowerCase().trimEnd().split('\r\n').slice(1).sort();
    const expected = [
      'connection: upgrade',
      'upgrade: echo',
      'x-forwarded-for: 192.0.2.9',
      'x-own: 1',
      'x-remote-user: jane',
    ];
    expect(lines.filter((line) => !line.startsWith('host:'))).toEqual(expected);
  });

  it('times out when the backend does not answer', async () => {
    const asked = deferred();
    const { ctx, answered } = await start(() => asked.resolve());
    await asked.promise;
    await ctx.clock.advance(ANSWER_TIMEOUT_MS);
    expect(await answered).toMatchObject({
      status: { code: 500 },
      message: 'timed out waiting for the answer to the upgrade request',
    });
  });

  it('ends both connections a while after one has ended, although the other continues', async () => {
    const { ctx, seen, answered, client } = await start((socket) => socket.end(`${ACCEPT}bye`));
    await answered;
    await expect.poll(() => [seen.ended, seen.received.endsWith('bye')]).toEqual([true, true]);
    const goesOn = (): boolean => client.write('still here') || !client.destroyed;
    expect(goesOn()).toBe(true);
    await ctx.clock.advance(LINGER_MS);
    await expect.poll(() => goesOn() && !seen.closed).toBe(false);
  });

  it('ends when the server does', async () => {
    const { seen, answered, stopping, client } = await start((socket) => socket.write(ACCEPT));
    await answered;
    stopping.abort();
    await expect.poll(() => seen.ended).toBe(true);
    client.end();
  });
});

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
