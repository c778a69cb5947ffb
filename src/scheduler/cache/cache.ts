/**
 * The scheduler cache: nodes in columns, the pods on them, and pods that are assumed on a node while they are bound.
 * Scheduling reads it without a snapshot: a decision is synchronous, so nothing changes during it.
 */
import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { ChangeLog } from './change-log.ts';
import { nodeChanges, type NodeChanges } from './node-changes.ts';
import type { NewColumn } from './node-columns.ts';
import type { NodeInfo } from './node-info.ts';
import { NodeTable } from './node-table.ts';
import { Nominator } from './nominator.ts';
import { Placements } from './placements.ts';
import { PodInfo } from './pod-info.ts';
import { hasUnchangedShape } from './pod-shape.ts';
import { PriorityCounts } from './priority-counts.ts';
import { resourceValue } from './quantity-values.ts';

interface CachedPod {
  pod: PodInfo;
  node: NodeInfo;
  assumed: boolean;
}

export class Cache {
  readonly table: NodeTable;
  readonly placements = new Placements();
  readonly priorities = new PriorityCounts();
  readonly log = new ChangeLog(() => this.table.nodeCount);
  readonly nominator = new Nominator((nodeName) => {
    const node = this.table.get(nodeName);
    if (node !== undefined) this.log.append({ kind: 'nominated', slot: node.slot });
  });
  /** The number of nodes that have each image. */
  readonly imageNodes = new Map<string, number>();
  /** The number of nodes with a PreferNoSchedule taint. */
  preferNoScheduleNodes = 0;

  readonly #pods = new Map<string, CachedPod>();

  constructor(newColumn?: NewColumn) {
    this.table = new NodeTable(newColumn);
  }

  get podCount(): number {
    return this.#pods.size;
  }

  get assumedCount(): number {
    let count = 0;
    for (const known of this.#pods.values()) if (known.assumed) count++;
    return count;
  }

  pod(uid: string): PodInfo | undefined {
    return this.#pods.get(uid)?.pod;
  }

  nodeOf(uid: string): NodeInfo | undefined {
    return this.#pods.get(uid)?.node;
  }

  isAssumed(uid: string): boolean {
    return this.#pods.get(uid)?.assumed === true;
  }

  /** Counts the pod on the node before the API server confirms its binding. */
  assume(pod: PodInfo, nodeName: string): void {
    if (this.#pods.has(pod.uid)) throw new Error(`pod ${pod.key} is in the cache, so can't be assumed`);
    this.#insert(pod, this.table.obtain(nodeName), true);
  }

  /** Removes an assumed pod after its binding failed. */
  forget(pod: PodInfo): void {
    const known = this.#pods.get(pod.uid);
    if (known?.assumed) this.#remove(known);
  }

  /** Adds or updates an assigned pod, and confirms an assumed one. */
  setPod(object: Pod): { before: PodInfo | undefined; after: PodInfo; wasAssumed: boolean } {
    const uid = object.metadata.uid ?? '';
    const known = this.#pods.get(uid);
    const before = known?.pod;
    const after =
      before !== undefined && hasUnchangedShape(before.pod, object)
        ? new PodInfo(object, before.shape)
        : new PodInfo(object);
    const wasAssumed = known?.assumed === true;
    if (
      known !== undefined &&
      known.node.name === after.nodeName &&
      known.pod.shape === after.shape &&
      known.pod.terminating === after.terminating
    ) {
      known.pod = after;
      known.assumed = false;
      known.node.pods.set(uid, after);
    } else {
      if (known !== undefined) this.#remove(known);
      this.#insert(after, this.table.obtain(after.nodeName), false);
    }
    return { before, after, wasAssumed };
  }

  removePod(uid: string): PodInfo | undefined {
    const known = this.#pods.get(uid);
    if (known === undefined) return undefined;
    this.#remove(known);
    return known.pod;
  }

  /** Adds or updates a node. Returns the changes that matter to scheduling. */
  setNode(object: Node): NodeChanges {
    const node = this.table.obtain(object.metadata.name ?? '');
    const changes = nodeChanges(node.node, object);
    if (!node.exists) this.table.nodeCount++;
    const labelsChanged = changes.labels || changes.added;
    if (changes.images) this.#countImages(node, object);
    if (changes.taints || changes.added) this.#countTaints(node, object);
    node.node = object;
    node.labels = object.metadata.labels ?? {};
    node.unschedulable = object.spec?.unschedulable === true;
    if (changes.allocatable || changes.added) this.#setAllocatable(node, object);
    if (labelsChanged) {
      this.table.labelsChanged(node);
      this.log.append({ kind: 'topology', slot: node.slot });
    } else if (changes.allocatable || changes.taints || changes.images || changes.other)
      this.log.append({ kind: 'node', slot: node.slot });
    return changes;
  }

  removeNode(name: string): void {
    const node = this.table.get(name);
    if (!node?.exists) return;
    this.#countImages(node, undefined);
    this.#countTaints(node, undefined);
    node.node = undefined;
    node.labels = {};
    this.table.nodeCount--;
    this.table.labelsChanged(node);
    this.log.append({ kind: 'topology', slot: node.slot });
    this.table.releaseIfUnused(node);
  }

  everythingChanged(): void {
    this.log.append({ kind: 'everything' });
  }

  #insert(pod: PodInfo, node: NodeInfo, assumed: boolean): void {
    this.#pods.set(pod.uid, { pod, node, assumed });
    node.pods.set(pod.uid, pod);
    this.priorities.count(pod.priority, 1);
    this.placements.add(pod, node.slot);
    this.countOnNode(pod, node, 1);
    this.log.append({ kind: 'pod-added', slot: node.slot, pod });
  }

  #remove(known: CachedPod): void {
    const { pod, node } = known;
    this.#pods.delete(pod.uid);
    node.pods.delete(pod.uid);
    this.priorities.count(pod.priority, -1);
    this.placements.remove(pod, node.slot);
    this.countOnNode(pod, node, -1);
    this.log.append({ kind: 'pod-removed', slot: node.slot, pod });
    this.table.releaseIfUnused(node);
  }

  /** Adds a pod to a node's numbers, or subtracts it; dry runs use it, too. */
  countOnNode(pod: PodInfo, node: NodeInfo, by: 1 | -1): void {
    const { table } = this;
    const { slot } = node;
    const { requests, hostPorts } = pod.shape;
    table.requestedCpu[slot]! += by * requests.milliCpu;
    table.requestedMemory[slot]! += by * requests.memory;
    table.requestedEphemeral[slot]! += by * requests.ephemeralStorage;
    table.nonZeroCpu[slot]! += by * requests.nonZeroMilliCpu;
    table.nonZeroMemory[slot]! += by * requests.nonZeroMemory;
    table.podCount[slot]! += by;
    for (const [name, amount] of requests.scalars) table.scalar(name).requested[slot]! += by * amount;
    node.countPorts(hostPorts, by);
    if (pod.shape.volumes.length > 0) node.countClaims(pod, by);
    if (pod.shape.hasAffinity) node.podsWithAffinity += by;
  }

  #setAllocatable(node: NodeInfo, object: Node): void {
    const { table } = this;
    const { slot } = node;
    const allocatable = object.status?.allocatable ?? {};
    table.allocatableCpu[slot] =
      table.allocatableMemory[slot] =
      table.allocatableEphemeral[slot] =
      table.allocatablePods[slot] =
        0;
    for (const column of table.scalars.values()) column.allocatable[slot] = 0;
    for (const [name, text] of Object.entries(allocatable)) {
      const value = resourceValue(name, text);
      if (name === 'cpu') table.allocatableCpu[slot] = value;
      else if (name === 'memory') table.allocatableMemory[slot] = value;
      else if (name === 'ephemeral-storage') table.allocatableEphemeral[slot] = value;
      else if (name === 'pods') table.allocatablePods[slot] = value;
      else table.scalar(name).allocatable[slot] = value;
    }
  }

  #countImages(node: NodeInfo, object: Node | undefined): void {
    for (const name of node.images.keys()) {
      const left = (this.imageNodes.get(name) ?? 1) - 1;
      if (left > 0) this.imageNodes.set(name, left);
      else this.imageNodes.delete(name);
    }
    const images = new Map<string, number>();
    for (const { names, sizeBytes } of object?.status?.images ?? [])
      for (const name of names ?? []) images.set(name, Number(sizeBytes ?? 0));
    for (const name of images.keys()) this.imageNodes.set(name, (this.imageNodes.get(name) ?? 0) + 1);
    node.images = images;
  }

  #countTaints(node: NodeInfo, object: Node | undefined): void {
    const prefers = (taints: readonly { effect: string }[]): number =>
      taints.some((t) => t.effect === 'PreferNoSchedule') ? 1 : 0;
    const taints = object?.spec?.taints ?? [];
    this.preferNoScheduleNodes += prefers(taints) - prefers(node.taints);
    node.taints = taints;
  }
}
