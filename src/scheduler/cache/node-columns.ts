/** What one node reads of the table of all nodes: its numbers, at its slot. */
export interface NodeColumns {
  readonly allocatableCpu: Float64Array;
  readonly allocatableMemory: Float64Array;
  readonly allocatableEphemeral: Float64Array;
  readonly allocatablePods: Float64Array;
  readonly requestedCpu: Float64Array;
  readonly requestedMemory: Float64Array;
  readonly requestedEphemeral: Float64Array;
  /** One more than the highest slot that was ever used. */
  readonly end: number;
  /** The column of an extended resource. */
  scalar(name: string): ScalarColumn;
}

export interface ScalarColumn {
  allocatable: Float64Array;
  requested: Float64Array;
}
