/**
 * resourceclaim-controller: creates ResourceClaims of pods from ResourceClaimTemplates, removes the reservations of pods
 * that are deleted or finished, and deallocates claims without reservations.
 */
import type { ResourceClaim } from '../../api/generated/resource-v1.ts';
import { byControllerUid, CONTROLLER_UID_INDEX } from '../../client/index.ts';
import { keyedController, type ControllerDescriptor } from '../controller.ts';
import { ResourceClaimReconciler } from './reconcile.ts';
import { resourceClaimWatches } from './watches.ts';

export const resourceClaimController: ControllerDescriptor = {
  name: 'resourceclaim-controller',
  aliases: ['resource-claim-controller'],
  eventSource: 'resource_claim',
  build(context) {
    const { informers } = context;
    const parts = {
      pods: informers.informer('v1/pods'),
      claims: informers.informer('resource.k8s.io/v1/resourceclaims', {}, { [CONTROLLER_UID_INDEX]: byControllerUid }),
      templates: informers.informer('resource.k8s.io/v1/resourceclaimtemplates'),
      created: new Map<string, ResourceClaim>(),
    };
    return keyedController(context, {
      queue: 'resource_claim',
      workers: 10,
      reconciler: (worker) => new ResourceClaimReconciler(worker, parts),
      watches: resourceClaimWatches(parts),
    });
  },
};
