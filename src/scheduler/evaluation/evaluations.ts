import type { NodeInfo } from '../cache/node-info.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import type { Profile } from '../framework/profile.ts';
import type { Evaluation } from './evaluation.ts';

export interface Evaluations {
  /** An up-to-date evaluation for the pod, shared with equal pods when the plugins allow that. */
  of(pod: PodInfo, profile: Profile): { evaluation: Evaluation; shared: boolean };
  /** An evaluation of the pod's nominated node only. Undefined when the pod does not fit there yet. */
  onNode(pod: PodInfo, profile: Profile, node: NodeInfo): Evaluation | undefined;
}

export type CreateEvaluation = (pod: PodInfo, profile: Profile, signature: string | undefined) => Evaluation;

/** Evaluates every pod for itself. */
export function ownEvaluations(create: CreateEvaluation): Evaluations {
  return {
    of(pod, profile) {
      const evaluation = create(pod, profile, undefined);
      evaluation.refresh(pod);
      return { evaluation, shared: false };
    },
    onNode(pod, profile, node) {
      const evaluation = create(pod, profile, undefined);
      return evaluation.fitsOn(pod, node) ? evaluation : undefined;
    },
  };
}
