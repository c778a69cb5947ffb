import type { Node, Taint } from '../../api/generated/core-v1.ts';
import type { NodeColumns } from './node-columns.ts';
import type { PodInfo } from './pod-info.ts';
import type { HostPort } from './pod-shape.ts';

const NO_LABELS: Readonly<Record<string, string>> = {};
const NO_TAINTS: readonly Taint[] = [];

/** One node as plugins see it. Its numbers are in the table's columns, at its slot. */
export class NodeInfo {
  readonly name: string;
  readonly slot: number;
  readonly table: NodeColumns;
  /** Undefined while only pods refer to the node: it was not seen yet, or is deleted. */
  node: Node | undefined;
  labels: Readonly<Record<string, string>> = NO_LABELS;
  taints: readonly Taint[] = NO_TAINTS;
  unschedulable = false;
  /** Image name → size in bytes. */
  images: ReadonlyMap<string, number> = new Map();
  readonly pods = new Map<string, PodInfo>();
  /** The number of pods with affinity or anti-affinity terms. */
  podsWithAffinity = 0;
  #hostPorts: Map<string, number> | undefined;
  /** PersistentVolumeClaims of the node's pods: `namespace/name` → number of pods. */
  readonly claims = new Map<string, number>();

  constructor(name: string, slot: number, table: NodeColumns) {
    this.name = name;
    this.slot = slot;
    this.table = table;
  }

  get exists(): boolean {
    return this.node !== undefined;
  }

  get allocatable(): { milliCpu: number; memory: number; ephemeralStorage: number; pods: number } {
    const { table, slot } = this;
    return {
      milliCpu: table.allocatableCpu[slot]!,
      memory: table.allocatableMemory[slot]!,
      ephemeralStorage: table.allocatableEphemeral[slot]!,
      pods: table.allocatablePods[slot]!,
    };
  }

  get requested(): { milliCpu: number; memory: number; ephemeralStorage: number } {
    const { table, slot } = this;
    return {
      milliCpu: table.requestedCpu[slot]!,
      memory: table.requestedMemory[slot]!,
      ephemeralStorage: table.requestedEphemeral[slot]!,
    };
  }

  /** Whether the host ports are free; 0.0.0.0 conflicts with every address. */
  portsFree(wanted: readonly HostPort[]): boolean {
    if (this.#hostPorts === undefined || this.#hostPorts.size === 0) return true;
    return wanted.every(({ protocol, ip, port }) => {
      if (ip !== '0.0.0.0')
        return (
          !this.#hostPorts!.has(`${protocol} ${port} ${ip}`) && !this.#hostPorts!.has(`${protocol} ${port} 0.0.0.0`)
        );
      const prefix = `${protocol} ${port} `;
      for (const used of this.#hostPorts!.keys()) if (used.startsWith(prefix)) return false;
      return true;
    });
  }

  countPorts(ports: readonly HostPort[], by: 1 | -1): void {
    if (ports.length === 0) return;
    const used = (this.#hostPorts ??= new Map());
    for (const { protocol, ip, port } of ports) count(used, `${protocol} ${port} ${ip}`, by);
  }

  countClaims(pod: PodInfo, by: 1 | -1): void {
    for (const volume of pod.shape.volumes) {
      const claim =
        volume.persistentVolumeClaim?.claimName ?? (volume.ephemeral ? `${pod.name}-${volume.name}` : undefined);
      if (claim !== undefined) count(this.claims, `${pod.namespace}/${claim}`, by);
    }
  }
}

function count(map: Map<string, number>, key: string, by: number): void {
  const now = (map.get(key) ?? 0) + by;
  if (now > 0) map.set(key, now);
  else map.delete(key);
}
