/** endpointslice-controller: writes the EndpointSlices of every Service with a selector. */
import { keyedController, type ControllerContext, type ControllerDescriptor } from '../controller.ts';
import { ServiceSyncMetrics } from './metrics.ts';
import { EndpointSliceReconciler, MANAGER } from './reconcile.ts';
import { servicesOfPods } from './service-pods.ts';
import { SliceWriter } from './slice-writer.ts';
import { TriggerTimes } from './trigger-time.ts';
import { endpointSliceWatches, PODS_BY_NODE_NAME } from './watches.ts';

export const endpointSliceController: ControllerDescriptor = {
  name: 'endpointslice-controller',
  aliases: ['endpointslice'],
  eventSource: 'endpoint-slice-controller',
  build(context) {
    const { informers } = context;
    const byNode = {
      [PODS_BY_NODE_NAME]: ({ spec }: { spec?: { nodeName?: string } }) => (spec?.nodeName ? [spec.nodeName] : []),
    };
    const parts = {
      relations: servicesOfPods(informers),
      pods: informers.informer('v1/pods', {}, byNode),
      nodes: informers.informer('v1/nodes'),
      writer: SliceWriter.shared(context, MANAGER, 'endpoint_slice_controller'),
      metrics: new ServiceSyncMetrics(context.metrics),
      hinted: new Set<string>(),
    };
    const triggers = new TriggerTimes();
    const reconciler = (worker: ControllerContext) =>
      new EndpointSliceReconciler(worker, { ...parts, writer: parts.writer.forWorker(worker) }, triggers);
    const watches = endpointSliceWatches(parts);
    return keyedController(context, { queue: 'endpoint_slice', workers: 5, reconciler, watches });
  },
};
