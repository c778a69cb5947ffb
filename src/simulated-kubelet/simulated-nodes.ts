/** The simulated nodes of a cluster. All of them share one watch on pods, one heartbeat timer and one status writer. */
import type { Duplex } from 'node:stream';
import type { Node, Pod } from '../api/generated/core-v1.ts';
import { InformerFactory, isAlreadyExists, isNotFound, keyOf, type Client } from '../client/index.ts';
import { childContext, RunGroup, WakeUp, type Context } from '../kernel/index.ts';
import { rejectPod } from './admit-pod.ts';
import { Heartbeats, type NodeHeartbeat } from './heartbeats.ts';
import { KubeletApi } from './kubelet-api.ts';
import { nodeAddress, nodeObject, SIMULATED_LABEL, type NodeTemplate } from './node-object.ts';
import { PodAddresses, SHARED_POD_CIDR } from './pod-addresses.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { SimulatedPod, type PodBehaviour, type PodHost } from './simulated-pod.ts';
import { StatusWriter } from './status-writer.ts';

export interface SimulatedNodesOptions {
  /** Watches all nodes and pods, for all simulated kubelets. */
  readonly reader: Client;
  /** Authenticates as an administrator, who may delete nodes and set any label. */
  readonly admin: Client;
  /** A client that authenticates as the kubelet of a node. */
  readonly kubeletClient: (nodeName: string) => Client;
}

interface AddNodes {
  readonly count: number;
  /** `sim` gives sim-0, sim-1, … */
  readonly prefix?: string;
  readonly template?: NodeTemplate | ((index: number) => NodeTemplate);
}

const MAX_CONCURRENT_REGISTRATIONS = 32;
const DEFAULT_PREFIX = 'sim';

/** The exit code of a container whose machine went down. */
const LOST_EXIT_CODE = 255;

export class SimulatedNodes {
  readonly #ctx: Context;
  readonly #group: RunGroup;
  readonly #options: SimulatedNodesOptions;
  readonly #nodes = new Map<string, SimulatedNode>();
  /** Pods of nodes that are not simulated, or not yet: a node that registers later finds its pods here. */
  readonly #podsOfOthers = new Map<string, Map<string, Pod>>();
  /** All pods of the cluster are known. Until then none is started: one that comes later may have an address already. */
  #podsAreKnown = false;
  readonly #firstNode = new WakeUp();
  readonly #behaviours: PodBehaviour[] = [];
  readonly #heartbeats: Heartbeats;
  readonly #writer: StatusWriter;
  readonly #sharedAddresses = new PodAddresses(SHARED_POD_CIDR);
  readonly #informers: InformerFactory;
  readonly #api: KubeletApi;
  #nextAddressIndex = 0;

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

  /** Takes over the simulated nodes that an earlier process registered. */
  async adopt(): Promise<void> {
    const known = await this.#options.reader.resource('v1/nodes').list({ labelSelector: `${SIMULATED_LABEL}=true` });
    for (const node of known.items) if (!this.#nodes.has(node.metadata.name ?? '')) await this.#adopt(node);
  }

  /** Makes all other nodes simulated ones, with their pods: of a copy of a cluster whose nodes ran containers. */
  async standIn(): Promise<void> {
    const nodes = this.#options.admin.resource('v1/nodes');
    const { items } = await nodes.list({ labelSelector: `${SIMULATED_LABEL}!=true` });
    for (const { metadata } of items) {
      const labels = { [SIMULATED_LABEL]: 'true' };
      await nodes.patch({ name: metadata.name ?? '' }, { metadata: { labels } }, { type: 'merge' });
    }
  }

  /** Runs until the context ends. */
  async run(): Promise<void> {
    const nodes = this.#informers.informer('v1/nodes', { labelSelector: `${SIMULATED_LABEL}=true` });
    nodes.addHandler({
      onAdd: (node) => this.#nodeUpdated(node),
      onUpdate: (_, node) => this.#nodeUpdated(node),
      onDelete: (node) => this.#nodeDeleted(node),
    });
    this.#group.start('statuses', () => this.#writer.run());
    this.#group.start('informers', () => this.#informers.run());
    this.#group.start('pods', (signal) => this.#watchPods(signal));
    try {
      await this.#group.wait();
    } finally {
      await this.#heartbeats.stop();
      for (const node of this.#nodes.values()) for (const pod of node.pods.values()) pod.abandon();
      this.#api.close();
    }
  }

  /** A cluster without simulated nodes does not keep every pod for them. */
  async #watchPods(signal: AbortSignal): Promise<void> {
    if (this.#nodes.size === 0) await this.#firstNode.wait(signal);
    if (signal.aborted) return;
    const pods = this.#informers.informer('v1/pods', { fieldSelector: 'spec.nodeName!=' });
    pods.addHandler({
      onAdd: (pod) => this.#podUpdated(pod),
      onUpdate: (_, pod) => this.#podUpdated(pod),
      onDelete: (pod) => this.#podDeleted(pod),
    });
    await pods.waitForSync(signal);
    this.#podsAreKnown = true;
    for (const node of this.#nodes.values()) this.#takePods(node);
  }

  /** Registers nodes; resolves with their names. */
  async add({ count, prefix = DEFAULT_PREFIX, template }: AddNodes): Promise<string[]> {
    const names: string[] = [];
    for (let number = 0; names.length < count; number++)
      if (!this.#nodes.has(`${prefix}-${number}`)) names.push(`${prefix}-${number}`);
    for (let from = 0; from < count; from += MAX_CONCURRENT_REGISTRATIONS) {
      const batch = names.slice(from, from + MAX_CONCURRENT_REGISTRATIONS);
      await Promise.all(
        batch.map((name, offset) =>
          this.#register(name, typeof template === 'function' ? template(from + offset) : template),
        ),
      );
    }
    return names;
  }

  /** Deletes a node. Its pods are left to the pod garbage collector. */
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

  /** A silent node behaves as if its machine had died: it renews no Lease and writes no pod status. */
  silence(name: string, silent = true): void {
    const node = this.#nodes.get(name);
    if (node === undefined) throw new Error(`there is no simulated node ${name}`);
    node.heartbeat.silent = silent;
    if (!silent) for (const pod of node.pods.values()) this.#writer.changed(pod);
  }

  /** The machine of a node was started again: the containers that ran on it are gone, and the restart policy applies. */
  restart(name: string): void {
    const node = this.#nodes.get(name);
    if (node === undefined) throw new Error(`there is no simulated node ${name}`);
    for (const pod of node.pods.values()) if (pod.phase === 'Running') pod.exit(LOST_EXIT_CODE, { reason: 'Error' });
  }

  /** Adds a behaviour for pods that start from now on. The result removes it again. */
  simulate(behaviour: PodBehaviour): () => void {
    this.#behaviours.unshift(behaviour);
    return () => {
      const index = this.#behaviours.indexOf(behaviour);
      if (index >= 0) this.#behaviours.splice(index, 1);
    };
  }

  /** Reads a path of a node's kubelet API; undefined for nodes that are not simulated. */
  read(nodeName: string, path: string): string | undefined {
    return this.#api.read(nodeName, path);
  }

  /** Opens in-process connections to a node's kubelet API; undefined for nodes that are not simulated. */
  connectTo(nodeName: string): (() => Duplex) | undefined {
    return this.#nodes.has(nodeName) ? () => this.#api.connect(nodeName) : undefined;
  }

  /** Whether the address is of a simulated node or in the range of addresses of its pods. */
  hasAddress(address: string): boolean {
    if (this.#sharedAddresses.mayHaveGiven(address)) return true;
    for (const node of this.#nodes.values())
      if (node.address === address || node.addresses?.contains(address)) return true;
    return false;
  }

  /**
   * The kubelet registers its node. With labels the administrator does, because NodeRestriction forbids kubelets some
   * labels.
   */
  async #register(name: string, template: NodeTemplate | undefined): Promise<void> {
    const client = this.#options.kubeletClient(name);
    const now = this.#ctx.clock.now();
    const identity = { name, address: nodeAddress(this.#nextAddressIndex++), uid: this.#ctx.random.uid(), now };
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
    const address =
      status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? nodeAddress(this.#nextAddressIndex++);
    const heartbeat: NodeHeartbeat = {
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
      heartbeat,
      pods: new Map(),
      host: this.#host(client, address, () => node),
      addresses: spec?.podCIDR ? new PodAddresses(spec.podCIDR) : undefined,
      allocatable: status?.allocatable ?? {},
    };
    this.#nodes.set(name, node);
    this.#firstNode.wake();
    if (this.#podsAreKnown) this.#takePods(node);
    await this.#heartbeats.add(heartbeat);
  }

  /** The node IPAM controller sets the pod CIDR some time after the node has registered. */
  #nodeUpdated({ metadata, spec, status }: Node): void {
    const node = this.#nodes.get(metadata.name ?? '');
    if (node === undefined) return;
    node.allocatable = status?.allocatable ?? {};
    this.#group.start(`allocatable of ${node.name}`, () => this.#allocateAdded(node, status?.capacity ?? {}));
    if (node.addresses === undefined && spec?.podCIDR) node.addresses = new PodAddresses(spec.podCIDR);
  }

  /** Extended resources that an administrator has added to the capacity become allocatable. */
  async #allocateAdded(
    { name, allocatable, heartbeat }: SimulatedNode,
    capacity: Record<string, string>,
  ): Promise<void> {
    const added = Object.entries(capacity).filter(
      ([resource, amount]) => resource.includes('/') && allocatable[resource] !== amount,
    );
    if (added.length === 0 || heartbeat.silent) return;
    const patch = { status: { allocatable: Object.fromEntries(added) } };
    await heartbeat.client
      .resource('v1/nodes')
      .patch({ name }, patch, { type: 'strategic', subresource: 'status', signal: this.#ctx.signal })
      .catch((error: unknown) => {
        if (!isNotFound(error) && !this.#ctx.signal.aborted)
          this.#ctx.logger.error(error, 'Failed to update the allocatable resources of a node', { node: name });
      });
  }

  #nodeDeleted({ metadata }: Node): void {
    const node = this.#nodes.get(metadata.name ?? '');
    if (node !== undefined && node.heartbeat.uid === metadata.uid) this.#forget(node);
  }

  #forget(node: SimulatedNode): void {
    this.#nodes.delete(node.name);
    this.#heartbeats.remove(node.heartbeat);
    for (const pod of node.pods.values()) {
      pod.abandon();
      this.#keepForLater(node.name, pod.object);
    }
  }

  #keepForLater(node: string, pod: Pod): void {
    const pods = this.#podsOfOthers.get(node) ?? new Map<string, Pod>();
    this.#podsOfOthers.set(node, pods.set(keyOf(pod), pod));
  }

  /** Pods that an earlier process has started keep their addresses and resources; what is left is for the others. */
  #takePods({ name }: SimulatedNode): void {
    const pods = [...(this.#podsOfOthers.get(name)?.values() ?? [])];
    this.#podsOfOthers.delete(name);
    for (const pod of pods) if (hasStarted(pod)) this.#podUpdated(pod);
    for (const pod of pods) if (!hasStarted(pod)) this.#podUpdated(pod);
  }

  #podUpdated(pod: Pod): void {
    const name = pod.spec?.nodeName ?? '';
    const node = this.#nodes.get(name);
    if (node === undefined || !this.#podsAreKnown) return this.#keepForLater(name, pod);
    const key = keyOf(pod);
    const known = node.pods.get(key);
    if (known !== undefined && known.object.metadata.uid === pod.metadata.uid) return known.update(pod);
    known?.abandon();
    const simulated = new SimulatedPod(pod, node.host);
    const rejection = hasStarted(pod)
      ? undefined
      : rejectPod(simulated.requested, node.pods.values(), node.allocatable);
    node.pods.set(key, simulated);
    if (rejection) return simulated.reject(rejection);
    if (pod.status?.podIP) {
      node.addresses?.reserve(pod.status.podIP);
      this.#sharedAddresses.reserve(pod.status.podIP);
    }
    simulated.begin();
    if (pod.metadata.deletionTimestamp !== undefined) simulated.terminate();
  }

  #podDeleted(pod: Pod): void {
    const name = pod.spec?.nodeName ?? '';
    const node = this.#nodes.get(name);
    const key = keyOf(pod);
    const others = this.#podsOfOthers.get(name);
    if (others?.delete(key) && others.size === 0) this.#podsOfOthers.delete(name);
    const known = node?.pods.get(key);
    if (node === undefined || known === undefined || known.object.metadata.uid !== pod.metadata.uid) return;
    node.pods.delete(key);
    known.abandon();
    if (known.podIP === undefined || known.podIP === node.address) return;
    node.addresses?.release(known.podIP);
    this.#sharedAddresses.release(known.podIP);
  }

  #host(client: Client, hostIP: string, node: () => SimulatedNode): PodHost {
    const { clock, random, logger } = this.#ctx;
    return {
      client,
      clock,
      random,
      logger,
      hostIP,
      behaviours: () => this.#behaviours,
      allocateAddress: () => this.#allocateAddress(node()),
      changed: (pod) => {
        if (!node().heartbeat.silent) this.#writer.changed(pod);
      },
    };
  }

  #allocateAddress({ addresses }: SimulatedNode): string {
    const address = addresses?.allocate() ?? this.#sharedAddresses.allocate();
    if (address === undefined) throw new Error('no pod address is left');
    return address;
  }
}

/** An earlier process has admitted the pod. */
function hasStarted({ status }: Pod): boolean {
  return status?.startTime !== undefined;
}
