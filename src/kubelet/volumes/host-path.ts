/** hostPath volumes: a file or directory of the node, checked or created by its type. */
import type { Stats } from 'node:fs';
import fs from 'node:fs/promises';
import type { HostPathVolumeSource } from '../../api/generated/core-v1.ts';
import { makeDirectory } from '../../kernel/index.ts';
import { pathOnNode, type KubeletRoot } from '../published-root.ts';
import { VolumeError, type MountedVolume, type VolumePlugin } from './volume.ts';

const KINDS: ReadonlyMap<string, { readonly is: (stat: Stats) => boolean; readonly text: string }> = new Map(
  Object.entries<{ readonly is: (stat: Stats) => boolean; readonly text: string }>({
    Directory: { is: (stat) => stat.isDirectory(), text: 'a directory' },
    DirectoryOrCreate: { is: (stat) => stat.isDirectory(), text: 'a directory' },
    File: { is: (stat) => stat.isFile(), text: 'a file' },
    FileOrCreate: { is: (stat) => stat.isFile(), text: 'a file' },
    Socket: { is: (stat) => stat.isSocket(), text: 'a socket file' },
    CharDevice: { is: (stat) => stat.isCharacterDevice(), text: 'a character device' },
    BlockDevice: { is: (stat) => stat.isBlockDevice(), text: 'a block device' },
  }),
);

export const hostPath: VolumePlugin = {
  directoryName: 'host-path',
  async mount({ volume, host }): Promise<MountedVolume> {
    if (volume.hostPath === undefined) throw new VolumeError('volume source is not a host path');
    return { hostPath: await checkedHostPath(volume.hostPath, host) };
  },
};

export async function checkedHostPath(source: HostPathVolumeSource, root: KubeletRoot): Promise<string> {
  const { path: named, type = '' } = source;
  if (named.split('/').includes('..')) throw new VolumeError(`the path ${JSON.stringify(named)} must not contain '..'`);
  const path = pathOnNode(root, named);
  if (type === '') return path;
  const kind = KINDS.get(type);
  if (kind === undefined) throw new VolumeError(`hostPath type check failed: ${type} is an invalid volume type`);
  const stat = await fs.stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (stat !== undefined && kind.is(stat)) return path;
  if (stat === undefined && type === 'DirectoryOrCreate') {
    await makeDirectory(path, { mode: 0o755 });
    return path;
  }
  if (stat === undefined && type === 'FileOrCreate') {
    await (await fs.open(path, 'a', 0o644)).close();
    return path;
  }
  throw new VolumeError(`hostPath type check failed: ${named} is not ${kind.text}`);
}
