/** The controller that ReplicaSets and ReplicationControllers share. */
import {
  byControllerUid,
  byNamespace,
  CONTROLLER_UID_INDEX,
  Expectations,
  NAMESPACE_INDEX,
  type SharedInformer,
} from '../../client/index.ts';
import { keyedController, type ControllerContext } from '../controller.ts';
import { PodControl, podsByOwner } from '../pods/index.ts';
import { ReadYourWrites } from '../read-your-writes.ts';
import { ReplicaMetrics } from './metrics.ts';
import { ReplicaReconciler } from './reconcile.ts';
import type { ReplicaKind, ReplicaOwner } from './replica-kind.ts';
import { replicaWatches } from './watches.ts';

function groupResource({ resource }: ReplicaKind): { group: string; resource: string } {
  const [plural = '', , group = ''] = resource.split('/').reverse();
  return { group, resource: plural };
}

export function replicaController(context: ControllerContext, kind: ReplicaKind): () => Promise<void> {
  const indexes = { [NAMESPACE_INDEX]: byNamespace, [CONTROLLER_UID_INDEX]: byControllerUid };
  const parts = {
    kind,
    owners: context.informers.informer(kind.resource, {}, indexes) as SharedInformer<ReplicaOwner>,
    pods: podsByOwner(context.informers),
    written: new ReadYourWrites(),
    metrics: new ReplicaMetrics(context.metrics, groupResource(kind)),
    expectations: new Expectations(context.clock),
  };
  const reconciler = (worker: ControllerContext) =>
    new ReplicaReconciler(worker, { ...parts, control: new PodControl(worker) });
  return keyedController(context, { queue: kind.queue, workers: 5, reconciler, watches: replicaWatches(parts) });
}
