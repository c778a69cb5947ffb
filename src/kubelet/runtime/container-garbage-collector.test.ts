import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestContext, type TestContext } from '../../kernel/index.ts';
import { FakeRuntime } from '../testing/fake-runtime.ts';
import {
  ContainerGarbageCollector,
  DEFAULT_CONTAINER_GC,
  excess,
  type ContainerGcPolicy,
} from './container-garbage-collector.ts';

describe('how many dead containers stay', () => {
  const dead = ['a9', 'b8', 'a7', 'b6', 'a5', 'c4', 'a3'].map((text) => ({
    unit: text.charAt(0),
    createdAt: Number(text.charAt(1)),
    text,
  }));
  it.each([
    ['one of each', { maxPerContainer: 1, maxContainers: -1 }, ['a7', 'b6', 'a5', 'a3']],
    ['none', { maxPerContainer: 0, maxContainers: -1 }, dead.map(({ text }) => text)],
    ['all', { maxPerContainer: -1, maxContainers: -1 }, []],
    ['two of each, four altogether', { maxPerContainer: 2, maxContainers: 4 }, ['a7', 'b6', 'a5', 'a3']],
    ['two altogether', { maxPerContainer: -1, maxContainers: 2 }, ['a7', 'b6', 'a5', 'c4', 'a3']],
  ])('%s', (_, policy, gone) => {
    expect(excess(dead, { minAgeMs: 0, ...policy }).map(({ text }) => text)).toEqual(gone);
  });
});

describe('the collector', () => {
  let ctx: TestContext;
  let runtime: FakeRuntime;
  let podLogsDir: string;
  const ended = new Set<string>();

  beforeEach(async () => {
    ctx = createTestContext();
    runtime = new FakeRuntime(ctx.clock);
    podLogsDir = path.join(await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-gc-')), 'pods');
    ended.clear();
  });
  afterEach(() => fs.rm(path.dirname(podLogsDir), { recursive: true, force: true }));

  const gc = (policy: Partial<ContainerGcPolicy> = {}): ContainerGarbageCollector =>
    new ContainerGarbageCollector(ctx, {
      runtime,
      podLogsDir,
      policy: { ...DEFAULT_CONTAINER_GC, ...policy },
      hasEnded: (uid) => ended.has(uid),
      onRemoved: () => {},
    });

  /** A sandbox of a pod with so many containers, all but the last dead. */
  async function makePod(uid: string, { instances, alive }: { instances: number; alive: boolean }): Promise<void> {
    const labels = { 'io.kubernetes.pod.uid': uid, 'io.kubernetes.pod.name': uid, 'io.kubernetes.pod.namespace': 'ns' };
    const { podSandboxId = '' } = await runtime.runtime.runPodSandbox({
      config: { metadata: { name: uid, uid }, labels, logDirectory: path.join(podLogsDir, uid) },
    });
    for (let attempt = 0; attempt < instances; attempt++) {
      await ctx.clock.advance(1000);
      const { containerId = '' } = await runtime.runtime.createContainer({
        podSandboxId,
        config: {
          metadata: { name: 'main', attempt },
          labels: { ...labels, 'io.kubernetes.container.name': 'main' },
          logPath: `main/${attempt}.log`,
        },
      });
      await runtime.runtime.startContainer({ containerId });
      const log = (await runtime.runtime.containerStatus({ containerId })).status?.logPath ?? '';
      await fs.mkdir(path.dirname(log), { recursive: true });
      await fs.writeFile(log, 'x');
      await fs.writeFile(`${log}.20260101-000000.gz`, 'x');
      if (attempt < instances - 1 || !alive) await runtime.runtime.stopContainer({ containerId });
    }
    if (!alive) await runtime.runtime.stopPodSandbox({ podSandboxId });
  }

  it('leaves the living and one dead, with its logs', async () => {
    await makePod('a', { instances: 4, alive: true });
    await gc().collect();
    expect([...runtime.containers.values()].map(({ config }) => config.metadata?.attempt)).toEqual([2, 3]);
    expect(await fs.readdir(path.join(podLogsDir, 'a', 'main'))).toEqual([
      '2.log',
      '2.log.20260101-000000.gz',
      '3.log',
      '3.log.20260101-000000.gz',
    ]);
  });

  it('keeps containers that are too new', async () => {
    await makePod('a', { instances: 4, alive: true });
    await gc({ minAgeMs: 3500 }).collect();
    expect(runtime.containers.size).toBe(4);
    await ctx.clock.advance(2000);
    await gc({ minAgeMs: 3500 }).collect();
    expect(runtime.containers.size).toBe(3);
  });

  it('removes all containers of finished pods when space is needed', async () => {
    await makePod('done', { instances: 2, alive: false });
    await makePod('live', { instances: 2, alive: true });
    ended.add('done');
    await gc().collect();
    expect([runtime.containers.size, runtime.sandboxes.size]).toEqual([3, 2]);
    await gc().collect({ ended: true });
    expect([runtime.containers.size, runtime.sandboxes.size]).toEqual([2, 1]);
  });

  it('removes sandboxes that are down and empty, but for the newest', async () => {
    await makePod('a', { instances: 0, alive: false });
    await ctx.clock.advance(1000);
    await makePod('a', { instances: 0, alive: false });
    await gc().collect();
    expect(runtime.sandboxes.size).toBe(1);
  });
});
