/** statefulset-controller: pods with stable names and storage, created, updated and deleted in order. */
import { byNamespace, NAMESPACE_INDEX } from '../../client/index.ts';
import { keyedController, type ControllerContext, type ControllerDescriptor } from '../controller.ts';
import { PodControl, podsByOwner } from '../pods/index.ts';
import { RevisionHistory } from '../revisions/index.ts';
import { StatefulClaims } from './claims.ts';
import { StatefulSetReconciler } from './reconcile.ts';
import { StatefulPods } from './stateful-pods.ts';
import { statefulSetWatches } from './watches.ts';

export const statefulSetController: ControllerDescriptor = {
  name: 'statefulset-controller',
  aliases: ['statefulset'],
  build(context) {
    const partsOf = (worker: ControllerContext, claims = new StatefulClaims(worker)) => ({
      sets: context.informers.informer('apps/v1/statefulsets', {}, { [NAMESPACE_INDEX]: byNamespace }),
      pods: podsByOwner(context.informers),
      history: new RevisionHistory(worker),
      claims,
      control: new StatefulPods(worker, claims),
      adoption: new PodControl(worker),
    });
    const reconciler = (worker: ControllerContext) => new StatefulSetReconciler(worker, partsOf(worker));
    const watches = statefulSetWatches(partsOf(context));
    return keyedController(context, { queue: 'statefulset', workers: 5, reconciler, watches });
  },
};
