/** pod-garbage-collector-controller: deletes finished pods beyond a number, and pods whose node is gone. */
import { periodicLoop, type ControllerDescriptor } from '../controller.ts';
import { nodeOfPod, PODS_BY_NODE } from '../node-lifecycle/pods-by-node.ts';
import { PodCollector } from './collect.ts';

export const podGarbageCollectorController: ControllerDescriptor = {
  name: 'pod-garbage-collector-controller',
  aliases: ['podgc'],
  build(context) {
    const collector = new PodCollector(context, {
      pods: context.informers.informer('v1/pods', {}, { [PODS_BY_NODE]: nodeOfPod }),
      nodes: context.informers.informer('v1/nodes'),
    });
    return periodicLoop(context, {
      periodMs: 20_000,
      failure: 'Failed to collect pods',
      work: () => collector.collect(),
    });
  },
};
