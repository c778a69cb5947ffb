import { describe, expect, it } from 'vitest';
import { createTestContext, SeededRandom } from '../kernel/index.ts';
import { Client } from './client.ts';
import { scoped } from './informer-factory.ts';
import { SharedInformer, type InformerOptions } from './informer.ts';
import { defineResource, keyOf, type ApiObject } from './resource.ts';
import { FakeApiServer, type Fault } from './testing/fake-api-server.ts';

interface Thing extends ApiObject {
  value?: number;
}

const things = defineResource<Thing>({
  group: 'example.com',
  version: 'v1',
  plural: 'things',
  kind: 'Thing',
  namespaced: true,
});
const COLLECTION = '/apis/example.com/v1/things';

function setUp(seed: number, options: Partial<InformerOptions<Thing>> = {}) {
  const ctx = createTestContext({ seed, verbosity: 4 });
  const server = new FakeApiServer({ clock: ctx.clock, random: ctx.random.fork('server') });
  const client = new Client({ transport: server, clock: ctx.clock });
  const api = client.resource(things);
  const informer = new SharedInformer<Thing>({ ...ctx, source: scoped(api, {}), ...options });
  return { ctx, server, api, informer };
}

const thing = (name: string, value = 0): Thing => ({ metadata: { name, namespace: 'default' }, value });

/** What the server has and what the cache has, in comparable form. */
function states(server: FakeApiServer, informer: SharedInformer<Thing>) {
  const short = (objects: Iterable<ApiObject>) =>
    [...objects].map((o) => `${keyOf(o)}@${o.metadata.resourceVersion}`).sort();
  return { server: short(server.objects(COLLECTION).values()), cache: short(informer.list()) };
}

describe.each([
  ['streaming list', true],
  ['list and watch', false],
])('informer with %s', (_name, streamingList) => {
  it('lists, watches, and calls its handlers', async () => {
    const { ctx, api, informer } = setUp(1, { streamingList });
    const told: string[] = [];
    informer.addHandler({
      onAdd: (o, { initial }) => told.push(`add ${o.metadata.name}${initial ? ' initially' : ''}`),
      onUpdate: (a, b) => told.push(`update ${b.metadata.name} ${a.value}→${b.value}`),
      onDelete: (o) => told.push(`delete ${o.metadata.name}`),
    });
    await api.create(thing('a'));
    const running = informer.run(ctx.signal);
    expect(informer.hasSynced).toBe(false);
    await ctx.clock.drive(informer.waitForSync(ctx.signal));
    const b = await api.create(thing('b', 1));
    await api.update({ ...b, value: 2 });
    await api.delete({ namespace: 'default', name: 'a' });
    await ctx.clock.settle();
    expect(told).toEqual(['add a initially', 'add b', 'update b 1→2', 'delete a']);
    expect(informer.get('default/b')).toMatchObject({ kind: 'Thing', apiVersion: 'example.com/v1', value: 2 });
    expect(Object.isFrozen(informer.get('default/b')?.metadata)).toBe(true);
    const late: string[] = [];
    informer.addHandler({ onAdd: (o) => late.push(o.metadata.name ?? '') });
    expect(late).toEqual(['b']);
    ctx.stop(new Error('time to go'));
    await running;
    expect(ctx.clock.pendingTimers).toBe(0);
    expect(ctx.logLines).toEqual([]);
  });

  it('relists after 410 and reports missed changes', async () => {
    const { ctx, server, api, informer } = setUp(2, { streamingList });
    const told: string[] = [];
    informer.addHandler({ onDelete: (o, { stale }) => told.push(`${o.metadata.name} stale=${stale}`) });
    await api.create(thing('a'));
    const running = informer.run(ctx.signal);
    await ctx.clock.drive(informer.waitForSync(ctx.signal));
    server.fault = (at) => (at === 'event' ? 'drop' : undefined);
    await api.delete({ namespace: 'default', name: 'a' });
    server.fault = () => undefined;
    server.compact();
    await ctx.clock.advance(60_000);
    expect(told).toEqual(['a stale=true']);
    ctx.stop();
    await running;
  });

  it('notices a connection that is only half there', async () => {
    const { ctx, server, api, informer } = setUp(3, { streamingList });
    const running = informer.run(ctx.signal);
    await ctx.clock.drive(informer.waitForSync(ctx.signal));
    await ctx.clock.advance(61_000);
    server.fault = (at) => (at === 'event' ? 'stall' : undefined);
    await api.create(thing('a'));
    server.fault = () => undefined;
    await ctx.clock.advance(120_000);
    expect(informer.list()).toHaveLength(0);
    await ctx.clock.advance(60_000);
    expect(informer.list()).toHaveLength(1);
    ctx.stop();
    await running;
  });

  it.each<[Fault, string]>([
    ['garble', 'E'],
    ['drop', 'I'],
    ['truncate', 'I'],
  ])('logs a watch that fails by %s as %s, and goes on', async (fault, severity) => {
    const { ctx, server, api, informer } = setUp(11, { streamingList });
    const running = informer.run(ctx.signal);
    await ctx.clock.drive(informer.waitForSync(ctx.signal));
    server.fault = (at) => (at === 'event' ? fault : undefined);
    await api.create(thing('a'));
    await ctx.clock.settle();
    expect(ctx.logLines.filter((line) => line.includes(`fault: ${fault}`)).map((line) => line[0])).toEqual([severity]);
    server.fault = () => undefined;
    await ctx.clock.advance(60_000);
    expect(informer.list()).toHaveLength(1);
    ctx.stop();
    await running;
  });

  it('sends few requests on a quiet day', async () => {
    const { ctx, server, informer } = setUp(4, { streamingList });
    const running = informer.run(ctx.signal);
    await ctx.clock.advance(3_600_000);
    expect(server.requests.length).toBeLessThanOrEqual(14);
    expect(server.requests.length).toBeGreaterThanOrEqual(6);
    ctx.stop();
    await running;
  });
});

describe('informer', () => {
  it.each(['refused', 'error'] as const)(
    'falls back to lists where streaming ones are answered by: %s',
    async (how) => {
      const { ctx, server, api, informer } = setUp(5);
      server.streamingLists = how;
      server.bookmarks = false;
      for (let i = 0; i < 3; i++) await api.create(thing(`t${i}`));
      const running = informer.run(ctx.signal);
      await ctx.clock.drive(informer.waitForSync(ctx.signal));
      expect(informer.list()).toHaveLength(3);
      expect(server.requests.slice(-3)).toEqual([`WATCH ${COLLECTION}`, `GET ${COLLECTION}`, `WATCH ${COLLECTION}`]);
      ctx.stop();
      await running;
    },
  );

  it('reads long lists in pages', async () => {
    const { ctx, server, api, informer } = setUp(6, { streamingList: false });
    for (let i = 0; i < 1200; i++) await api.create(thing(`t${i}`));
    server.fault = (at) => (at === 'list' && server.requests.length === 1201 ? 'expire' : undefined);
    const running = informer.run(ctx.signal);
    await ctx.clock.drive(informer.waitForSync(ctx.signal));
    expect(informer.list()).toHaveLength(1200);
    expect(server.requests.filter((request) => request.startsWith('GET'))).toHaveLength(4);
    ctx.stop();
    await running;
  });

  it('resyncs periodically', async () => {
    const { ctx, api, informer } = setUp(7, { resyncMs: 10_000 });
    await api.create(thing('a'));
    let same = 0;
    informer.addHandler({ onUpdate: (a, b) => void (a === b && same++) });
    const running = informer.run(ctx.signal);
    await ctx.clock.advance(35_000);
    expect(same).toBe(3);
    ctx.stop();
    await running;
  });

  it('survives a handler that throws, and transforms objects', async () => {
    const { ctx, api, informer } = setUp(8, { transform: (o) => ({ metadata: o.metadata }) });
    informer.addHandler({
      onAdd: () => {
        throw new Error('handler defect');
      },
    });
    let seen = 0;
    informer.addHandler({ onAdd: () => void seen++ });
    await api.create(thing('a', 5));
    const running = informer.run(ctx.signal);
    await ctx.clock.drive(informer.waitForSync(ctx.signal));
    expect(seen).toBe(1);
    expect(informer.get('default/a')).not.toHaveProperty('value');
    expect(ctx.logLines.join()).toContain('handler defect');
    ctx.stop();
    await running;
  });

  it('stops waiting when its signal aborts', async () => {
    const { ctx, informer } = setUp(9);
    const waiting = informer.waitForSync(ctx.signal);
    ctx.stop(new Error('no more'));
    await expect(waiting).rejects.toThrow('no more');
    await expect(informer.waitForSync(ctx.signal)).rejects.toThrow('no more');
  });
});

describe('informer under faults', () => {
  const everything = process.env['K8TS_EVERYTHING'] === '1';
  const seeds = Array.from({ length: everything ? 200 : 20 }, (_, i) => i);
  const faults: Fault[] = ['refuse', 'drop', 'truncate', 'end', 'stall', 'expire', 'unavailable'];

  it.each(seeds)('ends equal to the server, and its handlers know it (seed %i)', async (seed) => {
    const chance = new SeededRandom(`faults/${seed}`);
    const { ctx, server, api, informer } = setUp(seed, { streamingList: chance.next() < 0.5 });
    server.bookmarks = chance.next() < 0.8;
    server.streamingLists = chance.next() < 0.8 ? 'served' : chance.next() < 0.5 ? 'refused' : 'error';
    const pick = (share: number): Fault | undefined =>
      chance.next() < share ? faults[chance.integer(faults.length)] : undefined;
    const mirror = new Map<string, Thing>();
    informer.addHandler({
      onAdd: (o) => {
        expect(mirror.has(keyOf(o))).toBe(false);
        mirror.set(keyOf(o), o);
      },
      onUpdate: (before, after) => {
        expect(mirror.get(keyOf(after))).toBe(before);
        mirror.set(keyOf(after), after);
      },
      onDelete: (o) => {
        expect(mirror.delete(keyOf(o))).toBe(true);
      },
    });
    const running = informer.run(ctx.signal);
    for (let round = 0; round < 200; round++) {
      server.fault = (at) => (at === 'request' ? undefined : pick(at === 'event' ? 0.1 : 0.4));
      const name = `t${chance.integer(12)}`;
      const existing = server.objects(COLLECTION).get(`default/${name}`);
      if (existing === undefined) await api.create(thing(name, round));
      else if (chance.next() < 0.5) await api.update({ ...existing, value: round });
      else await api.delete({ namespace: 'default', name });
      if (chance.next() < 0.1) server.compact();
      if (chance.next() < 0.5) await ctx.clock.advance(chance.integer(chance.next() < 0.1 ? 400_000 : 5_000));
    }
    server.fault = () => undefined;
    await ctx.clock.advance(1_500_000);
    const { server: there, cache } = states(server, informer);
    expect(cache).toEqual(there);
    expect([...mirror.keys()].sort()).toEqual(informer.indexer.keys().sort());
    expect(ctx.logLines.filter((line) => line.includes('handler failed'))).toEqual([]);
    ctx.stop();
    await running;
    expect(server.watchers).toBe(0);
    expect(ctx.clock.pendingTimers).toBe(0);
  });
});
