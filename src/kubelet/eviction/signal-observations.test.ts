import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestContext } from '../../kernel/index.ts';
import { noCgroups } from '../cgroups/cgroup-manager.ts';
import { DEFAULT_KUBELET_CONFIGURATION } from '../configuration/kubelet-configuration.ts';
import type { KubeletConfig } from '../kubelet-options.ts';
import type { Machine } from '../node/machine.ts';
import { FakeRuntime } from '../testing/fake-runtime.ts';
import { SignalObserver } from './signal-observations.ts';

const MEMORY = '/dev/shm';
const hasTwoDisks = fs.existsSync(MEMORY) && fs.statSync(MEMORY).dev !== fs.statSync(os.tmpdir()).dev;

let here: string;
let elsewhere: string;
beforeEach(() => {
  here = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-disks-'));
  elsewhere = hasTwoDisks ? fs.mkdtempSync(path.join(MEMORY, 'k8ts-disks-')) : here;
});
afterEach(() => {
  for (const directory of [here, elsewhere]) fs.rmSync(directory, { recursive: true, force: true });
});

const observer = (images: string | undefined, containers: string | undefined): SignalObserver => {
  const runtime = new FakeRuntime(createTestContext().clock);
  const at = (mountpoint: string | undefined) =>
    mountpoint === undefined ? [] : [{ timestamp: 0, fsId: { mountpoint } }];
  runtime.images.imageFsInfo = () =>
    Promise.resolve({ imageFilesystems: at(images), containerFilesystems: at(containers) });
  return new SignalObserver({
    config: { ...DEFAULT_KUBELET_CONFIGURATION, rootDirectory: here } as KubeletConfig,
    machine: { memoryBytes: 1 } as Machine,
    runtime,
    cgroups: noCgroups,
  });
};

it.skipIf(!hasTwoDisks)('finds the disks of images and containers', async () => {
  expect(await observer(here, here).diskLayout()).toBe('single-filesystem');
  expect(await observer(elsewhere, elsewhere).diskLayout()).toBe('dedicated-imagefs');
  expect(await observer(elsewhere, here).diskLayout()).toBe('split-containerfs');
  // Runtimes that tell of images alone keep containers beside them.
  expect(await observer(elsewhere, undefined).diskLayout()).toBe('dedicated-imagefs');
  // On another machine's path, or on none, nothing can be said: the kubelet's own disk it is.
  expect(await observer('/no/such/place', undefined).diskLayout()).toBe('single-filesystem');
});

it.skipIf(!hasTwoDisks)('observes the available space of each', async () => {
  const seen = await observer(elsewhere, here).observe();
  expect(seen['containerfs.available']?.capacity).toBe(seen['nodefs.available']?.capacity);
  expect(seen['imagefs.available']?.capacity).not.toBe(seen['nodefs.available']?.capacity);
});
