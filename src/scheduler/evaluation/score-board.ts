/**
 * The scores of feasible nodes. Scores that depend on the node alone are cached in a column and, when there are no
 * others, in a tournament tree that knows the best. Scores that are normalized over all feasible nodes, or depend on
 * other pods, are summed up for each decision.
 */
import type { Random } from '../../kernel/index.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import type { NodeTable } from '../cache/node-table.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import type { CycleState } from '../framework/cycle-state.ts';
import type { BoundScore, FeasibleNodes, Plugin } from '../framework/plugin.ts';
import type { Profile } from '../framework/profile.ts';
import { TournamentTree } from './tournament-tree.ts';

interface LocalScore {
  readonly plugin: Plugin;
  readonly weight: number;
  readonly run: BoundScore;
}

/** Scores that are normalized over all feasible nodes. Raw scores are cached when they depend on the node alone. */
interface CombinedScore {
  readonly plugin: Plugin;
  readonly weight: number;
  readonly raw: { readonly values: Float64Array; readonly run: BoundScore } | undefined;
  /** The normalized scores of the last decision, in the order of the feasible nodes. */
  last: Float64Array;
}

export interface ScoredNode {
  readonly node: NodeInfo;
  readonly total: number;
  /** Weighted, by plugin. */
  readonly scores: Readonly<Record<string, number>>;
}

export class ScoreBoard {
  readonly #state: CycleState;
  readonly #table: NodeTable;
  readonly #pod: PodInfo;
  readonly #localScores: LocalScore[] = [];
  readonly #combined: CombinedScore[] = [];
  readonly #local: Float64Array;
  /** Whether the local score of a slot is up to date. */
  readonly #isScored: Uint8Array;
  readonly #tree: TournamentTree | undefined;
  #totals: Float64Array | undefined;
  /** Cached breakdowns of nodes that have not changed. */
  readonly #breakdowns: (ScoredNode | undefined)[] = [];

  /** Runs PreScore, and the scores of feasible nodes that depend on the node alone. */
  constructor(options: {
    profile: Profile;
    state: CycleState;
    table: NodeTable;
    pod: PodInfo;
    feasible: FeasibleNodes;
    tournamentTree: boolean;
  }) {
    const { profile, state, table, pod, feasible } = options;
    this.#state = state;
    this.#table = table;
    this.#pod = pod;
    this.#local = new Float64Array(table.capacity);
    this.#isScored = new Uint8Array(table.capacity);
    this.#runPreScores(profile, feasible);
    for (const { plugin, weight } of profile.plugins.score)
      if (!state.skippedScores.has(plugin.name)) this.#addPlugin(plugin, weight);
    for (let i = 0; i < feasible.count; i++) this.#score(feasible.slots[i]!);
    this.#timeScores(profile, feasible);
    if (this.#combined.length > 0 || !options.tournamentTree) return;
    const scores = new Float64Array(table.end).fill(-Infinity);
    for (let i = 0; i < feasible.count; i++) scores[feasible.slots[i]!] = this.#local[feasible.slots[i]!]!;
    this.#tree = new TournamentTree(table.capacity);
    this.#tree.fill(scores, table.end);
  }

  /** The node has changed, so its score has to be computed again. */
  nodeChanged(slot: number): void {
    if (slot < this.#breakdowns.length) this.#breakdowns[slot] = undefined;
    this.#isScored[slot] = 0;
  }

  /** The node was filtered again. */
  update(slot: number, fits: boolean): void {
    if (fits && this.#isScored[slot] === 0) this.#score(slot);
    this.#tree?.set(slot, fits ? this.#local[slot]! : -Infinity);
    this.#totals = undefined;
  }

  /** The slot with the highest score, a random one of several. */
  selectBest(feasible: FeasibleNodes, random: Random): number | undefined {
    if (this.#tree !== undefined) return this.#tree.selectBest(random);
    const totals = this.#sum(feasible);
    let best = -Infinity;
    let ties = 0;
    for (let i = 0; i < feasible.count; i++) {
      if (totals[i]! > best) {
        best = totals[i]!;
        ties = 1;
      } else if (totals[i] === best) ties++;
    }
    let rank = ties <= 1 ? 0 : random.integer(ties);
    for (let i = 0; i < feasible.count; i++) if (totals[i] === best && rank-- === 0) return feasible.slots[i];
    return undefined;
  }

  /** The slots with the best scores, best first. */
  top(limit: number, feasible: FeasibleNodes): number[] {
    if (this.#tree !== undefined) return this.#tree.top(limit);
    const totals = this.#totals ?? this.#sum(feasible);
    const best: number[] = [];
    for (let i = 0; i < feasible.count; i++) {
      if (best.length === limit && totals[i]! <= totals[best[limit - 1]!]!) continue;
      let at = best.length;
      while (at > 0 && totals[best[at - 1]!]! < totals[i]!) at--;
      best.splice(at, 0, i);
      if (best.length > limit) best.pop();
    }
    return best.map((i) => feasible.slots[i]!);
  }

  /** The scores of a node by plugin, as in the last decision. */
  breakdown(slot: number, feasible: FeasibleNodes): ScoredNode {
    if (this.#combined.length > 0) return this.#computeBreakdown(slot, feasible);
    return (this.#breakdowns[slot] ??= this.#computeBreakdown(slot, feasible));
  }

  #computeBreakdown(slot: number, feasible: FeasibleNodes): ScoredNode {
    const node = this.#table.nodes[slot]!;
    const scores: Record<string, number> = {};
    let total = 0;
    for (const { plugin, weight, run } of this.#localScores) total += scores[plugin.name] = weight * run(node);
    if (this.#combined.length > 0) {
      if (this.#totals === undefined) this.#sum(feasible);
      const index = feasible.slots.subarray(0, feasible.count).indexOf(slot);
      for (const { plugin, weight, last } of this.#combined) total += scores[plugin.name] = weight * (last[index] ?? 0);
    }
    return { node, total, scores };
  }

  #runPreScores(profile: Profile, feasible: FeasibleNodes): void {
    const { skippedScores } = this.#state;
    const { meter } = profile;
    skippedScores.clear();
    const startedAt = meter.start();
    for (const plugin of profile.plugins.preScore) {
      const pluginStartedAt = meter.start();
      const status = plugin.preScore!(this.#state, this.#pod, feasible);
      meter.plugin(plugin.name, 'PreScore', pluginStartedAt, status?.code);
      if (status?.code !== 'Skip') meter.countEvaluations(plugin.name, 'PreScore');
      if (status?.code === 'Skip') skippedScores.add(plugin.name);
      else if (status !== undefined)
        throw new Error(`running PreScore plugin ${JSON.stringify(plugin.name)}: ${status.message}`);
    }
    meter.point('PreScore', startedAt);
  }

  #addPlugin(plugin: Plugin, weight: number): void {
    const last = new Float64Array(0);
    if (plugin.scoreAll !== undefined) {
      this.#combined.push({ plugin, weight, raw: undefined, last });
      return;
    }
    const run: BoundScore =
      plugin.bindScore?.(this.#state, this.#pod) ?? ((node) => plugin.score!(this.#state, this.#pod, node));
    if (plugin.normalizeScores === undefined) this.#localScores.push({ plugin, weight, run });
    else this.#combined.push({ plugin, weight, raw: { values: new Float64Array(this.#table.capacity), run }, last });
  }

  /** Measures each score on one node, as a sample. */
  #timeScores({ meter }: Profile, { slots, count }: FeasibleNodes): void {
    const node = count === 0 ? undefined : this.#table.nodes[slots[0]!];
    if (node === undefined) return;
    for (const { plugin, run } of [
      ...this.#localScores,
      ...this.#combined.map(({ plugin: p, raw }) => ({ plugin: p, run: raw?.run })),
    ]) {
      meter.countEvaluations(plugin.name, 'Score', count);
      const startedAt = meter.start();
      if (run === undefined) continue;
      run(node);
      meter.plugin(plugin.name, 'Score', startedAt);
    }
  }

  #score(slot: number): void {
    const node = this.#table.nodes[slot]!;
    const local = this.#localScores;
    let total = 0;
    for (let i = 0; i < local.length; i++) total += local[i]!.weight * local[i]!.run(node);
    this.#local[slot] = total;
    this.#isScored[slot] = 1;
    for (const { raw } of this.#combined) if (raw !== undefined) raw.values[slot] = raw.run(node);
  }

  /** Totals of the feasible nodes, in their order. */
  #sum(feasible: FeasibleNodes): Float64Array {
    const { slots, count } = feasible;
    const local = this.#local;
    const totals = new Float64Array(count);
    for (let i = 0; i < count; i++) totals[i] = local[slots[i]!]!;
    for (const entry of this.#combined) {
      const { plugin, weight, raw } = entry;
      const scores = entry.last.length >= count ? entry.last : (entry.last = new Float64Array(this.#table.capacity));
      if (raw === undefined) plugin.scoreAll!(this.#state, this.#pod, feasible, scores);
      else for (let i = 0; i < count; i++) scores[i] = raw.values[slots[i]!]!;
      plugin.normalizeScores?.(this.#state, this.#pod, feasible, scores);
      for (let i = 0; i < count; i++) totals[i]! += weight * scores[i]!;
    }
    return (this.#totals = totals);
  }
}
