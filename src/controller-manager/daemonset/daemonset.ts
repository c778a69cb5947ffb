/** daemonset-controller: runs one pod on every eligible node, with rolling updates when the template changes. */
import { byNamespace, Expectations, NAMESPACE_INDEX } from '../../client/index.ts';
import { keyedController, type ControllerDescriptor } from '../controller.ts';
import { PodControl, podsByOwner } from '../pods/index.ts';
import { RevisionHistory } from '../revisions/index.ts';
import { FailedPodBackoff } from './failed-pod-backoff.ts';
import { DaemonSetReconciler } from './reconcile.ts';
import { daemonSetWatches } from './watches.ts';

export const daemonSetController: ControllerDescriptor = {
  name: 'daemonset-controller',
  aliases: ['daemonset'],
  build(context) {
    const parts = {
      sets: context.informers.informer('apps/v1/daemonsets', {}, { [NAMESPACE_INDEX]: byNamespace }),
      nodes: context.informers.informer('v1/nodes'),
      pods: podsByOwner(context.informers),
      history: new RevisionHistory(context),
      control: new PodControl(context),
      backoff: new FailedPodBackoff(context.clock),
      expectations: new Expectations(context.clock),
    };
    return keyedController(context, {
      queue: 'daemonset',
      workers: 2,
      reconciler: (worker) =>
        new DaemonSetReconciler(worker, {
          ...parts,
          history: new RevisionHistory(worker),
          control: new PodControl(worker),
        }),
      watches: daemonSetWatches(parts),
    });
  },
};
