import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { createTestContext } from '../../kernel/index.ts';
import type { PodEvents } from '../pod/pod-events.ts';
import { VolumeManager } from './volume-manager.ts';
import type { VolumeHost } from './volume.ts';

let rootDirectory: string;
beforeEach(async () => {
  rootDirectory = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-volumes-'));
});
afterEach(() => fs.rm(rootDirectory, { recursive: true, force: true }));

const POD: Pod = {
  metadata: { name: 'p', namespace: 'default', uid: 'u' },
  spec: {
    containers: [{ name: 'c', volumeMounts: [{ name: 'token', mountPath: '/token' }] }],
    volumes: [{ name: 'token', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } }],
  },
};

it('renews no token of a deleted pod, also during a renewal', async () => {
  const { clock, logger, signal } = createTestContext();
  let renewed = (): void => {};
  let renewing: Promise<void> = Promise.resolve();
  const host = {
    ...{ clock, logger, rootDirectory },
    mounter: { isMountPoint: async () => true, mount: async () => {}, unmount: async () => {}, below: async () => [] },
    tokens: {
      token: async () => {
        await renewing;
        return { token: 't', refreshAt: clock.now() + 3_000_000, expiresAt: clock.now() + 3_600_000 };
      },
      forget: () => {},
    },
    configMaps: { release: () => {} },
    secrets: { release: () => {} },
  };
  const volumes = new VolumeManager(host as unknown as VolumeHost, {} as PodEvents);
  expect(await volumes.ensure(POD, signal)).toMatchObject({ type: 'mounted' });
  expect(clock.pendingTimers).toBe(1);
  renewing = new Promise((resolve) => (renewed = resolve));
  volumes.refresh(['u']);
  const done = volumes.tearDown(POD);
  renewed();
  await done;
  expect(clock.pendingTimers).toBe(0);
});
