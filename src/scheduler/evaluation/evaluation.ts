/**
 * Which nodes fit a pod, and their scores: computed once for all nodes, then updated with the changes of the cache.
 * Equal pods share an evaluation, so the second pod of a Deployment costs only what changed since the first: one node,
 * and O(log n) steps in a tree of scores.
 */
import type { Random } from '../../kernel/index.ts';
import type { Cache } from '../cache/cache.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import { CycleState } from '../framework/cycle-state.ts';
import type { BoundFilter, Plugin } from '../framework/plugin.ts';
import type { Profile } from '../framework/profile.ts';
import { errorStatus, unresolvable, type Status } from '../framework/status.ts';
import type { Diagnosis } from './fit-error.ts';
import { NodeToStatus } from './node-to-status.ts';
import { mergePreFilterResults } from './pre-filter-result.ts';
import { ScoreBoard, type ScoredNode } from './score-board.ts';
import { IGNORE_TOUCHED, TouchedSlots } from './touched-slots.ts';

/** Cached results of dry runs on nodes, such as preemption's. */
export interface NodeDryRuns {
  /** The node has changed. */
  forget(slot: number): void;
}

interface NamedFilter {
  readonly plugin: Plugin;
  readonly run: BoundFilter;
}

export class Evaluation {
  readonly state = new CycleState();
  readonly profile: Profile;
  readonly signature: string | undefined;
  /** Dry runs of PostFilter plugins, cleared when nodes change. */
  dryRuns: NodeDryRuns | undefined;
  readonly #cache: Cache;
  readonly #random: Random;
  readonly #nodeToStatus = new NodeToStatus();
  readonly #touched = new TouchedSlots();
  readonly #tournamentTree: boolean;
  #pod: PodInfo;
  /** The sequence number of the first change that is not applied yet; -1 before the first evaluation. */
  #sequence = -1;
  #preFilterFailure: Status | undefined;
  #allowedNodes: ReadonlySet<string> | undefined;
  /** The status of nodes that PreFilter excluded, and the plugins that excluded them. */
  #excluded: Status | undefined;
  #excludedBy: readonly string[] = [];
  #filters: NamedFilter[] = [];
  #filterNames: readonly string[] = [];
  #preFilterExtensions: Plugin[] = [];
  /** Created at the first use, and again when PreScore has to run again. */
  #scores: ScoreBoard | undefined;

  constructor(options: {
    profile: Profile;
    cache: Cache;
    random: Random;
    pod: PodInfo;
    signature: string | undefined;
    tournamentTree?: boolean;
  }) {
    this.profile = options.profile;
    this.signature = options.signature;
    this.#cache = options.cache;
    this.#random = options.random;
    this.#pod = options.pod;
    this.#tournamentTree = options.tournamentTree ?? true;
  }

  /** Set when PreFilter rejected the pod, or failed. */
  get preFilterFailure(): Status | undefined {
    return this.#preFilterFailure;
  }

  /** The error of a plugin, in PreFilter or on any of the nodes: the pod goes to none of them. */
  get failure(): Status | undefined {
    return this.#preFilterFailure === undefined
      ? this.#nodeToStatus.failure
      : this.#preFilterFailure.code === 'Error'
        ? this.#preFilterFailure
        : undefined;
  }

  get feasibleCount(): number {
    return this.#nodeToStatus.feasibleCount;
  }

  get statuses(): readonly Status[] {
    return this.#nodeToStatus.statuses;
  }

  /** The Filter plugins in the order of their calls. */
  get filterNames(): readonly string[] {
    return this.#filterNames;
  }

  /** Brings everything up to date for a pod of this shape. */
  refresh(pod: PodInfo): void {
    this.#pod = pod;
    const { log } = this.#cache;
    const tooOld = this.#sequence < 0 || !log.reaches(this.#sequence);
    if (tooOld || this.#preFilterFailure !== undefined || !this.#applyChanges()) {
      this.#rebuild();
      return;
    }
    const touched = this.#touched;
    if (touched.scoresTouched) this.#scores = undefined;
    if (touched.allTouched) this.#filterAll();
    else if (touched.slots.length > 0) {
      const { meter } = this.profile;
      const startedAt = meter.start();
      for (const slot of touched.slots) this.#updateNode(slot);
      this.#observeFilter(startedAt, touched.slots.length);
    }
    touched.clear();
  }

  /** Whether the pod fits on one node, without evaluating the others. */
  fitsOn(pod: PodInfo, node: NodeInfo): boolean {
    this.#pod = pod;
    return this.#runPreFilters() && this.fitsNow(node);
  }

  /** As `fitsOn`, for an up-to-date evaluation. Resources that the pod itself is nominated to count as free. */
  fitsNow(node: NodeInfo): boolean {
    if (
      this.#preFilterFailure !== undefined ||
      (this.#allowedNodes !== undefined && !this.#allowedNodes.has(node.name))
    )
      return false;
    return node.exists && this.filterWithNominated(node) === undefined;
  }

  /** The node with the highest score, a random one of several. Undefined when no node fits. */
  selectNode(): NodeInfo | undefined {
    const { nodes } = this.#cache.table;
    if (this.feasibleCount === 0) return undefined;
    if (this.feasibleCount === 1) return nodes[this.#nodeToStatus.first()];
    const board = this.#scoreBoard();
    const startedAt = this.profile.meter.start();
    const slot = board.selectBest(this.#nodeToStatus.feasible(), this.#random);
    this.profile.meter.point('Score', startedAt);
    return slot === undefined ? undefined : nodes[slot];
  }

  /** The scores by plugin of the best nodes, and of `also`. */
  scoredNodes(limit: number, also?: NodeInfo): ScoredNode[] {
    if (this.feasibleCount === 0) return [];
    const scores = this.#scoreBoard();
    const feasible = this.#nodeToStatus.feasible();
    const slots = scores.top(limit, feasible);
    if (also !== undefined && this.#nodeToStatus.fits(also.slot) && !slots.includes(also.slot)) slots.push(also.slot);
    return slots.map((slot) => scores.breakdown(slot, feasible));
  }

  statusOf(slot: number): Status | undefined {
    return this.#preFilterFailure ?? this.#nodeToStatus.statusOf(slot);
  }

  /** A copy of the Filter results as codes by slot: 0 no node, 1 fits, n + 2 the status n. */
  codes(): Uint16Array {
    return this.#nodeToStatus.copy(this.#cache.table.end);
  }

  feasibleNodes(): NodeInfo[] {
    const { slots, count } = this.#nodeToStatus.feasible();
    return Array.from(slots.subarray(0, count), (slot) => this.#cache.table.nodes[slot]!);
  }

  /** Sets the status of a node that an extender rejected. */
  setStatus(node: NodeInfo, status: Status | undefined): void {
    this.#nodeToStatus.set(node.slot, status);
    this.#scores = undefined;
  }

  diagnosis(): Diagnosis {
    const rejectors = new Set<string>();
    const pendingRejectors = new Set<string>();
    const reject = (status: Status): void =>
      void (status.code === 'Pending' ? pendingRejectors : rejectors).add(status.plugin);
    const preFilter = this.#preFilterFailure;
    const nodeCounts = preFilter === undefined ? this.#nodeToStatus.countsByStatus() : [];
    if (preFilter !== undefined) reject(preFilter);
    for (const { status } of nodeCounts) {
      if (status === this.#excluded) for (const plugin of this.#excludedBy) rejectors.add(plugin);
      else reject(status);
    }
    return {
      totalNodes: this.#cache.table.nodeCount,
      preFilter,
      nodeCounts,
      postFilterMessage: '',
      rejectors,
      pendingRejectors,
    };
  }

  /** Nodes where preemption might help. */
  resolvable(): readonly number[] {
    return this.#preFilterFailure === undefined ? this.#nodeToStatus.resolvable() : [];
  }

  /** Runs the filters on one node in its present state, dry runs included. */
  filterNode(node: NodeInfo): Status | undefined {
    const filters = this.#filters;
    for (let i = 0; i < filters.length; i++) {
      const filter = filters[i]!;
      const status = filter.run(node);
      if (status === undefined) continue;
      const { name } = filter.plugin;
      const reported = status.isRejected
        ? status
        : errorStatus(new Error(`running ${JSON.stringify(name)} filter plugin: ${status.message}`));
      return reported.from(name);
    }
    return undefined;
  }

  /** The status of every filter for a node, for explanations; scheduling stops at the first rejection. */
  filterStatuses(node: NodeInfo): { plugin: string; status: Status | undefined }[] {
    return this.#filters.map(({ plugin, run }) => ({ plugin: plugin.name, status: run(node)?.from(plugin.name) }));
  }

  /** As filterNode, with the nominated pods of equal or higher priority added to the node. */
  filterWithNominated(node: NodeInfo): Status | undefined {
    const { nominator } = this.#cache;
    if (nominator.isEmpty || !nominator.has(node.name)) return this.filterNode(node);
    const pod = this.#pod;
    const others = [...nominator.on(node.name)].filter(
      (other) => other.uid !== pod.uid && other.priority >= pod.priority && !node.pods.has(other.uid),
    );
    if (others.length === 0) return this.filterNode(node);
    for (const other of others) this.tryAdd(other, node);
    const status = this.filterNode(node);
    for (const other of others) this.tryRemove(other, node);
    return status ?? this.filterNode(node);
  }

  /** Adds a pod to a node in a dry run; `tryRemove` removes one. The caller has to undo both. */
  tryAdd(other: PodInfo, node: NodeInfo): void {
    this.#cache.countOnNode(other, node, 1);
    node.pods.set(other.uid, other);
    for (const plugin of this.#preFilterExtensions)
      plugin.podAdded?.(this.state, this.#pod, { other, node, touched: IGNORE_TOUCHED });
  }

  tryRemove(other: PodInfo, node: NodeInfo): void {
    this.#cache.countOnNode(other, node, -1);
    node.pods.delete(other.uid);
    for (const plugin of this.#preFilterExtensions)
      plugin.podRemoved?.(this.state, this.#pod, { other, node, touched: IGNORE_TOUCHED });
  }

  /** Marks the nodes that the latest changes concern; false when everything has to be computed anew. */
  #applyChanges(): boolean {
    const { log } = this.#cache;
    for (; this.#sequence < log.next; this.#sequence++) {
      const change = log.at(this.#sequence);
      switch (change.kind) {
        case 'pod-added':
        case 'pod-removed':
          this.#podChanged(change.pod, change.slot, change.kind === 'pod-added');
          break;
        case 'nominated':
          this.#nodeChanged(change.slot);
          break;
        case 'topology':
        case 'node':
          if (
            change.kind === 'topology' &&
            (this.#preFilterExtensions.length > 0 || change.slot >= this.#nodeToStatus.capacity)
          )
            return false;
          this.#nodeChanged(change.slot);
          this.#touched.scores();
          break;
        case 'everything':
          return false;
      }
    }
    return true;
  }

  #nodeChanged(slot: number): void {
    this.#scores?.nodeChanged(slot);
    this.#touched.add(slot);
  }

  #podChanged(other: PodInfo, slot: number, added: boolean): void {
    this.#nodeChanged(slot);
    const node = this.#cache.table.nodes[slot];
    if (node === undefined) return;
    const change = { other, node, touched: this.#touched };
    for (const plugin of this.#preFilterExtensions) {
      if (added) plugin.podAdded?.(this.state, this.#pod, change);
      else plugin.podRemoved?.(this.state, this.#pod, change);
    }
  }

  #rebuild(): void {
    const { table, log } = this.#cache;
    this.#sequence = log.next;
    this.#touched.reset(table.capacity);
    this.#nodeToStatus.reset(table.capacity);
    this.#scores = undefined;
    this.dryRuns = undefined;
    if (this.#runPreFilters()) this.#filterAll();
  }

  #runPreFilters(): boolean {
    const startedAt = this.profile.meter.start();
    const passed = this.#runPreFilterPlugins();
    this.profile.meter.point('PreFilter', startedAt, this.#preFilterFailure?.code);
    return passed;
  }

  #runPreFilterPlugins(): boolean {
    const { plugins, meter } = this.profile;
    const { skippedFilters } = this.state;
    skippedFilters.clear();
    this.#preFilterFailure = undefined;
    const results: { plugin: string; nodeNames: ReadonlySet<string> }[] = [];
    for (const plugin of plugins.preFilter) {
      const startedAt = meter.start();
      const result = plugin.preFilter!(this.state, this.#pod);
      meter.plugin(plugin.name, 'PreFilter', startedAt, result?.status?.code);
      if (result?.status?.code !== 'Skip') meter.countEvaluations(plugin.name, 'PreFilter');
      if (result?.result?.nodeNames !== undefined)
        results.push({ plugin: plugin.name, nodeNames: result.result.nodeNames });
      const status = result?.status;
      if (status === undefined) continue;
      if (status.code === 'Skip') skippedFilters.add(plugin.name);
      else {
        this.#preFilterFailure = status.from(plugin.name);
        return false;
      }
    }
    const merged = mergePreFilterResults(results);
    if (merged.status !== undefined) {
      this.#preFilterFailure = merged.status;
      return false;
    }
    this.#allowedNodes = merged.nodeNames;
    this.#excludedBy = results.map((r) => r.plugin);
    this.#excluded =
      merged.nodeNames &&
      unresolvable(`node(s) didn't satisfy plugin(s) [${this.#excludedBy.join(' ')}]`).from(this.#excludedBy[0] ?? '');
    this.#filters = plugins.filter
      .filter((p) => !skippedFilters.has(p.name))
      .map((plugin) => ({ plugin, run: boundFilter(plugin, this.state, this.#pod) }));
    this.#filterNames = this.#filters.map((f) => f.plugin.name);
    this.#preFilterExtensions = plugins.preFilter.filter((p) => p.podAdded !== undefined);
    return true;
  }

  #filterAll(): void {
    const { table } = this.#cache;
    this.#nodeToStatus.reset(table.capacity);
    this.#scores = undefined;
    this.dryRuns = undefined;
    const startedAt = this.profile.meter.start();
    for (let slot = 0; slot < table.end; slot++) this.#filterSlot(slot);
    this.#observeFilter(startedAt, table.nodeCount);
    this.#timeFilters();
  }

  #observeFilter(startedAt: number, nodes: number): void {
    const { meter } = this.profile;
    meter.point('Filter', startedAt, this.feasibleCount > 0 ? undefined : 'Unschedulable');
    for (const name of this.#filterNames) meter.countEvaluations(name, 'Filter', nodes);
  }

  /** Measures each filter on one node, as a sample. */
  #timeFilters(): void {
    const node = this.#cache.table.nodes.find((n) => n?.exists);
    const { meter } = this.profile;
    if (node === undefined) return;
    for (const { plugin, run } of this.#filters) {
      const startedAt = meter.start();
      const status = run(node);
      meter.plugin(plugin.name, 'Filter', startedAt, status?.code);
    }
  }

  #updateNode(slot: number): void {
    this.dryRuns?.forget(slot);
    this.#filterSlot(slot);
    this.#scores?.update(slot, this.#nodeToStatus.fits(slot));
  }

  #filterSlot(slot: number): void {
    const node = this.#cache.table.nodes[slot];
    if (node === undefined || !node.exists) this.#nodeToStatus.clear(slot);
    else if (this.#allowedNodes !== undefined && !this.#allowedNodes.has(node.name))
      this.#nodeToStatus.set(slot, this.#excluded);
    else this.#nodeToStatus.set(slot, this.filterWithNominated(node));
  }

  #scoreBoard(): ScoreBoard {
    return (this.#scores ??= new ScoreBoard({
      profile: this.profile,
      state: this.state,
      table: this.#cache.table,
      pod: this.#pod,
      feasible: this.#nodeToStatus.feasible(),
      tournamentTree: this.#tournamentTree,
    }));
  }
}

function boundFilter(plugin: Plugin, state: CycleState, pod: PodInfo): BoundFilter {
  if (plugin.bindFilter !== undefined) return plugin.bindFilter(state, pod);
  return (node) => plugin.filter!(state, pod, node);
}
