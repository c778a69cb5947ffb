/** disruption-controller: computes how many disruptions each PodDisruptionBudget allows. */
import { byNamespace, NAMESPACE_INDEX } from '../../client/index.ts';
import { keyedController, runTogether, type ControllerDescriptor } from '../controller.ts';
import { ScaleClient } from '../scale-client.ts';
import { ExpectedPodsCounter } from './expected-pods.ts';
import { DisruptionReconciler } from './reconcile.ts';
import { StaleDisruptionReconciler, staleDisruptionWatches } from './stale-disruption.ts';
import { disruptionWatches } from './watches.ts';

export const disruptionController: ControllerDescriptor = {
  name: 'disruption-controller',
  aliases: ['disruption'],
  eventSource: 'controllermanager',
  build(context) {
    const { informers } = context;
    const indexes = { [NAMESPACE_INDEX]: byNamespace };
    const budgets = informers.informer('policy/v1/poddisruptionbudgets', {}, indexes);
    const pods = informers.informer('v1/pods', {}, indexes);
    const counter = new ExpectedPodsCounter(informers, new ScaleClient(context));
    const parts = { budgets, pods, counter };
    return runTogether([
      keyedController(context, {
        queue: 'disruption',
        workers: 5,
        reconciler: (worker) => new DisruptionReconciler(worker, parts),
        watches: disruptionWatches(parts),
      }),
      keyedController(context, {
        queue: 'stale_pod_disruption',
        workers: 1,
        reconciler: (worker) => new StaleDisruptionReconciler(worker, pods),
        watches: staleDisruptionWatches(pods),
      }),
    ]);
  },
};
