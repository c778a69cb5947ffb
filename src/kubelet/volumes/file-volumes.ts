/**
 * configMap, secret, downwardAPI and projected volumes. All but configMaps are on tmpfs, so that secrets never reach
 * the disk.
 */
import fs from 'node:fs/promises';
import { makeDirectory } from '../../kernel/index.ts';
import { writeAtomically, type Payload } from './atomic-writer.ts';
import { configMapFiles, DEFAULT_MODE, downwardFiles, projectedFiles, secretFiles } from './payload.ts';
import type { MountedVolume, VolumePlugin, VolumeRequest } from './volume.ts';

type Collect = (request: VolumeRequest) => Promise<{ files: Payload; refreshAt?: number }>;

function fileVolume(directoryName: string, place: 'disk' | 'memory', collect: Collect): VolumePlugin {
  return {
    directoryName,
    async mount(request): Promise<MountedVolume> {
      const { directory, host, pod } = request;
      const { files, refreshAt } = await collect(request);
      await makeDirectory(directory, { mode: 0o750 });
      if (place === 'memory' && !(await host.mounter.isMountPoint(directory)))
        await host.mounter.mount({ source: 'tmpfs', target: directory, type: 'tmpfs', flags: 0 });
      const fsGroup = pod.spec?.securityContext?.fsGroup;
      const changed = await writeAtomically({
        directory,
        payload: files,
        now: host.clock.now(),
        ...(fsGroup === undefined ? {} : { fsGroup }),
      });
      if (changed) await setPermissions(directory, fsGroup);
      return { hostPath: directory, ...(refreshAt === undefined ? {} : { refreshAt }) };
    },
    async unmount({ directory, host }) {
      if (place === 'memory' && (await host.mounter.isMountPoint(directory))) await host.mounter.unmount(directory);
    },
  };
}

async function setPermissions(directory: string, fsGroup: number | undefined): Promise<void> {
  if (fsGroup !== undefined) await fs.chown(directory, -1, fsGroup);
  await fs.chmod(directory, fsGroup === undefined ? 0o777 : 0o2777);
}

export const configMap = fileVolume('configmap', 'disk', async ({ pod, volume, host }) => {
  const { uid = '', namespace = '' } = pod.metadata;
  const { name = '', items, defaultMode = DEFAULT_MODE, optional = false } = volume.configMap ?? {};
  return {
    files: configMapFiles(name, await host.configMaps.get(uid, namespace, name), {
      items,
      mode: defaultMode,
      optional,
    }),
  };
});

export const secret = fileVolume('secret', 'memory', async ({ pod, volume, host }) => {
  const { uid = '', namespace = '' } = pod.metadata;
  const { secretName = '', items, defaultMode = DEFAULT_MODE, optional = false } = volume.secret ?? {};
  return {
    files: secretFiles(secretName, await host.secrets.get(uid, namespace, secretName), {
      items,
      mode: defaultMode,
      optional,
    }),
  };
});

export const downwardApi = fileVolume('downward-api', 'memory', (request) => {
  const { items, defaultMode = DEFAULT_MODE } = request.volume.downwardAPI ?? {};
  return Promise.resolve({ files: downwardFiles(items, request, defaultMode) });
});

export const projected = fileVolume('projected', 'memory', async (request) => {
  const { sources = [], defaultMode = DEFAULT_MODE } = request.volume.projected ?? {};
  const { files, refreshAt } = await projectedFiles(sources, request, defaultMode);
  return { files, ...(refreshAt === undefined ? {} : { refreshAt }) };
});
