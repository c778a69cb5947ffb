/**
 * A number for each node, by slot. Typed arrays let filters and scores of thousands of nodes read a few arrays from front
 * to back; the plain counterpart are ordinary arrays. Pays for the bench row `10,000 plain pods on 15,000 nodes`.
 */
export interface NumberColumn {
  [slot: number]: number;
  readonly length: number;
}

export type NewColumn = (capacity: number) => NumberColumn;

export const typedColumn: NewColumn = (capacity) => new Float64Array(capacity);
export const plainColumn: NewColumn = (capacity) => new Array<number>(capacity).fill(0);

/** The columns of the node table that a node reads at its slot. */
export interface NodeColumns {
  readonly allocatableCpu: NumberColumn;
  readonly allocatableMemory: NumberColumn;
  readonly allocatableEphemeral: NumberColumn;
  readonly allocatablePods: NumberColumn;
  readonly requestedCpu: NumberColumn;
  readonly requestedMemory: NumberColumn;
  readonly requestedEphemeral: NumberColumn;
  /** One more than the highest slot that was ever used. */
  readonly end: number;
  /** The column of an extended resource. */
  scalar(name: string): ScalarColumn;
}

export interface ScalarColumn {
  allocatable: NumberColumn;
  requested: NumberColumn;
}
