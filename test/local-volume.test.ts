/** A local PersistentVolume on a block device: formatted once, mounted once, bound into the pods that use it. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { growLocal, mountLocal, unmountLocal } from '../src/kubelet/volumes/local-volume.ts';
import { systemMounter } from '../src/kubelet/volumes/mounter.ts';
import type { VolumeHost, VolumeRequest } from '../src/kubelet/volumes/volume.ts';
import { requires } from './requires.ts';

const skipped = requires('root', 'losetup', 'mkfs.ext4', 'mount');
/** Without CAP_SYS_RESOURCE the kernel does not let a mounted ext4 grow. */
const CAP_SYS_RESOURCE = 24n;
const mayGrow =
  skipped === undefined &&
  ((BigInt(`0x${/^CapEff:\s*(\w+)$/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0'}`) >>
    CAP_SYS_RESOURCE) &
    1n) ===
    1n;
const run = (program: string, ...args: string[]): string => execFileSync(program, args, { encoding: 'utf8' }).trim();

describe.skipIf(skipped)(`a local volume on a block device${skipped ? `: ${skipped}` : ''}`, () => {
  let directory: string;
  let device: string;
  let host: VolumeHost;

  beforeAll(() => {
    directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-local-volume-'));
    fs.writeFileSync(path.join(directory, 'disk'), '');
    fs.truncateSync(path.join(directory, 'disk'), 16 << 20);
    device = run('losetup', '--find', '--show', path.join(directory, 'disk'));
    host = { rootDirectory: directory, mounter: systemMounter() } as Partial<VolumeHost> as VolumeHost;
  });
  afterAll(() => {
    run('losetup', '--detach', device);
    fs.rmSync(directory, { recursive: true, force: true });
  });

  const directoryOf = (pod: string): string => path.join(directory, 'pods', pod, 'volumes/kubernetes.io~pvc/v');
  const mount = (pod: string, fsGroup?: number, source = device) =>
    mountLocal({ metadata: { name: 'pv' }, spec: { local: { path: source } } }, {
      pod: { metadata: { name: pod }, spec: { containers: [], ...(fsGroup ? { securityContext: { fsGroup } } : {}) } },
      volume: { name: 'v', persistentVolumeClaim: { claimName: 'c' } },
      directory: directoryOf(pod),
      host,
    } satisfies VolumeRequest);
  const global = (): string => path.join(directory, 'plugins/kubernetes.io/local-volume/mounts/pv');

  it('keeps its files from pod to pod, and is unmounted after the last one', async () => {
    const [a, b] = await Promise.all([mount('a', 1234), mount('b')]);
    expect([a?.hostPath, b?.hostPath]).toEqual([directoryOf('a'), directoryOf('b')]);
    expect(fs.statSync(directoryOf('b')).gid).toBe(1234);
    fs.writeFileSync(path.join(directoryOf('a'), 'file'), 'kept');
    expect(fs.readFileSync(path.join(directoryOf('b'), 'file'), 'utf8')).toBe('kept');
    await unmountLocal(directoryOf('a'), host);
    expect(await host.mounter.isMountPoint(global())).toBe(true);
    await unmountLocal(directoryOf('b'), host);
    expect(await host.mounter.below(directory)).toEqual([]);
    expect(fs.existsSync(global())).toBe(false);

    await mount('c');
    expect(fs.readFileSync(path.join(directoryOf('c'), 'file'), 'utf8')).toBe('kept');
    await unmountLocal(directoryOf('c'), host);
    expect(await host.mounter.below(directory)).toEqual([]);
  });

  it.skipIf(!mayGrow)(`grows with its device${mayGrow ? '' : ': needs CAP_SYS_RESOURCE'}`, async () => {
    await mount('e');
    const blocks = (): number => fs.statfsSync(directoryOf('e')).blocks;
    const before = blocks();
    fs.truncateSync(path.join(directory, 'disk'), 32 << 20);
    run('losetup', '--set-capacity', device);
    await growLocal({ metadata: { name: 'pv' }, spec: { local: { path: device } } }, directoryOf('e'));
    expect(blocks()).toBeGreaterThan(before * 1.5);
    await unmountLocal(directoryOf('e'), host);
  });

  it('sets the owner of a directory, and not of a link to it', async () => {
    const [link, linked] = [path.join(directory, 'link'), path.join(directory, 'linked')];
    fs.mkdirSync(linked);
    fs.symlinkSync(linked, link);
    expect((await mount('d', 1234, link)).hostPath).toBe(linked);
    expect(fs.statSync(linked).gid).toBe(1234);
  });

  it('leaves the mounts of other volumes alone', async () => {
    fs.mkdirSync(directoryOf('other'), { recursive: true });
    run('mount', '-t', 'tmpfs', 'tmpfs', directoryOf('other'));
    await unmountLocal(directoryOf('other'), host);
    expect(await host.mounter.isMountPoint(directoryOf('other'))).toBe(true);
    run('umount', directoryOf('other'));
  });
});
