/**
 * All nodes in columns: an array for each number, with a slot for each node. A deleted node's slot is reused.
 */

import { ownValue } from '../../base/index.ts';
import { typedColumn, type NewColumn, type NodeColumns, type NumberColumn, type ScalarColumn } from './node-columns.ts';
import { NodeInfo } from './node-info.ts';
import { Topology } from './topology.ts';

const INITIAL_CAPACITY = 64;

type ColumnName =
  | 'allocatableCpu'
  | 'allocatableMemory'
  | 'allocatableEphemeral'
  | 'allocatablePods'
  | 'requestedCpu'
  | 'requestedMemory'
  | 'requestedEphemeral'
  | 'nonZeroCpu'
  | 'nonZeroMemory'
  | 'podCount';

const COLUMNS: readonly ColumnName[] = [
  'allocatableCpu',
  'allocatableMemory',
  'allocatableEphemeral',
  'allocatablePods',
  'requestedCpu',
  'requestedMemory',
  'requestedEphemeral',
  'nonZeroCpu',
  'nonZeroMemory',
  'podCount',
];

export class NodeTable implements NodeColumns {
  capacity = INITIAL_CAPACITY;
  /** One more than the highest slot that was ever used. */
  end = 0;
  /** Nodes that exist as objects. */
  nodeCount = 0;
  /** Increases when nodes are added, deleted or relabelled. */
  version = 0;

  allocatableCpu: NumberColumn;
  allocatableMemory: NumberColumn;
  allocatableEphemeral: NumberColumn;
  allocatablePods: NumberColumn;
  requestedCpu: NumberColumn;
  requestedMemory: NumberColumn;
  requestedEphemeral: NumberColumn;
  /** Requests, with the scheduler's defaults for containers that have none. */
  nonZeroCpu: NumberColumn;
  nonZeroMemory: NumberColumn;
  podCount: NumberColumn;
  readonly scalars = new Map<string, ScalarColumn>();
  /** By slot; undefined where there is no node. */
  readonly nodes: (NodeInfo | undefined)[] = [];

  readonly #byName = new Map<string, NodeInfo>();
  readonly #topologies = new Map<string, Topology>();
  readonly #free: number[] = [];
  readonly #newColumn: NewColumn;

  constructor(newColumn: NewColumn = typedColumn) {
    this.#newColumn = newColumn;
    this.allocatableCpu = newColumn(INITIAL_CAPACITY);
    this.allocatableMemory = newColumn(INITIAL_CAPACITY);
    this.allocatableEphemeral = newColumn(INITIAL_CAPACITY);
    this.allocatablePods = newColumn(INITIAL_CAPACITY);
    this.requestedCpu = newColumn(INITIAL_CAPACITY);
    this.requestedMemory = newColumn(INITIAL_CAPACITY);
    this.requestedEphemeral = newColumn(INITIAL_CAPACITY);
    this.nonZeroCpu = newColumn(INITIAL_CAPACITY);
    this.nonZeroMemory = newColumn(INITIAL_CAPACITY);
    this.podCount = newColumn(INITIAL_CAPACITY);
  }

  get(name: string): NodeInfo | undefined {
    return this.#byName.get(name);
  }

  /** Creates an entry for an unknown name: a pod may be seen before its node. */
  obtain(name: string): NodeInfo {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const slot = this.#free.pop() ?? this.#nextSlot();
    const node = new NodeInfo(name, slot, this);
    this.nodes[slot] = node;
    this.#byName.set(name, node);
    return node;
  }

  /** Frees the slot when neither the node nor any pod on it is left. */
  releaseIfUnused(node: NodeInfo): void {
    if (node.exists || node.pods.size > 0) return;
    const { slot } = node;
    this.#byName.delete(node.name);
    this.nodes[slot] = undefined;
    for (const column of COLUMNS) this[column][slot] = 0;
    for (const { allocatable, requested } of this.scalars.values()) allocatable[slot] = requested[slot] = 0;
    this.#free.push(slot);
  }

  /** Every node that exists. */
  *existing(): IterableIterator<NodeInfo> {
    for (let slot = 0; slot < this.end; slot++) {
      const node = this.nodes[slot];
      if (node?.exists) yield node;
    }
  }

  scalar(name: string): ScalarColumn {
    let column = this.scalars.get(name);
    if (column === undefined) {
      column = { allocatable: this.#newColumn(this.capacity), requested: this.#newColumn(this.capacity) };
      this.scalars.set(name, column);
    }
    return column;
  }

  /** The topology domains of a label key, kept up to date after the first call. */
  topology(key: string): Topology {
    let topology = this.#topologies.get(key);
    if (topology === undefined) {
      topology = new Topology(key, this.capacity);
      for (const node of this.existing()) topology.set(node.slot, ownValue(node.labels, key));
      this.#topologies.set(key, topology);
    }
    return topology;
  }

  /** To be called when a node's labels change, and when it is added or deleted. */
  labelsChanged(node: NodeInfo): void {
    this.version++;
    for (const topology of this.#topologies.values())
      topology.set(node.slot, node.exists ? ownValue(node.labels, topology.key) : undefined);
  }

  #nextSlot(): number {
    if (this.end === this.capacity) this.#grow();
    return this.end++;
  }

  #grow(): void {
    this.capacity *= 2;
    const wider = (column: NumberColumn): NumberColumn => {
      const copy = this.#newColumn(this.capacity);
      for (let slot = 0; slot < column.length; slot++) copy[slot] = column[slot]!;
      return copy;
    };
    for (const column of COLUMNS) this[column] = wider(this[column]);
    for (const column of this.scalars.values()) {
      column.allocatable = wider(column.allocatable);
      column.requested = wider(column.requested);
    }
    for (const topology of this.#topologies.values()) topology.grow(this.capacity);
  }
}
