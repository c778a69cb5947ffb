import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import tls from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RealClock, VirtualClock } from '../kernel/index.ts';
import type { ClientConfig } from './client-config.ts';
import type { Client } from './client.ts';
import { connect } from './connect.ts';
import { anonymous, bearerToken, clientCertificate, type Credentials } from './credentials.ts';
import { isNotFound } from './errors.ts';
import { HttpTransport } from './http-transport.ts';
import { defineResource, type ApiObject } from './resource.ts';
import { createTestCertificates } from './testing/certificates.ts';
import { TransportError } from './transport.ts';

const clock = new RealClock();
const pods = defineResource<ApiObject>({ group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true });
type Exchange = http2.Http2ServerRequest | http.IncomingMessage;
type Answer = http2.Http2ServerResponse | http.ServerResponse;

let certificates: Awaited<ReturnType<typeof createTestCertificates>>;
let handle: (request: Exchange, response: Answer, body: string) => void;
let seen: { version: string; url: string; headers: http.IncomingHttpHeaders; peer: string | undefined }[] = [];
const servers: Record<'h2' | 'h1s' | 'h1', http.Server | http2.Http2SecureServer> = {} as never;
const sockets = new Set<Socket>();
const clients: Client[] = [];

const listener = (request: Exchange, response: Answer): void => {
  const socket = request.socket as { getPeerCertificate?: () => { subject?: { CN?: string } } };
  seen.push({
    version: request.httpVersion,
    url: request.url ?? '',
    headers: request.headers,
    peer: socket.getPeerCertificate?.().subject?.CN,
  });
  let body = '';
  request.on('data', (piece: Buffer) => (body += piece.toString()));
  request.on('end', () => handle(request, response, body));
};

beforeAll(async () => {
  certificates = await createTestCertificates();
  const tls = { ...certificates.server, ca: certificates.ca, requestCert: true, rejectUnauthorized: false };
  servers.h2 = http2.createSecureServer({ ...tls, allowHTTP1: true }, listener as never);
  servers.h1s = https.createServer(tls, listener as never);
  servers.h1 = http.createServer(listener as never);
  for (const server of Object.values(servers)) {
    server.on(server === servers.h1 ? 'connection' : 'secureConnection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
});

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const socket of sockets) socket.destroy();
  seen = [];
});

afterAll(async () => {
  for (const server of Object.values(servers)) await new Promise((resolve) => server.close(resolve));
});

function open(kind: keyof typeof servers, config: Partial<ClientConfig> = {}): Client {
  const { port } = servers[kind].address() as AddressInfo;
  const server = `${kind === 'h1' ? 'http' : 'https'}://127.0.0.1:${port}`;
  const client = connect(
    { clock },
    { server, ca: certificates.ca, credentials: anonymous, namespace: 'default', ...config },
    { userAgent: 'test/1' },
  );
  clients.push(client);
  return client;
}

function reply(response: Answer, status: number, body: unknown, headers: Record<string, string> = {}): void {
  (response as http.ServerResponse).writeHead(status, { 'content-type': 'application/json', ...headers });
  (response as http.ServerResponse).end(JSON.stringify(body));
}

describe.each([
  ['h2', '2.0'],
  ['h1s', '1.1'],
  ['h1', '1.1'],
] as const)('HttpTransport over %s', (kind, version) => {
  it('sends requests and reads answers', async () => {
    handle = (_request, response, body) => reply(response, 201, JSON.parse(body));
    const client = open(kind, { credentials: bearerToken('abc') });
    const created = await client
      .resource(pods)
      .create({ metadata: { name: 'a b', namespace: 'x' } }, { fieldManager: 'me', dryRun: true });
    expect(created).toEqual({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a b', namespace: 'x' } });
    expect(seen[0]).toMatchObject({ version, url: '/api/v1/namespaces/x/pods?fieldManager=me&dryRun=All' });
    expect(seen[0]?.headers).toMatchObject({
      authorization: 'Bearer abc',
      'user-agent': 'test/1',
      'content-type': 'application/json',
    });
  });

  it('turns failed responses into StatusErrors, also those without a Status', async () => {
    handle = (request, response) =>
      request.url === '/api/v1/pods'
        ? reply(response, 500, 'boom')
        : reply(response, 404, {
            kind: 'Status',
            apiVersion: 'v1',
            reason: 'NotFound',
            code: 404,
            message: 'pods "a" not found',
          });
    const client = open(kind).resource(pods);
    await expect(client.get({ namespace: 'x', name: 'a' })).rejects.toSatisfy(isNotFound);
    await expect(client.list()).rejects.toMatchObject({ code: 500, reason: 'InternalError' });
  });

  it('waits for Retry-After', async () => {
    let count = 0;
    handle = (_request, response) =>
      count++ === 0
        ? reply(response, 429, {}, { 'retry-after': '0' })
        : reply(response, 200, { metadata: {}, items: [] });
    expect((await open(kind).resource(pods).list()).items).toEqual([]);
    expect(count).toBe(2);
  });

  it('watches, across pieces of any size', async () => {
    const object = (name: string) => ({ metadata: { name, note: 'äöü€'.repeat(50) } });
    handle = (_request, answer) => {
      const response = answer as http.ServerResponse;
      const bytes = Buffer.from(
        ['a', 'b', 'c'].map((name) => `${JSON.stringify({ type: 'ADDED', object: object(name) })}\n`).join(''),
      );
      response.writeHead(200, { 'content-type': 'application/json' });
      const send = (at: number): void => {
        if (at >= bytes.length) return void response.end();
        response.write(bytes.subarray(at, at + 97));
        setImmediate(send, at + 97);
      };
      send(0);
    };
    const names: unknown[] = [];
    for await (const { object: pod } of open(kind).resource(pods).watch()) names.push(pod.metadata.name);
    expect(names).toEqual(['a', 'b', 'c']);
    expect(seen[0]?.url).toBe('/api/v1/pods?watch=true');
  });

  it.each([
    ['the connection breaks', (response: http.ServerResponse) => void response.socket?.destroy(), 'connection-lost'],
    ['a line is cut off', (response: http.ServerResponse) => void response.end('{"type":"ADD'), 'truncated'],
    ['a line is not JSON', (response: http.ServerResponse) => void response.end('nonsense\n'), 'malformed'],
  ])('fails a watch when %s', async (_name, interrupt, code) => {
    handle = (_request, answer) => {
      const response = answer as http.ServerResponse;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n');
      setTimeout(() => {
        if (kind === 'h2' && code === 'connection-lost') for (const socket of sockets) socket.destroy();
        else interrupt(response);
      }, 20);
    };
    const names: unknown[] = [];
    const watching = (async () => {
      for await (const { object } of open(kind).resource(pods).watch()) names.push(object.metadata.name);
    })();
    await expect(watching).rejects.toMatchObject({ name: 'TransportError', code });
    expect(names).toEqual(['a']);
  });

  it('ends a watch and a request with their signal', async () => {
    handle = (request, answer) => {
      if (!(request.url ?? '').includes('watch')) return;
      (answer as http.ServerResponse).writeHead(200, { 'content-type': 'application/json' });
      (answer as http.ServerResponse).write('{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n');
    };
    const client = open(kind).resource(pods);
    const controller = new AbortController();
    const watching = (async () => {
      for await (const _event of client.watch({ signal: controller.signal })) controller.abort(new Error('enough'));
    })();
    await expect(watching).rejects.toThrow('enough');
    const second = new AbortController();
    setTimeout(() => second.abort(new Error('too slow')), 20);
    await expect(client.list({ signal: second.signal })).rejects.toThrow('too slow');
  });

  it('streams bodies that are not objects', async () => {
    handle = (_request, answer) => {
      const response = answer as http.ServerResponse;
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write('line 1\n');
      setTimeout(() => response.end('line 2\n'), 10);
    };
    const client = open(kind).resource(pods);
    let text = '';
    for await (const piece of await client.streamSubresource({ namespace: 'x', name: 'a' }, 'log', {
      query: { follow: true },
    }))
      text += Buffer.from(piece).toString();
    expect(text).toBe('line 1\nline 2\n');
    // A request of the test before may only now have arrived.
    expect(seen.map(({ url }) => url)).toContain('/api/v1/namespaces/x/pods/a/log?follow=true');
    handle = (_request, response) =>
      reply(response, 404, { kind: 'Status', apiVersion: 'v1', reason: 'NotFound', code: 404 });
    await expect(client.streamSubresource({ namespace: 'x', name: 'a' }, 'log')).rejects.toSatisfy(isNotFound);
  });

  it('fails by name when no server listens', async () => {
    const client = connect(
      { clock },
      { server: `${kind === 'h1' ? 'http' : 'https'}://127.0.0.1:1`, credentials: anonymous, namespace: 'default' },
    );
    await expect(client.resource(pods).list()).rejects.toMatchObject({ code: 'connection-refused' });
    await client.close();
    await expect(client.resource(pods).list()).rejects.toBeInstanceOf(TransportError);
  });
});

describe('HttpTransport', () => {
  it('presents its certificate and checks the server’s', async () => {
    handle = (_request, response) => reply(response, 200, { items: [] });
    const { cert, key } = certificates.client;
    await open('h2', { credentials: clientCertificate({ data: cert }, { data: key }) })
      .resource(pods)
      .list();
    expect(seen[0]?.peer).toBe('alice');
    await expect(open('h2', { ca: undefined }).resource(pods).list()).rejects.toThrow(/certificate/);
    await expect(open('h2', { tlsServerName: 'elsewhere' }).resource(pods).list()).rejects.toThrow(/elsewhere/);
    await open('h2', { tlsServerName: 'kubernetes' }).resource(pods).list();
    await open('h2', { ca: undefined, insecureSkipTlsVerify: true }).resource(pods).list();
  });

  it('gets new credentials when the old ones are refused, and retries once', async () => {
    let generation = 1;
    const credentials: Credentials = {
      ...anonymous,
      authorization: () => Promise.resolve(`Bearer t${generation}`),
      refused: () => (generation++, true),
    };
    handle = (request, response) =>
      request.headers.authorization === 'Bearer t2'
        ? reply(response, 200, { items: [] })
        : reply(response, 401, { kind: 'Status', apiVersion: 'v1', reason: 'Unauthorized', code: 401 });
    await open('h2', { credentials }).resource(pods).list();
    expect(seen).toHaveLength(2);
    handle = (_request, response) => reply(response, 401, {});
    await expect(open('h2', { credentials }).resource(pods).list()).rejects.toMatchObject({ code: 401 });
  });

  it('shares one connection among many requests and watches, and opens another when it is full', async () => {
    const waiting: Answer[] = [];
    handle = (_request, response) => {
      waiting.push(response);
      if (waiting.length === 150) for (const each of waiting) reply(each, 200, { items: [] });
    };
    const client = open('h2').resource(pods);
    await Promise.all(Array.from({ length: 150 }, () => client.list()));
    expect(sockets.size).toBeGreaterThan(0);
    expect(sockets.size).toBeLessThanOrEqual(2);
  });

  it('connects again after the server has closed the connection', async () => {
    handle = (_request, response) => reply(response, 200, { items: [] });
    const client = open('h2').resource(pods);
    await client.list();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await client.list();
    expect(seen).toHaveLength(2);
  });

  it('closes a connection whose server answers no pings', async () => {
    const silent = tls.createServer({ ...certificates.server, ALPNProtocols: ['h2'] }, (socket) =>
      socket.on('error', () => {}).resume(),
    );
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const virtual = new VirtualClock();
    const { port } = silent.address() as AddressInfo;
    const transport = new HttpTransport({
      config: {
        server: `https://127.0.0.1:${port}`,
        ca: certificates.ca,
        credentials: anonymous,
        namespace: 'default',
      },
      clock: virtual,
    });
    const failed = transport.request({ method: 'GET', path: '/version' }).catch((error: unknown) => error);
    while (virtual.pendingTimers === 0) await clock.sleep(5);
    await virtual.advance(44_000);
    expect(virtual.pendingTimers).toBe(2);
    await virtual.advance(2_000);
    expect(await failed).toMatchObject({ name: 'TransportError', code: 'timeout' });
    await transport.close();
    await new Promise((resolve) => silent.close(resolve));
  });

  it('sends repeated headers for impersonated groups', async () => {
    handle = (_request, response) => reply(response, 200, { items: [] });
    const { port } = servers.h2.address() as AddressInfo;
    const client = connect(
      { clock },
      {
        server: `https://127.0.0.1:${port}`,
        ca: certificates.ca,
        credentials: anonymous,
        namespace: 'default',
        impersonate: { user: 'u', groups: ['a', 'b'] },
      },
    );
    clients.push(client);
    await client.resource(pods).list();
    expect(seen[0]?.headers).toMatchObject({ 'impersonate-user': 'u', 'impersonate-group': 'a, b' });
  });
});
