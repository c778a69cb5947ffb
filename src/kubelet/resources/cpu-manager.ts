/**
 * The CPU manager: with the static policy, containers of Guaranteed pods that request whole CPUs get exclusive CPUs.
 */
import path from 'node:path';
import type { Container, EphemeralContainer, Pod } from '../../api/generated/core-v1.ts';
import { parseQuantity } from '../../base/index.ts';
import { isRestartableInitContainer, podQos } from '../../component-helpers/index.ts';
import { uidOf } from '../pod/pod-identity.ts';
import { NO_CPU_POLICY_OPTIONS, parseCpuPolicyOptions, type CpuPolicyOptions } from './cpu-policy-options.ts';
import { formatCpuSet, parseCpuSet } from './cpu-set.ts';
import { distributeCpus } from './distribute-cpus.ts';
import { cpuCheckpoint, type CpuState } from './manager-checkpoint.ts';
import type { NodeTopology } from './node-topology.ts';
import { restoreState, StateFile } from './state-file.ts';
import { takeCpus } from './take-cpus.ts';
import { allMasks, bitsOf, countOf, type ProviderHints, type TopologyHint } from './topology-hint.ts';
import { AdmissionError, type HintProvider } from './topology-manager.ts';

const FILE = 'cpu_manager_state';

interface CpuManagerSettings {
  readonly policy: string;
  readonly options: Readonly<Record<string, string>>;
  readonly featureGates?: Readonly<Record<string, boolean>>;
  readonly topologyPolicy?: string;
  readonly rootDirectory: string;
  readonly topology: NodeTopology;
  /** CPUs that are never exclusive: their IDs, or an amount. */
  readonly reserved: { readonly cpus: readonly number[] } | { readonly milli: number };
}

export class CpuManager implements HintProvider {
  readonly #settings: CpuManagerSettings;
  readonly #options: CpuPolicyOptions;
  readonly #state: StateFile<CpuState>;
  readonly #entries = new Map<string, Map<string, number[]>>();
  readonly #all: readonly number[];
  readonly #reserved: ReadonlySet<number>;

  constructor(settings: CpuManagerSettings) {
    this.#settings = settings;
    this.#state = new StateFile(path.join(settings.rootDirectory, FILE), cpuCheckpoint);
    this.#all = settings.topology.cpus.map(({ id }) => id);
    this.#options = optionsOf(settings);
    this.#reserved = new Set(this.isStatic ? reservedCpus(settings) : []);
  }

  get isStatic(): boolean {
    return this.#settings.policy === 'static';
  }

  /** CPUs that can be exclusive, allocated or not. */
  get allocatable(): number[] {
    return this.#all.filter((cpu) => !this.#reserved.has(cpu));
  }

  async load(): Promise<void> {
    const state = await restoreState(this.#state, { manager: 'CPU', configured: this.#settings.policy });
    if (state === undefined) {
      if (this.isStatic) await this.#save();
      return;
    }
    for (const [uid, containers] of Object.entries(state.entries ?? {}))
      this.#entries.set(uid, new Map(Object.entries(containers).map(([name, set]) => [name, parseCpuSet(set)])));
  }

  hints(pod: Pod, container: Container | undefined): ProviderHints {
    if (!this.isStatic) return {};
    const wanted = container === undefined ? podExclusiveCpus(pod) : exclusiveCpus(pod, container);
    if (wanted === 0) return {};
    const held =
      container === undefined
        ? [...(this.#entries.get(uidOf(pod))?.values() ?? [])].flat()
        : (this.#entries.get(uidOf(pod))?.get(container.name) ?? []);
    if (held.length > 0) return { cpu: held.length === wanted ? this.#hintsFor(wanted, new Set(held)) : [] };
    return { cpu: this.#hintsFor(wanted, new Set([...this.#free(), ...this.#reusable(pod)])) };
  }

  #hintsFor(wanted: number, usable: ReadonlySet<number>): TopologyHint[] {
    const { topology } = this.#settings;
    const masks = allMasks(topology.numaNodes.map(({ id }) => id));
    const inside = (mask: number, cpus: ReadonlySet<number> | undefined): number =>
      topology.cpus.filter(({ id, numa }) => (mask >>> numa) & 1 && (cpus?.has(id) ?? true)).length;
    const fewestNodes = Math.min(...masks.filter((mask) => inside(mask, undefined) >= wanted).map(countOf));
    return masks
      .filter((mask) => inside(mask, usable) >= wanted)
      .map((mask) => ({
        affinity: mask,
        preferred:
          countOf(mask) === fewestNodes || (this.#options.alignBySocket && this.#isOnFewestSockets(mask, fewestNodes)),
      }));
  }

  /** Whether the NUMA nodes are on the minimum number of sockets for that many nodes. */
  #isOnFewestSockets(mask: number, nodes: number): boolean {
    const { topology } = this.#settings;
    const nodesPerSocket = Math.floor(
      topology.numaNodes.length / new Set(topology.cpus.map(({ socket }) => socket)).size,
    );
    return this.#socketsOf(mask).size === Math.ceil(nodes / nodesPerSocket);
  }

  #socketsOf(mask: number): Set<number> {
    return new Set(this.#settings.topology.cpus.filter(({ numa }) => (mask >>> numa) & 1).map(({ socket }) => socket));
  }

  async allocate(pod: Pod, container: Container, { affinity }: TopologyHint): Promise<void> {
    const wanted = this.isStatic ? exclusiveCpus(pod, container) : 0;
    if (wanted === 0 || this.#entries.get(uidOf(pod))?.has(container.name)) return;
    const reusable = this.#reusable(pod);
    const free = [...new Set([...this.#free(), ...reusable])];
    if (this.#options.fullCoresOnly) this.#checkWholeCores(wanted, free);
    const close = affinity === undefined ? [] : this.#closeTo(affinity, free);
    const closeCount = Math.min(close.length, wanted);
    const fromClose = this.#take(
      close,
      this.#options.fullCoresOnly ? closeCount - (closeCount % this.#cpusPerCore()) : closeCount,
    );
    const others = this.#take(
      free.filter((cpu) => !fromClose.includes(cpu)),
      wanted - fromClose.length,
    );
    const ofPod = this.#entries.get(uidOf(pod)) ?? new Map<string, number[]>();
    ofPod.set(
      container.name,
      [...fromClose, ...others].toSorted((a, b) => a - b),
    );
    this.#entries.set(uidOf(pod), ofPod);
    await this.#save();
  }

  #take(free: readonly number[], count: number): number[] {
    const { topology } = this.#settings;
    const { acrossNuma, fullCoresOnly } = this.#options;
    return acrossNuma
      ? distributeCpus(topology.cpus, free, count, {
          ...this.#options,
          groupSize: fullCoresOnly ? this.#cpusPerCore() : 1,
        })
      : takeCpus(topology.cpus, free, count, this.#options);
  }

  /** The free CPUs on the NUMA nodes (or sockets) of the topology hint. */
  #closeTo(affinity: number, free: readonly number[]): number[] {
    const usable = new Set(free);
    const sockets = this.#options.alignBySocket ? this.#socketsOf(affinity) : undefined;
    return this.#settings.topology.cpus
      .filter(({ id, numa, socket }) => usable.has(id) && (sockets?.has(socket) ?? bitsOf(affinity).includes(numa)))
      .map(({ id }) => id);
  }

  #cpusPerCore(): number {
    const { cpus } = this.#settings.topology;
    return cpus.length / new Set(cpus.map(({ core }) => core)).size;
  }

  /** full-pcpus-only: a core with a reserved thread is not available. */
  #checkWholeCores(wanted: number, free: readonly number[]): void {
    const perCore = this.#cpusPerCore();
    if (wanted % perCore !== 0)
      throw new AdmissionError(
        'SMTAlignmentError',
        `SMT Alignment Error: requested ${wanted} cpus not multiple cpus per core = ${perCore}`,
      );
    const { cpus } = this.#settings.topology;
    const broken = new Set(cpus.filter(({ id }) => this.#reserved.has(id)).map(({ core }) => core));
    const whole = cpus.filter(({ id, core }) => free.includes(id) && !broken.has(core)).length;
    if (wanted > whole)
      throw new AdmissionError(
        'SMTAlignmentError',
        `SMT Alignment Error: not enough free physical CPUs: available physical CPUs = ${whole}, requested CPUs = ${wanted}, CPUs per core = ${perCore}`,
      );
  }

  /** The cpuset of a container; undefined for all CPUs. */
  cpusOf(podUid: string, containerName: string): string | undefined {
    if (!this.isStatic) return undefined;
    return formatCpuSet(this.exclusiveOf(podUid, containerName) ?? this.#shared());
  }

  exclusiveOf(podUid: string, containerName: string): readonly number[] | undefined {
    return this.#entries.get(podUid)?.get(containerName);
  }

  release(podUid: string): Promise<void> {
    return this.#entries.delete(podUid) ? this.#save() : Promise.resolve();
  }

  /** Frees the CPUs of pods that were removed while the kubelet was down. */
  async removeStaleState(podUids: ReadonlySet<string>): Promise<void> {
    for (const uid of this.#entries.keys()) if (!podUids.has(uid)) await this.release(uid);
  }

  /** The shared pool. It includes reserved CPUs, unless strict-cpu-reservation is set. */
  #shared(): number[] {
    const exclusive = this.#exclusive();
    return this.#all.filter(
      (cpu) => !exclusive.has(cpu) && !(this.#options.strictReservation && this.#reserved.has(cpu)),
    );
  }

  #free(): number[] {
    const exclusive = this.#exclusive();
    return this.#all.filter((cpu) => !exclusive.has(cpu) && !this.#reserved.has(cpu));
  }

  /** CPUs of init containers can be reused by the containers that start after them. */
  #reusable(pod: Pod): number[] {
    const ended = (pod.spec?.initContainers ?? [])
      .filter((container) => !isRestartableInitContainer(container))
      .map(({ name }) => name);
    const ofPod = this.#entries.get(uidOf(pod));
    const held = new Set([...(ofPod ?? [])].filter(([name]) => !ended.includes(name)).flatMap(([, cpus]) => cpus));
    return ended.flatMap((name) => ofPod?.get(name) ?? []).filter((cpu) => !held.has(cpu));
  }

  #exclusive(): Set<number> {
    return new Set([...this.#entries.values()].flatMap((containers) => [...containers.values()].flat()));
  }

  #save(): Promise<void> {
    const entries = Object.fromEntries(
      Array.from(this.#entries, ([uid, containers]) => [
        uid,
        Object.fromEntries(Array.from(containers, ([name, cpus]) => [name, formatCpuSet(cpus)])),
      ]),
    );
    return this.#state.save({
      policyName: this.#settings.policy,
      defaultCpuSet: formatCpuSet(this.#shared()),
      ...(this.#entries.size === 0 ? {} : { entries }),
    });
  }
}

function optionsOf({
  policy,
  options,
  featureGates = {},
  topologyPolicy,
  topology,
}: CpuManagerSettings): CpuPolicyOptions {
  if (policy !== 'static') {
    const count = Object.keys(options).length;
    if (count > 0) throw new Error(`None policy: received unsupported options=${count}`);
    return NO_CPU_POLICY_OPTIONS;
  }
  const parsed = parseCpuPolicyOptions(options, featureGates);
  if (parsed.alignBySocket && topologyPolicy === 'single-numa-node')
    throw new Error(
      'Topolgy manager single-numa-node policy is incompatible with CPUManager align-by-socket policy option',
    );
  if (parsed.alignBySocket && new Set(topology.cpus.map(({ socket }) => socket)).size > topology.numaNodes.length)
    throw new Error(
      'Align by socket is not compatible with hardware where number of sockets are more than number of NUMA',
    );
  return parsed;
}

function reservedCpus({ reserved, topology }: CpuManagerSettings): readonly number[] {
  if ('cpus' in reserved) return reserved.cpus;
  if (reserved.milli <= 0)
    throw new Error('the static policy requires systemReserved.cpu + kubeReserved.cpu to be greater than zero');
  return takeCpus(
    topology.cpus,
    topology.cpus.map(({ id }) => id),
    Math.ceil(reserved.milli / 1000),
  );
}

/** How many exclusive CPUs a container gets; 0 for the shared pool. */
function exclusiveCpus(pod: Pod, { resources }: Pick<Container | EphemeralContainer, 'resources'>): number {
  if (podQos(pod) !== 'Guaranteed') return 0;
  const request = resources?.requests?.['cpu'] ?? resources?.limits?.['cpu'];
  const milli = request === undefined ? 0 : parseQuantity(request).milliValue();
  return milli % 1000 === 0 ? milli / 1000 : 0;
}

function podExclusiveCpus(pod: Pod): number {
  const { initContainers = [], containers = [] } = pod.spec ?? {};
  let sidecars = 0;
  let starting = 0;
  for (const container of initContainers) {
    const wanted = exclusiveCpus(pod, container);
    if (isRestartableInitContainer(container)) sidecars += wanted;
    starting = Math.max(starting, sidecars + (isRestartableInitContainer(container) ? 0 : wanted));
  }
  return Math.max(starting, sidecars + containers.reduce((sum, container) => sum + exclusiveCpus(pod, container), 0));
}
