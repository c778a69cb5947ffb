/** The plugin InterPodAffinity: required and preferred affinity and anti-affinity between pods. */
import type { Node, Pod } from '../../../api/generated/core-v1.ts';
import { ownValue } from '../../../base/index.ts';
import { termMatches, type NamespaceLabels } from '../../cache/affinity-term.ts';
import type { Cache } from '../../cache/cache.ts';
import { PodInfo } from '../../cache/pod-info.ts';
import { Action } from '../../framework/cluster-event.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { alwaysShared } from '../../framework/profile.ts';
import { skip } from '../../framework/status.ts';
import { AffinityFilterState } from './filter-state.ts';
import { AffinityScoreState } from './score-state.ts';

interface InterPodAffinityArgs {
  readonly hardPodAffinityWeight?: number;
  readonly ignorePreferredTermsOfExistingPods?: boolean;
}

const NAME = 'InterPodAffinity';
const SCORES = 'InterPodAffinity/scores';

export function interPodAffinity(args: InterPodAffinityArgs, cache: Cache, labelsOf: NamespaceLabels): Plugin {
  const scoreOptions = {
    cache,
    labelsOf,
    hardPodAffinityWeight: args.hardPodAffinityWeight ?? 1,
    ignorePreferredTermsOfExistingPods: args.ignorePreferredTermsOfExistingPods ?? false,
  };
  const follow = (
    state: Parameters<NonNullable<Plugin['podAdded']>>[0],
    change: Parameters<NonNullable<Plugin['podAdded']>>[2],
    by: 1 | -1,
  ): void => {
    state.get<AffinityFilterState>(NAME)?.change(change.other, change.node, change.touched, by);
    const scores = state.get<AffinityScoreState>(SCORES);
    if (scores === undefined || !scores.concerns(change.other.shape)) return;
    const wasEmpty = scores.isEmpty;
    scores.change(change.other, change.node, by);
    if (wasEmpty !== scores.isEmpty) change.touched.scores();
  };
  return {
    name: NAME,
    signature: alwaysShared,
    preFilter(state, pod) {
      state.delete(SCORES);
      state.set(NAME, new AffinityFilterState(cache, pod, labelsOf));
      return undefined;
    },
    bindFilter: (state) => state.get<AffinityFilterState>(NAME)?.bind() ?? (() => undefined),
    podAdded: (state, _pod, change) => follow(state, change, 1),
    podRemoved: (state, _pod, change) => follow(state, change, -1),
    preScore(state, pod) {
      const scores = new AffinityScoreState(pod, scoreOptions);
      state.set(SCORES, scores);
      return scores.isEmpty ? skip() : undefined;
    },
    scoreAll: (state, _pod, feasible, scores) => state.get<AffinityScoreState>(SCORES)?.scoreAll(feasible, scores),
    normalizeScores: (state, _pod, { count }, scores) =>
      state.get<AffinityScoreState>(SCORES)?.normalize(count, scores),
    eventsToRegister: () => [
      {
        resource: 'Pod',
        action: Action.Add | Action.Delete | Action.UpdatePodLabel,
        hint: (pod, before, after) => podHelps(pod, before as Pod | undefined, after as Pod | undefined, labelsOf),
      },
      {
        resource: 'Node',
        action: Action.Add | Action.UpdateNodeLabel,
        hint: (pod, before, after) => nodeHelps(pod, before as Node | undefined, after as Node | undefined),
      },
      { resource: 'Namespace', action: Action.Add | Action.UpdateOther },
    ],
  };
}

/** A new node, or one whose label changed that is a topology key of the pod's required terms. */
function nodeHelps(pod: PodInfo, before: Node | undefined, after: Node | undefined): boolean {
  const { requiredAffinity, requiredAntiAffinity } = pod.shape.terms;
  const required = [...requiredAffinity, ...requiredAntiAffinity];
  if (before === undefined || required.length === 0) return true;
  return required.some(
    ({ topologyKey }) =>
      (ownValue(before.metadata.labels, topologyKey) ?? '') !== (ownValue(after?.metadata.labels, topologyKey) ?? ''),
  );
}

/** A pod was added that the affinity terms match, or a pod was deleted that conflicts with the anti-affinity terms. */
function podHelps(pod: PodInfo, before: Pod | undefined, after: Pod | undefined, labelsOf: NamespaceLabels): boolean {
  const { requiredAffinity, requiredAntiAffinity } = pod.shape.terms;
  const shape = (object: Pod | undefined): PodInfo['shape'] | undefined => object && new PodInfo(object).shape;
  const [was, is] = [shape(before), shape(after)];
  if ((after ?? before)?.metadata.uid === pod.uid) return true;
  const wanted = (s: PodInfo['shape'] | undefined): boolean =>
    s !== undefined &&
    requiredAffinity.length > 0 &&
    requiredAffinity.every((t) => termMatches(t, s.namespace, s.labels, labelsOf));
  const conflicting = (s: PodInfo['shape'] | undefined): boolean =>
    s !== undefined &&
    (requiredAntiAffinity.some((t) => termMatches(t, s.namespace, s.labels, labelsOf)) ||
      s.terms.requiredAntiAffinity.some((t) => termMatches(t, pod.namespace, pod.shape.labels, labelsOf)));
  return (wanted(is) && !wanted(was)) || (conflicting(was) && !conflicting(is)) || (is === undefined && wanted(was));
}
