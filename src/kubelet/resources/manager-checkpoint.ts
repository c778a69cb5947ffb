/**
 * The checkpoint files of the CPU manager and the memory manager in upstream's format: JSON with a checksum, so that either kubelet
 * goes on with what the other left.
 *
 * The checksum is FNV-1a of the state as Go prints it, with the types of all fields:
 *
 *     (*state.CPUManagerCheckpoint){PolicyName:(string)static … Checksum:(checksum.Checksum)0}
 */
import { fnv32a, goJsonText } from '../../base/index.ts';
import { goList, goMap } from './go-text.ts';
import type { MemoryBlock, NodeState } from './memory-state.ts';

export interface CpuState {
  readonly policyName: string;
  readonly defaultCpuSet: string;
  /** CPUs by pod uid and container name. */
  readonly entries?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface MemoryState {
  readonly policyName: string;
  /** By the id of the NUMA node. */
  readonly machineState: Readonly<Record<string, NodeState>>;
  /** Blocks by pod uid and container name. */
  readonly entries?: Readonly<Record<string, Readonly<Record<string, readonly MemoryBlock[]>>>>;
}

/** How the state of a manager becomes the text of its file. */
export interface CheckpointFormat<T> {
  encode(state: T): string;
  /** Throws where the text is not what `encode` or upstream's kubelet wrote. */
  decode(text: string): T;
}

export class CorruptCheckpoint extends Error {
  override readonly name = 'CorruptCheckpoint';
  readonly code = 'corrupt-checkpoint';

  constructor() {
    super('checkpoint is corrupted');
  }
}

function withChecksum<T extends object>(goText: (state: T) => string): CheckpointFormat<T> {
  const checksumOf = (state: T): number => fnv32a(Buffer.from(goText(state)));
  return {
    encode: (state) => goJsonText({ ...state, checksum: checksumOf(state) }),
    decode(text) {
      const { checksum, ...rest } = JSON.parse(text) as { checksum?: number };
      const state = rest as T;
      // Kubelets of long ago wrote none.
      if (checksum !== undefined && checksum !== 0 && checksum !== checksumOf(state)) throw new CorruptCheckpoint();
      return state;
    },
  };
}

export const cpuCheckpoint: CheckpointFormat<CpuState> = withChecksum(
  ({ policyName, defaultCpuSet, entries = {} }) =>
    `(*state.CPUManagerCheckpoint){PolicyName:(string)${policyName} DefaultCPUSet:(string)${defaultCpuSet} ` +
    `Entries:(map[string]map[string]string)${goMap(entries, (containers) => goMap(containers, String))} ${NO_CHECKSUM}}`,
);

export const memoryCheckpoint: CheckpointFormat<MemoryState> = withChecksum(
  ({ policyName, machineState, entries = {} }) =>
    `(*state.MemoryManagerCheckpoint){PolicyName:(string)${policyName} ` +
    `MachineState:(state.NUMANodeMap)${goMap(machineState, nodeText, (a, b) => Number(a) - Number(b))} ` +
    `Entries:(state.ContainerMemoryAssignments)${goMap(entries, (containers) => goMap(containers, blocksText))} ${NO_CHECKSUM}}`,
);

/** The checksum is computed while its own field is zero. */
const NO_CHECKSUM = 'Checksum:(checksum.Checksum)0';

const nodeText = ({ numberOfAssignments, memoryMap, cells }: NodeState): string =>
  `<*>{NumberOfAssignments:(int)${numberOfAssignments} ` +
  `MemoryMap:(map[v1.ResourceName]*state.MemoryTable)${goMap(memoryMap, tableText)} Cells:([]int)${goList(cells)}}`;

const tableText = (table: NodeState['memoryMap'][string]): string =>
  `<*>{TotalMemSize:(uint64)${table.total} SystemReserved:(uint64)${table.systemReserved} ` +
  `Allocatable:(uint64)${table.allocatable} Reserved:(uint64)${table.reserved} Free:(uint64)${table.free}}`;

const blocksText = (blocks: readonly MemoryBlock[]): string =>
  goList(
    blocks.map(
      ({ numaAffinity, type, size }) =>
        `{NUMAAffinity:([]int)${goList(numaAffinity)} Type:(v1.ResourceName)${type} Size:(uint64)${size}}`,
    ),
  );
