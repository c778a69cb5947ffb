/**
 * device-taint-eviction-controller: evicts pods that use devices with NoExecute taints which their claims do not
 * tolerate.
 */
import type { ResourceClaim, ResourceSlice } from '../../api/generated/resource-v1.ts';
import { keyedController, type ControllerContext, type ControllerDescriptor } from '../controller.ts';
import { TaintEvictionMetrics } from '../taint-eviction/metrics.ts';
import { CLAIMS_BY_POOL, DeviceTaintEvictionReconciler, poolKey, resultsOf, SLICES_BY_POOL } from './reconcile.ts';
import { deviceTaintEvictionWatches } from './watches.ts';

const poolOfSlice = ({ spec }: ResourceSlice): string[] => [poolKey(spec.driver, spec.pool.name)];
const poolsOfClaim = (claim: ResourceClaim): string[] =>
  resultsOf(claim).map(({ driver, pool }) => poolKey(driver, pool));

export const deviceTaintEvictionController: ControllerDescriptor = {
  name: 'device-taint-eviction-controller',
  build(context) {
    const { informers } = context;
    const parts = {
      slices: informers.informer('resource.k8s.io/v1/resourceslices', {}, { [SLICES_BY_POOL]: poolOfSlice }),
      claims: informers.informer('resource.k8s.io/v1/resourceclaims', {}, { [CLAIMS_BY_POOL]: poolsOfClaim }),
      pods: informers.informer('v1/pods'),
      metrics: new TaintEvictionMetrics(context.metrics, 'device_taint_eviction_controller'),
    };
    const reconciler = (worker: ControllerContext) => new DeviceTaintEvictionReconciler(worker, parts);
    const watches = deviceTaintEvictionWatches(parts);
    return keyedController(context, { queue: 'device_taint_eviction', workers: 8, reconciler, watches });
  },
};
