/** pod-garbage-collector-controller: removes pods that nobody else will: finished ones beyond a number, and those without a node. */
import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { isPodTerminal } from '../../component-helpers/index.ts';
import { isNotFound, keyOf } from '../../client/index.ts';
import { parseTime } from '../../machinery/time/index.ts';
import type { ControllerDescriptor } from '../controller.ts';
import { hasTaint, OUT_OF_SERVICE, readyCondition } from '../node-lifecycle/taints.ts';
import { nodeOfPod, PODS_BY_NODE } from '../node-lifecycle/pods-by-node.ts';
import { markDisrupted } from './disruption-target.ts';

const PERIOD_MS = 20_000;
/** A node may be deleted and come back; its pods are not to be killed for that. */
const QUARANTINE_MS = 40_000;

export const podGarbageCollectorController: ControllerDescriptor = {
  name: 'pod-garbage-collector-controller',
  aliases: ['podgc'],
  build(context) {
    const { client, clock, informers, config, signal, logger } = context;
    const pods = informers.informer('v1/pods', {}, { [PODS_BY_NODE]: nodeOfPod });
    const nodes = informers.informer('v1/nodes');
    /** Nodes that pods are on and that are not there, and since when. */
    const missing = new Map<string, number>();

    /** One look at each pod: there may be a hundred thousand, of which none is of interest. */
    const collect = async (): Promise<void> => {
      const terminated: Pod[] = [];
      const leaving: Pod[] = [];
      for (const pod of pods.indexer.values()) {
        if (isPodTerminal(pod)) terminated.push(pod);
        if (pod.metadata.deletionTimestamp) leaving.push(pod);
      }
      await removeTerminated(terminated);
      await removeFromOutOfService(leaving);
      await removeOrphaned();
      for (const pod of leaving) if (!pod.spec?.nodeName) await remove(pod);
    };

    const removeTerminated = async (terminated: Pod[]): Promise<void> => {
      const threshold = config.terminatedPodGcThreshold;
      const surplus = terminated.length - threshold;
      if (threshold <= 0 || surplus <= 0) return;
      const oldestFirst = terminated.sort((a, b) => Number(isEvicted(b)) - Number(isEvicted(a)) || createdAt(a) - createdAt(b));
      for (const pod of oldestFirst.slice(0, surplus)) await remove(pod);
    };

    const removeFromOutOfService = async (leaving: readonly Pod[]): Promise<void> => {
      for (const pod of leaving) {
        const node = pod.spec?.nodeName ? nodes.get(pod.spec.nodeName) : undefined;
        if (node && isOutOfService(node)) await remove(pod);
      }
    };

    const removeOrphaned = async (): Promise<void> => {
      const now = clock.monotonic();
      const absent = new Set<string>();
      for (const name of pods.indexer.indexValues(PODS_BY_NODE)) if (!nodes.get(name)) absent.add(name);
      for (const name of missing.keys()) if (!absent.has(name)) missing.delete(name);
      for (const name of absent) {
        const since = missing.get(name);
        if (since === undefined) missing.set(name, now);
        else if (now - since >= QUARANTINE_MS && !(await exists(name))) {
          for (const pod of pods.indexer.byIndex(PODS_BY_NODE, name)) await remove(pod, { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists', failed: true });
        }
      }
    };

    const exists = async (name: string): Promise<boolean> => {
      try {
        await client.resource('v1/nodes').get({ name }, { signal });
        return true;
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
    };

    /** One pod's trouble is not the next one's; it is tried again with the next round. */
    const remove = async (pod: Pod, disruption?: Parameters<typeof markDisrupted>[2]): Promise<void> => {
      try {
        if (disruption) await markDisrupted(context, pod, disruption);
        else if (!isPodTerminal(pod)) await client.resource('v1/pods').patch(placeOf(pod), { metadata: { uid: pod.metadata.uid }, status: { phase: 'Failed' } }, { type: 'strategic', subresource: 'status', signal });
        await client.resource('v1/pods').delete(placeOf(pod), { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid }, signal });
      } catch (error) {
        if (!isNotFound(error) && !signal.aborted) logger.error(error, 'Failed to remove a pod', { pod: keyOf(pod) });
      }
    };

    return async () => {
      while (!signal.aborted) {
        await collect().catch((error: unknown) => signal.aborted || logger.error(error, 'Failed to collect pods'));
        await clock.sleep(PERIOD_MS, signal).catch(() => {});
      }
    };
  },
};

const placeOf = ({ metadata: { namespace, name = '' } }: Pod) => ({ namespace, name });
const isEvicted = ({ status }: Pod): boolean => status?.reason === 'Evicted';
const createdAt = ({ metadata: { creationTimestamp } }: Pod): number => (creationTimestamp ? parseTime(creationTimestamp) : 0);
const isOutOfService = (node: Node): boolean => readyCondition(node)?.status !== 'True' && (hasTaint(node, OUT_OF_SERVICE, 'NoExecute') || hasTaint(node, OUT_OF_SERVICE, 'NoSchedule'));
