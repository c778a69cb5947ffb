/** emptyDir volumes: on disk, in memory (tmpfs) or in huge pages. */
import fs from 'node:fs/promises';
import type { Pod } from '../../api/generated/core-v1.ts';
import { parseQuantity } from '../../base/index.ts';
import { makeDirectory } from '../../kernel/index.ts';
import { setVolumeOwnership } from './volume-ownership.ts';
import { VolumeError, type MountedVolume, type VolumePlugin, type VolumeRequest } from './volume.ts';

const MODE = 0o777;

export const emptyDir: VolumePlugin = {
  directoryName: 'empty-dir',
  async mount(request: VolumeRequest): Promise<MountedVolume> {
    const { directory, volume, host, pod } = request;
    const medium = volume.emptyDir?.medium ?? '';
    // Permissions are set only at creation, because the pod may have changed them since.
    if (medium === '') {
      if (!(await exists(directory))) await createDirectory(directory, pod);
    } else {
      await makeDirectory(directory, { mode: 0o750 });
      if (!(await host.mounter.isMountPoint(directory))) {
        await mountMedium(medium, request);
        await setPermissions(directory, pod);
      }
    }
    return { hostPath: directory };
  },
  async unmount({ directory, host }) {
    if (await host.mounter.isMountPoint(directory)) await host.mounter.unmount(directory);
  },
};

const exists = (directory: string): Promise<boolean> =>
  fs.stat(directory).then(
    () => true,
    () => false,
  );

/** Renamed into place when it is complete, so that a crash leaves no directory with wrong permissions. */
async function createDirectory(directory: string, pod: Pod): Promise<void> {
  const temporary = `${directory}~making`;
  await makeDirectory(temporary, { mode: 0o750 });
  await setPermissions(temporary, pod);
  await fs.rename(temporary, directory);
}

async function setPermissions(directory: string, pod: Pod): Promise<void> {
  // The sticky bit that a tmpfs is mounted with stays.
  if (((await fs.stat(directory)).mode & 0o777) !== MODE) await fs.chmod(directory, MODE);
  await setVolumeOwnership(directory, pod);
}

async function mountMedium(medium: string, { directory, volume, host, pod }: VolumeRequest): Promise<void> {
  if (medium === 'Memory') {
    const size = memorySize(
      volume.emptyDir?.sizeLimit,
      pod.spec?.containers.map(({ resources }) => resources?.limits?.['memory']) ?? [],
    );
    await host.mounter.mount({
      source: 'tmpfs',
      target: directory,
      type: 'tmpfs',
      flags: 0,
      ...(size === undefined ? {} : { data: `size=${size}` }),
    });
    return;
  }
  const hugePages = /^HugePages(?:-(.+))?$/.exec(medium);
  if (hugePages === null) throw new VolumeError(`unknown storage medium ${JSON.stringify(medium)}`);
  const size =
    hugePages[1] ??
    onlyHugePageSize(pod.spec?.containers.flatMap(({ resources }) => Object.keys(resources?.limits ?? {})) ?? []);
  await host.mounter.mount({
    source: 'nodev',
    target: directory,
    type: 'hugetlbfs',
    flags: 0,
    data: `pagesize=${size.replace(/i$/, '')}`,
  });
}

/** A memory volume is limited by the memory limits of the pod's containers. */
function memorySize(limit: string | undefined, memoryLimits: readonly (string | undefined)[]): number | undefined {
  const asked = limit === undefined ? 0 : parseQuantity(limit).value();
  const ofPod = memoryLimits.every((text) => text !== undefined)
    ? memoryLimits.reduce((sum, text) => sum + parseQuantity(text ?? '0').value(), 0)
    : 0;
  if (asked > 0 && ofPod > 0) return Math.min(asked, ofPod);
  return asked > 0 ? asked : ofPod > 0 ? ofPod : undefined;
}

function onlyHugePageSize(names: readonly string[]): string {
  const sizes = [
    ...new Set(names.filter((name) => name.startsWith('hugepages-')).map((name) => name.slice('hugepages-'.length))),
  ];
  const [size] = sizes;
  if (size === undefined)
    throw new VolumeError('hugePages storage requested, but there is no resource request for huge pages');
  if (sizes.length > 1) throw new VolumeError('medium: HugePages can be used only if the pod uses a single page size');
  return size;
}
