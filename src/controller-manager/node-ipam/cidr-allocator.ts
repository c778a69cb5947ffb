/** Gives each node one CIDR of every cluster CIDR, and takes them back when the node is deleted. */
import type { Node } from '../../api/generated/core-v1.ts';
import { isNotFound, type SharedInformer } from '../../client/index.ts';
import { podCidrsOf } from '../../component-helpers/index.ts';
import type { ControllerContext, Reconciler } from '../controller.ts';
import { recordNodeEvent } from '../node-lifecycle/node-events.ts';
import { CidrSet } from './cidr-set.ts';
import { CidrSetMetrics } from './metrics.ts';

export class CidrAllocator implements Reconciler {
  readonly #context: ControllerContext;
  readonly #nodes: SharedInformer<Node>;
  readonly #sets: readonly CidrSet[];
  /** The CIDRs that are occupied in the sets, by the node that has them. */
  readonly #occupied: Map<string, readonly string[]>;

  /** `shared`: the allocator whose CIDRs these are. */
  constructor(context: ControllerContext, nodes: SharedInformer<Node>, shared?: CidrAllocator) {
    this.#context = context;
    this.#nodes = nodes;
    this.#sets = shared ? shared.#sets : clusterCidrSets(context);
    this.#occupied = shared ? shared.#occupied : new Map<string, readonly string[]>();
  }

  async reconcile(name: string): Promise<void> {
    const { client, signal } = this.#context;
    const node = this.#nodes.get(name);
    if (!node) return this.#release(name);
    const existing = podCidrsOf(node);
    if (existing.length > 0) {
      if (this.#occupied.get(name)?.join() === existing.join()) return;
      this.#release(name);
      return this.#occupy(name, existing);
    }
    const podCIDRs = this.#occupied.get(name) ?? this.#allocate(node);
    const change = { metadata: { uid: node.metadata.uid }, spec: { podCIDR: podCIDRs[0], podCIDRs } };
    try {
      await client.resource('v1/nodes').patch({ name }, change, { type: 'strategic', signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#release(name);
    }
  }

  /** For nodes that had CIDRs before this controller started. */
  occupyExisting(node: Node): void {
    const { name = '' } = node.metadata;
    if (!this.#occupied.has(name)) this.#occupy(name, podCidrsOf(node));
  }

  #occupy(name: string, cidrs: readonly string[]): void {
    cidrs.forEach((cidr, i) => this.#sets[i]?.occupy(cidr));
    this.#occupied.set(name, cidrs);
  }

  #release(name: string): void {
    this.#occupied.get(name)?.forEach((cidr, i) => this.#sets[i]?.release(cidr));
    this.#occupied.delete(name);
  }

  #allocate({ metadata }: Node): readonly string[] {
    const { name = '' } = metadata;
    const cidrs = this.#sets.map((set) => set.allocate());
    if (cidrs.every((cidr) => cidr !== undefined)) {
      this.#occupied.set(name, cidrs);
      return cidrs;
    }
    cidrs.forEach((cidr, i) => cidr !== undefined && this.#sets[i]!.release(cidr));
    const message = `Node ${name} status is now: CIDRNotAvailable`;
    recordNodeEvent(this.#context.recorder, metadata, 'Normal', 'CIDRNotAvailable', message, { bare: true });
    throw new Error(`failed to allocate cidr: there are no free ranges left for node ${name}`);
  }
}

/** One set a cluster CIDR, without the addresses of Services. */
function clusterCidrSets({ config, metrics }: ControllerContext): readonly CidrSet[] {
  const { ipv4, ipv6 } = config.nodeCidrMaskSizes;
  const counts = new CidrSetMetrics(metrics);
  const sets = config.clusterCidr.split(',').map((cidr) => new CidrSet(cidr, cidr.includes(':') ? ipv6 : ipv4, counts));
  for (const services of config.serviceClusterIpRange.split(',').filter((cidr) => cidr !== '')) {
    for (const set of sets) if (set.bits === (services.includes(':') ? 128 : 32)) set.occupy(services);
  }
  return sets;
}
