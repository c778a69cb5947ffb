import http from 'node:http';
import { connect } from 'node:net';
import type net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiRequest, ApiResponse } from '../request.ts';
import { dialText, forwardedHeaders, relay, send, tunnel, type Target } from './kubelet-proxy.ts';
import { rewriteLinks } from './rewrite-links.ts';

let backend: http.Server;
let target: Target;
const upgrades: http.IncomingMessage[] = [];

beforeAll(async () => {
  backend = http.createServer((req, res) => {
    res.writeHead(req.url === '/missing' ? 404 : 200, { 'content-type': 'text/plain', 'x-own': 'yes' });
    res.end(`${req.method} ${req.url}`);
  });
  backend.on('upgrade', (req, socket: net.Socket) => {
    upgrades.push(req);
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  target = { host: '127.0.0.1', port: (backend.address() as net.AddressInfo).port };
});
afterAll(() => new Promise<void>((resolve) => backend.close(() => resolve())));

const request = (headers: ApiRequest['headers'], more: Partial<ApiRequest> = {}): ApiRequest => ({
  method: 'GET',
  path: '/',
  query: new URLSearchParams(),
  headers,
  readBody: () => Promise.resolve(Buffer.alloc(0)),
  remoteAddress: '192.0.2.9',
  signal: new AbortController().signal,
  ...more,
});

async function textOf(response: ApiResponse): Promise<string> {
  const pieces: string[] = [];
  await response.stream!({ write: (piece) => pieces.push(piece.toString()) > 0, drained: () => Promise.resolve(), pending: 0, signal: new AbortController().signal });
  return pieces.join('');
}

describe('a proxied request', () => {
  const signal = new AbortController().signal;

  it('comes back with status, headers and body', async () => {
    const response = relay(await send({ target, method: 'GET', path: '/a?b=c', headers: {}, signal }));
    expect([response.status, response.headers['x-own'], await textOf(response)]).toEqual([200, 'yes', 'GET /a?b=c']);
    expect(relay(await send({ target, method: 'GET', path: '/missing', headers: {}, signal })).status).toBe(404);
  });

  it('does not carry the caller\'s rights', () => {
    const headers = forwardedHeaders(request({ authorization: 'Bearer x', 'impersonate-user': 'root', 'x-remote-user': 'root', accept: 'text/html', ':path': '/' }));
    expect(headers).toEqual({ accept: 'text/html' });
  });

  it('may have its body changed on the way', async () => {
    const response = relay(await send({ target, method: 'GET', path: '/x', headers: {}, signal }), (body) => Buffer.from(body.toString().toUpperCase()));
    expect(await textOf(response)).toBe('GET /X');
  });

  it('tells of a refused connection in the words that clients know', async () => {
    const unused = { host: '127.0.0.1', port: 1 };
    const error = await send({ target: unused, method: 'GET', path: '/', headers: {}, signal }).catch((e: unknown) => e);
    expect(dialText(error as Error)).toBe('dial tcp 127.0.0.1:1: connect: connection refused');
  });
});

describe('an upgrade', () => {
  it('is a tunnel of bytes, without the caller\'s rights', async () => {
    const ended = new AbortController();
    const front = http.createServer();
    front.on('upgrade', (rawRequest, socket: net.Socket, head) => {
      void tunnel(request({}, { upgrade: { socket, head, rawRequest }, signal: ended.signal }), target, '/exec/ns/pod/c?input=1');
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    const client = connect((front.address() as net.AddressInfo).port, '127.0.0.1');
    let received = '';
    client.on('data', (piece: Buffer) => (received += piece.toString()));
    client.on('error', () => undefined);
    client.write('POST /x HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: echo\r\nAuthorization: Bearer secret\r\n\r\n');
    await expect.poll(() => received).toContain('101 Switching Protocols');
    client.write('ping');
    await expect.poll(() => received).toMatch(/ping$/);
    expect(upgrades).toMatchObject([{ url: '/exec/ns/pod/c?input=1' }]);
    expect(upgrades[0]!.headers).not.toHaveProperty('authorization');
    ended.abort();
    client.destroy();
    await new Promise<void>((resolve) => front.close(() => resolve()));
  });
});

describe('links of a proxied page', () => {
  it.each([
    ['<a href="/x">', '<a href="/base/x">'],
    ["<img src='/x'>", "<img src='/base/x'>"],
    ['<a href="x">', '<a href="x">'],
    ['<a href="//other/x">', '<a href="//other/x">'],
    ['<a href="/base/x">', '<a href="/base/x">'],
    ['<form action=/x>', '<form action="/base/x">'],
  ])('%s', (page, expected) => {
    expect(rewriteLinks(Buffer.from(page), '/base').toString()).toBe(expected);
  });
});
