/** horizontal-pod-autoscaler-controller: scales workloads so that their metrics stay near their targets. */
import type { HorizontalPodAutoscaler } from '../../api/generated/autoscaling-v2.ts';
import { byNamespace, keyOf, NAMESPACE_INDEX } from '../../client/index.ts';
import {
  keyedController,
  watch,
  type ControllerContext,
  type ControllerDescriptor,
  type Keyed,
  type Watch,
} from '../controller.ts';
import { ScaleClient } from '../scale-client.ts';
import { createMetricsClient, type MetricsClient } from './metrics-client.ts';
import { AutoscalerReconciler, type AutoscalerParts } from './reconcile.ts';
import type { ScalingHistory } from './scaling-behavior.ts';

export const horizontalPodAutoscalerController: ControllerDescriptor = {
  name: 'horizontal-pod-autoscaler-controller',
  aliases: ['horizontalpodautoscaling'],
  eventSource: 'horizontal-pod-autoscaler',
  build: (context) => autoscalerLoop(context, createMetricsClient(context.client, context.signal)),
};

export function autoscalerLoop(context: ControllerContext, metrics: MetricsClient): () => Promise<void> {
  const parts = {
    autoscalers: context.informers.informer('autoscaling/v2/horizontalpodautoscalers'),
    pods: context.informers.informer('v1/pods', {}, { [NAMESPACE_INDEX]: byNamespace }),
    scales: new ScaleClient(context),
    metrics,
  };
  context.metrics
    .gauge({
      name: 'horizontal_pod_autoscaler_controller_num_horizontal_pod_autoscalers',
      help: 'HorizontalPodAutoscalers of the cluster.',
    })
    .collect(() => parts.autoscalers.indexer.size);
  const histories = new Map<string, ScalingHistory>();
  const reconciler = (worker: ControllerContext) =>
    new AutoscalerReconciler(worker, { ...parts, scales: new ScaleClient(worker) }, histories);
  const watches = autoscalerWatches(parts, context.config.horizontalPodAutoscaler.syncPeriodMs);
  return keyedController(context, { queue: 'horizontalpodautoscaler', workers: 5, reconciler, watches });
}

/** An autoscaler is synced at most once a period, because metrics need time to show the effect of a change. */
function autoscalerWatches({ autoscalers }: AutoscalerParts, syncPeriodMs: number): readonly Watch[] {
  const later = (autoscaler: HorizontalPodAutoscaler): Keyed[] => [{ key: keyOf(autoscaler), afterMs: syncPeriodMs }];
  return [
    watch(autoscalers, {
      added: later,
      updated: (_, after) => later(after),
      deleted: (autoscaler) => [keyOf(autoscaler)],
    }),
  ];
}
