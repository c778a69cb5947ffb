/**
 * The plugin PodTopologySpread: spreads pods over the topology domains of node labels, as a filter (DoNotSchedule) or
 * as a score (ScheduleAnyway).
 */
import type { Node, Pod, TopologySpreadConstraint } from '../../../api/generated/core-v1.ts';
import { ownValue } from '../../../base/index.ts';
import type { Cache } from '../../cache/cache.ts';
import { PodInfo } from '../../cache/pod-info.ts';
import { Action } from '../../framework/cluster-event.ts';
import type { CycleState } from '../../framework/cycle-state.ts';
import type { BoundFilter, ClusterEventWithHint, FeasibleNodes, Plugin } from '../../framework/plugin.ts';
import { skip, type Status } from '../../framework/status.ts';
import { defaultSelector, type SpreadListers } from './default-selector.ts';
import { SpreadFilterState } from './filter-state.ts';
import { SpreadScoreState } from './score-state.ts';
import { constraintsOf, counted, type SpreadConstraint } from './spread-constraint.ts';

interface PodTopologySpreadArgs {
  readonly defaultConstraints?: readonly TopologySpreadConstraint[];
  readonly defaultingType?: 'System' | 'List';
}

const SYSTEM_DEFAULTS: readonly TopologySpreadConstraint[] = [
  { topologyKey: 'kubernetes.io/hostname', maxSkew: 3, whenUnsatisfiable: 'ScheduleAnyway' },
  { topologyKey: 'topology.kubernetes.io/zone', maxSkew: 5, whenUnsatisfiable: 'ScheduleAnyway' },
];

const NAME = 'PodTopologySpread';
const SCORES = 'PodTopologySpread/scores';

type PodChange = Parameters<NonNullable<Plugin['podAdded']>>[2];

export function podTopologySpread(args: PodTopologySpreadArgs, cache: Cache, listers: SpreadListers): Plugin {
  return new PodTopologySpread(args, cache, listers);
}

class PodTopologySpread implements Plugin {
  readonly name = NAME;
  readonly #cache: Cache;
  readonly #listers: SpreadListers;
  readonly #systemDefaulted: boolean;
  readonly #defaults: readonly TopologySpreadConstraint[];

  constructor(args: PodTopologySpreadArgs, cache: Cache, listers: SpreadListers) {
    this.#cache = cache;
    this.#listers = listers;
    this.#systemDefaulted = (args.defaultingType ?? 'System') === 'System';
    this.#defaults = this.#systemDefaulted ? SYSTEM_DEFAULTS : (args.defaultConstraints ?? []);
  }

  /** Default constraints depend on the Services and controllers of the pod. */
  signature(pod: PodInfo): string {
    if (pod.shape.spreadConstraints.length > 0 || this.#defaults.length === 0) return '';
    return defaultSelector(pod.shape, this.#listers)?.toString() ?? '';
  }

  preFilter(state: CycleState, pod: PodInfo): { status: Status } | undefined {
    state.delete(NAME);
    state.delete(SCORES);
    const required = this.#constraints(pod, 'DoNotSchedule');
    if (required.length === 0) return { status: skip() };
    state.set(NAME, new SpreadFilterState(this.#cache, pod, required));
    return undefined;
  }

  bindFilter(state: CycleState): BoundFilter {
    return state.get<SpreadFilterState>(NAME)?.bind() ?? (() => undefined);
  }

  podAdded(state: CycleState, _pod: PodInfo, change: PodChange): void {
    count(state, change, 1);
  }

  podRemoved(state: CycleState, _pod: PodInfo, change: PodChange): void {
    count(state, change, -1);
  }

  preScore(state: CycleState, pod: PodInfo): Status | undefined {
    const preferred = this.#constraints(pod, 'ScheduleAnyway');
    if (preferred.length === 0) return skip();
    const requireAllLabels = pod.shape.spreadConstraints.length > 0 || !this.#systemDefaulted;
    state.set(SCORES, new SpreadScoreState(this.#cache, pod, preferred, requireAllLabels));
    return undefined;
  }

  scoreAll(state: CycleState, _pod: PodInfo, feasible: FeasibleNodes, scores: Float64Array): void {
    state.get<SpreadScoreState>(SCORES)?.scoreAll(feasible, scores);
  }

  normalizeScores(state: CycleState, _pod: PodInfo, feasible: FeasibleNodes, scores: Float64Array): void {
    state.get<SpreadScoreState>(SCORES)?.normalize(feasible.count, scores);
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [
      {
        resource: 'Pod',
        action: Action.Add | Action.Delete | Action.UpdatePodLabel,
        hint: (pod, before, after) => this.#podHelps(pod, before as Pod | undefined, after as Pod | undefined),
      },
      {
        resource: 'Node',
        action: Action.Add | Action.Delete | Action.UpdateNodeLabel | Action.UpdateNodeTaint,
        hint: (pod, before, after) => this.#nodeHelps(pod, before as Node | undefined, after as Node | undefined),
      },
    ];
  }

  #constraints(pod: PodInfo, kind: 'DoNotSchedule' | 'ScheduleAnyway'): SpreadConstraint[] {
    return constraintsOf({
      pod,
      table: this.#cache.table,
      kind,
      defaults: this.#defaults,
      defaultSelector: () => defaultSelector(pod.shape, this.#listers),
    });
  }

  /** Whether the pod is this one, or is or was counted by one of its constraints. */
  #podHelps(pod: PodInfo, before: Pod | undefined, after: Pod | undefined): boolean {
    if ((after ?? before)!.metadata.uid === pod.uid) return true;
    const isCounted = (other: Pod | undefined): boolean => {
      if (other === undefined) return false;
      const { shape } = new PodInfo(other);
      return this.#constraints(pod, 'DoNotSchedule').some(({ selector }) => counted(selector, pod.namespace, shape));
    };
    return isCounted(before) || isCounted(after);
  }

  /** Whether the node has or had the labels of all constraints. */
  #nodeHelps(pod: PodInfo, before: Node | undefined, after: Node | undefined): boolean {
    const keys = this.#constraints(pod, 'DoNotSchedule').map(({ topology }) => topology.key);
    const isLabelled = (node: Node | undefined): boolean =>
      node !== undefined && keys.every((key) => ownValue(node.metadata.labels, key) !== undefined);
    return isLabelled(before) || isLabelled(after);
  }
}

function count(state: CycleState, { other, node, touched }: PodChange, by: 1 | -1): void {
  state.get<SpreadFilterState>(NAME)?.change(other, node, touched, by);
  state.get<SpreadScoreState>(SCORES)?.change(other, node, by);
}
