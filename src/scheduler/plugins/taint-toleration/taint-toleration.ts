/**
 * The plugin TaintToleration: filters nodes with taints that the pod does not tolerate, and prefers nodes with fewer
 * PreferNoSchedule taints.
 */
import type { Node, Pod } from '../../../api/generated/core-v1.ts';
import { findUntoleratedTaint, toleratesTaint } from '../../../component-helpers/index.ts';
import type { Cache } from '../../cache/cache.ts';
import { Action } from '../../framework/cluster-event.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { alwaysShared } from '../../framework/profile.ts';
import { skip, unresolvable } from '../../framework/status.ts';
import { normalizeByMaximum } from '../normalize.ts';

const UNTOLERATED = unresolvable('node(s) had untolerated taint(s)');

export function taintToleration(cache: Cache): Plugin {
  return {
    name: 'TaintToleration',
    signature: alwaysShared,
    bindFilter(_state, pod) {
      const { tolerations } = pod.shape;
      return (node) =>
        node.taints.length > 0 && findUntoleratedTaint(node.taints, tolerations) !== undefined
          ? UNTOLERATED
          : undefined;
    },
    preScore: () => (cache.preferNoScheduleNodes === 0 ? skip() : undefined),
    bindScore(_state, pod) {
      const tolerations = pod.shape.tolerations.filter((t) => !t.effect || t.effect === 'PreferNoSchedule');
      return (node) => {
        let untolerated = 0;
        for (const taint of node.taints)
          if (taint.effect === 'PreferNoSchedule' && !tolerations.some((t) => toleratesTaint(t, taint))) untolerated++;
        return untolerated;
      };
    },
    normalizeScores: (_state, _pod, { count }, scores) => normalizeByMaximum(scores, count, true),
    eventsToRegister: () => [
      {
        resource: 'Node',
        action: Action.Add | Action.UpdateNodeTaint,
        hint: (pod, before, after) => {
          const fits = (node: unknown): boolean =>
            findUntoleratedTaint((node as Node).spec?.taints ?? [], pod.shape.tolerations) === undefined;
          return fits(after) && (before === undefined || !fits(before));
        },
      },
      {
        resource: 'UnscheduledPod',
        action: Action.UpdatePodToleration,
        hint: (pod, _before, after) => (after as Pod).metadata.uid === pod.uid,
      },
    ],
  };
}
