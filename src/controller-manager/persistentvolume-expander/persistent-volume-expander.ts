/** persistentvolume-expander-controller: tells who will enlarge a claim's volume; the drivers themselves live outside. */
import type { PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import { keyOf } from '../../client/index.ts';
import { parseQuantity } from '../../machinery/quantity/index.ts';
import { keyedLoop, type ControllerDescriptor } from '../controller.ts';

export const persistentVolumeExpanderController: ControllerDescriptor = {
  name: 'persistentvolume-expander-controller',
  aliases: ['persistentvolume-expander'],
  eventSource: 'volume_expand',
  build(context) {
    const { informers, recorder } = context;
    const claims = informers.informer('v1/persistentvolumeclaims');
    const volumes = informers.informer('v1/persistentvolumes');

    const reconcile = (key: string): Promise<void> => {
      const claim = claims.get(key);
      const volume = claim?.spec?.volumeName ? volumes.get(claim.spec.volumeName) : undefined;
      if (!claim || !volume || volume.spec?.claimRef?.uid !== claim.metadata.uid || !wantsMore(claim)) return Promise.resolve();
      recorder.event(claim, 'Normal', 'ExternalExpanding', 'waiting for an external controller to expand this PVC');
      return Promise.resolve();
    };

    const { queue, run } = keyedLoop(context, 'volume_expand', 10, reconcile);
    claims.addHandler({
      onAdd: (claim) => queue.add(keyOf(claim)),
      onUpdate: (before, after) => {
        if (before.spec?.resources?.requests?.['storage'] !== after.spec?.resources?.requests?.['storage']) queue.add(keyOf(after));
      },
    });
    return run;
  },
};

function wantsMore({ spec, status }: PersistentVolumeClaim): boolean {
  const requested = spec?.resources?.requests?.['storage'];
  const has = status?.capacity?.['storage'];
  return status?.phase === 'Bound' && requested !== undefined && has !== undefined && parseQuantity(requested).cmp(parseQuantity(has)) > 0;
}
