import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestContext } from '../../kernel/index.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';
import { RequestDeadlines } from './request-deadlines.ts';

const limitOf = (deadlines: RequestDeadlines, method: string, target: string): number | undefined => {
  const [path = '', query = ''] = target.split('?');
  const parameters = new URLSearchParams(query);
  return deadlines.limitOf(parseRequestInfo(method, path, parameters), parameters)?.ms;
};

const PODS = '/api/v1/namespaces/a/pods';

describe('the maximum duration of a request', () => {
  const deadlines = new RequestDeadlines(createTestContext().clock);

  it.each([
    { method: 'GET', target: PODS, seconds: 60 },
    { method: 'GET', target: '/version', seconds: 60 },
    { method: 'POST', target: PODS, seconds: 34 },
    { method: 'DELETE', target: PODS, seconds: 34 },
    { method: 'GET', target: `${PODS}?timeout=5s`, seconds: 5 },
    { method: 'GET', target: `${PODS}?timeout=0`, seconds: 60 },
    { method: 'GET', target: `${PODS}?timeout=-3s`, seconds: 60 },
    { method: 'GET', target: `${PODS}?timeout=2h`, seconds: 60 },
    { method: 'PUT', target: `${PODS}/b?timeout=50s`, seconds: 34 },
    { method: 'PUT', target: `${PODS}/b?timeout=1500ms`, seconds: 1.5 },
    { method: 'GET', target: `${PODS}?watch=true`, seconds: undefined },
    { method: 'GET', target: `${PODS}?watch=true&timeout=nonsense`, seconds: undefined },
    { method: 'GET', target: `${PODS}/b/log?follow=true`, seconds: undefined },
    { method: 'POST', target: `${PODS}/b/exec`, seconds: undefined },
    { method: 'POST', target: `${PODS}/b/portforward`, seconds: undefined },
    { method: 'GET', target: `${PODS}/b/proxy/x`, seconds: undefined },
  ])('$method $target: $seconds s', ({ method, target, seconds }) => {
    expect(limitOf(deadlines, method, target)).toBe(seconds && seconds * 1000);
  });

  it('is the value of the flag, for writes as well when that is less', () => {
    const short = new RequestDeadlines(createTestContext().clock, 10_000);
    expect([
      limitOf(short, 'GET', PODS),
      limitOf(short, 'POST', PODS),
      limitOf(short, 'GET', `${PODS}?timeout=20s`),
    ]).toEqual([10_000, 10_000, 10_000]);
  });
});

describe('requests after their deadline', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());

  it.each([
    { method: 'GET', target: '/api/v1/namespaces?timeout=nonsense' },
    { method: 'GET', target: '/version?timeout=nonsense' },
  ])('$method $target has no duration: 400', async ({ method, target }) => {
    const { status, body } = await server.call(method, target);
    expect({ status, message: body['message'] }).toEqual({
      status: 400,
      message: 'invalid timeout specified in the request URL - time: invalid duration "nonsense"',
    });
  });

  /** Its body never comes. */
  const unfinished = (query: string): Promise<{ status: number; message: unknown; aborted: string }> => {
    const controller = new AbortController();
    const { clock } = server.ctx;
    const answered = server.pipeline.handle({
      method: 'POST',
      path: '/api/v1/namespaces',
      query: new URLSearchParams(query),
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      readBody: () => new Promise(() => {}),
      user: { name: 'admin', groups: ['system:masters'] },
      remoteAddress: '127.0.0.1',
      signal: controller.signal,
      abort: (reason) => controller.abort(reason),
    });
    return answered.then(({ status, body }) => ({
      status,
      message: (JSON.parse(String(body)) as { message: string }).message,
      aborted: `${controller.signal.aborted} after ${Math.round(clock.monotonic() - started)} ms`,
    }));
  };
  let started = 0;

  it.each([
    {
      query: '',
      seconds: 34,
      message: 'Timeout: request did not complete within requested timeout - context deadline exceeded',
    },
    { query: 'timeout=2s', seconds: 2, message: 'Timeout: request did not complete within the allotted timeout' },
  ])('are answered with 504: "$query"', async ({ query, seconds, message }) => {
    const { clock } = server.ctx;
    started = clock.monotonic();
    let answer: object | undefined;
    void unfinished(query).then((given) => (answer = given));
    await clock.advance(seconds * 1000 - 1);
    expect(answer).toBeUndefined();
    await clock.advance(1);
    expect(answer).toEqual({ status: 504, message, aborted: `true after ${seconds * 1000} ms` });
  });

  it('end each at its own deadline, regardless of their number', async () => {
    const { clock } = createTestContext();
    const deadlines = new RequestDeadlines(clock, 1000);
    const over: string[] = [];
    const wait = (name: string, ms: number): void => {
      const limit = { ms, error: () => new Error() as never };
      void deadlines
        .within(new Promise<string>(() => {}), { expiresAt: clock.monotonic() + ms, limit, expired: () => name })
        .then((result) => over.push(result));
    };
    wait('a', 1000);
    await clock.advance(500);
    wait('b', 1000);
    wait('c', 300);
    await clock.advance(301);
    expect(over).toEqual(['c']);
    await clock.advance(200);
    expect(over).toEqual(['c', 'a']);
    await clock.advance(499);
    expect(over).toEqual(['c', 'a', 'b']);
  });
});

it('a closed server keeps no timer, and sets none for late requests', () => {
  const { clock } = createTestContext();
  const deadlines = new RequestDeadlines(clock);
  const limit = { ms: 60_000, error: () => new Error('late') as never };
  const run = (): void =>
    void deadlines.within(new Promise<void>(() => {}), {
      expiresAt: clock.monotonic() + 60_000,
      limit,
      expired: () => undefined,
    });
  run();
  deadlines.limitSeat(() => undefined);
  expect(clock.pendingTimers).toBe(2);
  deadlines.close();
  run();
  deadlines.limitSeat(() => undefined);
  expect(clock.pendingTimers).toBe(0);
});
