/** The plugin NodeAffinity: nodeSelector and node affinity of pods, and the affinity that the configuration adds. */
import type { Node, NodeAffinity, Pod } from '../../../api/generated/core-v1.ts';
import {
  type NodeMatcher,
  namedNodes,
  nodeLike,
  nodeSelectorMatcher,
  nodeSelectorTermMatcher,
  requiredNodeMatcher,
} from '../../../component-helpers/index.ts';
import { Action } from '../../framework/cluster-event.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { alwaysShared } from '../../framework/profile.ts';
import { skip, unresolvable } from '../../framework/status.ts';
import { normalizeByMaximum } from '../normalize.ts';

const NO_MATCH = unresolvable("node(s) didn't match Pod's node affinity/selector");
const NOT_ENFORCED = unresolvable("node(s) didn't match scheduler-enforced node affinity");

interface NodeAffinityArgs {
  readonly addedAffinity?: NodeAffinity;
}

export function nodeAffinity(args: NodeAffinityArgs): Plugin {
  const added = args.addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const enforced = added && nodeSelectorMatcher(added);
  const addedPreferred = args.addedAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return {
    name: 'NodeAffinity',
    signature: alwaysShared,
    preFilter(_state, pod) {
      const required = pod.shape.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
      if (enforced === undefined && required === undefined && Object.keys(pod.shape.nodeSelector ?? {}).length === 0)
        return { status: skip() };
      if (required === undefined) return undefined;
      const nodeNames = namedNodes(required);
      if (nodeNames === undefined) return undefined;
      return nodeNames.size === 0 ? { status: unresolvable('pod affinity terms conflict') } : { result: { nodeNames } };
    },
    bindFilter(_state, pod) {
      const required = requiredNodeMatcher(pod.shape);
      return (node) => {
        if (enforced !== undefined && !enforced(node)) return NOT_ENFORCED;
        return required === undefined || required(node) ? undefined : NO_MATCH;
      };
    },
    preScore: (_state, pod) =>
      preferredTerms(pod.shape.affinity?.nodeAffinity, addedPreferred).length === 0 ? skip() : undefined,
    bindScore(_state, pod) {
      const terms = preferredTerms(pod.shape.affinity?.nodeAffinity, addedPreferred);
      return (node) => terms.reduce((sum, { weight, matches }) => (matches(node) ? sum + weight : sum), 0);
    },
    normalizeScores: (_state, _pod, { count }, scores) => normalizeByMaximum(scores, count, false),
    eventsToRegister: () => [
      {
        resource: 'Node',
        action: Action.Add | Action.UpdateNodeLabel,
        hint: (pod, before, after) => {
          const required = requiredNodeMatcher(pod.shape);
          const fits = (node: unknown): boolean => {
            const like = nodeLike(node as Node);
            return (enforced === undefined || enforced(like)) && (required === undefined || required(like));
          };
          return fits(after) && (before === undefined || !fits(before));
        },
      },
      {
        resource: 'UnscheduledPod',
        action: Action.UpdateOther,
        hint: (pod, _before, after) => (after as Pod).metadata.uid === pod.uid,
      },
    ],
  };
}

function preferredTerms(
  affinity: NodeAffinity | undefined,
  added: NonNullable<NodeAffinity['preferredDuringSchedulingIgnoredDuringExecution']>,
): { weight: number; matches: NodeMatcher }[] {
  const own = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [...own, ...added]
    .filter(
      ({ weight, preference }) =>
        weight !== 0 && (preference.matchExpressions?.length ?? 0) + (preference.matchFields?.length ?? 0) > 0,
    )
    .map(({ weight, preference }) => ({ weight, matches: nodeSelectorTermMatcher(preference) }));
}
