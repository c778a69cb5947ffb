/** persistentvolume-protection-controller: a volume that is being deleted stays while a claim is bound to it. */
import { keyOf } from '../../client/index.ts';
import { enqueueOnChange, keyedLoop, type ControllerContext, type ControllerDescriptor } from '../controller.ts';
import { setFinalizer } from './finalizer.ts';

const FINALIZER = 'kubernetes.io/pv-protection';

export const persistentVolumeProtectionController: ControllerDescriptor = {
  name: 'persistentvolume-protection-controller',
  aliases: ['pv-protection'],
  build(context) {
    const { informers, signal } = context;
    const volumes = informers.informer('v1/persistentvolumes');

    const reconcile = async (name: string, { client }: ControllerContext): Promise<void> => {
      const resource = client.resource('v1/persistentvolumes');
      const volume = volumes.get(name);
      if (!volume) return;
      if (!volume.metadata.deletionTimestamp)
        await setFinalizer(resource, volume, FINALIZER, { present: true, signal });
      else if (volume.status?.phase !== 'Bound')
        await setFinalizer(resource, volume, FINALIZER, { present: false, signal });
    };

    const { queue, run } = keyedLoop(context, 'pvprotection', 1, reconcile);
    enqueueOnChange(volumes, queue, keyOf);
    return run;
  },
};
