import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Mounter } from './mounter.ts';
import { bindSubPath } from './subpath.ts';

let directory = '';
beforeEach(async () => {
  directory = await fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-subpath-')));
});
afterEach(() => fs.rm(directory, { recursive: true, force: true }));

/** Swaps `volume/swapped` between a directory and a link that leads out, as fast as a thread can. */
const SWAPPING = `
const { renameSync, mkdirSync, symlinkSync, rmSync } = require('node:fs');
const { workerData: { volume, outside }, parentPort } = require('node:worker_threads');
const at = (name) => volume + '/' + name;
mkdirSync(at('folder/deep'), { recursive: true });
symlinkSync(outside, at('link'));
let running = true;
parentPort.on('message', () => (running = false));
parentPort.postMessage('ready');
const swap = () => {
  for (let i = 0; i < 50; i++) {
    for (const name of ['folder', 'link']) {
      try {
        renameSync(at(name), at('swapped'));
        renameSync(at('swapped'), at(name));
      } catch {
        // The path was missing for a moment, and has been made; what is made in it right now goes with the next try.
        try {
          rmSync(at('swapped'), { recursive: true, force: true });
        } catch {}
      }
    }
  }
  if (running) setImmediate(swap);
  else parentPort.close();
};
swap();
`;

it('a path that is swapped for a link while it is walked never leads out', async () => {
  const [volume, outside] = [path.join(directory, 'volume'), path.join(directory, 'outside')];
  await fs.mkdir(volume);
  await fs.mkdir(path.join(outside, 'deep'), { recursive: true });
  const bound: string[] = [];
  const mounter: Mounter = {
    mount: async ({ source }) => void bound.push(await fs.readlink(source)),
    unmount: () => Promise.resolve(),
    isMountPoint: () => Promise.resolve(false),
    below: () => Promise.resolve([]),
    references: () => Promise.resolve([]),
    formatAndMount: () => Promise.resolve(),
  };
  const swapping = new Worker(SWAPPING, { eval: true, workerData: { volume, outside } });
  const ended = new Promise((resolve) => swapping.once('exit', resolve));
  await new Promise((resolve) => swapping.once('message', resolve));
  let refused = 0;
  try {
    for (let i = 0; i < 300; i++)
      await bindSubPath({
        volumePath: volume,
        subPath: 'swapped/deep',
        target: path.join(directory, 'targets', String(i)),
        mounter,
      }).catch(() => refused++);
  } finally {
    swapping.postMessage('stop');
    await ended;
  }
  expect(bound.length + refused).toBe(300);
  expect(bound.filter((place) => !place.startsWith(`${volume}/`))).toEqual([]);
  expect(await fs.readdir(outside)).toEqual(['deep']);
  expect(await fs.readdir(path.join(outside, 'deep'))).toEqual([]);
});
