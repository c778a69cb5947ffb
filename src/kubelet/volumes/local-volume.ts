/**
 * Local PersistentVolumes: a directory of the node, or a block device whose file system is mounted once and bound into
 * each pod that uses it.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { PersistentVolume } from '../../api/generated/core-v1.ts';
import { makeDirectory } from '../../kernel/index.ts';
import { pathOnNode } from '../published-root.ts';
import { growFileSystem } from './format-and-mount.ts';
import { checkedHostPath } from './host-path.ts';
import { MS_BIND, type Mounter } from './mounter.ts';
import { setVolumeOwnership } from './volume-ownership.ts';
import { VolumeError, type MountedVolume, type VolumeHost, type VolumeRequest } from './volume.ts';

const DEFAULT_FS_TYPE = 'ext4';

/** The last work of each mounter: the file systems of devices are mounted and unmounted one by one. */
const lastWork = new WeakMap<Mounter, Promise<unknown>>();

function oneByOne<T>(mounter: Mounter, work: () => Promise<T>): Promise<T> {
  const result = (lastWork.get(mounter) ?? Promise.resolve()).then(work);
  const settled = result.catch(() => {});
  lastWork.set(mounter, settled);
  return result;
}

export async function mountLocal(volume: PersistentVolume, request: VolumeRequest): Promise<MountedVolume> {
  const { spec } = volume;
  const named = spec?.local?.path ?? '';
  const readOnly = request.volume.persistentVolumeClaim?.readOnly === true;
  if (spec?.volumeMode === 'Block') {
    const hostPath = await checkedHostPath({ path: named, type: 'BlockDevice' }, request.host);
    return { hostPath, readOnly, device: true };
  }
  // A link to a directory has an owner of its own.
  const real = await fs.realpath(pathOnNode(request.host, named)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new VolumeError(`path ${JSON.stringify(named)} does not exist`);
    throw error;
  });
  const stat = await fs.stat(real);
  if (!stat.isDirectory() && !stat.isBlockDevice())
    throw new VolumeError('only directory and block device are supported');
  const hostPath = stat.isDirectory()
    ? real
    : await oneByOne(request.host.mounter, () => mountDevice(volume, request, { device: real, readOnly }));
  if (!readOnly) await setVolumeOwnership(hostPath, request.pod);
  return { hostPath, readOnly };
}

async function mountDevice(
  { metadata, spec }: PersistentVolume,
  { directory, host }: VolumeRequest,
  { device, readOnly }: { readonly device: string; readonly readOnly: boolean },
): Promise<string> {
  const { mounter } = host;
  const global = path.join(globalMounts(host), metadata.name ?? '');
  if (!(await mounter.isMountPoint(global))) {
    await makeDirectory(global, { mode: 0o750 });
    await mounter.formatAndMount({
      device,
      target: global,
      fsType: spec?.local?.fsType || DEFAULT_FS_TYPE,
      options: [...(spec?.mountOptions ?? []), ...(readOnly ? ['ro'] : [])],
    });
  }
  if (!(await mounter.isMountPoint(directory))) {
    await makeDirectory(directory, { mode: 0o750 });
    await mounter.mount({ source: global, target: directory, type: '', flags: MS_BIND });
  }
  return directory;
}

/** Unmounts the volume from a pod, and the device when no other pod uses it. Other volumes are not concerned. */
export async function unmountLocal(directory: string, host: VolumeHost): Promise<void> {
  const { mounter } = host;
  await oneByOne(mounter, async () => {
    const references = await mounter.references(directory);
    const global = references.find((point) => point.startsWith(`${globalMounts(host)}/`));
    if (global === undefined) return;
    const podDirectory = path.dirname(path.dirname(path.dirname(directory)));
    for (const point of await mounter.below(podDirectory))
      if (point === directory || references.includes(point)) await mounter.unmount(point);
    const isUsed = references.some((point) => point !== global && !point.startsWith(`${podDirectory}/`));
    if (isUsed) return;
    await mounter.unmount(global);
    await fs.rmdir(global);
  });
}

/** After a claim was resized: only a file system that the kubelet has mounted can grow. */
export async function growLocal({ spec }: PersistentVolume, directory: string): Promise<void> {
  const source = spec?.local?.path ?? '';
  if (spec?.volumeMode === 'Block' || !(await fs.stat(source)).isBlockDevice()) return;
  await growFileSystem(source, directory);
}

const globalMounts = ({ rootDirectory }: VolumeHost): string =>
  path.join(rootDirectory, 'plugins/kubernetes.io/local-volume/mounts');
