/**
 * resourcequota-controller: recalculates status.used of ResourceQuotas. Admission increases it when objects are created;
 * this controller recalculates after deletions, for a new or changed quota, and periodically.
 */
import { byNamespace, keyOf, NAMESPACE_INDEX } from '../../client/index.ts';
import { keyedController, KeySource, type ControllerDescriptor } from '../controller.ts';
import { ResourceQuotaReconciler } from './reconcile.ts';
import { resourceQuotaWatches } from './watches.ts';

export const resourceQuotaController: ControllerDescriptor = {
  name: 'resourcequota-controller',
  aliases: ['resourcequota'],
  build(context) {
    const { clock, config, informers } = context;
    const indexes = { [NAMESPACE_INDEX]: byNamespace };
    const parts = {
      quotas: informers.informer('v1/resourcequotas', {}, indexes),
      measured: {
        '/pods': informers.informer('v1/pods', {}, indexes),
        '/services': informers.informer('v1/services', {}, indexes),
        '/persistentvolumeclaims': informers.informer('v1/persistentvolumeclaims', {}, indexes),
        'resource.k8s.io/resourceclaims': informers.informer('resource.k8s.io/v1/resourceclaims', {}, indexes),
      },
    };
    const periodic = new KeySource();
    const run = keyedController(context, {
      queue: 'resourcequota_primary',
      workers: 5,
      reconciler: (worker) => new ResourceQuotaReconciler(worker, parts),
      watches: [...resourceQuotaWatches(context, parts), periodic.watch],
    });
    return async () => {
      const resync = clock.every(config.resourceQuotaSyncPeriodMs, () => {
        for (const quota of parts.quotas.list()) periodic.add(keyOf(quota));
      });
      try {
        await run();
      } finally {
        resync.cancel();
      }
    };
  },
};
