/** How long a request keeps its seat of flow control. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { splitTarget } from '../../net/http/index.ts';
import { PriorityAndFairness } from '../flow-control/index.ts';
import type { ApiRequest, ApiResponse, ResponseSink } from '../request/request.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';

const COLLECTION = '/api/v1/namespaces/default/configmaps';
const JANE = { name: 'jane', groups: ['system:authenticated'] };

let server: TestServer;
let flow: PriorityAndFairness;
beforeAll(async () => {
  server = await startTestServer();
  const subject = { kind: 'User', name: JANE.name, apiGroup: 'rbac.authorization.k8s.io' };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'jane' },
    roleRef,
    subjects: [subject],
  };
  expect(
    (await server.call('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', { body: binding })).status,
  ).toBe(201);
  for (let i = 0; i < 4; i++) {
    const body = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `c-${i}` },
      data: { filling: 'x'.repeat(100_000) },
    };
    expect((await server.call('POST', COLLECTION, { body })).status).toBe(201);
  }
});
afterAll(() => server.stop());
beforeEach(() => {
  const { chain } = server.pipeline;
  flow = new PriorityAndFairness(server.ctx, chain.backend.registry);
  Object.assign(chain, { flowControl: flow });
});

const taken = (): number => flow.levels().find(({ name }) => name === 'global-default')!.executing;

const ask = (target: string, more: Partial<ApiRequest> = {}): Promise<ApiResponse> =>
  server.pipeline.handle({
    method: 'GET',
    ...splitTarget(target),
    headers: { accept: 'application/json' },
    readBody: () => Promise.resolve(Buffer.alloc(0)),
    user: JANE,
    remoteAddress: '127.0.0.1',
    signal: server.ctx.signal,
    ...more,
  });

/** Takes one frame whenever it reads. */
class SlowReader implements ResponseSink {
  readonly signal = server.ctx.signal;
  readonly pending = 0;
  frames = 0;
  #drained: (() => void) | undefined;

  write(): boolean {
    this.frames++;
    return false;
  }

  drained(): Promise<void> {
    return new Promise((resolve) => (this.#drained = resolve));
  }

  async read(): Promise<void> {
    this.#drained?.();
    await server.ctx.clock.advance(1);
  }
}

const WATCH_LIST = `${COLLECTION}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;

describe('the seat of a request', () => {
  it.each([
    { name: 'a short answer', target: `${COLLECTION}/c-0` },
    { name: 'a refusal', target: `${COLLECTION}/nothing` },
    { name: 'the result for a caller in this process', target: COLLECTION, more: { inProcess: true as const } },
  ])('is free with $name', async ({ target, more }) => {
    await ask(target, more);
    expect(taken()).toBe(0);
  });

  it.each([
    { name: 'JSON', headers: {} },
    { name: 'a Table', headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } },
    { name: 'gzip', headers: { 'accept-encoding': 'gzip' } },
  ])('is in use until a long response has been sent: $name', async ({ headers }) => {
    const response = await ask(`${COLLECTION}?includeObject=Object`, { headers });
    expect(taken()).toBe(1);
    expect(response.expiresAt).toBe(server.ctx.clock.monotonic() + 60_000);
    response.done!();
    response.done!();
    expect(taken()).toBe(0);
  });

  it('is in use by a watch until its initial events have been sent', async () => {
    const response = await ask(WATCH_LIST);
    const reader = new SlowReader();
    void response.stream!(reader);
    // As many as there are objects, and the bookmark after them.
    for (let i = 1; i <= 5; i++) {
      expect(taken()).toBe(1);
      await reader.read();
    }
    expect(reader.frames).toBeGreaterThanOrEqual(5);
    for (let i = 0; i < 3 && taken() > 0; i++) await reader.read();
    expect(taken()).toBe(0);
  });

  it('is free again after the deadline, also for a watch that the client does not read', async () => {
    const response = await ask(WATCH_LIST);
    void response.stream!(new SlowReader());
    await server.ctx.clock.advance(59_000);
    expect(taken()).toBe(1);
    await server.ctx.clock.advance(2000);
    expect(taken()).toBe(0);
  });

  it('is free when the client disconnected before its watch began', async () => {
    const response = await ask(WATCH_LIST);
    expect(taken()).toBe(1);
    response.done!();
    expect(taken()).toBe(0);
  });
});

describe('while too much waits for slow clients', () => {
  it.each([
    { target: COLLECTION, status: 429 },
    { target: WATCH_LIST, status: 429 },
    { target: `${COLLECTION}/c-0`, status: 200 },
    { target: '/readyz', status: 200 },
  ])('$target is answered with $status', async ({ target, status }) => {
    const response = await ask(target, { congested: true });
    expect({ status: response.status, retryAfter: response.headers['retry-after'] }).toEqual({
      status,
      retryAfter: status === 429 ? '1' : undefined,
    });
    expect(taken()).toBe(0);
  });
});
