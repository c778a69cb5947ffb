import { describe, expect, it } from 'vitest';
import { childContext, createTestContext, SeededRandom, type TestContext } from '../kernel/index.ts';
import { Client } from './client.ts';
import {
  LeadershipLost,
  runAsCandidate,
  runWithLeaderElection,
  type LeaderElectionOptions,
} from './leader-election.ts';
import { FakeApiServer } from './testing/fake-api-server.ts';

const LEASES = '/apis/coordination.k8s.io/v1/leases';

function setUp(seed = 1) {
  const ctx = createTestContext({ seed, startTime: Date.UTC(2026, 0, 1) });
  const server = new FakeApiServer({ clock: ctx.clock, random: ctx.random.fork('server') });
  const lease = () => server.objects(LEASES).get('kube-system/test')?.['spec'];
  return { ctx, server, lease };
}

/** A candidate that can be stopped in order; `log` gets what it does. */
function candidate(
  ctx: TestContext,
  server: FakeApiServer,
  identity: string,
  log: string[],
  options: Partial<LeaderElectionOptions> = {},
) {
  const controller = new AbortController();
  const client = new Client({ transport: server, clock: ctx.clock });
  const lead = async (signal: AbortSignal): Promise<void> => {
    log.push(`${identity} leads at ${ctx.clock.monotonic() / 1000}`);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    log.push(`${identity} stops at ${ctx.clock.monotonic() / 1000}`);
  };
  const done = runWithLeaderElection(
    childContext(ctx, identity, controller.signal),
    { client, namespace: 'kube-system', name: 'test', identity, component: 'tester', ...options },
    lead,
  ).catch((error: unknown) => error);
  return { stop: () => controller.abort(), done };
}

describe('leader election', () => {
  it('writes the lease as upstream does, renews it, and releases it', async () => {
    const { ctx, server, lease } = setUp();
    const log: string[] = [];
    const a = candidate(ctx, server, 'a', log);
    await ctx.clock.settle();
    const start = '2026-01-01T00:00:00.000000Z';
    expect(lease()).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: start,
      renewTime: start,
      leaseTransitions: 0,
    });
    const [event] = [...server.objects('/api/v1/events').values()];
    expect(event).toMatchObject({
      involvedObject: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'kube-system', name: 'test' },
      reason: 'LeaderElection',
      message: 'a became leader',
      type: 'Normal',
      source: { component: 'tester' },
    });
    await ctx.clock.advance(5_000);
    expect(lease()).toMatchObject({
      holderIdentity: 'a',
      acquireTime: start,
      renewTime: '2026-01-01T00:00:04.000000Z',
      leaseTransitions: 0,
    });
    a.stop();
    await a.done;
    expect(log).toEqual(['a leads at 0', 'a stops at 5']);
    expect(lease()).toMatchObject({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      leaseTransitions: 0,
      renewTime: '2026-01-01T00:00:05.000000Z',
    });
    expect(ctx.clock.pendingTimers).toBe(0);
  });

  it('does not wait long for a server that was stopped before it', async () => {
    const { ctx, server } = setUp();
    const log: string[] = [];
    const a = candidate(ctx, server, 'a', log);
    await ctx.clock.settle();
    server.request = () => new Promise(() => {});
    a.stop();
    await ctx.clock.advance(2_100);
    expect(await Promise.race([a.done.then(() => 'ended'), ctx.clock.yield().then(() => 'hangs')])).toBe('ended');
  });

  it('lets the standby take over soon after an orderly end', async () => {
    const { ctx, server, lease } = setUp();
    const log: string[] = [];
    const leaders: string[] = [];
    const a = candidate(ctx, server, 'a', log);
    await ctx.clock.settle();
    const b = candidate(ctx, server, 'b', log, { onNewLeader: (identity) => leaders.push(identity) });
    await ctx.clock.advance(60_000);
    expect(log).toEqual(['a leads at 0']);
    a.stop();
    await a.done;
    await ctx.clock.advance(4_500);
    expect(log).toHaveLength(3);
    expect(lease()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
    expect(leaders).toEqual(['a', 'b']);
    b.stop();
    await b.done;
  });

  it('lets the standby take over after a crash, but not before the lease has expired', async () => {
    const { ctx, server, lease } = setUp();
    const log: string[] = [];
    const a = candidate(ctx, server, 'a', log, { releaseOnStop: false });
    await ctx.clock.advance(10_000);
    const b = candidate(ctx, server, 'b', log);
    a.stop();
    await a.done;
    await ctx.clock.advance(14_500);
    expect(log).toEqual(['a leads at 0', 'a stops at 10']);
    await ctx.clock.advance(5_500);
    expect(log).toHaveLength(3);
    expect(lease()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
    b.stop();
    await b.done;
  });

  it('stops leading when it cannot renew', async () => {
    const { ctx, server } = setUp();
    const log: string[] = [];
    const a = candidate(ctx, server, 'a', log);
    await ctx.clock.advance(5_000);
    server.fault = () => 'stall';
    await ctx.clock.advance(15_000);
    expect(await a.done).toBeInstanceOf(LeadershipLost);
    expect(log).toEqual(['a leads at 0', 'a stops at 14']);
  });

  it('stops before its lease would expire, however long it waits between two tries', async () => {
    const { ctx, server } = setUp();
    const log: string[] = [];
    const timing = { leaseDurationMs: 15_000, renewDeadlineMs: 14_000, retryPeriodMs: 11_000 };
    const a = candidate(ctx, server, 'a', log, timing);
    await ctx.clock.advance(5_000);
    await new Client({ transport: server, clock: ctx.clock })
      .resource('coordination.k8s.io/v1/leases')
      .patch({ namespace: 'kube-system', name: 'test' }, { spec: { holderIdentity: 'thief' } }, { type: 'merge' });
    await ctx.clock.advance(20_000);
    expect(await a.done).toBeInstanceOf(LeadershipLost);
    expect(log).toEqual(['a leads at 0', 'a stops at 14']);
  });

  it('keeps leading through conflicts and short outages', async () => {
    const { ctx, server } = setUp();
    const log: string[] = [];
    const a = candidate(ctx, server, 'a', log);
    await ctx.clock.advance(5_000);
    await new Client({ transport: server, clock: ctx.clock })
      .resource('coordination.k8s.io/v1/leases')
      .patch(
        { namespace: 'kube-system', name: 'test' },
        { metadata: { labels: { touched: 'yes' } } },
        { type: 'merge' },
      );
    await ctx.clock.advance(5_000);
    server.fault = () => 'refuse';
    await ctx.clock.advance(7_000);
    server.fault = () => undefined;
    await ctx.clock.advance(60_000);
    expect(log).toEqual(['a leads at 0']);
    a.stop();
    await a.done;
  });

  it.each([
    [{ identity: '' }, 'identity'],
    [{ leaseDurationMs: 10_000 }, 'leaseDuration must be greater'],
    [{ renewDeadlineMs: 2_400 }, 'renewDeadline must be greater'],
  ])('refuses %o', async (options, message) => {
    const { ctx, server } = setUp();
    const error = await candidate(ctx, server, 'a', [], options).done;
    expect(String(error)).toContain(message);
  });

  it.each(Array.from({ length: 15 }, (_, seed) => seed))(
    'never has two leaders, and always one again (seed %i)',
    async (seed) => {
      const { ctx, server } = setUp(seed);
      const chance = new SeededRandom(`election/${seed}`);
      const log: string[] = [];
      const started = new Map<string, ReturnType<typeof candidate>>();
      let number = 0;
      const start = (): void => {
        const identity = `c${number++}`;
        started.set(identity, candidate(ctx, server, identity, log, { releaseOnStop: chance.next() < 0.5 }));
      };
      start();
      start();
      for (let round = 0; round < 60; round++) {
        const faults = ['refuse', 'stall', 'lose', 'unavailable'] as const;
        const share = chance.next() < 0.5 ? 0 : 0.6;
        server.fault = () => (chance.next() < share ? faults[chance.integer(faults.length)] : undefined);
        await ctx.clock.advance(chance.integer(20_000));
        const [identity, one] = [...started][chance.integer(started.size)] ?? [];
        if (chance.next() < 0.3 && identity !== undefined) {
          one?.stop();
          started.delete(identity);
          start();
        }
      }
      server.fault = () => undefined;
      start();
      await ctx.clock.advance(60_000);
      const leading = new Set<string>();
      for (const line of log) {
        const [identity = '', verb] = line.split(' ');
        if (verb === 'leads') {
          expect([...leading], line).toEqual([]);
          leading.add(identity);
        } else leading.delete(identity);
      }
      expect(leading.size).toBe(1);
      expect(log.length).toBeGreaterThan(2);
      for (const { stop } of started.values()) stop();
      await ctx.clock.advance(20_000);
    },
  );
});

describe('coordinated leader election', () => {
  const CANDIDATES = '/apis/coordination.k8s.io/v1beta1/leasecandidates';
  const coordinated = { binaryVersion: '1.36.4', emulationVersion: '1.36.0' };

  it('stands as a candidate, leads when the server says so, and stops for the one that it prefers', async () => {
    const { ctx, server, lease } = setUp();
    const leases = new Client({ transport: server, clock: ctx.clock }).resource('coordination.k8s.io/v1/leases');
    const at = { namespace: 'kube-system', name: 'test' };
    const log: string[] = [];
    const a = candidate(ctx, server, 'a', log, { coordinated });
    await ctx.clock.advance(5000);
    expect(server.objects(CANDIDATES).get('kube-system/a')?.['spec']).toMatchObject({
      leaseName: 'test',
      ...coordinated,
      strategy: 'OldestEmulationVersion',
    });
    expect([log, lease()]).toEqual([[], undefined]);

    await leases.create({
      metadata: at,
      spec: { holderIdentity: 'a', leaseDurationSeconds: 5, strategy: 'OldestEmulationVersion' },
    });
    await ctx.clock.advance(20_000);
    expect(log).toEqual([expect.stringMatching(/^a leads at [5-7]/)]);
    expect(lease()).toMatchObject({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      strategy: 'OldestEmulationVersion',
    });

    const held = await leases.get(at);
    await leases.update({ ...held, spec: { ...held.spec, preferredHolder: 'b' } });
    await ctx.clock.advance(15_000);
    expect(log).toHaveLength(2);
    expect(await a.done).toBeInstanceOf(LeadershipLost);
    expect(lease()).toMatchObject({ holderIdentity: 'a', preferredHolder: 'b' });
  });

  it('answers when the server asks', async () => {
    const { ctx, server } = setUp();
    const candidates = new Client({ transport: server, clock: ctx.clock }).resource(
      'coordination.k8s.io/v1beta1/leasecandidates',
    );
    const a = candidate(ctx, server, 'a', [], { coordinated });
    await ctx.clock.advance(10_000);
    const at = { namespace: 'kube-system', name: 'a' };
    const asked = await candidates.get(at);
    const pingTime = '2026-01-01T00:00:10.000000Z';
    await candidates.update({ ...asked, spec: { ...asked.spec!, pingTime } });
    await ctx.clock.advance(3000);
    expect((await candidates.get(at)).spec!.renewTime! > pingTime).toBe(true);
    a.stop();
    await ctx.clock.advance(5000);
    await a.done;
  });
});

describe('a component of the control plane', () => {
  const leaderElection = {
    resourceNamespace: 'kube-system',
    resourceName: 'test',
    leaseDurationMs: 30_000,
    renewDeadlineMs: 20_000,
    retryPeriodMs: 4000,
  };

  it.each([true, false])('leads with the Lease of its configuration (--leader-elect=%s)', async (leaderElect) => {
    const { ctx, server, lease } = setUp();
    const client = new Client({ transport: server, clock: ctx.clock });
    const controller = new AbortController();
    const inner = childContext(ctx, 'component', controller.signal);
    let led = 0;
    const done = runAsCandidate(
      inner,
      'kube-scheduler',
      { client, identity: 'a', config: { leaderElect, leaderElection } },
      async ({ signal }) => {
        led++;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      },
    );
    await ctx.clock.settle();
    expect(led).toBe(1);
    if (leaderElect) expect(lease()).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 30 });
    else expect(lease()).toBeUndefined();
    controller.abort();
    await ctx.clock.settle();
    await done;
  });
});
