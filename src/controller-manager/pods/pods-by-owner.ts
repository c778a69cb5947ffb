import type { Pod } from '../../api/generated/core-v1.ts';
import {
  byControllerUid,
  CONTROLLER_UID_INDEX,
  controllerOf,
  type ApiObject,
  type InformerFactory,
  type SharedInformer,
} from '../../client/index.ts';

const ORPHANS_INDEX = 'orphansByNamespace';

export interface PodsByOwner {
  readonly informer: SharedInformer<Pod>;
  /** The pods that an owner controls. */
  ownedBy(owner: ApiObject): Pod[];
  /** The pods that an owner controls or may adopt: orphans of its namespace included. */
  candidates(owner: ApiObject): Pod[];
}

/** Indexes the shared pod informer by controller. */
export function podsByOwner(informers: InformerFactory): PodsByOwner {
  const informer = informers.informer(
    'v1/pods',
    {},
    {
      [CONTROLLER_UID_INDEX]: byControllerUid,
      [ORPHANS_INDEX]: (pod) => (controllerOf(pod) === undefined ? [pod.metadata.namespace ?? ''] : []),
    },
  );
  const ownedBy = (owner: ApiObject): Pod[] => informer.indexer.byIndex(CONTROLLER_UID_INDEX, owner.metadata.uid ?? '');
  return {
    informer,
    ownedBy,
    candidates: (owner) => [
      ...ownedBy(owner),
      ...informer.indexer.byIndex(ORPHANS_INDEX, owner.metadata.namespace ?? ''),
    ],
  };
}
