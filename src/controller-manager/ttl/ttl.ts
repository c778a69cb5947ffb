/** ttl-controller: annotates nodes with how long kubelets may cache Secrets and ConfigMaps, by the size of the cluster. */
import { enqueueOnChange, keyedLoop, type ControllerContext, type ControllerDescriptor } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';

const ANNOTATION = 'node.alpha.kubernetes.io/ttl';

/** The ranges overlap, so that adding and deleting one node does not change all nodes every time. */
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
    const { informers, signal } = context;
    const nodes = informers.informer('v1/nodes');
    let step = 0;

    const adjust = (): void => {
      const { size } = nodes.indexer;
      const before = step;
      while (size > STEPS[step]!.to) step++;
      while (size < STEPS[step]!.from) step--;
      if (step !== before) for (const key of nodes.indexer.keys()) queue.add(key);
    };

    const reconcile = async (name: string, { client }: ControllerContext): Promise<void> => {
      const node = nodes.get(name);
      const wanted = String(STEPS[step]!.seconds);
      if (!node || node.metadata.annotations?.[ANNOTATION] === wanted) return;
      await ignoreNotFound(() =>
        client
          .resource('v1/nodes')
          .patch({ name }, { metadata: { annotations: { [ANNOTATION]: wanted } } }, { type: 'strategic', signal }),
      );
    };

    const { queue, run } = keyedLoop(context, 'ttlcontroller', 5, reconcile);
    nodes.addHandler({ onAdd: adjust, onDelete: adjust });
    enqueueOnChange(nodes, queue);
    return run;
  },
};
