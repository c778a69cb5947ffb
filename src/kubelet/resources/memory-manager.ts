/** The memory manager: with the Static policy, Guaranteed pods get memory and huge pages from specific NUMA nodes. */
import path from 'node:path';
import type { Container, Pod } from '../../api/generated/core-v1.ts';
import { parseQuantity } from '../../base/index.ts';
import { isRestartableInitContainer, podQos } from '../../component-helpers/index.ts';
import { uidOf } from '../pod/pod-identity.ts';
import { formatCpuSet } from './cpu-set.ts';
import { memoryCheckpoint, type MemoryState } from './manager-checkpoint.ts';
import { machineState, type MemoryBlock, type MemoryTable } from './memory-state.ts';
import type { NodeTopology } from './node-topology.ts';
import { restoreState, StateFile } from './state-file.ts';
import {
  allMasks,
  bitsOf,
  countOf,
  maskOf,
  type NumaMask,
  type ProviderHints,
  type TopologyHint,
} from './topology-hint.ts';
import type { HintProvider } from './topology-manager.ts';

const FILE = 'memory_manager_state';

interface MemoryManagerSettings {
  readonly policy: string;
  readonly rootDirectory: string;
  readonly topology: NodeTopology;
  /** Reserved bytes by NUMA node and memory type. */
  readonly reserved: ReadonlyMap<number, Readonly<Record<string, number>>>;
}

export class MemoryManager implements HintProvider {
  readonly #settings: MemoryManagerSettings;
  readonly #state: StateFile<MemoryState>;
  readonly #entries = new Map<string, Map<string, readonly MemoryBlock[]>>();
  /** Allocatable bytes by NUMA node and memory type. */
  readonly #allocatable: MemoryTable;

  constructor(settings: MemoryManagerSettings) {
    this.#settings = settings;
    this.#state = new StateFile(path.join(settings.rootDirectory, FILE), memoryCheckpoint);
    this.#allocatable = new Map(
      settings.topology.numaNodes.map(({ id, memoryBytes, hugePages }) => {
        const reserved = settings.reserved.get(id) ?? {};
        const pages = Object.entries(hugePages).map(([size, bytes]): [string, number] => [`hugepages-${size}`, bytes]);
        const memory = memoryBytes - pages.reduce((sum, [, bytes]) => sum + bytes, 0);
        return [
          id,
          Object.fromEntries(
            [['memory', memory] as [string, number], ...pages].map(([type, total]) => [
              type,
              Math.max(0, total - (reserved[type] ?? 0)),
            ]),
          ),
        ];
      }),
    );
  }

  get isStatic(): boolean {
    return this.#settings.policy === 'Static';
  }

  /** Allocatable memory, for the PodResources API. */
  get allocatable(): MemoryBlock[] {
    return this.isStatic
      ? [...this.#allocatable].flatMap(([node, types]) =>
          Object.entries(types).map(([type, size]) => ({ numaAffinity: [node], type, size })),
        )
      : [];
  }

  async load(): Promise<void> {
    const state = await restoreState(this.#state, { manager: 'memory', configured: this.#settings.policy });
    if (state === undefined) {
      if (this.isStatic) await this.#save();
      return;
    }
    for (const [uid, containers] of Object.entries(state.entries ?? {}))
      this.#entries.set(uid, new Map(Object.entries(containers)));
  }

  hints(pod: Pod, container: Container | undefined): ProviderHints {
    const wanted = this.#requests(pod, container);
    const types = Object.keys(wanted);
    if (types.length === 0) return {};
    const held =
      container === undefined
        ? [...(this.#entries.get(uidOf(pod))?.values() ?? [])].flat()
        : (this.#entries.get(uidOf(pod))?.get(container.name) ?? []);
    if (held.length > 0)
      return Object.fromEntries(
        types.map((type) => [
          type,
          held
            .filter((block) => block.type === type)
            .map(({ numaAffinity }) => ({ affinity: maskOf(numaAffinity), preferred: true })),
        ]),
      );
    const hints = this.#feasibleHints(pod, wanted);
    return Object.fromEntries(types.map((type) => [type, hints]));
  }

  async allocate(pod: Pod, container: Container, hint: TopologyHint): Promise<void> {
    const wanted = this.#requests(pod, container);
    if (Object.keys(wanted).length === 0 || this.#entries.get(uidOf(pod))?.has(container.name)) return;
    const feasible = this.#feasibleHints(pod, wanted);
    const affinity =
      hint.affinity !== undefined && feasible.some((one) => one.affinity === hint.affinity)
        ? hint.affinity
        : this.#bestHint(feasible, hint);
    const ofPod = this.#entries.get(uidOf(pod)) ?? new Map<string, readonly MemoryBlock[]>();
    ofPod.set(
      container.name,
      Object.entries(wanted).map(([type, size]) => ({ numaAffinity: bitsOf(affinity), type, size })),
    );
    this.#entries.set(uidOf(pod), ofPod);
    await this.#save();
  }

  /** Without a hint, or to extend a hint that is too small: the smallest set of NUMA nodes with enough memory. */
  #bestHint(
    feasible: readonly (TopologyHint & { readonly affinity: NumaMask })[],
    { affinity, preferred }: TopologyHint,
  ): NumaMask {
    const fitting = feasible
      .filter((one) => affinity === undefined || (one.affinity & affinity) === affinity)
      .toSorted(
        (a, b) =>
          Number(b.preferred) - Number(a.preferred) ||
          countOf(a.affinity) - countOf(b.affinity) ||
          a.affinity - b.affinity,
      );
    const [best] = fitting;
    if (best === undefined)
      throw new Error(
        affinity === undefined
          ? '[memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available'
          : '[memorymanager] failed to find NUMA nodes to extend the current topology hint',
      );
    if (affinity !== undefined && preferred && !best.preferred)
      throw new Error('[memorymanager] failed to find the extended preferred hint');
    return best.affinity;
  }

  blocksOf(podUid: string, containerName: string): readonly MemoryBlock[] {
    return this.#entries.get(podUid)?.get(containerName) ?? [];
  }

  /** `cpuset.mems` of a container; undefined for all NUMA nodes. */
  nodesOf(podUid: string, containerName: string): string | undefined {
    const nodes = new Set(this.blocksOf(podUid, containerName).flatMap(({ numaAffinity }) => numaAffinity));
    return nodes.size === 0 ? undefined : formatCpuSet([...nodes]);
  }

  release(podUid: string): Promise<void> {
    return this.#entries.delete(podUid) ? this.#save() : Promise.resolve();
  }

  async removeStaleState(podUids: ReadonlySet<string>): Promise<void> {
    for (const uid of this.#entries.keys()) if (!podUids.has(uid)) await this.release(uid);
  }

  /** Sets of NUMA nodes with enough free memory. NUMA nodes in use are shared only as the same group. */
  #feasibleHints(
    pod: Pod,
    wanted: Readonly<Record<string, number>>,
  ): (TopologyHint & { readonly affinity: NumaMask })[] {
    const others = [...this.#entries].flatMap(([uid, containers]) =>
      [...containers]
        .filter(([name]) => uid !== uidOf(pod) || !this.#isReusable(pod, name))
        .flatMap(([, blocks]) => blocks),
    );
    const groups = others.map(({ numaAffinity }) => maskOf(numaAffinity));
    const inMask = (mask: NumaMask, type: string): number =>
      bitsOf(mask).reduce((sum, node) => sum + (this.#allocatable.get(node)?.[type] ?? 0), 0);
    const used = (mask: NumaMask, type: string): number =>
      others
        .filter((block) => block.type === type && maskOf(block.numaAffinity) === mask)
        .reduce((sum, { size }) => sum + size, 0);
    const large = allMasks([...this.#allocatable.keys()]).filter((mask) =>
      Object.entries(wanted).every(([type, size]) => inMask(mask, type) >= size),
    );
    const fewestNodes = Math.min(...large.map(countOf));
    return large
      .filter(
        (mask) =>
          groups.every((group) => group === mask || (group & mask) === 0) &&
          Object.entries(wanted).every(([type, size]) => inMask(mask, type) - used(mask, type) >= size),
      )
      .map((mask) => ({ affinity: mask, preferred: countOf(mask) === fewestNodes }));
  }

  /** Memory of init containers can be reused by the containers that start after them. */
  #isReusable(pod: Pod, containerName: string): boolean {
    return (pod.spec?.initContainers ?? []).some(
      (container) => container.name === containerName && !isRestartableInitContainer(container),
    );
  }

  #requests(pod: Pod, container: Container | undefined): Record<string, number> {
    if (!this.isStatic || podQos(pod) !== 'Guaranteed') return {};
    if (container !== undefined) return memoryRequests(container);
    const { initContainers = [], containers = [] } = pod.spec ?? {};
    const always = [...initContainers.filter(isRestartableInitContainer), ...containers].map(memoryRequests);
    const total: Record<string, number> = {};
    for (const requests of always)
      for (const [type, size] of Object.entries(requests)) total[type] = (total[type] ?? 0) + size;
    for (const starting of initContainers.filter((one) => !isRestartableInitContainer(one)))
      for (const [type, size] of Object.entries(memoryRequests(starting)))
        total[type] = Math.max(total[type] ?? 0, size);
    return total;
  }

  #save(): Promise<void> {
    const { topology, policy, reserved } = this.#settings;
    const entries = Object.fromEntries(
      Array.from(this.#entries, ([uid, containers]) => [uid, Object.fromEntries(containers)]),
    );
    const blocks = [...this.#entries.values()].flatMap((containers) => [...containers.values()]);
    return this.#state.save({
      policyName: policy,
      machineState: machineState({ topology, reserved, allocatable: this.#allocatable, assignments: blocks }),
      ...(this.#entries.size === 0 ? {} : { entries }),
    });
  }
}

function memoryRequests({ resources }: Pick<Container, 'resources'>): Record<string, number> {
  const requests = { ...resources?.limits, ...resources?.requests };
  return Object.fromEntries(
    Object.entries(requests)
      .filter(
        ([name, quantity]) => (name === 'memory' || name.startsWith('hugepages-')) && !parseQuantity(quantity).isZero(),
      )
      .map(([name, quantity]) => [name, parseQuantity(quantity).value()]),
  );
}
