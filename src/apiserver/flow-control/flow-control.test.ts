import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { splitTarget } from '../../net/http/index.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import type { ApiRequest, UserInfo } from '../request/request.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';
import { PriorityAndFairness, TooBusy, type Admitted } from './index.ts';
import { dealHand } from './shuffle-shard.ts';

const user = (name: string, ...groups: string[]): UserInfo => ({ name, groups: [...groups, 'system:authenticated'] });
let server: TestServer;
beforeAll(async () => (server = await startTestServer()));
afterAll(() => server.stop());

const limiter = (serverSeats: number): PriorityAndFairness =>
  new PriorityAndFairness(server.ctx, server.pipeline.chain.backend.registry, { serverSeats });

function enter(
  flow: PriorityAndFairness,
  who: UserInfo,
  target = '/api/v1/namespaces/default/configmaps/c',
  signal: AbortSignal = server.ctx.signal,
): Admitted | Promise<Admitted> {
  const request: ApiRequest = {
    method: 'GET',
    ...splitTarget(target),
    headers: {},
    readBody: () => Promise.resolve(Buffer.alloc(0)),
    remoteAddress: '',
    signal,
  };
  return flow.enter(who, parseRequestInfo('GET', request.path, request.query), request);
}

const level = (flow: PriorityAndFairness, name: string) => flow.levels().find((found) => found.name === name)!;
const settle = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await Promise.resolve();
};

describe('priority levels', () => {
  it('tell how many seats they have', async () => {
    await server.call('GET', '/api/v1/namespaces');
    const { text } = await server.call('GET', '/metrics');
    expect(text).toMatch(/^apiserver_flowcontrol_nominal_limit_seats\{priority_level="catch-all"\} \d+$/m);
    expect(text).toMatch(/^apiserver_flowcontrol_nominal_limit_seats\{priority_level="exempt"\} 0$/m);
  });

  it('share the seats', () => {
    expect(
      Object.fromEntries(
        limiter(600)
          .levels()
          .map(({ name, seats }) => [name, seats]),
      ),
    ).toEqual({
      'catch-all': 13,
      exempt: 0,
      'global-default': 49,
      'leader-election': 25,
      'node-high': 98,
      system: 74,
      'workload-high': 98,
      'workload-low': 245,
    });
  });

  it('never limit system:masters', () => {
    const flow = limiter(10);
    for (let i = 0; i < 1000; i++) expect(enter(flow, user('root', 'system:masters'))).not.toBeInstanceOf(Promise);
  });

  it('answer 429 in the catch-all when its seats are in use', async () => {
    const flow = limiter(1);
    const stranger: UserInfo = { name: 'x', groups: [] };
    const admitted = enter(flow, stranger);
    expect(() => enter(flow, stranger)).toThrow(TooBusy);
    const chain = server.pipeline.chain;
    const before = chain.flowControl;
    Object.assign(chain, { flowControl: flow });
    const { response, text } = await server.call('GET', '/api/v1/namespaces/default/configmaps', { user: stranger });
    Object.assign(chain, { flowControl: before });
    expect(response.status).toBe(429);
    expect(text).toBe('Too many requests, please try again later.\n');
    expect(response.headers['retry-after']).toBe('1');
    (admitted as Admitted).leave();
    expect(enter(flow, stranger)).not.toBeInstanceOf(Promise);
  });

  it('name themselves in the answer', async () => {
    const { response } = await server.call('GET', '/api/v1/namespaces/default/configmaps', { user: user('jane') });
    const { body: schema } = await server.call(
      'GET',
      '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/global-default',
    );
    const { body: configuration } = await server.call(
      'GET',
      '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/global-default',
    );
    expect(response.headers['x-kubernetes-pf-flowschema-uid']).toBe(schema.metadata.uid);
    expect(response.headers['x-kubernetes-pf-prioritylevel-uid']).toBe(configuration.metadata.uid);
  });

  it('lend unused seats', async () => {
    const flow = limiter(100);
    const nominal = level(flow, 'global-default').seats;
    for (let i = 0; i < nominal; i++) expect(enter(flow, user(`u${i}`))).not.toBeInstanceOf(Promise);
    await enter(flow, user('one-more'));
    expect(level(flow, 'global-default').seats).toBeGreaterThan(nominal);
  });
});

describe('queues', () => {
  /** A limiter whose global-default has one seat, taken. */
  function crowded(): { flow: PriorityAndFairness; first: Admitted } {
    const flow = limiter(1);
    const first = enter(flow, user('first')) as Admitted;
    return { flow, first };
  }

  it('serve flows in turn: a flood does not block others', async () => {
    const { flow, first } = crowded();
    const order: string[] = [];
    const leave: (() => void)[] = [];
    const wait = (name: string): void =>
      void Promise.resolve(enter(flow, user(name))).then(
        (admitted) => {
          order.push(name);
          leave.push(() => admitted.leave());
        },
        () => undefined,
      );
    for (let i = 0; i < 100; i++) wait('flood');
    wait('jane');
    first.leave();
    for (let i = 0; i < 10; i++) {
      await settle();
      leave.shift()?.();
    }
    expect(order.slice(0, 8)).toContain('jane');
  });

  it('reject requests that do not fit, or have waited too long', async () => {
    const { flow, first } = crowded();
    const outcomes: string[] = [];
    const waits = Array.from({ length: 400 }, () =>
      Promise.resolve(enter(flow, user('flood'))).catch((error: TooBusy) => void outcomes.push(error.reason)),
    );
    await settle();
    const waiting = 6 * 50;
    expect(level(flow, 'global-default').waiting).toBe(waiting);
    expect(outcomes.filter((reason) => reason === 'queue-full')).toHaveLength(400 - waiting);
    await server.ctx.clock.advance(16_000);
    await Promise.all(waits);
    expect(outcomes.filter((reason) => reason === 'time-out')).toHaveLength(waiting);
    first.leave();
    expect(level(flow, 'global-default')).toMatchObject({ executing: 0, waiting: 0 });
  });

  it('drop a client that disconnected', async () => {
    const { flow, first } = crowded();
    const gone = new AbortController();
    const waiting = Promise.resolve(enter(flow, user('jane'), undefined, gone.signal)).catch(
      (error: TooBusy) => error.reason,
    );
    gone.abort();
    expect(await waiting).toBe('cancelled');
    expect(level(flow, 'global-default').waiting).toBe(0);
    first.leave();
  });

  it('count a long list as many requests', async () => {
    const { call } = server;
    await Promise.all(
      Array.from({ length: 250 }, (_, i) =>
        call('POST', '/api/v1/namespaces/default/configmaps', {
          body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `many-${i}` } },
        }),
      ),
    );
    const flow = limiter(600);
    const list = enter(flow, user('lister'), '/api/v1/namespaces/default/configmaps') as Admitted;
    expect(level(flow, 'global-default').executing).toBe(3);
    const short = enter(flow, user('lister'), '/api/v1/namespaces/default/configmaps?limit=10') as Admitted;
    expect(level(flow, 'global-default').executing).toBe(4);
    list.leave();
    short.leave();
    list.leave();
    expect(level(flow, 'global-default').executing).toBe(0);
  });
});

describe('shuffle sharding', () => {
  it('deals the same hand to the same flow, of different cards, and spreads flows', () => {
    const hands = Array.from({ length: 500 }, (_, i) => dealHand(`flow-${i}`, 64, 6));
    expect(dealHand('flow-7', 64, 6)).toEqual(hands[7]);
    for (const hand of hands) expect(new Set(hand).size).toBe(6);
    const uses = new Array<number>(64).fill(0);
    for (const card of hands.flat()) uses[card]!++;
    expect(Math.min(...uses)).toBeGreaterThan(20);
    expect(new Set(hands.map((hand) => [...hand].sort((a, b) => a - b).join())).size).toBeGreaterThan(490);
  });
});

describe('the condition Dangling', () => {
  it('follows whether the priority level exists', async () => {
    const { call, ctx } = server;
    const path = '/apis/flowcontrol.apiserver.k8s.io/v1';
    const spec = { priorityLevelConfiguration: { name: 'later' }, matchingPrecedence: 9000 };
    await call('POST', `${path}/flowschemas`, {
      body: { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: 'FlowSchema', metadata: { name: 'mine' }, spec },
    });
    const condition = async (): Promise<unknown> => {
      await ctx.clock.advance(10);
      const { body } = await call('GET', `${path}/flowschemas/mine`);
      return (body['status'] as { conditions?: unknown[] }).conditions?.[0];
    };
    expect(await condition()).toMatchObject({ type: 'Dangling', status: 'True', reason: 'NotFound' });
    const limited = { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } };
    await call('POST', `${path}/prioritylevelconfigurations`, {
      body: {
        apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
        kind: 'PriorityLevelConfiguration',
        metadata: { name: 'later' },
        spec: limited,
      },
    });
    expect(await condition()).toMatchObject({ type: 'Dangling', status: 'False', reason: 'Found' });
  });
});
