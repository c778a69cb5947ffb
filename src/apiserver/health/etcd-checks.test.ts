import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Alarm, RangeResult } from '../../etcd/index.ts';
import { createTestContext, silentLogger, type TestContext } from '../../kernel/index.ts';
import type { Exchange } from '../request/exchange.ts';
import { etcdChecks } from './etcd-checks.ts';
import { healthEndpoints } from './health.ts';

let ctx: TestContext;
let alarms: Alarm[] = [];
let range: () => Promise<RangeResult>;
let asked = 0;

beforeEach(() => {
  ctx = createTestContext();
  alarms = [];
  asked = 0;
  range = () => Promise.resolve({ kvs: [], count: 0, more: false, revision: 1 });
});
afterEach(() => ctx.stop());

function server(): (path: string) => Promise<{ status: number; text: string }> {
  const store = { range: () => (asked++, range()), alarms: () => Promise.resolve(alarms) };
  const endpoints = healthEndpoints({ logger: silentLogger, clock: ctx.clock }, etcdChecks(ctx.clock, store));
  return async (target) => {
    const url = new URL(target, 'http://server');
    const endpoint = endpoints.find(({ path }) => path === url.pathname);
    const answer = await endpoint!.serve({ request: { query: url.searchParams } } as unknown as Exchange, {
      name: 'somebody',
      groups: [],
    });
    return { status: answer!.status, text: answer!.body!.toString() };
  };
}

const FULL: Alarm[] = [{ memberId: 1n, alarm: 'nospace' }];

describe('the checks of etcd', () => {
  it('are part of all three, and twice of readiness', async () => {
    const get = server();
    expect(await get('/readyz?verbose')).toEqual({
      status: 200,
      text: '[+]etcd ok\n[+]etcd-readiness ok\nreadyz check passed\n',
    });
    expect(await get('/livez?verbose')).toEqual({ status: 200, text: '[+]etcd ok\nlivez check passed\n' });
    expect(await get('/healthz')).toEqual({ status: 200, text: 'ok' });
  });

  it.each([
    [
      '/readyz',
      500,
      '[-]etcd failed: reason withheld\n[-]etcd-readiness failed: reason withheld\nreadyz check failed\n',
    ],
    ['/healthz/etcd', 500, 'internal server error: etcdserver: mvcc: database space exceeded\n'],
    ['/readyz/etcd-readiness', 500, 'internal server error: etcdserver: mvcc: database space exceeded\n'],
    // A restart makes no room.
    ['/livez', 200, 'ok'],
    ['/readyz?exclude=etcd&exclude=etcd-readiness', 200, 'ok'],
  ])('report a full store at %s: %i', async (target, status, text) => {
    alarms = FULL;
    expect(await server()(target)).toEqual({ status, text });
  });

  it('report ok again when the alarm is cleared', async () => {
    const get = server();
    alarms = FULL;
    expect((await get('/readyz')).status).toBe(500);
    alarms = [];
    await ctx.clock.advance(1000);
    expect((await get('/readyz')).status).toBe(200);
  });

  it('give up a store that does not answer, livez too', async () => {
    range = () => new Promise(() => {});
    const get = server();
    const answers = Promise.all([get('/livez/etcd'), get('/readyz')]);
    await ctx.clock.advance(2000);
    expect(await answers).toMatchObject([
      { status: 500, text: 'internal server error: context deadline exceeded\n' },
      { status: 500 },
    ]);
  });

  it('query the store once a second, regardless of the number of requests', async () => {
    const get = server();
    for (let i = 0; i < 100; i++) await get('/readyz');
    expect(asked).toBe(1);
    await ctx.clock.advance(1000);
    await get('/readyz');
    expect(asked).toBe(2);
  });
});
