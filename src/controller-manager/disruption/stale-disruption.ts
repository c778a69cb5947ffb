/** Sets the condition DisruptionTarget to False on pods that were not deleted within two minutes. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { formatTime, parseTime } from '../../base/index.ts';
import { keyOf, type SharedInformer } from '../../client/index.ts';
import { isPodTerminal, podCondition } from '../../component-helpers/index.ts';
import { watch, type ControllerContext, type Reconciler, type Requeue, type Watch } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { DELETION_TIMEOUT_MS } from './budget-status.ts';

const DISRUPTION_TARGET = 'DisruptionTarget';

export class StaleDisruptionReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #pods: SharedInformer<Pod>;

  constructor(context: ControllerContext, pods: SharedInformer<Pod>) {
    this.#context = context;
    this.#pods = pods;
  }

  async reconcile(key: string): Promise<Requeue | void> {
    const { client, clock, signal } = this.#context;
    const pod = this.#pods.get(key);
    const condition = pod && podCondition(pod, DISRUPTION_TARGET);
    if (!pod || !isToBeDisrupted(pod) || !condition) return;
    const since = parseTime(condition.lastTransitionTime ?? '1970-01-01T00:00:00Z');
    const left = since + DELETION_TIMEOUT_MS - clock.now();
    if (left > 0) return { afterMs: left };
    const { namespace, name = '', uid, generation } = pod.metadata;
    const lastTransitionTime = formatTime(clock.now());
    const observed = generation === undefined ? {} : { observedGeneration: generation };
    const conditions = [{ type: DISRUPTION_TARGET, status: 'False', lastTransitionTime, ...observed }];
    const patch = { metadata: { uid }, status: { conditions } };
    const options = { type: 'strategic', subresource: 'status', signal } as const;
    await ignoreNotFound(() => client.resource('v1/pods').patch({ namespace, name }, patch, options));
  }
}

export function staleDisruptionWatches(pods: SharedInformer<Pod>): readonly Watch[] {
  const itself = (pod: Pod): string[] => (isToBeDisrupted(pod) ? [keyOf(pod)] : []);
  return [watch(pods, { added: itself, updated: (_, after) => itself(after) })];
}

function isToBeDisrupted(pod: Pod): boolean {
  if (podCondition(pod, DISRUPTION_TARGET)?.status !== 'True') return false;
  return pod.metadata.deletionTimestamp === undefined && !isPodTerminal(pod);
}
