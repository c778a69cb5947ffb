import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createContext } from '../../kernel/index.ts';
import type { UserInfo } from '../request/request.ts';
import { copyOverWebSocket } from '../request/websocket.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';
import { listen } from './serve.ts';
import type { Transport } from './transport.ts';

const ADMIN: UserInfo = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

let server: TestServer;
let transport: Transport;

beforeAll(async () => {
  server = await startTestServer();
  const ctx = createContext({ signal: server.ctx.signal });
  transport = await listen(ctx, { host: '127.0.0.1', port: 0, maxBodyBytes: 1024 }, (request) =>
    server.pipeline.handle(Object.assign(request, { user: ADMIN })),
  );
});

afterAll(async () => {
  await transport.close(1000);
  await server.stop();
});

const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
const target = (query: string): string => `ws://127.0.0.1:${transport.port}${CONFIG_MAPS}?${query}`;

interface Received {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

function messagesOf(socket: WebSocket): (count: number) => Promise<Received[]> {
  const received: Received[] = [];
  socket.on('message', (data: Buffer, isBinary: boolean) => received.push({ data, isBinary }));
  return async (count) => {
    await expect.poll(() => received.length).toBeGreaterThanOrEqual(count);
    return received;
  };
}

it('sends each event as a text message', async () => {
  const socket = new WebSocket(target('watch=1&fieldSelector=metadata.name%3Dwatched'));
  const messages = messagesOf(socket);
  await once(socket, 'open');
  await server.call('POST', CONFIG_MAPS, { body: configMap('watched') });
  await server.call('DELETE', `${CONFIG_MAPS}/watched`);
  const received = await messages(2);
  expect(received.map(({ isBinary }) => isBinary)).toEqual([false, false]);
  const events = received.map(
    ({ data }) => JSON.parse(data.toString()) as { type: string; object: { metadata: { name: string } } },
  );
  expect(events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
    'ADDED watched',
    'DELETED watched',
  ]);
  socket.close();
  await once(socket, 'close');
});

it('sends protobuf as binary messages without the length of a frame', async () => {
  await server.call('POST', CONFIG_MAPS, { body: configMap('binary') });
  const socket = new WebSocket(target('watch=1&fieldSelector=metadata.name%3Dbinary'), {
    headers: { accept: 'application/vnd.kubernetes.protobuf;stream=watch' },
  });
  const [first] = await messagesOf(socket)(1);
  expect(first!.isBinary).toBe(true);
  expect(first!.data.subarray(0, 4).toString('latin1')).toBe('\n\x05AD');
  socket.close();
  await once(socket, 'close');
});

it('ends at the deadline, and accepts a protocol besides the token', async () => {
  const token = `base64url.bearer.authorization.k8s.io.${Buffer.from('x').toString('base64url')}`;
  const socket = new WebSocket(target('watch=1&timeoutSeconds=1'), [token, 'watch.k8s.io']);
  await once(socket, 'open');
  expect(socket.protocol).toBe('watch.k8s.io');
  await server.ctx.clock.advance(2000);
  await once(socket, 'close');
});

it('answers a watch that is refused with its Status', async () => {
  const socket = new WebSocket(target('watch=1&resourceVersion=x'));
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number; resume(): void }];
  expect(response.statusCode).toBe(500);
  response.resume();
});

it.each([
  [[], true, 'line\n'],
  [['binary.k8s.io'], true, 'line\n'],
  [['base64.binary.k8s.io'], false, 'bGluZQo='],
])('sends a log after an empty message, to a client that offers %j', async (protocols, isBinary, expected) => {
  const logs = await listen(server.ctx, { host: '127.0.0.1', port: 0, maxBodyBytes: 1024 }, async (request) =>
    copyOverWebSocket(request, async (sink) => void sink.write(Buffer.from('line\n'))),
  );
  const socket = new WebSocket(`ws://127.0.0.1:${logs.port}/log`, protocols);
  const closed = once(socket, 'close');
  const received = await messagesOf(socket)(2);
  expect(received.map((message) => message.data.toString())).toEqual(['', expected]);
  expect(received.map((message) => message.isBinary)).toEqual([isBinary, isBinary]);
  await closed;
  await logs.close(1000);
});
