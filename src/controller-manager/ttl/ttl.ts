/** ttl-controller: tells kubelets by an annotation how long they may keep Secrets and ConfigMaps; longer in larger clusters. */
import { isNotFound } from '../../client/index.ts';
import { enqueueOnChange, keyedLoop, type ControllerDescriptor } from '../controller.ts';

const ANNOTATION = 'node.alpha.kubernetes.io/ttl';

/** The ranges overlap, so that one node more or less does not change every node again and again. */
const STEPS = [
  { from: 0, to: 100, seconds: 0 },
  { from: 90, to: 500, seconds: 15 },
  { from: 450, to: 1000, seconds: 30 },
  { from: 900, to: 2000, seconds: 60 },
  { from: 1800, to: Infinity, seconds: 300 },
] as const;

export const ttlController: ControllerDescriptor = {
  name: 'ttl-controller',
  aliases: ['ttl'],
  build(context) {
    const { client, informers, signal } = context;
    const nodes = informers.informer('v1/nodes');
    let step = 0;

    const adjust = (): void => {
      const { size } = nodes.indexer;
      const before = step;
      while (size > STEPS[step]!.to) step++;
      while (size < STEPS[step]!.from) step--;
      if (step !== before) for (const key of nodes.indexer.keys()) queue.add(key);
    };

    const reconcile = async (name: string): Promise<void> => {
      const node = nodes.get(name);
      const wanted = String(STEPS[step]!.seconds);
      if (!node || node.metadata.annotations?.[ANNOTATION] === wanted) return;
      try {
        await client
          .resource('v1/nodes')
          .patch({ name }, { metadata: { annotations: { [ANNOTATION]: wanted } } }, { type: 'strategic', signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    };

    const { queue, run } = keyedLoop(context, 'ttlcontroller', 5, reconcile);
    nodes.addHandler({ onAdd: adjust, onDelete: adjust });
    enqueueOnChange(nodes, queue);
    return run;
  },
};
