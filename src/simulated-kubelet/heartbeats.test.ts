import { expect, it } from 'vitest';
import { Client, type Transport, type TransportResponse } from '../client/index.ts';
import { createTestContext } from '../kernel/index.ts';
import { Heartbeats } from './heartbeats.ts';

const NODES = 200;
const SECOND = 1000;

const failure = (code: number, reason: string): TransportResponse => ({
  status: code,
  headers: {},
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code },
});

/** 200 nodes at a server that takes its time, and when it was asked for what. */
async function start(answerMs: number, { failures = 0 } = {}) {
  const ctx = createTestContext();
  const renewals = new Map<string, number[]>();
  const reports: number[] = [];
  const unused = (): never => {
    throw new Error('not asked for here');
  };
  const transport: Transport = {
    async request({ method, path, body }) {
      await ctx.clock.sleep(answerMs);
      if (failures-- > 0) return failure(500, 'InternalError');
      const name = path.split('/').at(-1) ?? '';
      if (path.endsWith('/status')) reports.push(ctx.clock.now());
      else if (method === 'PUT') renewals.set(name, [...(renewals.get(name) ?? []), ctx.clock.now()]);
      if (method === 'GET') return failure(404, 'NotFound');
      return { status: 200, headers: {}, body: body as object };
    },
    watch: unused,
    stream: unused,
    close: () => Promise.resolve(),
  };
  const client = new Client({ transport, clock: ctx.clock });
  const heartbeats = new Heartbeats(ctx.clock, ctx.logger);
  const now = ctx.clock.now();
  const added = Promise.all(
    Array.from({ length: NODES }, (_, i) =>
      heartbeats.add({
        client,
        name: `sim-${i}`,
        uid: `u-${i}`,
        since: now,
        lease: undefined,
        silent: false,
        reportedAt: ctx.clock.monotonic(),
      }),
    ),
  );
  await ctx.clock.advance(10 * answerMs);
  await added;
  return { ctx, renewals, reports, heartbeats };
}

const pauses = (times: readonly number[]): number[] => times.slice(1).map((at, i) => at - times[i]!);

it('renews every lease within 35 s, also when each takes the server seconds', async () => {
  const { ctx, renewals, heartbeats } = await start(3 * SECOND);
  await ctx.clock.advance(200 * SECOND);
  expect(renewals.size).toBe(NODES);
  expect(Math.max(...[...renewals.values()].flatMap(pauses))).toBeLessThan(35 * SECOND);
  const stopping = heartbeats.stop();
  await ctx.clock.advance(30 * SECOND);
  await stopping;
});

it('does not repeat missed renewals', async () => {
  const { ctx, renewals, heartbeats } = await start(40 * SECOND);
  await ctx.clock.advance(2000 * SECOND);
  expect(Math.min(...[...renewals.values()].flatMap(pauses))).toBeGreaterThanOrEqual(40 * SECOND);
  const stopping = heartbeats.stop();
  await ctx.clock.advance(1000 * SECOND);
  await stopping;
});

it('spreads renewals evenly, in turns of a second', async () => {
  const { ctx, renewals, heartbeats } = await start(1);
  await ctx.clock.advance(26 * SECOND);
  const begun = ctx.clock.now();
  await ctx.clock.advance(25 * SECOND);
  const times = [...renewals.values()].flat().filter((at) => at > begun);
  expect(times.length).toBeGreaterThan(180);
  const turns = new Map<number, number>();
  for (const at of times) turns.set(Math.floor(at), (turns.get(Math.floor(at)) ?? 0) + 1);
  expect(turns.size).toBeLessThanOrEqual(26);
  expect(Math.max(...turns.values())).toBeLessThanOrEqual(16);
  await heartbeats.stop();
});

it('spreads the reports of nodes that were created together over five minutes', async () => {
  const { ctx, reports, heartbeats } = await start(1);
  const begun = ctx.clock.now();
  await ctx.clock.advance(900 * SECOND);
  const inMinute = (minute: number): number =>
    reports.filter((at) => at >= begun + minute * 60 * SECOND && at < begun + (minute + 1) * 60 * SECOND).length;
  for (let minute = 0; minute < 14; minute++) expect(inMinute(minute)).toBeGreaterThan(15);
  for (let minute = 0; minute < 14; minute++) expect(inMinute(minute)).toBeLessThan(75);
  await heartbeats.stop();
});

it('renews the lease of a node whose first renewal failed', async () => {
  const { ctx, renewals, heartbeats } = await start(1, { failures: NODES });
  await ctx.clock.advance(100 * SECOND);
  expect(renewals.size).toBe(NODES);
  await heartbeats.stop();
});
