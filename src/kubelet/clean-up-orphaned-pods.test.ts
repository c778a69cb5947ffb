import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestContext, RealClock } from '../kernel/index.ts';
import { noCgroups } from './cgroups/cgroup-manager.ts';
import { cleanUpOrphanedPods, retryOrphanedPodCleanup } from './clean-up-orphaned-pods.ts';
import { DEFAULT_KUBELET_CONFIGURATION } from './configuration/kubelet-configuration.ts';
import type { KubeletConfig } from './kubelet-options.ts';
import type { VolumeManager } from './volumes/volume-manager.ts';

let directory: string;
beforeEach(async () => {
  directory = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-orphans-'));
  for (const uid of ['known', 'gone']) await fs.mkdir(path.join(directory, 'pods', uid), { recursive: true });
});
afterEach(() => fs.rm(directory, { recursive: true, force: true }));

it('failed removals are retried, and known pods stay', async () => {
  const ctx = createTestContext();
  let failures = 3;
  const tried: string[] = [];
  const volumes = {
    async cleanDirectory(uid: string) {
      tried.push(uid);
      if (failures-- > 0) throw new Error('driver name x not found in the list of registered CSI drivers');
      await fs.rm(path.join(directory, 'pods', uid), { recursive: true });
    },
  } as unknown as VolumeManager;
  const options = {
    config: {
      ...DEFAULT_KUBELET_CONFIGURATION,
      rootDirectory: directory,
      podLogsDir: path.join(directory, 'logs'),
    } as KubeletConfig,
    volumes,
    cgroups: noCgroups,
    isKnown: (uid: string) => uid === 'known',
  };
  expect(await cleanUpOrphanedPods(ctx, options)).toBe(true);
  const later = retryOrphanedPodCleanup(ctx, options);
  const real = new RealClock();
  for (let i = 0; i < 100 && tried.length < 4; i++) {
    await ctx.clock.advance(10_000);
    await real.sleep(5);
  }
  await later;
  expect(tried).toEqual(['gone', 'gone', 'gone', 'gone']);
  expect(await fs.readdir(path.join(directory, 'pods'))).toEqual(['known']);
});
