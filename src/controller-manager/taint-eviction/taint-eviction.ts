/** taint-eviction-controller: deletes pods from nodes whose NoExecute taints they do not tolerate, or no longer. */
import type { Node, Pod, Taint, Toleration } from '../../api/generated/core-v1.ts';
import { deepEqual } from '../../base/index.ts';
import { isNotFound, keyOf } from '../../client/index.ts';
import { toleratesTaint } from '../../component-helpers/index.ts';
import { keyedLoop, type ControllerDescriptor } from '../controller.ts';
import { nodeOfPod, PODS_BY_NODE } from '../node-lifecycle/pods-by-node.ts';
import { markDisrupted } from '../pod-garbage-collector/disruption-target.ts';

const WORKERS = 8;

export const taintEvictionController: ControllerDescriptor = {
  name: 'taint-eviction-controller',
  build(context) {
    const { client, clock, informers, recorder, signal } = context;
    const nodes = informers.informer('v1/nodes');
    const pods = informers.informer('v1/pods', {}, { [PODS_BY_NODE]: nodeOfPod });
    /** When pods will be deleted, on the monotonic clock. Once set, a time is neither moved nor shortened while the taints stay. */
    const due = new Map<string, { uid: string | undefined; at: number }>();

    const reconcile = async (key: string): Promise<void> => {
      const pod = pods.get(key);
      const known = due.get(key);
      if (!pod || pod.metadata.deletionTimestamp || (known && known.uid !== pod.metadata.uid)) due.delete(key);
      if (!pod || pod.metadata.deletionTimestamp || !pod.spec?.nodeName) return;
      const node = nodes.get(pod.spec.nodeName);
      if (!node) return;
      const seconds = toleratedSeconds(noExecuteTaints(node), pod.spec.tolerations ?? []);
      if (seconds === Infinity) {
        if (due.delete(key)) recorder.event(pod, 'Normal', 'TaintManagerEviction', `Cancelling deletion of Pod ${key}`);
        return;
      }
      const now = clock.monotonic();
      const at = seconds <= 0 ? now : (due.get(key)?.at ?? now + seconds * 1000);
      if (at > now) {
        due.set(key, { uid: pod.metadata.uid, at });
        queue.addAfter(key, at - now);
        return;
      }
      recorder.event(pod, 'Normal', 'TaintManagerEviction', `Marking for deletion Pod ${key}`);
      await evict(pod);
      due.delete(key);
    };

    const evict = async (pod: Pod): Promise<void> => {
      try {
        const marked = await markDisrupted(context, pod, {
          reason: 'DeletionByTaintManager',
          message: 'Taint manager: deleting due to NoExecute taint',
        });
        await client
          .resource('v1/pods')
          .delete(
            { namespace: marked.metadata.namespace, name: marked.metadata.name ?? '' },
            { preconditions: { uid: pod.metadata.uid }, signal },
          );
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    };

    const { queue, run } = keyedLoop(context, 'taint_eviction', WORKERS, reconcile);
    const enqueuePods = (node: Node): void =>
      pods.indexer.keysByIndex(PODS_BY_NODE, keyOf(node)).forEach((key) => queue.add(key));
    nodes.addHandler({
      onAdd: enqueuePods,
      onUpdate: (before, after) => {
        if (!deepEqual(noExecuteTaints(before), noExecuteTaints(after))) enqueuePods(after);
      },
    });
    pods.addHandler({
      onAdd: (pod) => pod.spec?.nodeName && queue.add(keyOf(pod)),
      onUpdate: (before, after) => {
        if (
          before.spec?.nodeName !== after.spec?.nodeName ||
          !deepEqual(before.spec?.tolerations, after.spec?.tolerations) ||
          after.metadata.deletionTimestamp
        )
          queue.add(keyOf(after));
      },
      onDelete: (pod) => queue.add(keyOf(pod)),
    });
    return run;
  },
};

const noExecuteTaints = (node: Node): Taint[] =>
  (node.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');

/** How long a pod may stay: 0 when it does not tolerate a taint, without end when it tolerates all of them for ever. */
export function toleratedSeconds(taints: readonly Taint[], tolerations: readonly Toleration[]): number {
  let shortest = Infinity;
  for (const taint of taints) {
    const matching = tolerations.filter((toleration) => toleratesTaint(toleration, taint));
    if (matching.length === 0) return 0;
    for (const { tolerationSeconds } of matching)
      if (tolerationSeconds !== undefined) shortest = Math.min(shortest, Math.max(0, Number(tolerationSeconds)));
  }
  return shortest;
}
