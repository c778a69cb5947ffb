/** statefulset-controller: pods with stable names and storage, created, updated and deleted in order. */
import { byNamespace, NAMESPACE_INDEX } from '../../client/index.ts';
import { keyedController, type ControllerDescriptor } from '../controller.ts';
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
    const claims = new StatefulClaims(context);
    const parts = {
      sets: context.informers.informer('apps/v1/statefulsets', {}, { [NAMESPACE_INDEX]: byNamespace }),
      pods: podsByOwner(context.informers),
      history: new RevisionHistory(context),
      claims,
      control: new StatefulPods(context, claims),
      adoption: new PodControl(context),
    };
    const reconciler = new StatefulSetReconciler(context, parts);
    const watches = statefulSetWatches(parts);
    return keyedController(context, { queue: 'statefulset', workers: 5, reconciler, watches });
  },
};
