import type { Node, Pod, TopologySpreadConstraint } from '../../../api/generated/core-v1.ts';
import type { Cache } from '../../cache/cache.ts';
import { PodInfo } from '../../cache/pod-info.ts';
import { Action } from '../../framework/cluster-event.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { skip } from '../../framework/status.ts';
import { defaultSelector, type SpreadListers } from './default-selector.ts';
import { SpreadFilterState } from './filter-state.ts';
import { SpreadScoreState } from './score-state.ts';
import { constraintsOf, counted, type SpreadConstraint } from './spread-constraint.ts';

export interface PodTopologySpreadArgs {
  readonly defaultConstraints?: readonly TopologySpreadConstraint[];
  readonly defaultingType?: 'System' | 'List';
}

const SYSTEM_DEFAULTS: readonly TopologySpreadConstraint[] = [
  { topologyKey: 'kubernetes.io/hostname', maxSkew: 3, whenUnsatisfiable: 'ScheduleAnyway' },
  { topologyKey: 'topology.kubernetes.io/zone', maxSkew: 5, whenUnsatisfiable: 'ScheduleAnyway' },
];

const NAME = 'PodTopologySpread';
const SCORES = 'PodTopologySpread/scores';

/** Spreads pods that belong together over the domains of node labels: as a must, or as a preference. */
export function podTopologySpread(args: PodTopologySpreadArgs, cache: Cache, listers: SpreadListers): Plugin {
  const systemDefaulted = (args.defaultingType ?? 'System') === 'System';
  const defaults = systemDefaulted ? SYSTEM_DEFAULTS : (args.defaultConstraints ?? []);
  const constraints = (pod: PodInfo, kind: 'DoNotSchedule' | 'ScheduleAnyway'): SpreadConstraint[] =>
    constraintsOf({ pod, table: cache.table, kind, defaults, defaultSelector: () => defaultSelector(pod.shape, listers) });

  const follow = (state: Parameters<NonNullable<Plugin['podAdded']>>[0], change: Parameters<NonNullable<Plugin['podAdded']>>[2], by: 1 | -1): void => {
    state.get<SpreadFilterState>(NAME)?.change(change.other, change.node, change.touched, by);
    state.get<SpreadScoreState>(SCORES)?.change(change.other, change.node, by);
  };

  return {
    name: NAME,
    /** Default constraints count the pods of the Services and controllers that there are now. */
    signature: (pod) => (pod.shape.spreadConstraints.length > 0 || defaults.length === 0 ? '' : (defaultSelector(pod.shape, listers)?.toString() ?? '')),
    preFilter(state, pod) {
      state.delete(NAME);
      state.delete(SCORES);
      const required = constraints(pod, 'DoNotSchedule');
      if (required.length === 0) return { status: skip() };
      state.set(NAME, new SpreadFilterState(cache, pod, required));
      return undefined;
    },
    bindFilter: (state) => state.get<SpreadFilterState>(NAME)?.bind() ?? (() => undefined),
    podAdded: (state, _pod, change) => follow(state, change, 1),
    podRemoved: (state, _pod, change) => follow(state, change, -1),
    preScore(state, pod) {
      const preferred = constraints(pod, 'ScheduleAnyway');
      if (preferred.length === 0) return skip();
      const requireAllLabels = pod.shape.spreadConstraints.length > 0 || !systemDefaulted;
      state.set(SCORES, new SpreadScoreState(cache, pod, preferred, requireAllLabels));
      return undefined;
    },
    scoreAll: (state, _pod, feasible, scores) => state.get<SpreadScoreState>(SCORES)?.scoreAll(feasible, scores),
    normalizeScores: (state, _pod, { count }, scores) => state.get<SpreadScoreState>(SCORES)?.normalize(count, scores),
    eventsToRegister: () => [
      {
        resource: 'Pod',
        action: Action.Add | Action.Delete | Action.UpdatePodLabel,
        hint: (pod, before, after) => {
          if (((after ?? before) as Pod).metadata.uid === pod.uid) return true;
          const matching = (object: unknown): boolean => {
            if (object === undefined) return false;
            const { shape } = new PodInfo(object as Pod);
            return constraints(pod, 'DoNotSchedule').some((c) => counted(c.selector, pod.namespace, shape));
          };
          return matching(before) || matching(after);
        },
      },
      {
        resource: 'Node',
        action: Action.Add | Action.Delete | Action.UpdateNodeLabel | Action.UpdateNodeTaint,
        hint: (pod, before, after) => {
          const keys = constraints(pod, 'DoNotSchedule').map((c) => c.topology.key);
          const labelled = (node: unknown): boolean => node !== undefined && keys.every((key) => (node as Node).metadata.labels?.[key] !== undefined);
          return labelled(before) || labelled(after);
        },
      },
    ],
  };
}
