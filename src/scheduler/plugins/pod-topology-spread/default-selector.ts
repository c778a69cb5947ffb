/** The selector of default spread constraints. */
import type { ReplicaSet, StatefulSet } from '../../../api/generated/apps-v1.ts';
import type { ReplicationController, Service } from '../../../api/generated/core-v1.ts';
import {
  labelSelectorAsSelector,
  LabelSelectorMatcher,
  selectorFromLabels,
  type LabelRequirement,
} from '../../../machinery/selectors/index.ts';
import type { PodShape } from '../../cache/pod-shape.ts';

export interface SpreadListers {
  services(namespace: string): readonly Service[];
  replicationController(namespace: string, name: string): ReplicationController | undefined;
  replicaSet(namespace: string, name: string): ReplicaSet | undefined;
  statefulSet(namespace: string, name: string): StatefulSet | undefined;
}

/** Selects the pods of the pod's Services and of its controller. Undefined when it has neither. */
export function defaultSelector(shape: PodShape, listers: SpreadListers): LabelSelectorMatcher | undefined {
  const requirements: LabelRequirement[] = [];
  const { namespace, labels, owner } = shape;
  for (const service of listers.services(namespace)) {
    const selector = service.spec?.selector;
    if (selector === undefined || Object.keys(selector).length === 0) continue;
    const matcher = selectorFromLabels(selector);
    if (matcher.matches(labels)) requirements.push(...matcher.requirements);
  }
  const ofOwner = owner && ownerSelector(namespace, owner, listers);
  if (ofOwner) requirements.push(...ofOwner.requirements);
  return requirements.length === 0 ? undefined : new LabelSelectorMatcher(requirements);
}

function ownerSelector(
  namespace: string,
  owner: NonNullable<PodShape['owner']>,
  listers: SpreadListers,
): LabelSelectorMatcher | undefined {
  switch (`${owner.apiVersion} ${owner.kind}`) {
    case 'v1 ReplicationController': {
      const controller = listers.replicationController(namespace, owner.name);
      return controller && selectorFromLabels(controller.spec?.selector);
    }
    case 'apps/v1 ReplicaSet': {
      const set = listers.replicaSet(namespace, owner.name);
      return set && labelSelectorAsSelector(set.spec?.selector);
    }
    case 'apps/v1 StatefulSet': {
      const set = listers.statefulSet(namespace, owner.name);
      return set && labelSelectorAsSelector(set.spec?.selector);
    }
    default:
      return undefined;
  }
}
