/**
 * Upgrades through the API server to a backend that answers everything that it should not. Whatever it answers: it gets
 * one request head and not a byte more, unless it has accepted; the client gets an answer; and both connections are
 * closed.
 */
import tls from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAuthority, issue } from '../../src/apiserver/pki/certificates.ts';
import { openPki } from '../../src/apiserver/pki/files.ts';
import { startApiServer, type ApiServer } from '../../src/apiserver/server.ts';
import { dialLoopback } from '../../src/apiserver/testing/index.ts';
import { createMemoryStore } from '../../src/etcd/index.ts';
import { createContext } from '../../src/kernel/index.ts';
import { some } from '../requires.ts';
import { startHostileBackend, type Behaviour, type HostileBackend } from './hostile-backend.ts';

const end = new AbortController();
const ctx = createContext({ signal: end.signal, writeLog: () => {} });
const store = createMemoryStore({ clock: ctx.clock });
let server: ApiServer;
let backend: HostileBackend;

const NS = '/api/v1/namespaces/default';
const GROUP = 'hostile.example.com';
/** Each way in which a client's connection is handed over. */
const PATHS = ['exec', 'attach', 'port-forward', 'nodes/proxy', 'pods/proxy', 'services/proxy', 'aggregation'] as const;
type Path = (typeof PATHS)[number];

const target = (path: Path): string =>
  ({
    exec: `${NS}/pods/web/exec?command=sh&stdin=true`,
    attach: `${NS}/pods/web/attach?stdin=true`,
    'port-forward': `${NS}/pods/web/portforward?ports=80`,
    'nodes/proxy': '/api/v1/nodes/node-1/proxy/exec/default/web/c?command=sh',
    'pods/proxy': `${NS}/pods/web:${backend.plainPort}/proxy/socket`,
    'services/proxy': `${NS}/services/web:80/proxy/socket`,
    aggregation: `/apis/${GROUP}/v1/namespaces/default/things/x/stream`,
  })[path];

async function call(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
  const response = await server.handle({
    method,
    path,
    query: new URLSearchParams(),
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    readBody: () => Promise.resolve(Buffer.from(JSON.stringify(body ?? null))),
    user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] },
    remoteAddress: '127.0.0.1',
    signal: end.signal,
  });
  return { status: response.status, text: response.body?.toString() ?? '' };
}

async function made(path: string, body: Record<string, unknown>): Promise<void> {
  const { status, text } = await call('POST', path, body);
  if (status !== 201) throw new Error(text);
}

beforeAll(async () => {
  const pki = await openPki(ctx, undefined, { dnsNames: ['localhost'], addresses: ['127.0.0.1'], signingKey: 'ec' });
  const other = await issue(ctx, await createAuthority(ctx, 'other'), {
    commonName: 'backend',
    usage: 'server',
    dnsNames: ['backend'],
    addresses: [],
  });
  backend = await startHostileBackend(other);
  server = await startApiServer(ctx, {
    store,
    pki,
    host: '127.0.0.1',
    port: 0,
    advertiseAddress: '192.0.2.1',
    serviceClusterIpRange: '10.96.0.0/16',
    kubelet: { preferredAddressTypes: ['InternalIP'] },
    authentication: { tokenFile: 'secret-token,admin,1,system:masters' },
    dial: dialLoopback,
  });
  const endpoint = (name: string, address: string, port: number, more: object = {}): Record<string, unknown> => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ name: '', port }],
    endpoints: [{ addresses: [address], ...more }],
  });
  await made('/api/v1/nodes', {
    metadata: { name: 'node-1' },
    status: {
      addresses: [{ type: 'InternalIP', address: '192.0.2.20' }],
      daemonEndpoints: { kubeletEndpoint: { Port: backend.tlsPort } },
    },
  });
  await made(`${NS}/serviceaccounts`, { metadata: { name: 'default' } });
  await made(`${NS}/pods`, {
    metadata: { name: 'web' },
    spec: { nodeName: 'node-1', containers: [{ name: 'c', image: 'i' }] },
  });
  await call('PUT', `${NS}/pods/web/status`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web' },
    status: { phase: 'Running', podIP: '192.0.2.30', podIPs: [{ ip: '192.0.2.30' }] },
  });
  await made(`${NS}/services`, {
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  });
  await made(
    '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    endpoint('web', '192.0.2.30', backend.plainPort, { targetRef: { kind: 'Pod', namespace: 'default', name: 'web' } }),
  );
  await made(`${NS}/services`, { metadata: { name: 'extension' }, spec: { ports: [{ port: 443 }] } });
  await made(
    '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    endpoint('extension', '192.0.2.40', backend.tlsPort),
  );
  await made('/apis/apiregistration.k8s.io/v1/apiservices', {
    metadata: { name: `v1.${GROUP}` },
    spec: {
      group: GROUP,
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 10,
      service: { namespace: 'default', name: 'extension' },
      insecureSkipTLSVerify: true,
    },
  });
  await vi.waitFor(
    async () =>
      expect((await call('GET', `/apis/apiregistration.k8s.io/v1/apiservices/v1.${GROUP}`)).text).toContain('"Passed"'),
    { timeout: 60_000 },
  );
});

afterAll(async () => {
  end.abort();
  await server.finished;
  await backend.close();
  await store.close();
});

beforeEach(() => {
  backend.upgrades.length = 0;
});

const SMUGGLED = 'GET /pods HTTP/1.1\r\nHost: kubelet\r\nX-Remote-User: root\r\n\r\n';

interface Client {
  readonly socket: tls.TLSSocket;
  received: string;
  ended: boolean;
}

/** Asks for an upgrade, and sends another request right behind the head. */
function connect(path: Path, { upgrade = 'websocket', early = SMUGGLED } = {}): Client {
  const socket = tls.connect({
    host: '127.0.0.1',
    port: server.port,
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
  });
  const client: Client = { socket, received: '', ended: false };
  socket.on('data', (bytes: Buffer) => (client.received += bytes.toString('latin1')));
  socket.on('error', () => undefined);
  socket.once('end', () => (client.ended = true));
  const head = [
    `GET ${target(path)} HTTP/1.1`,
    'Host: api',
    'Authorization: Bearer secret-token',
    'Connection: Upgrade',
    `Upgrade: ${upgrade}`,
    'Sec-WebSocket-Protocol: v5.channel.k8s.io',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${early}`);
  return client;
}

const says =
  (text: string): Behaviour =>
  (socket) =>
    void socket.write(text, 'latin1');

/** Writes the same for as long as somebody takes it. */
const forEver =
  (head: string, piece: string): Behaviour =>
  (socket) => {
    socket.write(head);
    const more = (): void => {
      while (!socket.destroyed && socket.write(piece));
      if (!socket.destroyed) socket.once('drain', more);
    };
    more();
  };

/** What the backend does, and the status that the client gets: our own error, unless the backend's is passed on. */
const HOSTILE: [name: string, behaviour: Behaviour, relayed?: number][] = [
  ['200 and keeps the connection', says('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')],
  [
    '403 and keeps the connection',
    says('HTTP/1.1 403 Forbidden\r\nConnection: keep-alive\r\nContent-Length: 4\r\n\r\nnope'),
    403,
  ],
  ['101 without an Upgrade header', says('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\r\n')],
  ['nothing, and closes', (socket) => socket.end()],
  ['204', says('HTTP/1.1 204 No Content\r\n\r\n')],
  ['a redirect', says('HTTP/1.1 302 Found\r\nLocation: https://192.0.2.1/\r\nContent-Length: 0\r\n\r\n')],
  [
    '403 with an endless body',
    forEver(
      'HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n',
      '4000\r\n'.concat('x'.repeat(0x4000), '\r\n'),
    ),
    403,
  ],
  ['403 and breaks off', (socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 100\r\n\r\nno'), 403],
  ['100 Continue', says('HTTP/1.1 100 Continue\r\n\r\n')],
  ['100 Continue, then 200', says('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')],
  ['101 without a Connection header', says('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n')],
  [
    '101 for a protocol that nobody asked for',
    says('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'),
  ],
  ['101 in HTTP/1.0', says('HTTP/1.0 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')],
  [
    'a status that is no number',
    says('HTTP/1.1 1O1 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
  ],
  [
    '101 with a header without a colon',
    says('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nnonsense\r\n\r\n'),
  ],
  [
    '101 with NUL in a header',
    says('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX: a\0b\r\n\r\n'),
  ],
  ['another protocol', says('220 mail.example.com ESMTP\r\n')],
  ['an endless head', forEver('HTTP/1.1 101 Switching Protocols\r\n', 'X-Filler: 0123456789\r\n')],
  ['half a head, then the end', (socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgr')],
  ['nothing, and is gone', (socket) => void socket.destroy()],
];
/**
 * One of each way to reach a backend: with the kubelet client's certificate, in plain HTTP, with the front proxy's
 * certificate.
 */
const THOROUGH: readonly Path[] = ['exec', 'pods/proxy', 'aggregation'];
const SHORT = 4;

describe.each(PATHS)('%s: a backend that answers', (path) => {
  it.each(THOROUGH.includes(path) ? HOSTILE : some(HOSTILE, SHORT))('%s', async (_name, behaviour, relayed) => {
    backend.behaviour = behaviour;
    const client = connect(path);
    await expect.poll(() => client.ended, { interval: 5 }).toBe(true);
    const status = relayed ?? (path === 'aggregation' ? 503 : 500);
    expect(client.received.split('\r\n')[0]).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(client.received.length).toBeLessThan(80_000);
    client.socket.write(SMUGGLED);
    await expect.poll(() => backend.upgrades[0]?.closed, { interval: 5 }).toBe(true);
    expect(backend.upgrades).toHaveLength(1);
    expect(backend.upgrades[0]!.after).toBe('');
    expect(backend.upgrades[0]!.head).not.toContain('secret-token');
    client.socket.destroy();
  });
});

describe.each(PATHS)('%s: a backend that accepts', (path) => {
  const accept = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\r\n';

  it('gets early data of the client, and everything after it', async () => {
    backend.behaviour = (socket) => socket.write(`${accept}hello`);
    const client = connect(path, { early: 'early ' });
    await expect.poll(() => client.received, { interval: 5 }).toMatch(/^HTTP\/1\.1 101 [\s\S]*\r\n\r\nhello$/);
    client.socket.write('late');
    await expect.poll(() => backend.upgrades[0]?.after, { interval: 5 }).toBe('early late');
    client.socket.destroy();
    await expect.poll(() => backend.upgrades[0]?.closed, { interval: 5 }).toBe(true);
  });

  it('and ends at once loses none of its data', async () => {
    const last = 'x'.repeat(1_000_000);
    backend.behaviour = (socket) => socket.end(`${accept}${last}bye`);
    const client = connect(path, { early: '' });
    client.socket.pause();
    await new Promise((resolve) => setTimeout(resolve, 50));
    client.socket.resume();
    await expect.poll(() => client.ended, { interval: 5 }).toBe(true);
    expect(client.received.endsWith(`${last}bye`)).toBe(true);
    client.socket.destroy();
  });

  it('gets the data that the client sent before it ended', async () => {
    backend.behaviour = (socket) => socket.write(accept);
    const client = connect(path, { early: '' });
    await expect.poll(() => client.received, { interval: 5 }).toContain('101');
    client.socket.end('y'.repeat(500_000));
    await expect.poll(() => backend.upgrades[0]?.after.length, { interval: 5 }).toBe(500_000);
    client.socket.destroy();
  });
});

describe.each(PATHS)('%s: a client that requests', (path) => {
  it.each(['h2c', 'HTTP/2.0', 'TLS/1.0', 'websocket, h2c'])('%s', async (upgrade) => {
    backend.behaviour = says(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\n\r\n`);
    const client = connect(path, { upgrade });
    await expect.poll(() => client.ended, { interval: 5 }).toBe(true);
    expect(client.received).toMatch(path === 'aggregation' ? /^HTTP\/1\.1 503 / : /^HTTP\/1\.1 400 /);
    expect(backend.upgrades).toHaveLength(0);
    client.socket.destroy();
  });
});

it('passes bytes both ways through a plain connection that was refused before', async () => {
  // What a refusal leaves behind must not be used again.
  backend.behaviour = says('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
  const refused = connect('pods/proxy');
  await expect.poll(() => refused.ended).toBe(true);
  backend.behaviour = (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nok');
  const accepted = connect('pods/proxy', { early: 'mine' });
  await expect.poll(() => accepted.received).toMatch(/ok$/);
  await expect.poll(() => backend.upgrades[1]?.after).toBe('mine');
  for (const { socket } of [refused, accepted]) socket.destroy();
});
