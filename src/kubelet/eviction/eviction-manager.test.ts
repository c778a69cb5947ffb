import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import type { EventRecorder } from '../../client/index.ts';
import { createTestContext } from '../../kernel/index.ts';
import { DEFAULT_KUBELET_CONFIGURATION, type KubeletConfiguration } from '../configuration/kubelet-configuration.ts';
import type { KubeletConfig } from '../kubelet-options.ts';
import { PodEvents } from '../pod/pod-events.ts';
import type { PodWorker, Termination } from '../pod/pod-worker.ts';
import type { Summary } from '../server/stats/summary-types.ts';
import type { DiskLayout } from './disk-layout.ts';
import { EvictionManager } from './eviction-manager.ts';
import type { Observations } from './thresholds.ts';

const MI = 2 ** 20;
const time = '2026-01-01T00:00:00Z';

interface TestPod {
  readonly usedMi: number;
  readonly priority?: number;
  readonly grace?: number;
  readonly static?: boolean;
}

/** Pods by name, each with one container `main`; what is observed is the test's to say. */
function setUp(
  config: Partial<KubeletConfiguration>,
  pods: Readonly<Record<string, TestPod>>,
  layout: DiskLayout = 'single-filesystem',
) {
  const ctx = createTestContext();
  const told: string[] = [];
  const ended = new Map<string, Termination>();
  const reclaimed: string[] = [];
  let observations: Observations = {};
  const recorder: EventRecorder = {
    event: (_, type, reason, message, details) =>
      void told.push(
        `${type} ${reason}: ${message}${details?.annotations === undefined || Object.keys(details.annotations).length === 0 ? '' : JSON.stringify(details.annotations)}`,
      ),
  };
  const all = Object.entries(pods).map(([name, { priority = 0, grace, static: fromFile }]): Pod => ({
    metadata: {
      name,
      namespace: 'ns',
      uid: name,
      ...(fromFile ? { annotations: { 'kubernetes.io/config.source': 'file' } } : {}),
    },
    spec: {
      priority,
      containers: [{ name: 'main' }],
      ...(grace === undefined ? {} : { terminationGracePeriodSeconds: grace }),
    },
  }));
  const summary = (): Summary =>
    ({
      pods: Object.entries(pods).map(([name, { usedMi }]) => ({
        podRef: { name, namespace: 'ns', uid: name },
        startTime: time,
        containers: [
          {
            name: 'main',
            startTime: time,
            memory: { time, workingSetBytes: usedMi * MI },
            rootfs: { time, usedBytes: usedMi * MI },
            logs: { time, usedBytes: 0 },
          },
        ],
        memory: { time, workingSetBytes: usedMi * MI },
        process_stats: { process_count: usedMi },
      })),
    }) as unknown as Summary;
  const eviction = new EvictionManager(ctx, {
    config: {
      ...DEFAULT_KUBELET_CONFIGURATION,
      evictionHard: {},
      enforceNodeAllocatable: [],
      ...config,
    } as KubeletConfig,
    stats: { summary: () => Promise.resolve(summary()), podSummaries: () => Promise.resolve([...summary().pods]) },
    manager: {
      activePods: () => all.filter(({ metadata }) => !ended.has(metadata.uid ?? '')),
      worker: (uid) => ({ isTerminating: ended.has(uid), isTerminated: ended.has(uid) }) as PodWorker,
      terminate: (uid, termination) => void ended.set(uid, termination),
    },
    events: new PodEvents(recorder),
    reporter: {
      event: (type, reason, message) => void told.push(`${type} ${reason}: ${message}`),
      changed: () => void told.push('node status'),
    },
    observe: () => Promise.resolve(observations),
    diskLayout: () => Promise.resolve(layout),
    reclaim: {
      images: () => Promise.resolve(reclaimed.push('images')),
      containers: () => Promise.resolve(reclaimed.push('containers')),
    },
  });
  return {
    ctx,
    eviction,
    told,
    ended,
    reclaimed,
    observe: (next: Observations) => void (observations = next),
    names: async () => (await eviction.synchronize()).map(({ metadata }) => metadata.name),
  };
}

const memory = (availableMi: number): Observations => ({
  'memory.available': { available: availableMi * MI, capacity: 1000 * MI },
});

describe('a hard threshold', () => {
  it('evicts the pod that exceeds its requests most, with the reason', async () => {
    const t = setUp(
      { evictionHard: { 'memory.available': '100Mi' } },
      { little: { usedMi: 10 }, much: { usedMi: 300 } },
    );
    t.observe(memory(150));
    expect(await t.names()).toEqual([]);
    t.observe(memory(90));
    expect(await t.names()).toEqual(['much']);
    const message =
      'The node was low on resource: memory. Threshold quantity: 100Mi, available: 90Mi. Container main was using 300Mi, request is 0, has larger consumption of memory. ';
    expect(t.told).toEqual([
      'node status',
      'Warning EvictionThresholdMet: Attempting to reclaim memory',
      `Warning Evicted: ${message}{"offending_containers":"main","offending_containers_usage":"300Mi","starved_resource":"memory"}`,
    ]);
    expect(t.ended.get('much')).toMatchObject({
      graceSeconds: 1,
      failure: {
        phase: 'Failed',
        reason: 'Evicted',
        message,
        conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message }],
      },
    });
    expect([...t.eviction.pressures]).toEqual(['MemoryPressure']);
  });

  it('spares pods that the node must not do without', async () => {
    const t = setUp(
      { evictionHard: { 'memory.available': '100Mi' } },
      { system: { usedMi: 900, priority: 2_000_000_000 }, file: { usedMi: 800, static: true }, web: { usedMi: 1 } },
    );
    t.observe(memory(1));
    expect(await t.names()).toEqual(['web']);
    expect(await t.names()).toEqual([]);
  });

  it('is over when the minimum to reclaim is free', async () => {
    const t = setUp(
      { evictionHard: { 'memory.available': '100Mi' }, evictionMinimumReclaim: { 'memory.available': '50Mi' } },
      { a: { usedMi: 3 }, b: { usedMi: 2 }, c: { usedMi: 1 } },
    );
    t.observe(memory(120));
    expect(await t.names()).toEqual([]);
    t.observe(memory(99));
    expect(await t.names()).toEqual(['a']);
    t.observe(memory(120));
    expect(await t.names()).toEqual(['b']);
    t.observe(memory(150));
    expect(await t.names()).toEqual([]);
    t.observe(memory(120));
    expect(await t.names()).toEqual([]);
  });
});

describe('a soft threshold', () => {
  it('ends pods after its grace period, with a grace of their own', async () => {
    const t = setUp(
      {
        evictionSoft: { 'memory.available': '200Mi' },
        evictionSoftGracePeriod: { 'memory.available': '30s' },
        evictionMaxPodGracePeriod: 20,
      },
      { slow: { usedMi: 20, grace: 60 }, quick: { usedMi: 10, grace: 5 } },
    );
    t.observe(memory(150));
    expect(await t.names()).toEqual([]);
    expect([...t.eviction.pressures]).toEqual(['MemoryPressure']);
    await t.ctx.clock.advance(29_000);
    expect(await t.names()).toEqual([]);
    await t.ctx.clock.advance(1000);
    expect(await t.names()).toEqual(['slow']);
    expect(await t.names()).toEqual(['quick']);
    expect([t.ended.get('slow')?.graceSeconds, t.ended.get('quick')?.graceSeconds]).toEqual([20, 5]);
  });

  it('starts over when it was not met in between', async () => {
    const t = setUp(
      { evictionSoft: { 'memory.available': '200Mi' }, evictionSoftGracePeriod: { 'memory.available': '30s' } },
      { a: { usedMi: 1 } },
    );
    for (const available of [150, 250, 150]) {
      t.observe(memory(available));
      expect(await t.names()).toEqual([]);
      await t.ctx.clock.advance(20_000);
    }
    expect(await t.names()).toEqual([]);
  });
});

describe('conditions', () => {
  it('stay for the transition period', async () => {
    const t = setUp({ evictionHard: { 'pid.available': '100' }, evictionPressureTransitionPeriod: 60_000 }, {});
    t.observe({ 'pid.available': { available: 99, capacity: 1000 } });
    await t.names();
    expect([...t.eviction.pressures]).toEqual(['PIDPressure']);
    t.observe({ 'pid.available': { available: 500, capacity: 1000 } });
    await t.ctx.clock.advance(59_000);
    await t.names();
    expect([...t.eviction.pressures]).toEqual(['PIDPressure']);
    await t.ctx.clock.advance(2000);
    await t.names();
    expect([...t.eviction.pressures]).toEqual([]);
  });
});

describe('a full disk', () => {
  const disk = (
    availableMi: number,
    signal: 'nodefs.available' | 'imagefs.available' = 'nodefs.available',
  ): Observations => ({ [signal]: { available: availableMi * MI, capacity: 1000 * MI } });

  it('loses dead containers and unused images before pods', async () => {
    const t = setUp({ evictionHard: { 'nodefs.available': '10%' } }, { a: { usedMi: 1 } });
    t.observe(disk(99));
    expect(await t.names()).toEqual(['a']);
    expect(t.reclaimed).toEqual(['containers', 'images']);
    expect(t.told.at(-1)).toContain(
      'The node was low on resource: ephemeral-storage. Threshold quantity: 100Mi, available: 99Mi. Container main was using 1Mi, request is 0',
    );
  });

  it('keeps its pods when that was enough', async () => {
    const t = setUp({ evictionHard: { 'nodefs.available': '10%' } }, { a: { usedMi: 1 } });
    const looks = [disk(99), disk(500)];
    t.observe({
      get 'nodefs.available'() {
        return (looks.length > 1 ? looks.shift() : looks[0])?.['nodefs.available'];
      },
    } as Observations);
    await t.names();
    expect(t.ended.size).toBe(0);
  });

  const signals = ['nodefs.available', 'imagefs.available', 'containerfs.available'] as const;
  it.each([
    ['has nothing to reclaim where images and containers are elsewhere', 'dedicated-imagefs', 'nodefs.available', []],
    [
      'loses containers and images where they have a disk of their own',
      'dedicated-imagefs',
      'imagefs.available',
      ['containers', 'images'],
    ],
    [
      'loses both where the disk is full by its other name',
      'dedicated-imagefs',
      'containerfs.available',
      ['containers', 'images'],
    ],
    ['loses containers where images alone are elsewhere', 'split-containerfs', 'nodefs.available', ['containers']],
    ['loses images where they alone are', 'split-containerfs', 'imagefs.available', ['images']],
    ['loses containers where they are', 'split-containerfs', 'containerfs.available', ['containers']],
  ] as const)('%s', async (_, layout, signal, reclaimed) => {
    const t = setUp(
      { evictionHard: { 'nodefs.available': '10%', 'imagefs.available': '10%' } },
      { a: { usedMi: 1 } },
      layout,
    );
    t.observe(
      Object.assign(
        {},
        ...signals.map((one) => ({ [one]: { available: (one === signal ? 99 : 500) * MI, capacity: 1000 * MI } })),
      ) as Observations,
    );
    expect(await t.names()).toEqual(['a']);
    expect(t.reclaimed).toEqual(reclaimed);
    expect([...t.eviction.pressures]).toEqual(['DiskPressure']);
  });
});

it('memory pressure is handled before disk pressure', async () => {
  const t = setUp({ evictionHard: { 'nodefs.available': '10%', 'memory.available': '100Mi' } }, { a: { usedMi: 1 } });
  t.observe({ ...memory(50), 'nodefs.available': { available: 1, capacity: 1000 } });
  await t.names();
  expect(t.told).toContain('Warning EvictionThresholdMet: Attempting to reclaim memory');
  expect([...t.eviction.pressures].toSorted()).toEqual(['DiskPressure', 'MemoryPressure']);
});

it('processes are freed from the pod of the lowest priority that has most', async () => {
  const t = setUp(
    { evictionHard: { 'pid.available': '10%' } },
    { important: { usedMi: 500, priority: 10 }, few: { usedMi: 5 }, many: { usedMi: 50 } },
  );
  t.observe({ 'pid.available': { available: 50, capacity: 1000 } });
  expect(await t.names()).toEqual(['many']);
  expect(t.told.at(-1)).toContain('The node was low on resource: pids. Threshold quantity: 100, available: 50. ');
});
