/** What the Deployment controller watches, and which Deployments an event concerns. */
import type { Deployment, ReplicaSet } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { controllerOf, keyOf, NAMESPACE_INDEX } from '../../client/index.ts';
import { watch, type Watch } from '../controller.ts';
import { ownerKeyIn } from '../owners.ts';
import { matcherOf, selectsEverything } from '../selector-matchers.ts';
import { writtenSetKey, type DeploymentParts } from './reconcile.ts';

export function deploymentWatches({ deployments, sets, pods, written }: DeploymentParts): readonly Watch[] {
  const ownerKey = ownerKeyIn(deployments, { kind: 'Deployment' });
  const itself = (deployment: Deployment): string[] => [keyOf(deployment)];
  /** The Deployments that may adopt an orphan. */
  const claimants = ({ metadata }: ReplicaSet): string[] =>
    deployments.indexer
      .byIndex(NAMESPACE_INDEX, metadata.namespace ?? '')
      .filter(
        ({ spec }) => !selectsEverything(spec?.selector) && matcherOf(spec?.selector).matches(metadata.labels ?? {}),
      )
      .map(keyOf);
  const ownerKeys = (set: ReplicaSet): string[] => {
    const key = ownerKey(set);
    if (key !== undefined) return [key];
    return controllerOf(set) === undefined ? claimants(set) : [];
  };
  /** A Recreate rollout continues when the last old pod is gone. */
  const recreated = (pod: Pod): string[] => {
    const controller = controllerOf(pod);
    const set =
      controller?.kind === 'ReplicaSet' ? sets.get(`${pod.metadata.namespace}/${controller.name}`) : undefined;
    const key = set && ownerKey(set);
    return key !== undefined && deployments.get(key)?.spec?.strategy?.type === 'Recreate' ? [key] : [];
  };
  return [
    watch(deployments, { added: itself, updated: (_, after) => itself(after), deleted: itself }),
    watch(sets, {
      added: ownerKeys,
      updated: (before, after) => {
        const previous = ownerKey(before);
        const left = previous !== undefined && previous !== ownerKey(after) ? [previous] : [];
        return [...left, ...ownerKeys(after)];
      },
      deleted: (set) => {
        written.forget(writtenSetKey(set));
        return ownerKeys(set);
      },
    }),
    watch(pods.informer, { deleted: recreated }),
  ];
}
