/** persistentvolumeclaim-protection-controller: a claim that is being deleted stays until no pod uses it. */
import type { PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import { keyOf, splitKey } from '../../client/index.ts';
import { hasFinalizer, isPodTerminal } from '../../component-helpers/index.ts';
import { keyedLoop, type ControllerContext, type ControllerDescriptor } from '../controller.ts';
import { claimsOfPod, PODS_BY_CLAIM } from '../persistentvolume-binder/pods-by-claim.ts';
import { setFinalizer } from './finalizer.ts';

const FINALIZER = 'kubernetes.io/pvc-protection';

export const persistentVolumeClaimProtectionController: ControllerDescriptor = {
  name: 'persistentvolumeclaim-protection-controller',
  aliases: ['pvc-protection'],
  build(context) {
    const { informers, signal } = context;
    const claims = informers.informer('v1/persistentvolumeclaims');
    const pods = informers.informer('v1/pods', {}, { [PODS_BY_CLAIM]: claimsOfPod });

    const reconcile = async (key: string, { client }: ControllerContext): Promise<void> => {
      const resource = client.resource('v1/persistentvolumeclaims');
      const claim = claims.get(key);
      if (!claim) return;
      if (!claim.metadata.deletionTimestamp) return setFinalizer(resource, claim, FINALIZER, { present: true, signal });
      if (!hasFinalizer(claim, FINALIZER) || pods.indexer.byIndex(PODS_BY_CLAIM, key).some((pod) => uses(pod, claim)))
        return;
      // Reads live pods, because the informer may lack a new pod, which would lose the claim's data.
      const { namespace } = splitKey(key);
      const live = await client.resource('v1/pods').list({ namespace, signal });
      if (live.items.some((pod) => claimsOfPod(pod).includes(key) && uses(pod, claim))) return;
      await setFinalizer(resource, claim, FINALIZER, { present: false, signal });
    };

    const { queue, run } = keyedLoop(context, 'pvcprotection', 1, reconcile);
    const needsWork = (claim: PersistentVolumeClaim): void => {
      if (hasFinalizer(claim, FINALIZER) === (claim.metadata.deletionTimestamp !== undefined)) queue.add(keyOf(claim));
    };
    claims.addHandler({ onAdd: needsWork, onUpdate: (_, after) => needsWork(after) });
    const podGone = (pod: Pod): void =>
      claimsOfPod(pod).forEach((key) => claims.get(key)?.metadata.deletionTimestamp && queue.add(key));
    pods.addHandler({ onUpdate: (_, after) => isFinished(after) && podGone(after), onDelete: podGone });
    return run;
  },
};

/** A pod that is not assigned to a node does not use its claims yet. */
function uses(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if (!pod.spec?.nodeName || isFinished(pod)) return false;
  const ephemeral = pod.spec.volumes?.some(
    (volume) => volume.ephemeral && `${pod.metadata.name}-${volume.name}` === claim.metadata.name,
  );
  if (!ephemeral) return true;
  return (
    (claim.metadata.ownerReferences ?? []).some((owner) => owner.uid === pod.metadata.uid) ||
    pod.spec.volumes!.some((v) => v.persistentVolumeClaim?.claimName === claim.metadata.name)
  );
}

/** The containers of a terminal pod do not use its volumes any more. */
const isFinished = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined && isPodTerminal(pod);
