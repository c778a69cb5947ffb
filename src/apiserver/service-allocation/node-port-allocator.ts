/** Allocates node ports: each port to one Service only. */
import type { Service } from '../../api/generated/core-v1.ts';
import type { MaybePromise } from '../../base/index.ts';
import { AllocationError } from './cluster-ip-allocator.ts';
import type { PortRange } from './port-range.ts';

export interface NodePortAllocator {
  readonly range: PortRange;
  isAllocated(port: number): MaybePromise<boolean>;
  /** How many ports are allocated; undefined before that is known. */
  readonly allocated: number | undefined;
  /** Reserves the port that the client chose. */
  reserve(port: number): MaybePromise<void>;
  reserveNext(): MaybePromise<number>;
  /** The write of the Service that the ports were reserved for failed. */
  cancel(reserved: Iterable<number>): MaybePromise<void>;
  /** The write succeeded, and the Service does not have the ports `released` any more. */
  commit(reserved: Iterable<number>, released: Iterable<number>): MaybePromise<void>;
}

export const portIsAllocated = (): AllocationError => new AllocationError('provided port is already allocated');
export const portRangeIsFull = (): AllocationError => new AllocationError('range is full');
export const portIsOutOfRange = (range: PortRange): AllocationError =>
  new AllocationError(`provided port is not in the valid range. The range of valid ports is ${range}`);

/** Distinct: two protocols may share a port. */
export function nodePortsOf({ spec }: Service): Set<number> {
  const ports = new Set<number>();
  for (const { nodePort } of spec?.ports ?? []) if (nodePort) ports.add(nodePort);
  if (spec?.healthCheckNodePort) ports.add(spec.healthCheckNodePort);
  return ports;
}
