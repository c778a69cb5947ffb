/** podgroup-protection-controller: a PodGroup that is deleted stays while pods that have not ended are in it. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { isNotFound, keyOf, type ApiObject, type Resource } from '../../client/index.ts';
import { hasFinalizer, isPodTerminal } from '../../component-helpers/index.ts';
import { keyedLoop, type ControllerDescriptor } from '../controller.ts';
import { setFinalizer } from '../volume-protection/finalizer.ts';

const FINALIZER = 'scheduling.k8s.io/podgroup-protection';
const BY_GROUP = 'activePodsByPodGroup';

export const podGroupProtectionController: ControllerDescriptor = {
  name: 'podgroup-protection-controller',
  build(context) {
    const { client, informers, discovered, signal } = context;
    const pods = informers.informer('v1/pods', {}, { [BY_GROUP]: (pod) => (isPodTerminal(pod) ? [] : groupsOf(pod)) });
    const groups = client.resource('scheduling.k8s.io/v1alpha2/podgroups');

    const reconcile = async (key: string): Promise<void> => {
      if (pods.indexer.keysByIndex(BY_GROUP, key).length > 0) return;
      const [namespace = '', name = ''] = key.split('/');
      const group = await groups.get({ namespace, name }, { signal }).catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
      if (!group?.metadata.deletionTimestamp || !hasFinalizer(group, FINALIZER)) return;
      await setFinalizer(groups, group, FINALIZER, { present: false, signal });
    };

    const { queue, run } = keyedLoop(context, 'podgroup_protection', 1, reconcile);
    const enqueue = (resource: Resource, object: ApiObject): void => {
      if (isPodGroups(resource) && object.metadata.deletionTimestamp) queue.add(keyOf(object));
    };
    discovered.use({ onAdd: enqueue, onUpdate: (resource, _, after) => enqueue(resource, after) });
    const released = (pod: Pod): void => groupsOf(pod).forEach((key) => queue.add(key));
    pods.addHandler({
      onUpdate: (before, after) => {
        if (isPodTerminal(after) || before.metadata.uid !== after.metadata.uid) released(before);
      },
      onDelete: released,
    });
    return run;
  },
};

const isPodGroups = ({ group, plural }: Resource): boolean => group === 'scheduling.k8s.io' && plural === 'podgroups';

function groupsOf({ metadata, spec }: Pod): string[] {
  const name = spec?.schedulingGroup?.podGroupName;
  return name ? [`${metadata.namespace ?? ''}/${name}`] : [];
}
