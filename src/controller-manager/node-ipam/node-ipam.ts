/** node-ipam-controller: allocates a pod CIDR for every node out of `--cluster-cidr`. */
import { keyOf } from '../../client/index.ts';
import { podCidrsOf } from '../../component-helpers/index.ts';
import { keyedController, keysOnChange, watch, type ControllerDescriptor } from '../controller.ts';
import { CidrAllocator } from './cidr-allocator.ts';

export const nodeIpamController: ControllerDescriptor = {
  name: 'node-ipam-controller',
  aliases: ['nodeipam'],
  eventSource: 'cidrAllocator',
  build(context) {
    const { informers, config } = context;
    if (!config.allocateNodeCidrs || config.clusterCidr === '') return () => Promise.resolve();
    const nodes = informers.informer('v1/nodes');
    const allocator = new CidrAllocator(context, nodes);
    const running = context.metrics.gauge({
      name: 'running_managed_controllers',
      help: 'Whether a controller runs, by the program that runs it.',
      labels: ['name', 'manager'],
    });
    const labels = { name: 'nodeipam', manager: 'kube-controller-manager' };
    const run = keyedController(context, {
      queue: 'cidrallocator_node',
      workers: 1,
      reconciler: (worker) => new CidrAllocator(worker, nodes, allocator),
      watches: [
        // CIDRs of existing nodes are occupied before the first one is allocated.
        watch(nodes, {
          added: (node, { initial }) => {
            if (initial && podCidrsOf(node).length > 0) allocator.occupyExisting(node);
          },
        }),
        watch(
          nodes,
          keysOnChange((node) => [keyOf(node)]),
        ),
      ],
    });
    return async () => {
      running.set(1, labels);
      try {
        await run();
      } finally {
        running.set(0, labels);
      }
    };
  },
};
