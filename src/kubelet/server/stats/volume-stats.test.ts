import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Pod, Volume } from '../../../api/generated/core-v1.ts';
import { createTestContext, type TestContext } from '../../../kernel/index.ts';
import { filesystemUse } from '../../node/machine.ts';
import { usageOf } from '../../volumes/csi/volume-usage.ts';
import type { MountedVolume } from '../../volumes/volume.ts';
import { volumeMetrics } from '../resource-metrics.ts';
import { VolumeStats } from './volume-stats.ts';

let ctx: TestContext;
let rootDirectory = '';
beforeEach(async () => {
  ctx = createTestContext();
  rootDirectory = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-volume-stats-'));
});
afterEach(async () => {
  ctx.stop();
  await fs.rm(rootDirectory, { recursive: true, force: true });
});

const USAGE = { capacityBytes: 100, availableBytes: 60, usedBytes: 40, inodes: 10, inodesFree: 7, inodesUsed: 3 };
const pod = (name: string, ...volumes: Volume[]): Pod => ({
  metadata: { name, namespace: 'ns', uid: name },
  spec: { containers: [], volumes },
});
const claimed: Volume = { name: 'v', persistentVolumeClaim: { claimName: 'data' } };

function statsOf(mounted: MountedVolume, period = 60_000): VolumeStats {
  return new VolumeStats(ctx, {
    config: { rootDirectory, volumeStatsAggPeriod: period },
    volumes: { mounted: () => new Map([['v', mounted]]) },
  });
}
const ofPod = async (stats: VolumeStats, one: Pod) => stats.ofPod(one, await filesystemUse(rootDirectory));

describe('volumes of a driver', () => {
  it('have the numbers of the driver, with their claim, and none of the node', async () => {
    const stats = statsOf({ hostPath: rootDirectory, usage: () => Promise.resolve({ ...USAGE, abnormal: true }) });
    const { volumes, localBytes } = await ofPod(stats, pod('a', claimed));
    expect(volumes).toMatchObject([
      { name: 'v', ...USAGE, pvcRef: { name: 'data', namespace: 'ns' }, volumeHealthStats: { abnormal: true } },
    ]);
    expect(localBytes).toBe(0);
  });

  it.each<[string, Volume, string | undefined]>([
    [
      'a generic ephemeral volume has the claim of its pod',
      { name: 'v', ephemeral: { volumeClaimTemplate: { spec: {} } } },
      'a-v',
    ],
    ['a volume that is written in the pod has none', { name: 'v', csi: { driver: 'd' } }, undefined],
  ])('%s', async (_name, volume, claim) => {
    const { volumes } = await ofPod(
      statsOf({ hostPath: rootDirectory, usage: () => Promise.resolve(USAGE) }),
      pod('a', volume),
    );
    expect(volumes).toHaveLength(1);
    expect(volumes[0]?.pvcRef?.name).toBe(claim);
  });

  it('are absent where the driver does not support them, fails, or is not queried', async () => {
    const told = { hostPath: rootDirectory, usage: () => Promise.resolve(USAGE) };
    for (const stats of [
      statsOf({ ...told, usage: () => Promise.resolve(undefined) }),
      statsOf({ ...told, usage: () => Promise.reject(new Error('gone')) }),
      statsOf(told, -1),
    ]) {
      expect((await ofPod(stats, pod('a', claimed))).volumes).toEqual([]);
    }
  });

  it('are requested once in a period', async () => {
    let asked = 0;
    const stats = statsOf({ hostPath: rootDirectory, usage: () => Promise.resolve({ ...USAGE, usedBytes: ++asked }) });
    const used = async (): Promise<number | undefined> => (await ofPod(stats, pod('a', claimed))).volumes[0]?.usedBytes;
    expect([await used(), await used()]).toEqual([1, 1]);
    await ctx.clock.advance(60_000);
    expect(await used()).toBe(2);
  });

  it('of a driver that does not answer do not block, and keep their last values', async () => {
    let asked = 0;
    const stats = statsOf({
      hostPath: rootDirectory,
      usage: () => (asked++ === 0 ? Promise.resolve(USAGE) : new Promise(() => {})),
    });
    await ofPod(stats, pod('a', claimed));
    await ctx.clock.advance(60_000);
    let late: Awaited<ReturnType<typeof ofPod>> | undefined;
    void ofPod(stats, pod('a', claimed)).then((found) => (late = found));
    // Files are looked at in real time.
    while (asked < 2) await new Promise((resolve) => setImmediate(resolve));
    await ctx.clock.advance(5000);
    expect(late?.volumes).toMatchObject([USAGE]);
  });
});

it("a claim on a directory of the node is counted, and its bytes are not the pod's", async () => {
  await fs.writeFile(path.join(rootDirectory, 'file'), 'x'.repeat(10_000));
  const { volumes, localBytes } = await ofPod(statsOf({ hostPath: rootDirectory }), pod('a', claimed));
  expect(volumes).toMatchObject([{ inodesUsed: 2, pvcRef: { name: 'data' } }]);
  expect(volumes[0]?.usedBytes).toBeGreaterThanOrEqual(10_000);
  expect(localBytes).toBe(0);
  expect(
    (await ofPod(statsOf({ hostPath: rootDirectory }), pod('a', { name: 'v', emptyDir: {} }))).localBytes,
  ).toBeGreaterThanOrEqual(10_000);
});

describe('the metrics of claims', () => {
  it('are there once for each, however many pods use it', async () => {
    const stats = statsOf({ hostPath: rootDirectory, usage: () => Promise.resolve({ ...USAGE, abnormal: false }) });
    const lines = volumeMetrics(
      await stats.ofClaims([pod('a', claimed), pod('b', claimed), pod('c', { name: 'v', csi: { driver: 'd' } })]),
    ).split('\n');
    const labels = '{namespace="ns",persistentvolumeclaim="data"}';
    expect(lines.filter((line) => line !== '' && !line.startsWith('#'))).toEqual(
      [
        ['available_bytes', 60],
        ['capacity_bytes', 100],
        ['health_status_abnormal', 0],
        ['inodes', 10],
        ['inodes_free', 7],
        ['inodes_used', 3],
        ['used_bytes', 40],
      ].map(([name, value]) => `kubelet_volume_stats_${name}${labels} ${value}`),
    );
    expect(lines).toContain('# TYPE kubelet_volume_stats_used_bytes gauge');
    expect(lines).toContain('# HELP kubelet_volume_stats_used_bytes [ALPHA] Number of used bytes in the volume');
  });

  it('are not there without claims, nor health without a driver that watches', async () => {
    expect(volumeMetrics([])).toBe('');
    const stats = statsOf({ hostPath: rootDirectory, usage: () => Promise.resolve(USAGE) });
    expect(volumeMetrics(await stats.ofClaims([pod('a', claimed)]))).not.toContain('health_status');
  });
});

describe('the statistics of a driver', () => {
  const bytes = { unit: 'BYTES', total: 100, available: 60, used: 40 } as const;
  it.each<[string, Parameters<typeof usageOf>[0], Parameters<typeof usageOf>[1], ReturnType<typeof usageOf>]>([
    ['bytes and inodes', { usage: [bytes, { unit: 'INODES', total: 10, available: 7, used: 3 }] }, new Set(), USAGE],
    ['bytes alone', { usage: [bytes] }, new Set(), { ...USAGE, inodes: 0, inodesFree: 0, inodesUsed: 0 }],
    ['nothing', {}, new Set(), undefined],
    [
      'a condition',
      { usage: [bytes], volumeCondition: { abnormal: true, message: 'x' } },
      new Set(['VOLUME_CONDITION'] as const),
      { ...USAGE, inodes: 0, inodesFree: 0, inodesUsed: 0, abnormal: true },
    ],
    [
      'that all is well',
      { usage: [bytes], volumeCondition: {} },
      new Set(['VOLUME_CONDITION'] as const),
      { ...USAGE, inodes: 0, inodesFree: 0, inodesUsed: 0, abnormal: false },
    ],
    [
      'a condition without saying that it does',
      { usage: [bytes], volumeCondition: { abnormal: true } },
      new Set(),
      { ...USAGE, inodes: 0, inodesFree: 0, inodesUsed: 0 },
    ],
  ])('%s', (_name, response, capabilities, expected) => expect(usageOf(response, capabilities)).toEqual(expected));
});
