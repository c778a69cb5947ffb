/** node-ipam-controller: gives every node a range of pod addresses out of the cluster's. */
import type { Node } from '../../api/generated/core-v1.ts';
import { isNotFound } from '../../client/index.ts';
import { enqueueOnChange, keyedLoop, type ControllerDescriptor } from '../controller.ts';
import { recordNodeEvent } from '../node-lifecycle/node-events.ts';
import { CidrSet } from './cidr-set.ts';

export const nodeIpamController: ControllerDescriptor = {
  name: 'node-ipam-controller',
  aliases: ['nodeipam'],
  eventSource: 'cidrAllocator',
  build(context) {
    const { client, informers, recorder, config, signal } = context;
    if (!config.allocateNodeCidrs || config.clusterCidr === '') return () => Promise.resolve();
    const sets = config.clusterCidr
      .split(',')
      .map(
        (range) =>
          new CidrSet(range, range.includes(':') ? config.nodeCidrMaskSizes.ipv6 : config.nodeCidrMaskSizes.ipv4),
      );
    for (const range of config.serviceClusterIpRange.split(',').filter((r) => r !== '')) {
      for (const set of sets) if (set.bits === (range.includes(':') ? 128 : 32)) set.occupy(range);
    }
    const nodes = informers.informer('v1/nodes');
    /** What each node has, as far as it is occupied in the sets. */
    const held = new Map<string, readonly string[]>();

    const occupyFor = (name: string, ranges: readonly string[]): void => {
      ranges.forEach((range, i) => sets[i]?.occupy(range));
      held.set(name, ranges);
    };
    const releaseOf = (name: string): void => {
      held.get(name)?.forEach((range, i) => sets[i]?.release(range));
      held.delete(name);
    };

    const reconcile = async (name: string): Promise<void> => {
      const node = nodes.get(name);
      if (!node) return releaseOf(name);
      const has = rangesOf(node);
      if (has.length > 0) {
        if (held.get(name)?.join() !== has.join()) {
          releaseOf(name);
          occupyFor(name, has);
        }
        return;
      }
      const ranges = held.get(name) ?? allocate(node);
      if (!ranges) return;
      try {
        await client
          .resource('v1/nodes')
          .patch(
            { name },
            { metadata: { uid: node.metadata.uid }, spec: { podCIDR: ranges[0], podCIDRs: ranges } },
            { type: 'strategic', signal },
          );
      } catch (error) {
        if (!isNotFound(error)) throw error;
        releaseOf(name);
      }
    };

    const allocate = (node: Node): readonly string[] | undefined => {
      const { name = '' } = node.metadata;
      const ranges = sets.map((set) => set.allocate());
      if (ranges.every((range) => range !== undefined)) {
        held.set(name, ranges);
        return ranges;
      }
      ranges.forEach((range, i) => range !== undefined && sets[i]!.release(range));
      recordNodeEvent(
        recorder,
        node.metadata,
        'Normal',
        'CIDRNotAvailable',
        `Node ${name} status is now: CIDRNotAvailable`,
        { bare: true },
      );
      throw new Error(`failed to allocate cidr: there are no free ranges left for node ${name}`);
    };

    /** One worker, so that what nodes have already is known before the first range is given away. */
    const { queue, run } = keyedLoop(context, 'cidrallocator_node', 1, reconcile);
    nodes.addHandler({
      onAdd: (node, { initial }) =>
        initial &&
        rangesOf(node).length > 0 &&
        !held.has(node.metadata.name ?? '') &&
        occupyFor(node.metadata.name ?? '', rangesOf(node)),
    });
    enqueueOnChange(nodes, queue);
    return run;
  },
};

const rangesOf = ({ spec }: Node): readonly string[] => spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []);
