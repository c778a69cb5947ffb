/** Deletes terminated pods beyond the threshold, orphaned pods, and pods of out-of-service nodes. */
import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { parseTime } from '../../base/index.ts';
import { isNotFound, keyOf, type SharedInformer } from '../../client/index.ts';
import { isPodTerminal } from '../../component-helpers/index.ts';
import type { Counter } from '../../kernel/index.ts';
import type { ControllerContext } from '../controller.ts';
import { PODS_BY_NODE } from '../node-lifecycle/pods-by-node.ts';
import { hasTaint, OUT_OF_SERVICE, readyCondition } from '../node-lifecycle/taints.ts';
import { markDisrupted, type Disruption } from './disruption-target.ts';

/** How long a node may be missing before its pods are deleted: it may be registered again. */
const MISSING_NODE_GRACE_MS = 40_000;

const NODE_GONE: Disruption = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists', failed: true };

/** Why a pod is collected, as metrics name it. */
type CollectReason = 'terminated' | 'out-of-service' | 'orphaned' | 'unscheduled';

interface PodCollectorParts {
  /** With the index PODS_BY_NODE. */
  readonly pods: SharedInformer<Pod>;
  readonly nodes: SharedInformer<Node>;
}

export class PodCollector {
  readonly #context: ControllerContext;
  readonly #parts: PodCollectorParts;
  /** Missing nodes of pods, and since when they are missing. */
  readonly #missing = new Map<string, number>();
  readonly #deletions: Counter<'namespace' | 'reason'>;
  readonly #errors: Counter<'namespace' | 'reason'>;

  constructor(context: ControllerContext, parts: PodCollectorParts) {
    this.#context = context;
    this.#parts = parts;
    const labels = ['namespace', 'reason'] as const;
    const counter = (name: string, help: string) =>
      context.metrics.counter({ name: `pod_gc_collector_${name}`, help, labels });
    this.#deletions = counter('force_delete_pods_total', 'Pods that were deleted, and why.');
    this.#errors = counter('force_delete_pod_errors_total', 'Pods that could not be deleted.');
  }

  /** One pass over the pods, because there may be a hundred thousand. */
  async collect(): Promise<void> {
    const terminated: Pod[] = [];
    const terminating: Pod[] = [];
    for (const pod of this.#parts.pods.indexer.values()) {
      if (isPodTerminal(pod)) terminated.push(pod);
      if (pod.metadata.deletionTimestamp) terminating.push(pod);
    }
    await this.#deleteTerminated(terminated);
    await this.#deleteFromOutOfService(terminating);
    await this.#deleteOrphaned();
    for (const pod of terminating) if (!pod.spec?.nodeName) await this.#delete(pod, 'unscheduled');
  }

  async #deleteTerminated(terminated: Pod[]): Promise<void> {
    const threshold = this.#context.config.terminatedPodGcThreshold;
    const surplus = terminated.length - threshold;
    if (threshold <= 0 || surplus <= 0) return;
    for (const pod of terminated.sort(evictedAndOldestFirst).slice(0, surplus)) await this.#delete(pod, 'terminated');
  }

  async #deleteFromOutOfService(terminating: readonly Pod[]): Promise<void> {
    for (const pod of terminating) {
      const node = pod.spec?.nodeName ? this.#parts.nodes.get(pod.spec.nodeName) : undefined;
      if (node && isOutOfService(node)) await this.#delete(pod, 'out-of-service');
    }
  }

  async #deleteOrphaned(): Promise<void> {
    const { pods, nodes } = this.#parts;
    const now = this.#context.clock.monotonic();
    const absent = new Set<string>();
    for (const name of pods.indexer.indexValues(PODS_BY_NODE)) if (!nodes.get(name)) absent.add(name);
    for (const name of this.#missing.keys()) if (!absent.has(name)) this.#missing.delete(name);
    for (const name of absent) {
      const since = this.#missing.get(name);
      if (since === undefined) this.#missing.set(name, now);
      else if (now - since >= MISSING_NODE_GRACE_MS && !(await this.#nodeExists(name))) {
        for (const pod of pods.indexer.byIndex(PODS_BY_NODE, name)) await this.#delete(pod, 'orphaned', NODE_GONE);
      }
    }
  }

  /** Reads the live node, because the informer may lag. */
  async #nodeExists(name: string): Promise<boolean> {
    const { client, signal } = this.#context;
    try {
      await client.resource('v1/nodes').get({ name }, { signal });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  /** An error about one pod does not stop the others; the next period retries it. */
  async #delete(pod: Pod, reason: CollectReason, disruption?: Disruption): Promise<void> {
    const { client, signal, logger } = this.#context;
    const { namespace, name = '', uid } = pod.metadata;
    const resource = client.resource('v1/pods');
    const labels = { namespace: namespace ?? '', reason };
    this.#deletions.inc(labels);
    try {
      if (disruption) await markDisrupted(this.#context, pod, disruption);
      else if (!isPodTerminal(pod)) {
        const patch = { metadata: { uid }, status: { phase: 'Failed' } };
        await resource.patch({ namespace, name }, patch, { type: 'strategic', subresource: 'status', signal });
      }
      await resource.delete({ namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid }, signal });
    } catch (error) {
      if (isNotFound(error) || signal.aborted) return;
      this.#errors.inc(labels);
      logger.error(error, 'Failed to remove a pod', { pod: keyOf(pod) });
    }
  }
}

const isEvicted = ({ status }: Pod): boolean => status?.reason === 'Evicted';

const createdAt = ({ metadata: { creationTimestamp } }: Pod): number =>
  creationTimestamp ? parseTime(creationTimestamp) : 0;

const evictedAndOldestFirst = (a: Pod, b: Pod): number =>
  Number(isEvicted(b)) - Number(isEvicted(a)) || createdAt(a) - createdAt(b);

function isOutOfService(node: Node): boolean {
  if (readyCondition(node)?.status === 'True') return false;
  return hasTaint(node, OUT_OF_SERVICE, 'NoExecute') || hasTaint(node, OUT_OF_SERVICE, 'NoSchedule');
}
