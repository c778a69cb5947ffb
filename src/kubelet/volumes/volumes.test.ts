import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeAtomically } from './atomic-writer.ts';
import { checkedHostPath } from './host-path.ts';
import type { Mounter, MountRequest } from './mounter.ts';
import { bindSubPath } from './subpath.ts';

let directory: string;
beforeEach(async () => {
  directory = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-volumes-'));
});
afterEach(() => fs.rm(directory, { recursive: true, force: true }));

const file = (text: string, mode = 0o644) => ({ data: Buffer.from(text), mode });

describe('files that change at once', () => {
  const write = (files: Record<string, string>, now = 1_767_225_600_123) =>
    writeAtomically({
      directory,
      payload: new Map(Object.entries(files).map(([name, text]) => [name, file(text)])),
      now,
    });

  it('are links into one dated directory', async () => {
    expect(await write({ a: '1', 'sub/b': '2' })).toBe(true);
    expect(await fs.readFile(path.join(directory, 'a'), 'utf8')).toBe('1');
    expect(await fs.readFile(path.join(directory, 'sub/b'), 'utf8')).toBe('2');
    expect(await fs.readlink(path.join(directory, 'a'))).toBe('..data/a');
    expect(await fs.readlink(path.join(directory, '..data'))).toBe('..2026_01_01_00_00_00.123000000');
    expect(await write({ a: '1', 'sub/b': '2' })).toBe(false);
  });

  it('have no files of the previous version', async () => {
    await write({ a: '1', b: '2' });
    expect(await write({ a: '3' })).toBe(true);
    expect((await fs.readdir(directory)).filter((name) => !name.startsWith('..20')).toSorted()).toEqual([
      '..data',
      'a',
    ]);
    expect(await fs.readdir(directory)).toHaveLength(3);
    expect(await fs.readFile(path.join(directory, 'a'), 'utf8')).toBe('3');
  });

  it.each(['../x', '/x', '..x', 'a/../../x', ''])('do not leave the volume: %s', async (name) => {
    await expect(write({ [name]: 'x' })).rejects.toThrow(/path/);
  });
});

describe('host paths', () => {
  const root = () => ({ rootDirectory: directory });
  it.each([
    ['Directory', 'file', 'is not a directory'],
    ['File', 'dir', 'is not a file'],
    ['Socket', 'file', 'is not a socket file'],
    ['CharDevice', 'file', 'is not a character device'],
    ['Directory', 'missing', 'is not a directory'],
    ['Nonsense', 'file', 'is an invalid volume type'],
  ])('of the type %s at a %s', async (type, name, message) => {
    await fs.mkdir(path.join(directory, 'dir'));
    await fs.writeFile(path.join(directory, 'file'), '');
    await expect(checkedHostPath({ path: path.join(directory, name), type }, root())).rejects.toThrow(message);
  });

  it('are created where allowed', async () => {
    await checkedHostPath({ path: path.join(directory, 'a/b'), type: 'DirectoryOrCreate' }, root());
    await checkedHostPath({ path: path.join(directory, 'f'), type: 'FileOrCreate' }, root());
    expect((await fs.stat(path.join(directory, 'a/b'))).isDirectory()).toBe(true);
    expect((await fs.stat(path.join(directory, 'f'))).isFile()).toBe(true);
  });

  it('below the published root directory are those of the kubelet', async () => {
    const published = { rootDirectory: directory, publishedRootDirectory: '/var/lib/kubelet' };
    const at = (hostPath: string, type = '') => checkedHostPath({ path: hostPath, type }, published);
    expect(await at('/var/lib/kubelet')).toBe(directory);
    expect(await at('/var/lib/kubelet/plugins', 'DirectoryOrCreate')).toBe(path.join(directory, 'plugins'));
    expect((await fs.stat(path.join(directory, 'plugins'))).isDirectory()).toBe(true);
    expect(await at('/var/lib/kubelet-other')).toBe('/var/lib/kubelet-other');
    expect(await at('/var/lib')).toBe('/var/lib');
    await expect(at('/var/lib/kubelet/missing', 'Directory')).rejects.toThrow(
      'hostPath type check failed: /var/lib/kubelet/missing is not a directory',
    );
  });
});

describe('parts of volumes', () => {
  const bound: { request: MountRequest; source: string }[] = [];
  const mounter: Mounter = {
    mount: async (request) => void bound.push({ request, source: await fs.realpath(request.source) }),
    unmount: () => Promise.resolve(),
    isMountPoint: () => Promise.resolve(false),
    below: () => Promise.resolve([]),
    references: () => Promise.resolve([]),
    formatAndMount: () => Promise.resolve(),
  };
  const volume = (): string => path.join(directory, 'volume');
  const bind = (subPath: string) =>
    bindSubPath({ volumePath: volume(), subPath, target: path.join(directory, 'target', '0'), mounter });
  beforeEach(async () => {
    bound.length = 0;
    await fs.mkdir(path.join(directory, 'outside'));
    await fs.mkdir(path.join(volume(), 'real'), { recursive: true });
    await fs.symlink(path.join(directory, 'outside'), path.join(volume(), 'escape'));
    await fs.symlink('real', path.join(volume(), 'inside'));
  });

  it.each([
    ['real', 'real'],
    ['inside', 'real'],
    ['new/deep', 'new/deep'],
    ['inside/made', 'real/made'],
  ])('%s is %s of the volume', async (subPath, expected) => {
    const wanted = path.join(volume(), expected);
    if (subPath === 'inside/made') await fs.mkdir(wanted);
    await bind(subPath);
    expect(bound[0]?.source).toBe(wanted);
  });

  it.each([
    ['escape', /not within volume path/],
    ['escape/x', /symbolic link is in the way|not within/],
    ['../outside', /must not contain/],
    ['/etc', /should not be absolute/],
  ])('%s is refused', async (subPath, message) => {
    await expect(bind(subPath)).rejects.toThrow(message);
    expect(bound).toEqual([]);
    expect(await fs.readdir(path.join(directory, 'outside'))).toEqual([]);
  });
});
