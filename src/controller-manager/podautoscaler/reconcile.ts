/** Syncs each HorizontalPodAutoscaler once a period, and writes its status. */
import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerStatus } from '../../api/generated/autoscaling-v2.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { deepEqual } from '../../base/index.ts';
import type { SharedInformer } from '../../client/index.ts';
import type { ControllerContext, Reconciler } from '../controller.ts';
import { ignoreConflictOrNotFound } from '../ignore-not-found.ts';
import type { ScaleClient } from '../scale-client.ts';
import type { MetricsClient } from './metrics-client.ts';
import type { ScalingHistory } from './scaling-behavior.ts';
import { AutoscalerSync } from './sync-autoscaler.ts';

/** What the reconciler and the watches of autoscalers share. */
export interface AutoscalerParts {
  readonly autoscalers: SharedInformer<HorizontalPodAutoscaler>;
  readonly pods: SharedInformer<Pod>;
  readonly scales: ScaleClient;
  readonly metrics: MetricsClient;
}

export class AutoscalerReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #parts: AutoscalerParts;
  readonly #histories: Map<string, ScalingHistory>;

  constructor(context: ControllerContext, parts: AutoscalerParts, histories: Map<string, ScalingHistory>) {
    this.#histories = histories;
    this.#context = context;
    this.#parts = parts;
  }

  async reconcile(key: string, requeueAfter: (ms: number) => void): Promise<void> {
    const { client, config, signal } = this.#context;
    const { autoscalers, pods, scales, metrics } = this.#parts;
    const autoscaler = autoscalers.get(key);
    if (!autoscaler) return void this.#histories.delete(key);
    requeueAfter(config.horizontalPodAutoscaler.syncPeriodMs);
    if (autoscaler.metadata.deletionTimestamp !== undefined) return;
    const history = this.#histories.get(key) ?? { recommendations: [], events: [] };
    this.#histories.set(key, history);
    const sync = new AutoscalerSync({ context: this.#context, pods, scales, metrics, autoscaler, history });
    await sync.run();
    const { status } = sync;
    if (deepEqual(withoutEmpty(status), withoutEmpty(autoscaler.status))) return;
    const resource = client.resource('autoscaling/v2/horizontalpodautoscalers');
    await ignoreConflictOrNotFound(() => resource.updateStatus({ ...autoscaler, status }, { signal }));
  }
}

/** The API omits 0 replicas and empty metrics, which must not look like a change. */
function withoutEmpty(status: HorizontalPodAutoscalerStatus | undefined): object {
  const { currentReplicas, currentMetrics, ...rest } = status ?? { desiredReplicas: 0 };
  return {
    ...rest,
    ...(currentReplicas ? { currentReplicas } : {}),
    ...(currentMetrics && currentMetrics.length > 0 ? { currentMetrics } : {}),
  };
}
