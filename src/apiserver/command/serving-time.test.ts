import { describe, expect, it } from 'vitest';
import { createTestContext, type TestContext } from '../../kernel/index.ts';
import type { ApiRequest, ApiResponse } from '../request/request.ts';
import { ServingTime } from './serving-time.ts';

const DRAIN_MS = 60_000;

function servingFor(delayMs: number, sendRetryAfter = false) {
  const ctx = createTestContext();
  const serving = new ServingTime(ctx, { delayMs, sendRetryAfter, drainMs: DRAIN_MS });
  let listens = true;
  const server = { stopListening: () => void (listens = false) };
  return { ctx, serving, server, listens: () => listens };
}

/** Lets go on what waits for nothing. */
const settle = (ctx: TestContext): Promise<void> => ctx.clock.advance(0);

describe('the time of serving', () => {
  it('ends the delay after the signal', async () => {
    const { ctx, serving, server, listens } = servingFor(5000);
    serving.begin(server);
    ctx.stop();
    await ctx.clock.advance(4999);
    expect([serving.signal.aborted, listens()]).toEqual([false, true]);
    await ctx.clock.advance(1);
    expect(serving.signal.reason).toBe(ctx.signal.reason);
    expect(listens()).toBe(false);
  });

  it.each([
    ['a server that does not serve yet', 5000, false],
    ['a server without a delay and without requests', 0, true],
  ])('of %s ends at once', async (_, delayMs, serves) => {
    const { ctx, serving, server } = servingFor(delayMs);
    if (serves) serving.begin(server);
    ctx.stop();
    await settle(ctx);
    expect(serving.signal.aborted).toBe(true);
  });

  it('waits for nothing once the server has ended', async () => {
    const { ctx, serving, server } = servingFor(5000);
    serving.begin(server);
    ctx.stop();
    serving.end();
    await ctx.clock.advance(6000);
    expect(serving.signal.aborted).toBe(false);
  });
});

const request = (path: string, more: Partial<ApiRequest> = {}): ApiRequest =>
  ({ method: 'GET', path, query: new URLSearchParams(), headers: {}, ...more }) as ApiRequest;

describe('requests in progress', () => {
  /** A handler whose requests end one by one. */
  function running(serving: ServingTime) {
    const open: ((response: ApiResponse) => void)[] = [];
    const handler = serving.inFlight.around(() => new Promise((resolve) => open.push(resolve)));
    return { handler, open };
  }
  const ok = (more: Partial<ApiResponse> = {}): ApiResponse => ({ status: 200, headers: {}, ...more });

  it.each([false, true])('are awaited, and the server listens meanwhile: %s', async (sendRetryAfter) => {
    const { ctx, serving, server, listens } = servingFor(0, sendRetryAfter);
    const { handler, open } = running(serving);
    serving.begin(server);
    const first = handler(request('/api/v1/pods'));
    const streamed = handler(request('/api/v1/namespaces'));
    ctx.stop();
    await settle(ctx);
    expect([serving.signal.aborted, listens()]).toEqual([false, sendRetryAfter]);
    open[0]!(ok());
    open[1]!(ok({ stream: async () => {} }));
    await first;
    const { done } = await streamed;
    await settle(ctx);
    expect(serving.signal.aborted).toBe(false);
    done?.();
    await settle(ctx);
    expect(serving.signal.aborted).toBe(true);
  });

  it('are awaited for as long as a request may take, long-running ones not at all', async () => {
    const { ctx, serving, server } = servingFor(0);
    const { handler } = running(serving);
    serving.begin(server);
    void handler(request('/api/v1/pods', { query: new URLSearchParams('watch=1') }));
    void handler(request('/api/v1/pods'));
    ctx.stop();
    await ctx.clock.advance(DRAIN_MS - 1);
    expect(serving.signal.aborted).toBe(false);
    await ctx.clock.advance(1);
    expect(serving.signal.aborted).toBe(true);
    const watching = servingFor(0);
    watching.serving.begin(watching.server);
    void running(watching.serving).handler(request('/api/v1/pods', { query: new URLSearchParams('watch=1') }));
    watching.ctx.stop();
    await settle(watching.ctx);
    expect(watching.serving.signal.aborted).toBe(true);
  });

  it('are not joined by others with --shutdown-send-retry-after', async () => {
    const { ctx, serving, server } = servingFor(0, true);
    const { handler, open } = running(serving);
    serving.begin(server);
    void handler(request('/api/v1/pods'));
    ctx.stop();
    await settle(ctx);
    const refused = await handler(request('/api/v1/pods'));
    expect(refused).toMatchObject({
      status: 429,
      body: 'The apiserver is shutting down, please try again later.\n',
      headers: { 'retry-after': '5', connection: 'close' },
    });
    let left = false;
    const shared = await handler(request('/api/v1/pods', { leaveConnection: () => void (left = true) }));
    expect([shared.status, shared.headers['connection'], left]).toEqual([429, undefined, true]);
    for (const path of ['/readyz?verbose', '/livez', '/healthz/ping', '/metrics']) void handler(request(path));
    void handler(request('/api', { headers: { 'user-agent': 'kube-apiserver/v1.36.4' } }));
    expect(open).toHaveLength(6);
  });

  it('that fail are done', async () => {
    const { ctx, serving, server } = servingFor(0);
    serving.begin(server);
    const failing = serving.inFlight.around(() => Promise.reject(new Error('broken')));
    await expect(failing(request('/api'))).rejects.toThrow('broken');
    ctx.stop();
    await settle(ctx);
    expect(serving.signal.aborted).toBe(true);
  });
});
