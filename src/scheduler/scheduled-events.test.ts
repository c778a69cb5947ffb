import { expect, it } from 'vitest';
import { Client, type Transport, type TransportRequest } from '../client/index.ts';
import { createTestContext } from '../kernel/index.ts';
import { PodInfo } from './cache/pod-info.ts';
import { EventPacer } from './event-pacer.ts';
import { ScheduledEvents } from './scheduled-events.ts';

const ANSWER_MS = 10;

/** Takes its time for each event, and counts how many are under way at once. */
function start(options: { underWay?: () => number } = {}) {
  const ctx = createTestContext({ turns: 4 });
  const written: string[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;
  const unused = (): never => {
    throw new Error('not asked for here');
  };
  const transport: Transport = {
    async request({ body }: TransportRequest) {
      mostAtOnce = Math.max(mostAtOnce, ++atOnce);
      await ctx.clock.sleep(ANSWER_MS);
      atOnce--;
      const { regarding } = body as { regarding: { name: string } };
      if (regarding.name === 'refused')
        return {
          status: 403,
          headers: {},
          body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403 },
        };
      written.push(regarding.name);
      return { status: 201, headers: {}, body };
    },
    watch: unused,
    stream: unused,
    close: () => Promise.resolve(),
  };
  const eventPacer = new EventPacer(ctx.clock, options.underWay ?? (() => 0));
  const events = new ScheduledEvents(ctx, {
    client: new Client({ transport, clock: ctx.clock }),
    instance: 'scheduler-a',
    eventPacer,
  });
  const running = events.run(ctx.signal);
  const place = (...names: string[]): void => {
    for (const name of names)
      events.add(new PodInfo({ metadata: { namespace: 'default', name, uid: name }, spec: { containers: [] } }), 'n');
  };
  const end = async (): Promise<void> => {
    ctx.stop();
    await running;
  };
  return { ctx, written, most: () => mostAtOnce, place, end };
}

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `p-${i}`);

it('waits while pods are placed, then writes a few at once, each once', async () => {
  const { ctx, written, most, place, end } = start();
  place(...names(100));
  await ctx.clock.advance(50);
  expect(written).toEqual([]);
  await ctx.clock.advance(1000);
  expect([...written].sort()).toEqual(names(100).sort());
  expect(most()).toBe(16);
  await end();
});

it('writes old events slowly while pods are scheduled without a pause', async () => {
  const { ctx, written, most, place, end } = start({ underWay: () => 1 });
  place(...names(2000));
  await ctx.clock.advance(4900);
  expect(written).toEqual([]);
  await ctx.clock.advance(2000);
  expect(written.length).toBeGreaterThan(30);
  expect(written.length).toBeLessThan(100);
  expect(most()).toBe(1);
  await end();
});

it('continues after a refused event', async () => {
  const { ctx, written, place, end } = start();
  place('a', 'refused', 'b');
  await ctx.clock.advance(1000);
  expect(written).toEqual(['a', 'b']);
  await end();
});
