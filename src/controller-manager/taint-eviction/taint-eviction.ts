/** taint-eviction-controller: evicts pods from nodes with NoExecute taints, when their tolerations end or at once. */
import type { Node, Pod, Taint, Toleration } from '../../api/generated/core-v1.ts';
import { deepEqual } from '../../base/index.ts';
import { keyOf, type SharedInformer } from '../../client/index.ts';
import { toleratesTaint } from '../../component-helpers/index.ts';
import {
  keyedController,
  watch,
  type ControllerContext,
  type ControllerDescriptor,
  type Reconciler,
  type Requeue,
  type Watch,
} from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { nodeOfPod, PODS_BY_NODE } from '../node-lifecycle/pods-by-node.ts';
import { markDisrupted } from '../pod-garbage-collector/disruption-target.ts';
import { TaintEvictionMetrics } from './metrics.ts';

export const taintEvictionController: ControllerDescriptor = {
  name: 'taint-eviction-controller',
  build(context) {
    const nodes = context.informers.informer('v1/nodes');
    const pods = context.informers.informer('v1/pods', {}, { [PODS_BY_NODE]: nodeOfPod });
    const scheduled: ScheduledEvictions = new Map();
    const metrics = new TaintEvictionMetrics(context.metrics, 'taint_eviction_controller');
    return keyedController(context, {
      queue: 'taint_eviction',
      workers: 8,
      reconciler: (worker) => new TaintEvictionReconciler(worker, { nodes, pods, scheduled, metrics }),
      watches: taintEvictionWatches(nodes, pods),
    });
  },
};

function taintEvictionWatches(nodes: SharedInformer<Node>, pods: SharedInformer<Pod>): readonly Watch[] {
  const podsOn = (node: Node): readonly string[] => pods.indexer.keysByIndex(PODS_BY_NODE, keyOf(node));
  return [
    watch(nodes, {
      added: podsOn,
      updated: (before, after) => (deepEqual(noExecuteTaints(before), noExecuteTaints(after)) ? [] : podsOn(after)),
    }),
    watch(pods, {
      added: (pod) => (pod.spec?.nodeName ? [keyOf(pod)] : []),
      updated: (before, after) =>
        before.spec?.nodeName !== after.spec?.nodeName ||
        !deepEqual(before.spec?.tolerations, after.spec?.tolerations) ||
        after.metadata.deletionTimestamp
          ? [keyOf(after)]
          : [],
      deleted: (pod) => [keyOf(pod)],
    }),
  ];
}

/** When pods will be evicted, on the monotonic clock. While the taints stay, a time that was set is not moved. */
type ScheduledEvictions = Map<string, { uid: string | undefined; at: number }>;

interface TaintEvictionParts {
  readonly nodes: SharedInformer<Node>;
  readonly pods: SharedInformer<Pod>;
  readonly scheduled: ScheduledEvictions;
  readonly metrics: TaintEvictionMetrics;
}

class TaintEvictionReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #nodes: SharedInformer<Node>;
  readonly #pods: SharedInformer<Pod>;
  readonly #scheduled: ScheduledEvictions;
  readonly #metrics: TaintEvictionMetrics;

  constructor(context: ControllerContext, { nodes, pods, scheduled, metrics }: TaintEvictionParts) {
    this.#metrics = metrics;
    this.#scheduled = scheduled;
    this.#context = context;
    this.#nodes = nodes;
    this.#pods = pods;
  }

  async reconcile(key: string): Promise<Requeue | void> {
    const { clock, recorder } = this.#context;
    const pod = this.#pods.get(key);
    const isLive = pod && !pod.metadata.deletionTimestamp;
    if (!isLive || this.#scheduled.get(key)?.uid !== pod.metadata.uid) this.#scheduled.delete(key);
    const node = isLive && pod.spec?.nodeName ? this.#nodes.get(pod.spec.nodeName) : undefined;
    if (!isLive || !node) return;
    const seconds = toleratedSeconds(noExecuteTaints(node), pod.spec?.tolerations ?? []);
    if (seconds === Infinity) {
      if (this.#scheduled.delete(key))
        recorder.event(pod, 'Normal', 'TaintManagerEviction', `Cancelling deletion of Pod ${key}`);
      return;
    }
    const now = clock.monotonic();
    const at = seconds <= 0 ? now : (this.#scheduled.get(key)?.at ?? now + seconds * 1000);
    if (at > now) {
      this.#scheduled.set(key, { uid: pod.metadata.uid, at });
      return { afterMs: at - now };
    }
    recorder.event(pod, 'Normal', 'TaintManagerEviction', `Marking for deletion Pod ${key}`);
    await ignoreNotFound(async () => {
      await this.#evict(pod);
      this.#metrics.deleted(clock.monotonic() - at);
    });
    this.#scheduled.delete(key);
  }

  async #evict(pod: Pod): Promise<void> {
    const { client, signal } = this.#context;
    const { metadata } = await markDisrupted(this.#context, pod, {
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
    });
    await client
      .resource('v1/pods')
      .delete(
        { namespace: metadata.namespace, name: metadata.name ?? '' },
        { preconditions: { uid: pod.metadata.uid }, signal },
      );
  }
}

const noExecuteTaints = (node: Node): Taint[] =>
  (node.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');

/** How long a pod may stay: 0 when it does not tolerate a taint, Infinity when it tolerates all of them without end. */
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
