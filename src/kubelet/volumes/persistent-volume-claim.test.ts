import { describe, expect, it } from 'vitest';
import type { Container, PersistentVolume } from '../../api/generated/core-v1.ts';
import { persistentVolumeClaim } from './persistent-volume-claim.ts';
import type { VolumeHost } from './volume.ts';

const MOUNTS: Partial<Container> = { volumeMounts: [{ name: 'v', mountPath: '/v' }] };
const DEVICES: Partial<Container> = { volumeDevices: [{ name: 'v', devicePath: '/dev/v' }] };

describe('the mode of a persistent volume', () => {
  it.each([
    ['Block', MOUNTS, 'volume v has volumeMode Block, but is specified in volumeMounts'],
    ['Filesystem', DEVICES, 'volume v has volumeMode Filesystem, but is specified in volumeDevices'],
    [undefined, DEVICES, 'volume v has volumeMode Filesystem, but is specified in volumeDevices'],
    ['Block', DEVICES, undefined],
    ['Filesystem', MOUNTS, undefined],
    [undefined, MOUNTS, undefined],
  ])('%s, used as %o', async (volumeMode, use, problem) => {
    const claim = { metadata: { uid: 'u' }, spec: { volumeName: 'pv' }, status: { phase: 'Bound' } };
    const volume: PersistentVolume = {
      metadata: { name: 'pv' },
      spec: { hostPath: { path: '/' }, claimRef: { uid: 'u' }, ...(volumeMode ? { volumeMode } : {}) },
    };
    const found: Readonly<Record<string, unknown>> = {
      'v1/persistentvolumeclaims': claim,
      'v1/persistentvolumes': volume,
    };
    const client = { resource: (name: string) => ({ get: () => Promise.resolve(found[name]) }) };
    const mounting = persistentVolumeClaim.mount({
      pod: { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i', ...use }] } },
      volume: { name: 'v', persistentVolumeClaim: { claimName: 'c' } },
      directory: '/unused',
      host: { client } as unknown as VolumeHost,
    });
    if (problem === undefined) expect(await mounting).toMatchObject({ hostPath: '/' });
    else await expect(mounting).rejects.toThrow(problem);
  });
});
