/** deployment-controller: creates and scales ReplicaSets so that the pods of each Deployment match its template. */
import type { ReplicaSet } from '../../api/generated/apps-v1.ts';
import {
  byControllerUid,
  byNamespace,
  CONTROLLER_UID_INDEX,
  controllerOf,
  NAMESPACE_INDEX,
} from '../../client/index.ts';
import { keyedController, type ControllerContext, type ControllerDescriptor } from '../controller.ts';
import { podsByOwner } from '../pods/index.ts';
import { ReadYourWrites } from '../read-your-writes.ts';
import { DeploymentReconciler, ORPHANS_INDEX } from './reconcile.ts';
import { deploymentWatches } from './watches.ts';

const orphansByNamespace = (set: ReplicaSet): string[] =>
  controllerOf(set) === undefined ? [set.metadata.namespace ?? ''] : [];

export const deploymentController: ControllerDescriptor = {
  name: 'deployment-controller',
  aliases: ['deployment'],
  build(context) {
    const { informers } = context;
    const setIndexes = { [CONTROLLER_UID_INDEX]: byControllerUid, [ORPHANS_INDEX]: orphansByNamespace };
    const parts = {
      deployments: informers.informer('apps/v1/deployments', {}, { [NAMESPACE_INDEX]: byNamespace }),
      sets: informers.informer('apps/v1/replicasets', {}, setIndexes),
      pods: podsByOwner(informers),
      written: new ReadYourWrites(),
    };
    const reconciler = (worker: ControllerContext) => new DeploymentReconciler(worker, parts);
    return keyedController(context, { queue: 'deployment', workers: 5, reconciler, watches: deploymentWatches(parts) });
  },
};
