/** image volumes: the runtime mounts an image; the pod worker pulls it first. */
import { VolumeError, type MountedVolume, type VolumePlugin } from './volume.ts';

export const imageVolume: VolumePlugin = {
  directoryName: 'image',
  mount({ volume }): Promise<MountedVolume> {
    const { reference = '' } = volume.image ?? {};
    if (reference === '') return Promise.reject(new VolumeError('an image volume needs a reference'));
    return Promise.resolve({ image: { image: reference }, readOnly: true });
  },
};
