import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ApiResponse } from '../apiserver/index.ts';
import { startTestServer, type TestServer } from '../apiserver/testing/index.ts';
import { Client } from '../client/index.ts';
import { ADMIN } from './identities.ts';
import { inProcessTransport } from './in-process-transport.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server.stop());

/** A client, and how many of its watches the server is still delivering. */
function countingClient(): { client: Client; delivering: () => number } {
  const { signal, clock } = server.ctx;
  let delivering = 0;
  const transport = inProcessTransport({
    user: ADMIN,
    signal,
    handle: async (request) => {
      const response = await server.pipeline.handle(request);
      const { result } = response;
      if (result?.type !== 'watch') return response;
      const deliver: typeof result.deliver = (sink) => {
        delivering++;
        return result.deliver(sink).finally(() => delivering--);
      };
      return { ...response, result: { ...result, deliver } };
    },
  });
  return { client: new Client({ transport, clock }), delivering: () => delivering };
}

it('ends the watch on the server when the reader leaves its loop', async () => {
  const { client, delivering } = countingClient();
  const seen: (string | undefined)[] = [];
  for await (const { object } of client.resource('v1/namespaces').watch()) {
    seen.push(object.metadata.name);
    expect(delivering()).toBe(1);
    break;
  }
  expect(seen).toHaveLength(1);
  await server.ctx.clock.settle();
  expect(delivering()).toBe(0);
});

it.each([
  ['of ten minutes, every minute', 600, 1],
  ['of hours, every four minutes', 21_600, 4],
])('sends bookmarks to a watch %s', async (_, timeoutSeconds, minutes) => {
  const { clock } = server.ctx;
  const stop = new AbortController();
  const options = { allowWatchBookmarks: true, timeoutSeconds, signal: stop.signal };
  const times: number[] = [];
  const read = async (): Promise<void> => {
    for await (const { type } of countingClient().client.resource('v1/namespaces').watch(options))
      if (type === 'BOOKMARK') times.push(clock.monotonic());
  };
  const reading = read().catch(() => undefined);
  await clock.advance(9 * 60_000);
  stop.abort();
  await reading;
  expect(times.slice(1).map((time, i) => (time - times[i]!) / 60_000)).toEqual(
    Array.from({ length: times.length - 1 }, () => minutes),
  );
  expect(times.length).toBeGreaterThan(1);
});

/** A client of a server that proxies everything to an aggregated one, which answers in these pieces. */
function aggregatedClient(status: number, ...pieces: string[]): Client {
  const { signal, clock } = server.ctx;
  const stream: ApiResponse['stream'] = async (sink) => {
    for (const piece of pieces) if (!sink.write(Buffer.from(piece))) await sink.drained();
  };
  const handle = (): Promise<ApiResponse> => Promise.resolve({ status, headers: {}, stream });
  return new Client({ transport: inProcessTransport({ user: ADMIN, signal, handle }), clock });
}

it('reads the watch of an aggregated API, wherever its bytes are split', async () => {
  const line = JSON.stringify({ type: 'ADDED', object: { kind: 'Flunder', metadata: { name: 'a' } } });
  const seen: string[] = [];
  const client = aggregatedClient(200, line.slice(0, 20), `${line.slice(20)}\n${line}\n`);
  for await (const { type, object } of client.resource('v1/namespaces').watch())
    seen.push(`${type} ${object.metadata.name}`);
  expect(seen).toEqual(['ADDED a', 'ADDED a']);
});

it('reports a watch that an aggregated API refuses', async () => {
  const refusal = { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410, message: 'too old' };
  const events = aggregatedClient(410, JSON.stringify(refusal)).resource('v1/namespaces').watch();
  await expect(events[Symbol.asyncIterator]().next()).rejects.toMatchObject({ status: { reason: 'Expired' } });
});

it('reports a watch of a resource that is not served as a request would', async () => {
  const { client } = countingClient();
  const resource = client.resource('example.com/v1/widgets');
  await expect(resource.watch()[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: 404,
    message: '404 page not found',
  });
});

it('keeps nothing of a watch that the server has ended', async () => {
  const { signal, clock } = server.ctx;
  const sinks: AbortSignal[] = [];
  const handle = async (request: Parameters<typeof server.pipeline.handle>[0]): Promise<ApiResponse> => {
    const response = await server.pipeline.handle(request);
    const { result } = response;
    if (result?.type !== 'watch') return response;
    const deliver: typeof result.deliver = (sink) => {
      sinks.push(sink.signal);
      return Promise.resolve();
    };
    return { ...response, result: { ...result, deliver } };
  };
  const client = new Client({ transport: inProcessTransport({ user: ADMIN, signal, handle }), clock });
  for await (const event of client.resource('v1/namespaces').watch()) expect(event).toBeUndefined();
  // An aborted signal has no listeners: the runtime may forget it.
  expect(sinks.map(({ aborted }) => aborted)).toEqual([true]);
});

it('rejects requests, watches and streams that a stopped server does not answer', async () => {
  const stopped = new AbortController();
  const silent = { user: ADMIN, signal: stopped.signal, handle: () => new Promise<ApiResponse>(() => {}) };
  const transport = inProcessTransport(silent);
  const request = { method: 'GET' as const, path: '/api/v1/namespaces' };
  const calls = () => [transport.request(request), transport.watch(request), transport.stream(request)];
  const inFlight = calls();
  stopped.abort(new Error('the server was stopped'));
  for (const call of [...inFlight, ...calls()]) await expect(call).rejects.toThrow('the server was stopped');
});

it.each([
  ['a built-in kind', '/api/v1/namespaces/default/configmaps', { apiVersion: 'v1', kind: 'ConfigMap' }],
  [
    'a custom resource',
    '/apis/example.com/v1/namespaces/default/things',
    { apiVersion: 'example.com/v1', kind: 'Thing' },
  ],
])('stores an object that does not say its kind as what the path is for: %s', async (_, path, type) => {
  const { client } = countingClient();
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
  const openAPIV3Schema = { type: 'object' };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];
  await client.resource('apiextensions.k8s.io/v1/customresourcedefinitions').create({
    metadata: { name: 'things.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions },
  });
  await server.ctx.clock.advance(1_000);
  const { body } = await client.request({ method: 'POST', path, body: { metadata: { name: 'nameless' } } });
  expect(body).toMatchObject(type);
  const read = await client.request({ method: 'GET', path: `${path}/nameless` });
  expect(read.body).toMatchObject({ ...type, metadata: { name: 'nameless' } });
});
