/** The simulated nodes of a cluster: one watch on pods, one line of heartbeats, one writer of statuses for all of them. */
import type { Duplex } from 'node:stream';
import type { Node, Pod } from '../api/generated/core-v1.ts';
import { InformerFactory, isAlreadyExists, isNotFound, keyOf, type Client } from '../client/index.ts';
import { childContext, RunGroup, type Context } from '../kernel/index.ts';
import type { PodBehaviour } from './behaviour.ts';
import { Heartbeats, type Heart } from './heartbeats.ts';
import { KubeletApi } from './kubelet-api.ts';
import { nodeAddress, nodeObject, SIMULATED_LABEL, type NodeTemplate } from './node-object.ts';
import { NodeAddresses, PodAddresses } from './pod-addresses.ts';
import { SimulatedPod, type PodHost } from './simulated-pod.ts';
import { StatusWriter } from './status-writer.ts';

export interface SimulatedNodesOptions {
  /** Reads all nodes and pods: one watch serves the kubelets of all nodes. */
  readonly reader: Client;
  /** Acts for the administrator, who removes nodes and gives them labels. */
  readonly admin: Client;
  /** Acts as the kubelet of a node. */
  readonly kubeletClient: (nodeName: string) => Client;
}

export interface AddNodes {
  readonly count: number;
  /** `sim` gives sim-0, sim-1, … */
  readonly prefix?: string;
  readonly template?: NodeTemplate | ((index: number) => NodeTemplate);
}

/** One node, and the pods that are on it. */
export interface SimulatedNode {
  readonly name: string;
  readonly address: string;
  readonly heart: Heart;
  readonly pods: Map<string, SimulatedPod>;
  readonly host: PodHost;
  addresses: NodeAddresses | undefined;
}

const REGISTERED_AT_ONCE = 32;
const DEFAULT_PREFIX = 'sim';

export class SimulatedNodes {
  readonly #ctx: Context;
  readonly #group: RunGroup;
  readonly #options: SimulatedNodesOptions;
  readonly #nodes = new Map<string, SimulatedNode>();
  readonly #behaviours: PodBehaviour[] = [];
  readonly #heartbeats: Heartbeats;
  readonly #writer: StatusWriter;
  readonly #shared = new PodAddresses();
  readonly #informers: InformerFactory;
  readonly #api: KubeletApi;
  #index = 0;

  constructor(parent: Context, options: SimulatedNodesOptions) {
    this.#group = new RunGroup(parent);
    this.#ctx = childContext(parent, 'simulated-kubelet', this.#group.signal);
    this.#options = options;
    this.#heartbeats = new Heartbeats(this.#ctx.clock, this.#ctx.logger);
    this.#writer = new StatusWriter(this.#ctx);
    this.#informers = new InformerFactory(this.#ctx, { client: options.reader });
    this.#api = new KubeletApi(this.#ctx.clock, (name) => this.#nodes.get(name), this.#ctx.logger);
  }

  get names(): string[] {
    return [...this.#nodes.keys()];
  }

  get size(): number {
    return this.#nodes.size;
  }

  has(name: string): boolean {
    return this.#nodes.has(name);
  }

  /** The nodes that an earlier process has registered come to life again. */
  async adopt(): Promise<void> {
    const known = await this.#options.reader.resource('v1/nodes').list({ labelSelector: `${SIMULATED_LABEL}=true` });
    for (const node of known.items) if (!this.#nodes.has(node.metadata.name ?? '')) await this.#adopt(node);
  }

  /** Runs until the context ends. */
  async run(): Promise<void> {
    const pods = this.#informers.informer('v1/pods', { fieldSelector: 'spec.nodeName!=' });
    pods.addHandler({
      onAdd: (pod) => this.#podAppeared(pod),
      onUpdate: (_, pod) => this.#podAppeared(pod),
      onDelete: (pod) => this.#podVanished(pod),
    });
    const nodes = this.#informers.informer('v1/nodes', { labelSelector: `${SIMULATED_LABEL}=true` });
    nodes.addHandler({
      onAdd: (node) => this.#nodeChanged(node),
      onUpdate: (_, node) => this.#nodeChanged(node),
      onDelete: (node) => this.#nodeVanished(node),
    });
    this.#group.start('statuses', () => this.#writer.run());
    this.#group.start('pods', () => this.#informers.run());
    try {
      await this.#group.wait();
    } finally {
      await this.#heartbeats.stop();
      for (const node of this.#nodes.values()) for (const pod of node.pods.values()) pod.abandon();
      this.#api.close();
    }
  }

  /** Registers nodes; resolves with their names when the API has them all. */
  async add({ count, prefix = DEFAULT_PREFIX, template }: AddNodes): Promise<string[]> {
    const names: string[] = [];
    for (let number = 0; names.length < count; number++)
      if (!this.#nodes.has(`${prefix}-${number}`)) names.push(`${prefix}-${number}`);
    for (let from = 0; from < count; from += REGISTERED_AT_ONCE) {
      const batch = names.slice(from, from + REGISTERED_AT_ONCE);
      await Promise.all(
        batch.map((name, offset) =>
          this.#register(name, typeof template === 'function' ? template(from + offset) : template),
        ),
      );
    }
    return names;
  }

  /** Takes nodes out of the cluster; the rest of it deals with the pods that were on them. */
  async remove(name: string): Promise<void> {
    const node = this.#nodes.get(name);
    if (node === undefined) throw new Error(`there is no simulated node ${name}`);
    this.#forget(node);
    await this.#options.admin
      .resource('v1/nodes')
      .delete({ name })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
  }

  /** A silent node sends no heartbeats and does nothing for its pods, as one whose machine has died. */
  silence(name: string, silent = true): void {
    const node = this.#nodes.get(name);
    if (node === undefined) throw new Error(`there is no simulated node ${name}`);
    node.heart.silent = silent;
    if (!silent) for (const pod of node.pods.values()) this.#writer.changed(pod);
  }

  /** Pods that start from now on behave so. The result takes the behaviour away again. */
  simulate(behaviour: PodBehaviour): () => void {
    this.#behaviours.unshift(behaviour);
    return () => {
      const index = this.#behaviours.indexOf(behaviour);
      if (index >= 0) this.#behaviours.splice(index, 1);
    };
  }

  /** What a node's kubelet API answers at a path; undefined when it is no node of ours. */
  read(nodeName: string, path: string): string | undefined {
    return this.#api.read(nodeName, path);
  }

  /** Connects to the node's kubelet API, in this process; undefined when it is no node of ours. */
  connectTo(nodeName: string): (() => Duplex) | undefined {
    return this.#nodes.has(nodeName) ? () => this.#api.connect(nodeName) : undefined;
  }

  /** Whether a simulated node or pod has this address; in a range of pod addresses all of them count. */
  hasAddress(address: string): boolean {
    if (this.#shared.contains(address)) return true;
    for (const node of this.#nodes.values())
      if (node.address === address || node.addresses?.contains(address)) return true;
    return false;
  }

  /** A node registers itself, unless it is to have labels of the administrator's choice: kubelets may not set every label. */
  async #register(name: string, template: NodeTemplate | undefined): Promise<void> {
    const client = this.#options.kubeletClient(name);
    const now = this.#ctx.clock.now();
    const identity = { name, address: nodeAddress(this.#index++), uid: this.#ctx.random.uid(), now };
    const wanted = nodeObject(identity, template);
    const registrar = template?.labels ? this.#options.admin : client;
    const node = await registrar
      .resource('v1/nodes')
      .create(wanted)
      .catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
        return client.resource('v1/nodes').get({ name });
      });
    await this.#adopt(node, client);
  }

  async #adopt(
    { metadata, status, spec }: Node,
    client = this.#options.kubeletClient(metadata.name ?? ''),
  ): Promise<void> {
    const name = metadata.name ?? '';
    const address = status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? nodeAddress(this.#index++);
    const heart: Heart = {
      client,
      name,
      uid: metadata.uid ?? '',
      since: this.#ctx.clock.now(),
      lease: undefined,
      silent: false,
      reportedAt: this.#ctx.clock.monotonic(),
    };
    const node: SimulatedNode = {
      name,
      address,
      heart,
      pods: new Map(),
      host: this.#host(client, address, () => node),
      addresses: spec?.podCIDR ? new NodeAddresses(spec.podCIDR) : undefined,
    };
    this.#nodes.set(name, node);
    await this.#heartbeats.add(heart);
  }

  /** A node gets its range of pod addresses some time after it has registered. */
  #nodeChanged({ metadata, spec }: Node): void {
    const node = this.#nodes.get(metadata.name ?? '');
    if (node !== undefined && node.addresses === undefined && spec?.podCIDR)
      node.addresses = new NodeAddresses(spec.podCIDR);
  }

  #nodeVanished({ metadata }: Node): void {
    const node = this.#nodes.get(metadata.name ?? '');
    if (node !== undefined && node.heart.uid === metadata.uid) this.#forget(node);
  }

  #forget(node: SimulatedNode): void {
    this.#nodes.delete(node.name);
    this.#heartbeats.remove(node.heart);
    for (const pod of node.pods.values()) pod.abandon();
  }

  #podAppeared(pod: Pod): void {
    const node = this.#nodes.get(pod.spec?.nodeName ?? '');
    if (node === undefined) return;
    const key = keyOf(pod);
    const known = node.pods.get(key);
    if (known !== undefined && known.object.metadata.uid === pod.metadata.uid) return known.update(pod);
    known?.abandon();
    const simulated = new SimulatedPod(pod, node.host);
    node.pods.set(key, simulated);
    if (pod.status?.podIP) node.addresses?.reserve(pod.status.podIP);
    simulated.begin();
    if (pod.metadata.deletionTimestamp !== undefined) simulated.terminate();
  }

  #podVanished(pod: Pod): void {
    const node = this.#nodes.get(pod.spec?.nodeName ?? '');
    const key = keyOf(pod);
    const known = node?.pods.get(key);
    if (node === undefined || known === undefined || known.object.metadata.uid !== pod.metadata.uid) return;
    node.pods.delete(key);
    known.abandon();
    if (known.podIP === undefined || known.podIP === node.address) return;
    node.addresses?.release(known.podIP);
    this.#shared.release(known.podIP);
  }

  /** What all pods of a node share. */
  #host(client: Client, hostIP: string, node: () => SimulatedNode): PodHost {
    const { clock, random, logger } = this.#ctx;
    return {
      client,
      clock,
      random,
      logger,
      hostIP,
      behaviours: () => this.#behaviours,
      takeAddress: () => node().addresses?.take() ?? this.#shared.take(),
      changed: (pod) => {
        if (!node().heart.silent) this.#writer.changed(pod);
      },
    };
  }
}
