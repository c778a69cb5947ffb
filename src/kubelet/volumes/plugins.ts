/** The volume plugins by volume source. */
import type { Volume } from '../../api/generated/core-v1.ts';
import { emptyDir } from './empty-dir.ts';
import { configMap, downwardApi, projected, secret } from './file-volumes.ts';
import { hostPath } from './host-path.ts';
import { imageVolume } from './image-volume.ts';
import { csiInline, persistentVolumeClaim } from './persistent-volume-claim.ts';
import { VolumeError, type VolumePlugin } from './volume.ts';

const PLUGINS = {
  emptyDir,
  hostPath,
  configMap,
  secret,
  downwardAPI: downwardApi,
  projected,
  persistentVolumeClaim,
  ephemeral: persistentVolumeClaim,
  csi: csiInline,
  image: imageVolume,
} as const satisfies Partial<Record<keyof Volume, VolumePlugin>>;

export function pluginOf(volume: Volume): VolumePlugin {
  const { name: _, ...source } = volume;
  const [kind = 'emptyDir'] = Object.keys(source).filter((key) => source[key as keyof typeof source] !== undefined);
  const plugin = (PLUGINS as Partial<Record<string, VolumePlugin>>)[kind];
  if (plugin === undefined)
    throw new VolumeError(`no volume plugin matched: volumes of the kind ${kind} need a CSI driver`);
  return plugin;
}

export const pluginByDirectory = (directoryName: string): VolumePlugin | undefined =>
  Object.values(PLUGINS).find((plugin) => plugin.directoryName === directoryName);
