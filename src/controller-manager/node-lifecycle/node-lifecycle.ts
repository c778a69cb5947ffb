/**
 * node-lifecycle-controller: notices nodes that stopped reporting, taints nodes by their conditions, and limits per
 * zone how fast pods are evicted from nodes that are not ready.
 */
import { keyOf } from '../../client/index.ts';
import { keyedController, periodicLoop, runTogether, watch, type ControllerDescriptor } from '../controller.ts';
import { NodeMonitor } from './monitor.ts';
import { nodeOfPod, PODS_BY_NODE } from './pods-by-node.ts';
import { NodeReconciler } from './reconcile.ts';

export const nodeLifecycleController: ControllerDescriptor = {
  name: 'node-lifecycle-controller',
  aliases: ['nodelifecycle'],
  eventSource: 'node-controller',
  build(context) {
    const { informers, config } = context;
    const nodes = informers.informer('v1/nodes');
    const leases = informers.informer('coordination.k8s.io/v1/leases', { namespace: 'kube-node-lease' });
    const pods = informers.informer('v1/pods', {}, { [PODS_BY_NODE]: nodeOfPod });
    const monitor = new NodeMonitor(context, { nodes, leases });
    return runTogether([
      keyedController(context, {
        queue: 'node_lifecycle_controller',
        workers: 8,
        reconciler: (worker) => new NodeReconciler(worker, { nodes, pods }),
        watches: [
          watch(nodes, {
            added: (node) => [keyOf(node)],
            updated: (_, after) => [keyOf(after)],
            deleted: (node) => [keyOf(node)],
          }),
        ],
      }),
      periodicLoop(context, {
        periodMs: config.nodeMonitorPeriodSeconds * 1000,
        failure: 'Failed to monitor the nodes',
        work: () => monitor.check(),
      }),
    ]);
  },
};
