/**
 * Which nodes a pod fits on and how good they are: worked out once for all nodes, then kept up to date by the changes
 * since. Pods of equal shape share one, so that the second pod of a Deployment costs what changed since the first: one
 * node, and as many steps as a tree over the nodes is high.
 *
 * Answers per node are a column of small numbers; scores that depend on the node alone are a column too. Only scores
 * that are normalised over the feasible nodes, or depend on where other pods are, are summed up for each decision.
 */
import type { Cache } from '../cache/cache.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import { CycleState } from '../framework/cycle-state.ts';
import type { BoundFilter, BoundScore, Plugin, TouchedNodes } from '../framework/plugin.ts';
import type { Profile } from '../framework/profile.ts';
import { Status, unresolvable } from '../framework/status.ts';
import type { Random } from '../../kernel/index.ts';
import type { Diagnosis } from './fit-error.ts';
import { mergePreFilterResults } from './pre-filter-result.ts';
import { StatusTable } from './status-table.ts';
import { TournamentTree } from './tournament-tree.ts';

/** Codes of the answer column: no such node, fits, and from here on the index of a status. */
const NO_NODE = 0;
const FITS = 1;
const FIRST_STATUS = 2;

/** Beyond this many changes, starting over is cheaper. */
const MAX_CHANGES = 4096;

interface NamedFilter {
  readonly plugin: Plugin;
  readonly run: BoundFilter;
}

interface LocalScore {
  readonly plugin: Plugin;
  readonly weight: number;
  readonly run: BoundScore;
}

/** Scores that must be looked at together: cached per node when they depend on it alone, asked anew otherwise. */
interface CombinedScore {
  readonly plugin: Plugin;
  readonly weight: number;
  readonly raw: { readonly values: Float64Array; readonly run: BoundScore } | undefined;
}

export interface ScoredNode {
  readonly node: NodeInfo;
  readonly total: number;
  /** Weighted, by plugin. */
  readonly scores: Readonly<Record<string, number>>;
}

export class Evaluation {
  readonly state: CycleState;
  readonly profile: Profile;
  readonly signature: string | undefined;
  /** What was tried out on nodes, by slot, for those who try; forgotten for a node when anything about it changes. */
  readonly tried = new Map<number, unknown>();
  readonly #cache: Cache;
  readonly #random: Random;
  #pod: PodInfo;
  #sequence = -1;
  #preFilterFailure: Status | undefined;
  #allowedNodes: ReadonlySet<string> | undefined;
  #excluded: Status | undefined;
  #filters: NamedFilter[] = [];
  #filterNames: readonly string[] = [];
  #stateful: Plugin[] = [];
  #codes = new Uint16Array(0);
  #codesCopy: Uint16Array | undefined;
  #table = new StatusTable();
  #histogram: number[] = [];
  #feasible = 0;
  #feasibleSlots = new Int32Array(0);
  #feasibleListed = false;
  #localScores: LocalScore[] = [];
  #combined: CombinedScore[] = [];
  #local = new Float64Array(0);
  /** Whether the local score of a slot is up to date: it depends on the node alone, not on who else fits. */
  #isScored = new Uint8Array(0);
  #tree: TournamentTree | undefined;
  #lastTotals: Float64Array | undefined;
  #lastScores: Float64Array[] = [];
  #scoresReady = false;
  #dirty: number[] = [];
  #isDirty = new Uint8Array(0);
  #allDirty = false;
  #scoresDirty = false;
  readonly #touched: TouchedNodes = {
    add: (slot) => {
      if (this.#isDirty[slot] === 1) return;
      this.#isDirty[slot] = 1;
      this.#dirty.push(slot);
    },
    all: () => void (this.#allDirty = true),
    scores: () => void (this.#scoresDirty = true),
  };

  constructor(options: { profile: Profile; cache: Cache; random: Random; pod: PodInfo; signature: string | undefined }) {
    this.profile = options.profile;
    this.signature = options.signature;
    this.#cache = options.cache;
    this.#random = options.random;
    this.#pod = options.pod;
    this.state = new CycleState();
  }

  /** Set when PreFilter turned the pod down, or failed. */
  get preFilterFailure(): Status | undefined {
    return this.#preFilterFailure;
  }

  get feasibleCount(): number {
    return this.#feasible;
  }

  get statuses(): readonly Status[] {
    return this.#table.statuses;
  }

  /** Filters in the order in which they are asked. */
  get filterNames(): readonly string[] {
    return this.#filterNames;
  }

  /** Brings everything up to date for a pod of this shape. */
  refresh(pod: PodInfo): void {
    this.#pod = pod;
    const { log } = this.#cache;
    if (this.#sequence < 0 || !log.reaches(this.#sequence) || log.next - this.#sequence > MAX_CHANGES || this.#preFilterFailure !== undefined) {
      this.#rebuild();
      return;
    }
    for (let sequence = this.#sequence; sequence < log.next; sequence++) {
      const change = log.at(sequence);
      switch (change.kind) {
        case 'pod-added':
        case 'pod-removed':
          this.#podChanged(change.pod, change.slot, change.kind === 'pod-added');
          break;
        case 'nominated':
          this.#nodeChanged(change.slot);
          break;
        case 'node':
          this.#nodeChanged(change.slot);
          this.#scoresDirty = true;
          break;
        case 'topology':
          if (this.#stateful.length > 0 || change.slot >= this.#codes.length) {
            this.#rebuild();
            return;
          }
          this.#nodeChanged(change.slot);
          this.#scoresDirty = true;
          break;
        case 'everything':
          this.#rebuild();
          return;
      }
    }
    this.#sequence = log.next;
    if (this.#scoresDirty) this.#scoresReady = false;
    if (this.#allDirty) this.#filterAll();
    else for (const slot of this.#dirty) this.#reevaluate(slot);
    this.#clean();
  }

  /** Whether the pod fits on one node, without looking at the others. */
  fitsOn(pod: PodInfo, node: NodeInfo): boolean {
    this.#pod = pod;
    if (!this.#runPreFilters()) return false;
    if (this.#allowedNodes !== undefined && !this.#allowedNodes.has(node.name)) return false;
    return node.exists && this.filterWithNominated(node) === undefined;
  }

  /** The best node, drawn among equals. Undefined when nothing fits. */
  selectNode(): NodeInfo | undefined {
    if (this.#feasible === 0) return undefined;
    if (this.#feasible === 1) return this.#cache.table.nodes[this.#onlyFeasible()];
    this.#prepareScores();
    if (this.#tree !== undefined) {
      const slot = this.#tree.draw(this.#random);
      return slot === undefined ? undefined : this.#cache.table.nodes[slot];
    }
    return this.#cache.table.nodes[this.#feasibleSlots[this.#drawBest(this.#totals())]!];
  }

  /** The scores of nodes, plugin by plugin: the best ones, and one more that is asked for. */
  scoredNodes(limit: number, also?: NodeInfo): ScoredNode[] {
    if (this.#feasible === 0) return [];
    this.#prepareScores();
    const slots = this.#tree !== undefined ? this.#tree.top(limit) : this.#bestOf(limit);
    if (also !== undefined && this.#codes[also.slot] === FITS && !slots.includes(also.slot)) slots.push(also.slot);
    return slots.map((slot) => this.#scored(slot));
  }

  codeOf(slot: number): number {
    return this.#codes[slot] ?? NO_NODE;
  }

  statusOf(slot: number): Status | undefined {
    if (this.#preFilterFailure !== undefined) return this.#preFilterFailure;
    const code = this.codeOf(slot);
    return code < FIRST_STATUS ? undefined : this.#table.statuses[code - FIRST_STATUS];
  }

  /** A copy of the answer column; the same one until an answer changes. */
  codes(): Uint16Array {
    return (this.#codesCopy ??= this.#codes.slice(0, this.#cache.table.end));
  }

  feasibleNodes(): NodeInfo[] {
    this.#listFeasible();
    return Array.from(this.#feasibleSlots.subarray(0, this.#feasible), (slot) => this.#cache.table.nodes[slot]!);
  }

  /** Nodes that others (extenders) ruled out. */
  rule(node: NodeInfo, status: Status | undefined): void {
    this.#setCode(node.slot, status);
    this.#feasibleListed = false;
    this.#scoresReady = false;
  }

  diagnosis(): Diagnosis {
    const answers: { status: Status; nodes: number }[] = [];
    const rejectors = new Set<string>();
    const pendingRejectors = new Set<string>();
    const reject = (status: Status): void => void (status.code === 'Pending' ? pendingRejectors : rejectors).add(status.plugin);
    if (this.#preFilterFailure !== undefined) reject(this.#preFilterFailure);
    else {
      this.#table.statuses.forEach((status, i) => {
        const nodes = this.#histogram[i] ?? 0;
        if (nodes === 0) return;
        answers.push({ status, nodes });
        if (status === this.#excluded) for (const plugin of this.#excludedBy) rejectors.add(plugin);
        else reject(status);
      });
    }
    return { totalNodes: this.#cache.table.nodeCount, preFilter: this.#preFilterFailure, answers, postFilterMessage: '', rejectors, pendingRejectors };
  }

  /** Nodes where removing pods might help. */
  resolvable(): number[] {
    const found: number[] = [];
    if (this.#preFilterFailure !== undefined) return found;
    for (let slot = 0; slot < this.#cache.table.end; slot++) {
      const code = this.#codes[slot]!;
      if (code >= FIRST_STATUS && this.#table.statuses[code - FIRST_STATUS]!.code === 'Unschedulable') found.push(slot);
    }
    return found;
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
    const others = [...nominator.on(node.name)].filter((other) => other.uid !== pod.uid && other.priority >= pod.priority && !node.pods.has(other.uid));
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
    for (const plugin of this.#stateful) plugin.podAdded?.(this.state, this.#pod, { other, node, touched: IGNORED });
  }

  tryRemove(other: PodInfo, node: NodeInfo): void {
    this.#cache.countOnNode(other, node, -1);
    node.pods.delete(other.uid);
    for (const plugin of this.#stateful) plugin.podRemoved?.(this.state, this.#pod, { other, node, touched: IGNORED });
  }

  #excludedBy: readonly string[] = [];

  #rebuild(): void {
    const { table, log } = this.#cache;
    this.#sequence = log.next;
    this.#feasible = 0;
    this.#scoresReady = false;
    this.#feasibleListed = false;
    if (this.#codes.length !== table.capacity) {
      this.#codes = new Uint16Array(table.capacity);
      this.#local = new Float64Array(table.capacity);
      this.#isScored = new Uint8Array(table.capacity);
      this.#feasibleSlots = new Int32Array(table.capacity);
      this.#isDirty = new Uint8Array(table.capacity);
      this.#dirty = [];
      this.#tree = undefined;
    }
    this.#table = new StatusTable();
    this.#histogram = [];
    this.#codes.fill(NO_NODE);
    this.#clean();
    if (!this.#runPreFilters()) return;
    this.#filterAll();
  }

  #runPreFilters(): boolean {
    const { plugins } = this.profile;
    this.state.skippedFilters.clear();
    this.state.skippedScores.clear();
    this.#preFilterFailure = undefined;
    const results: { plugin: string; nodeNames: ReadonlySet<string> }[] = [];
    for (const plugin of plugins.preFilter) {
      const answer = plugin.preFilter!(this.state, this.#pod);
      if (answer?.result?.nodeNames !== undefined) results.push({ plugin: plugin.name, nodeNames: answer.result.nodeNames });
      const status = answer?.status;
      if (status === undefined) continue;
      if (status.code === 'Skip') this.state.skippedFilters.add(plugin.name);
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
    this.#excluded = merged.nodeNames && unresolvable(`node(s) didn't satisfy plugin(s) [${this.#excludedBy.join(' ')}]`).from(this.#excludedBy[0] ?? '');
    const { skippedFilters } = this.state;
    this.#filters = plugins.filter.filter((p) => !skippedFilters.has(p.name)).map((plugin) => ({ plugin, run: boundFilter(plugin, this.state, this.#pod) }));
    this.#filterNames = this.#filters.map((f) => f.plugin.name);
    this.#stateful = plugins.preFilter.filter((p) => p.podAdded !== undefined);
    return true;
  }

  #filterAll(): void {
    const { table } = this.#cache;
    const allowed = this.#allowedNodes;
    this.#histogram = [];
    this.#feasible = 0;
    this.tried.clear();
    this.#codes.fill(NO_NODE);
    this.#codesCopy = undefined;
    this.#feasibleListed = false;
    this.#scoresReady = false;
    for (let slot = 0; slot < table.end; slot++) {
      const node = table.nodes[slot];
      if (node === undefined || !node.exists) continue;
      this.#setCode(slot, allowed !== undefined && !allowed.has(node.name) ? this.#excluded : this.filterWithNominated(node));
    }
  }

  #reevaluate(slot: number): void {
    const node = this.#cache.table.nodes[slot];
    const wasFeasible = this.#codes[slot] === FITS;
    this.tried.delete(slot);
    if (node === undefined || !node.exists) this.#clearCode(slot);
    else if (this.#allowedNodes !== undefined && !this.#allowedNodes.has(node.name)) this.#setCode(slot, this.#excluded);
    else this.#setCode(slot, this.filterWithNominated(node));
    const feasible = this.#codes[slot] === FITS;
    if (feasible !== wasFeasible) this.#feasibleListed = false;
    if (!this.#scoresReady) return;
    if (feasible && this.#isScored[slot] === 0) this.#scoreLocally(slot, node!);
    this.#tree?.set(slot, feasible ? this.#local[slot]! : -Infinity);
  }

  #clearCode(slot: number): void {
    const before = this.#codes[slot]!;
    if (before !== NO_NODE) this.#codesCopy = undefined;
    if (before === FITS) this.#feasible--;
    else if (before >= FIRST_STATUS) this.#histogram[before - FIRST_STATUS]!--;
    this.#codes[slot] = NO_NODE;
  }

  #setCode(slot: number, status: Status | undefined): void {
    const code = status === undefined ? FITS : this.#table.index(status) + FIRST_STATUS;
    if (this.#codes[slot] === code) return;
    this.#clearCode(slot);
    this.#codesCopy = undefined;
    this.#codes[slot] = code;
    if (code === FITS) this.#feasible++;
    else this.#histogram[code - FIRST_STATUS] = (this.#histogram[code - FIRST_STATUS] ?? 0) + 1;
  }

  #nodeChanged(slot: number): void {
    this.#isScored[slot] = 0;
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

  #clean(): void {
    for (const slot of this.#dirty) this.#isDirty[slot] = 0;
    this.#dirty.length = 0;
    this.#allDirty = false;
    this.#scoresDirty = false;
  }

  #onlyFeasible(): number {
    return this.#codes.indexOf(FITS);
  }

  #listFeasible(): void {
    if (this.#feasibleListed) return;
    const codes = this.#codes;
    const { end } = this.#cache.table;
    let count = 0;
    for (let slot = 0; slot < end; slot++) if (codes[slot] === FITS) this.#feasibleSlots[count++] = slot;
    this.#feasibleListed = true;
  }

  get #feasibleList(): { slots: Int32Array; count: number } {
    return { slots: this.#feasibleSlots, count: this.#feasible };
  }

  #prepareScores(): void {
    if (this.#scoresReady) return;
    this.#listFeasible();
    const { state } = this;
    state.skippedScores.clear();
    for (const plugin of this.profile.plugins.preScore) {
      const status = plugin.preScore!(state, this.#pod, this.#feasibleList);
      if (status?.code === 'Skip') state.skippedScores.add(plugin.name);
      else if (status !== undefined) throw new Error(`running PreScore plugin ${JSON.stringify(plugin.name)}: ${status.message}`);
    }
    this.#localScores = [];
    this.#combined = [];
    this.#lastScores = [];
    this.#lastTotals = undefined;
    for (const { plugin, weight } of this.profile.plugins.score) {
      if (state.skippedScores.has(plugin.name)) continue;
      if (plugin.scoreAll !== undefined) this.#combined.push({ plugin, weight, raw: undefined });
      else {
        const run = boundScore(plugin, state, this.#pod);
        if (plugin.normalizeScores === undefined) this.#localScores.push({ plugin, weight, run });
        else this.#combined.push({ plugin, weight, raw: { values: new Float64Array(this.#cache.table.capacity), run } });
      }
    }
    const { table } = this.#cache;
    this.#isScored.fill(0);
    for (let i = 0; i < this.#feasible; i++) {
      const slot = this.#feasibleSlots[i]!;
      this.#scoreLocally(slot, table.nodes[slot]!);
    }
    if (this.#combined.length === 0) {
      this.#tree ??= new TournamentTree(table.capacity);
      const scores = new Float64Array(table.end).fill(-Infinity);
      for (let i = 0; i < this.#feasible; i++) scores[this.#feasibleSlots[i]!] = this.#local[this.#feasibleSlots[i]!]!;
      this.#tree.fill(scores, table.end);
    } else this.#tree = undefined;
    this.#scoresReady = true;
  }

  #scoreLocally(slot: number, node: NodeInfo): void {
    let total = 0;
    const local = this.#localScores;
    for (let i = 0; i < local.length; i++) total += local[i]!.weight * local[i]!.run(node);
    this.#local[slot] = total;
    this.#isScored[slot] = 1;
    for (const { raw } of this.#combined) if (raw !== undefined) raw.values[slot] = raw.run(node);
  }

  /** Totals of the feasible nodes, in the order of their list. */
  #totals(): Float64Array {
    this.#listFeasible();
    const count = this.#feasible;
    const slots = this.#feasibleSlots;
    const local = this.#local;
    const totals = (this.#lastTotals = this.#room(this.#lastTotals, count));
    for (let i = 0; i < count; i++) totals[i] = local[slots[i]!]!;
    this.#combined.forEach(({ plugin, weight, raw }, p) => {
      const scores = (this.#lastScores[p] = this.#room(this.#lastScores[p], count));
      if (raw === undefined) plugin.scoreAll!(this.state, this.#pod, this.#feasibleList, scores);
      else for (let i = 0; i < count; i++) scores[i] = raw.values[slots[i]!]!;
      plugin.normalizeScores?.(this.state, this.#pod, this.#feasibleList, scores);
      for (let i = 0; i < count; i++) totals[i]! += weight * scores[i]!;
    });
    return totals;
  }

  /** The arrays of the last decision are used again while they are long enough. */
  #room(array: Float64Array | undefined, count: number): Float64Array {
    return array !== undefined && array.length >= count ? array : new Float64Array(this.#cache.table.capacity);
  }

  /** One of the best, each with the same chance. */
  #drawBest(totals: Float64Array): number {
    let best = -Infinity;
    let ties = 0;
    const count = this.#feasible;
    for (let i = 0; i < count; i++) {
      if (totals[i]! > best) {
        best = totals[i]!;
        ties = 1;
      } else if (totals[i] === best) ties++;
    }
    let rank = ties === 1 ? 0 : this.#random.integer(ties);
    for (let i = 0; i < count; i++) if (totals[i] === best && rank-- === 0) return i;
    return 0;
  }

  /** Slots with the best totals of the last decision, best first. */
  #bestOf(limit: number): number[] {
    const totals = this.#lastTotals ?? this.#totals();
    const best: number[] = [];
    for (let i = 0; i < this.#feasible; i++) {
      if (best.length === limit && totals[i]! <= totals[best[limit - 1]!]!) continue;
      let at = best.length;
      while (at > 0 && totals[best[at - 1]!]! < totals[i]!) at--;
      best.splice(at, 0, i);
      if (best.length > limit) best.pop();
    }
    return best.map((i) => this.#feasibleSlots[i]!);
  }

  #scored(slot: number): ScoredNode {
    const node = this.#cache.table.nodes[slot]!;
    const scores: Record<string, number> = {};
    let total = 0;
    for (const { plugin, weight, run } of this.#localScores) total += scores[plugin.name] = weight * run(node);
    if (this.#combined.length > 0) {
      this.#listFeasible();
      const index = this.#feasibleSlots.subarray(0, this.#feasible).indexOf(slot);
      this.#combined.forEach(({ plugin, weight }, p) => (total += scores[plugin.name] = weight * (this.#lastScores[p]?.[index] ?? 0)));
    }
    return { node, total, scores };
  }
}

const IGNORED: TouchedNodes = { add: () => {}, all: () => {}, scores: () => {} };

function boundFilter(plugin: Plugin, state: CycleState, pod: PodInfo): BoundFilter {
  if (plugin.bindFilter !== undefined) return plugin.bindFilter(state, pod);
  return (node) => plugin.filter!(state, pod, node);
}

function boundScore(plugin: Plugin, state: CycleState, pod: PodInfo): BoundScore {
  if (plugin.bindScore !== undefined) return plugin.bindScore(state, pod);
  return (node) => plugin.score!(state, pod, node);
}
