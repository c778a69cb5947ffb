/** Reconciles the taints and labels of one node, and the Ready condition of its pods when it is not ready. */

import type { Node, Pod, PodCondition } from '../../api/generated/core-v1.ts';
import { formatTime, ownValue } from '../../base/index.ts';
import { keyOf, type SharedInformer } from '../../client/index.ts';
import type { ControllerContext, Reconciler } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { PODS_BY_NODE } from './pods-by-node.ts';
import { changeTaints, noScheduleChange, readyCondition, setNoExecute } from './taints.ts';

/** Labels, with their deprecated names. */
const LABEL_ALIASES = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
] as const;

interface NodeParts {
  readonly nodes: SharedInformer<Node>;
  /** With the index PODS_BY_NODE. */
  readonly pods: SharedInformer<Pod>;
}

export class NodeReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #parts: NodeParts;

  constructor(context: ControllerContext, parts: NodeParts) {
    this.#context = context;
    this.#parts = parts;
  }

  async reconcile(name: string): Promise<void> {
    const node = this.#parts.nodes.get(name);
    if (!node) return;
    const change = noScheduleChange(node);
    if (change) await changeTaints(this.#context, name, change);
    await this.#alignLabels(node);
    const ready = readyCondition(node);
    if (ready?.status === 'True') await setNoExecute(this.#context, node, undefined);
    else if (ready) await this.#markPodsNotReady(node);
  }

  async #alignLabels({ metadata: { name = '', labels = {} } }: Node): Promise<void> {
    const { client, signal } = this.#context;
    const missing = ([label, alias]: (typeof LABEL_ALIASES)[number]): boolean =>
      ownValue(labels, label) !== undefined && ownValue(labels, alias) !== ownValue(labels, label);
    const aliases = Object.fromEntries(
      LABEL_ALIASES.filter(missing).map(([label, alias]) => [alias, ownValue(labels, label)]),
    );
    if (Object.keys(aliases).length === 0) return;
    const patch = { metadata: { labels: aliases } };
    await ignoreNotFound(() => client.resource('v1/nodes').patch({ name }, patch, { type: 'strategic', signal }));
  }

  async #markPodsNotReady(node: Node): Promise<void> {
    const { client, clock, recorder, signal } = this.#context;
    for (const pod of this.#parts.pods.indexer.byIndex(PODS_BY_NODE, keyOf(node))) {
      const conditions = notReady(pod, formatTime(clock.now()));
      if (!conditions) continue;
      const status = { ...pod.status, conditions };
      await ignoreNotFound(async () => {
        await client.resource('v1/pods').updateStatus({ ...pod, status }, { signal });
        recorder.event(pod, 'Warning', 'NodeNotReady', 'Node is not ready');
      });
    }
  }
}

/** The pod's conditions with Ready set to False; undefined when it is not True. */
function notReady(pod: Pod, now: string): PodCondition[] | undefined {
  const conditions = pod.status?.conditions ?? [];
  if (!conditions.some(({ type, status }) => type === 'Ready' && status === 'True')) return undefined;
  return conditions.map((condition) =>
    condition.type === 'Ready' ? { ...condition, status: 'False', lastTransitionTime: now } : condition,
  );
}
