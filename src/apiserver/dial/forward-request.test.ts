import http from 'node:http';
import type net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContext } from '../../kernel/index.ts';
import type { ApiResponse } from '../request/request.ts';
import { dialText } from './dial-error.ts';
import { Dialer } from './dialer.ts';
import { relay, send } from './forward-request.ts';
import { Permit, type PermittedTarget } from './target.ts';

const dialer = new Dialer(createContext({ writeLog: () => {} }).clock);
let backend: http.Server;
let target: PermittedTarget;

beforeAll(async () => {
  backend = http.createServer((req, res) => {
    const own = req.url === '/long' ? 'x'.repeat(200_000) : 'yes';
    res.writeHead(req.url === '/missing' ? 404 : 200, { 'content-type': 'text/plain', 'x-own': own });
    res.end(`${req.method} ${req.url}`);
  });
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  target = { host: '127.0.0.1', port: (backend.address() as net.AddressInfo).port, permit: new Permit() };
});
afterAll(() => new Promise<void>((resolve) => backend.close(() => resolve())));

async function textOf(response: ApiResponse): Promise<string> {
  const pieces: string[] = [];
  await response.stream!({
    write: (piece) => pieces.push(piece.toString()) > 0,
    drained: () => Promise.resolve(),
    pending: 0,
    signal: new AbortController().signal,
  });
  return pieces.join('');
}

describe('a proxied request', () => {
  const signal = new AbortController().signal;

  it('returns status, headers and body', async () => {
    const response = relay(await send(dialer, { target, method: 'GET', path: '/a?b=c', headers: {}, signal }));
    expect([response.status, response.headers['x-own'], await textOf(response)]).toEqual([200, 'yes', 'GET /a?b=c']);
    expect(relay(await send(dialer, { target, method: 'GET', path: '/missing', headers: {}, signal })).status).toBe(
      404,
    );
  });

  it('is answered without the date of the backend, because the server writes its own', async () => {
    const response = relay(await send(dialer, { target, method: 'GET', path: '/', headers: {}, signal }));
    expect(Object.keys(response.headers)).not.toContain('date');
  });

  it('may be answered with long headers', async () => {
    const { headers } = relay(await send(dialer, { target, method: 'GET', path: '/long', headers: {}, signal }));
    expect(headers['x-own']).toHaveLength(200_000);
  });

  it('may have its body changed on the way', async () => {
    const incoming = await send(dialer, { target, method: 'GET', path: '/x', headers: {}, signal });
    expect(await textOf(relay(incoming, (body) => Buffer.from(body.toString().toUpperCase())))).toBe('GET /X');
  });

  it("reports a refused connection with upstream's message", async () => {
    const unused = { host: '127.0.0.1', port: 1, permit: new Permit() };
    const error = await send(dialer, { target: unused, method: 'GET', path: '/', headers: {}, signal }).catch(
      (e: unknown) => e,
    );
    expect(dialText(error as Error)).toBe('dial tcp 127.0.0.1:1: connect: connection refused');
  });

  it('has no header that contains another', async () => {
    const headers = { 'x-remote-user': 'jane\r\nX-Remote-Group: system:masters' };
    await expect(send(dialer, { target, method: 'GET', path: '/', headers, signal })).rejects.toMatchObject({
      status: { code: 400 },
    });
  });
});
