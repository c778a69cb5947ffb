/**
 * Which nodes a pod fits on and how good they are: worked out once for all nodes, then kept up to date by the changes
 * since. Pods of equal shape share one, so that the second pod of a Deployment costs what changed since the first: one
 * node, and as many steps as a tree over the nodes is high.
 */

import type { Random } from '../../kernel/index.ts';
import type { Cache } from '../cache/cache.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import { CycleState } from '../framework/cycle-state.ts';
import type { BoundFilter, Plugin } from '../framework/plugin.ts';
import type { Profile } from '../framework/profile.ts';
import { unresolvable, type Status } from '../framework/status.ts';
import { AnswerColumn } from './answer-column.ts';
import type { Diagnosis } from './fit-error.ts';
import { mergePreFilterResults } from './pre-filter-result.ts';
import { ScoreBoard, type ScoredNode } from './score-board.ts';
import { NOBODY_TOUCHED, TouchedSlots } from './touched-slots.ts';

/** Beyond this many changes, starting over is cheaper. */
const MAX_CHANGES = 4096;

/** Results of trying things out on nodes, kept until a node changes. */
export interface NodeDryRuns {
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
  /** What was tried out on nodes, for those who try; told when anything about a node changes. */
  dryRuns: NodeDryRuns | undefined;
  readonly #cache: Cache;
  readonly #random: Random;
  readonly #answers = new AnswerColumn();
  readonly #touched = new TouchedSlots();
  #pod: PodInfo;
  /** The first change that has not been followed; -1 before the first look. */
  #sequence = -1;
  #preFilterFailure: Status | undefined;
  #allowedNodes: ReadonlySet<string> | undefined;
  /** The answer for nodes that PreFilters ruled out, and these PreFilters. */
  #excluded: Status | undefined;
  #excludedBy: readonly string[] = [];
  #filters: NamedFilter[] = [];
  #filterNames: readonly string[] = [];
  #stateful: Plugin[] = [];
  /** Made when scores are first asked for, and anew when PreScore must look again. */
  #scores: ScoreBoard | undefined;

  constructor(options: {
    profile: Profile;
    cache: Cache;
    random: Random;
    pod: PodInfo;
    signature: string | undefined;
  }) {
    this.profile = options.profile;
    this.signature = options.signature;
    this.#cache = options.cache;
    this.#random = options.random;
    this.#pod = options.pod;
  }

  /** Set when PreFilter turned the pod down, or failed. */
  get preFilterFailure(): Status | undefined {
    return this.#preFilterFailure;
  }

  get feasibleCount(): number {
    return this.#answers.feasibleCount;
  }

  get statuses(): readonly Status[] {
    return this.#answers.statuses;
  }

  /** Filters in the order in which they are asked. */
  get filterNames(): readonly string[] {
    return this.#filterNames;
  }

  /** Brings everything up to date for a pod of this shape. */
  refresh(pod: PodInfo): void {
    this.#pod = pod;
    const { log } = this.#cache;
    const tooOld = this.#sequence < 0 || !log.reaches(this.#sequence) || log.next - this.#sequence > MAX_CHANGES;
    if (tooOld || this.#preFilterFailure !== undefined || !this.#follow()) {
      this.#rebuild();
      return;
    }
    const touched = this.#touched;
    if (touched.scoresTouched) this.#scores = undefined;
    if (touched.allTouched) this.#filterAll();
    else if (touched.slots.length > 0) {
      const { meter } = this.profile;
      const startedAt = meter.start();
      for (const slot of touched.slots) this.#reevaluate(slot);
      this.#filtered(startedAt, touched.slots.length);
    }
    touched.clear();
  }

  /** Whether the pod fits on one node, without looking at the others. */
  fitsOn(pod: PodInfo, node: NodeInfo): boolean {
    this.#pod = pod;
    return this.#runPreFilters() && this.fitsNow(node);
  }

  /** The same of an evaluation that is up to date: room that is kept for the pod itself is free to it. */
  fitsNow(node: NodeInfo): boolean {
    if (
      this.#preFilterFailure !== undefined ||
      (this.#allowedNodes !== undefined && !this.#allowedNodes.has(node.name))
    )
      return false;
    return node.exists && this.filterWithNominated(node) === undefined;
  }

  /** The best node, drawn among equals. Undefined when nothing fits. */
  selectNode(): NodeInfo | undefined {
    const { nodes } = this.#cache.table;
    if (this.feasibleCount === 0) return undefined;
    if (this.feasibleCount === 1) return nodes[this.#answers.first()];
    const board = this.#scoreBoard();
    const startedAt = this.profile.meter.start();
    const slot = board.draw(this.#answers.feasible(), this.#random);
    this.profile.meter.point('Score', startedAt);
    return slot === undefined ? undefined : nodes[slot];
  }

  /** The scores of nodes, plugin by plugin: the best ones, and one more that is asked for. */
  scoredNodes(limit: number, also?: NodeInfo): ScoredNode[] {
    if (this.feasibleCount === 0) return [];
    const scores = this.#scoreBoard();
    const feasible = this.#answers.feasible();
    const slots = scores.top(limit, feasible);
    if (also !== undefined && this.#answers.fits(also.slot) && !slots.includes(also.slot)) slots.push(also.slot);
    return slots.map((slot) => scores.breakdown(slot, feasible));
  }

  statusOf(slot: number): Status | undefined {
    return this.#preFilterFailure ?? this.#answers.statusOf(slot);
  }

  /** A copy of the answers, as codes by slot: 0 no node, 1 fits, n + 2 the status n. */
  codes(): Uint16Array {
    return this.#answers.copy(this.#cache.table.end);
  }

  feasibleNodes(): NodeInfo[] {
    const { slots, count } = this.#answers.feasible();
    return Array.from(slots.subarray(0, count), (slot) => this.#cache.table.nodes[slot]!);
  }

  /** Nodes that others (extenders) ruled out. */
  rule(node: NodeInfo, status: Status | undefined): void {
    this.#answers.set(node.slot, status);
    this.#scores = undefined;
  }

  diagnosis(): Diagnosis {
    const rejectors = new Set<string>();
    const pendingRejectors = new Set<string>();
    const reject = (status: Status): void =>
      void (status.code === 'Pending' ? pendingRejectors : rejectors).add(status.plugin);
    const preFilter = this.#preFilterFailure;
    const answers = preFilter === undefined ? this.#answers.answers() : [];
    if (preFilter !== undefined) reject(preFilter);
    for (const { status } of answers) {
      if (status === this.#excluded) for (const plugin of this.#excludedBy) rejectors.add(plugin);
      else reject(status);
    }
    return {
      totalNodes: this.#cache.table.nodeCount,
      preFilter,
      answers,
      postFilterMessage: '',
      rejectors,
      pendingRejectors,
    };
  }

  /** Nodes where removing pods might help. */
  resolvable(): readonly number[] {
    return this.#preFilterFailure === undefined ? this.#answers.resolvable() : [];
  }

  /** Asks the filters about one node as it is now, also with changes that are only tried out. */
  filterNode(node: NodeInfo): Status | undefined {
    const filters = this.#filters;
    for (let i = 0; i < filters.length; i++) {
      const filter = filters[i]!;
      const status = filter.run(node);
      if (status !== undefined) return status.from(filter.plugin.name);
    }
    return undefined;
  }

  /** What every filter says about a node, for explanations: the others are not asked once one has said no. */
  filterAnswers(node: NodeInfo): { plugin: string; status: Status | undefined }[] {
    return this.#filters.map(({ plugin, run }) => ({ plugin: plugin.name, status: run(node)?.from(plugin.name) }));
  }

  /** As filterNode, leaving room for nominated pods that are no less important. */
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

  /** Counts a pod on a node as if it were there; `tryRemove` takes it back, or a pod that is there away. */
  tryAdd(other: PodInfo, node: NodeInfo): void {
    this.#cache.countOnNode(other, node, 1);
    node.pods.set(other.uid, other);
    for (const plugin of this.#stateful)
      plugin.podAdded?.(this.state, this.#pod, { other, node, touched: NOBODY_TOUCHED });
  }

  tryRemove(other: PodInfo, node: NodeInfo): void {
    this.#cache.countOnNode(other, node, -1);
    node.pods.delete(other.uid);
    for (const plugin of this.#stateful)
      plugin.podRemoved?.(this.state, this.#pod, { other, node, touched: NOBODY_TOUCHED });
  }

  /** Notes which nodes the changes since the last look concern; false when everything may be different. */
  #follow(): boolean {
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
          if (change.kind === 'topology' && (this.#stateful.length > 0 || change.slot >= this.#answers.capacity))
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
    for (const plugin of this.#stateful) {
      if (added) plugin.podAdded?.(this.state, this.#pod, change);
      else plugin.podRemoved?.(this.state, this.#pod, change);
    }
  }

  #rebuild(): void {
    const { table, log } = this.#cache;
    this.#sequence = log.next;
    this.#touched.reset(table.capacity);
    this.#answers.reset(table.capacity);
    this.#scores = undefined;
    this.dryRuns = undefined;
    if (this.#runPreFilters()) this.#filterAll();
  }

  #runPreFilters(): boolean {
    const startedAt = this.profile.meter.start();
    const passed = this.#askPreFilters();
    this.profile.meter.point('PreFilter', startedAt, this.#preFilterFailure?.code);
    return passed;
  }

  #askPreFilters(): boolean {
    const { plugins, meter } = this.profile;
    const { skippedFilters } = this.state;
    skippedFilters.clear();
    this.#preFilterFailure = undefined;
    const results: { plugin: string; nodeNames: ReadonlySet<string> }[] = [];
    for (const plugin of plugins.preFilter) {
      const startedAt = meter.start();
      const answer = plugin.preFilter!(this.state, this.#pod);
      meter.plugin(plugin.name, 'PreFilter', startedAt, answer?.status?.code);
      if (answer?.status?.code !== 'Skip') meter.evaluated(plugin.name, 'PreFilter');
      if (answer?.result?.nodeNames !== undefined)
        results.push({ plugin: plugin.name, nodeNames: answer.result.nodeNames });
      const status = answer?.status;
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
    this.#stateful = plugins.preFilter.filter((p) => p.podAdded !== undefined);
    return true;
  }

  #filterAll(): void {
    const { table } = this.#cache;
    this.#answers.reset(table.capacity);
    this.#scores = undefined;
    this.dryRuns = undefined;
    const startedAt = this.profile.meter.start();
    for (let slot = 0; slot < table.end; slot++) this.#answer(slot);
    this.#filtered(startedAt, table.nodeCount);
    this.#timeFilters();
  }

  #filtered(startedAt: number, nodes: number): void {
    const { meter } = this.profile;
    meter.point('Filter', startedAt, this.feasibleCount > 0 ? undefined : 'Unschedulable');
    for (const name of this.#filterNames) meter.evaluated(name, 'Filter', nodes);
  }

  /** One node is sample enough of how long each filter takes. */
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

  #reevaluate(slot: number): void {
    this.dryRuns?.forget(slot);
    this.#answer(slot);
    this.#scores?.update(slot, this.#answers.fits(slot));
  }

  #answer(slot: number): void {
    const node = this.#cache.table.nodes[slot];
    if (node === undefined || !node.exists) this.#answers.clear(slot);
    else if (this.#allowedNodes !== undefined && !this.#allowedNodes.has(node.name))
      this.#answers.set(slot, this.#excluded);
    else this.#answers.set(slot, this.filterWithNominated(node));
  }

  #scoreBoard(): ScoreBoard {
    return (this.#scores ??= new ScoreBoard({
      profile: this.profile,
      state: this.state,
      table: this.#cache.table,
      pod: this.#pod,
      feasible: this.#answers.feasible(),
    }));
  }
}

function boundFilter(plugin: Plugin, state: CycleState, pod: PodInfo): BoundFilter {
  if (plugin.bindFilter !== undefined) return plugin.bindFilter(state, pod);
  return (node) => plugin.filter!(state, pod, node);
}
