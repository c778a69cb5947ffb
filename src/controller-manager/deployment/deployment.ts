/** deployment-controller: rolls the pods of each Deployment over to its template, by way of ReplicaSets. */
import type { Deployment, ReplicaSet } from '../../api/generated/apps-v1.ts';
import { adoptionPatch, byControllerUid, byNamespace, claimObjects, CONTROLLER_UID_INDEX, controllerOf, controllerReference, isNotFound, keyOf, NAMESPACE_INDEX, releasePatch } from '../../client/index.ts';
import { keyedLoop, type ControllerDescriptor } from '../controller.ts';
import { podsByOwner } from '../pods/index.ts';
import { ReadYourWrites } from '../read-your-writes.ts';
import { matcherOf, selectsEverything } from '../selector-matchers.ts';
import { ignoringGone } from '../status.ts';
import { deadlineOf, isComplete, progressing, TIMED_OUT } from './conditions.ts';
import { DEPLOYMENT_KIND } from './replica-sets.ts';
import { Rollout, type RolloutOptions } from './rollout.ts';

const WORKERS = 5;
const ORPHANS_INDEX = 'orphansByNamespace';

export const deploymentController: ControllerDescriptor = {
  name: 'deployment-controller',
  aliases: ['deployment'],
  build(context) {
    const { client, clock, signal } = context;
    const deployments = context.informers.informer('apps/v1/deployments', {}, { [NAMESPACE_INDEX]: byNamespace });
    const sets = context.informers.informer('apps/v1/replicasets', {}, {
      [CONTROLLER_UID_INDEX]: byControllerUid,
      [ORPHANS_INDEX]: (set) => (controllerOf(set) === undefined ? [set.metadata.namespace ?? ''] : []),
    });
    const pods = podsByOwner(context.informers);

    /** Deployments and their sets: each step starts from what the last one has written. */
    const written = new ReadYourWrites();
    const setKey = (set: ReplicaSet): string => `set/${keyOf(set)}`;
    const wrote: RolloutOptions['wrote'] = { deployment: (deployment) => written.wrote(keyOf(deployment), deployment), set: (set) => written.wrote(setKey(set), set) };

    const reconcile = async (key: string): Promise<void> => {
      const deployment = deployments.get(key);
      if (!deployment) return written.forget(key);
      if (selectsEverything(deployment.spec?.selector)) return refuse(deployment);
      if (written.isBehind(key, deployment)) return;
      await ignoringGone(async () => {
        const claimed = await claim(deployment);
        if (claimed.some((set) => written.isBehind(setKey(set), set))) return;
        const rollout = new Rollout({ context, deployment, sets: claimed, podsOf: pods.ownedBy, wrote });
        await rollout.sync();
        wakeAtDeadline(key, rollout.deployment);
      });
    };


    const refuse = async (deployment: Deployment): Promise<void> => {
      context.recorder.event(deployment, 'Warning', 'SelectingAll', 'This deployment is selecting all pods. A non-empty selector is required.');
      const { generation } = deployment.metadata;
      if ((deployment.status?.observedGeneration ?? 0) >= (generation ?? 0)) return;
      await ignoringGone(() => client.resource('apps/v1/deployments').updateStatus({ ...deployment, status: { ...deployment.status, observedGeneration: generation } }, { signal }));
    };

    const claim = (deployment: Deployment): Promise<ReplicaSet[]> => {
      const selector = matcherOf(deployment.spec?.selector);
      const resource = client.resource('apps/v1/replicasets');
      const patch = async (set: ReplicaSet, body: unknown): Promise<void> => {
        await resource.patch({ namespace: set.metadata.namespace, name: set.metadata.name ?? '' }, body, { type: 'strategic', signal });
      };
      return claimObjects<ReplicaSet>({
        owner: deployment,
        candidates: [...sets.indexer.byIndex(CONTROLLER_UID_INDEX, deployment.metadata.uid ?? ''), ...sets.indexer.byIndex(ORPHANS_INDEX, deployment.metadata.namespace ?? '')],
        matches: (set) => selector.matches(set.metadata.labels ?? {}),
        adopt: (set) => patch(set, adoptionPatch(set, controllerReference(deployment, DEPLOYMENT_KIND))),
        release: (set) => patch(set, releasePatch(set, deployment.metadata.uid ?? '')),
        canAdopt: () => stillThere(deployment),
        isGone: isNotFound,
      });
    };

    const stillThere = async ({ metadata: { namespace, name = '', uid } }: Deployment): Promise<boolean> => {
      try {
        const live = await client.resource('apps/v1/deployments').get({ namespace, name }, { signal });
        return live.metadata.uid === uid && live.metadata.deletionTimestamp === undefined;
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
    };

    /** Nothing happens when a rollout does not move; only the clock tells. */
    const wakeAtDeadline = (key: string, deployment: Deployment): void => {
      const conditions = deployment.status?.conditions;
      const deadline = deadlineOf(deployment, conditions);
      if (deadline === undefined || progressing(conditions)?.reason === TIMED_OUT || deployment.spec?.paused || isComplete(deployment, deployment.status ?? {})) return;
      queue.addAfter(key, deadline - clock.now() + 1000);
    };

    const { queue, run } = keyedLoop(context, 'deployment', WORKERS, reconcile);

    const ownerKeyOf = (set: ReplicaSet): string | undefined => {
      const controller = controllerOf(set);
      if (controller?.kind !== 'Deployment') return undefined;
      const key = `${set.metadata.namespace}/${controller.name}`;
      return deployments.get(key)?.metadata.uid === controller.uid ? key : undefined;
    };
    const enqueueOwner = (set: ReplicaSet): void => {
      const key = ownerKeyOf(set);
      if (key !== undefined) queue.add(key);
      else if (controllerOf(set) === undefined) enqueueClaimants(set);
    };
    const enqueueClaimants = (set: ReplicaSet): void => {
      for (const deployment of deployments.indexer.byIndex(NAMESPACE_INDEX, set.metadata.namespace ?? '')) {
        if (!selectsEverything(deployment.spec?.selector) && matcherOf(deployment.spec?.selector).matches(set.metadata.labels ?? {})) queue.add(keyOf(deployment));
      }
    };

    const enqueue = (deployment: Deployment): void => queue.add(keyOf(deployment));
    deployments.addHandler({ onAdd: enqueue, onUpdate: (_, after) => enqueue(after), onDelete: enqueue });
    sets.addHandler({
      onAdd: enqueueOwner,
      onUpdate: (before, after) => {
        const previous = ownerKeyOf(before);
        if (previous !== undefined && previous !== ownerKeyOf(after)) queue.add(previous);
        enqueueOwner(after);
      },
      onDelete: (set) => {
        written.forget(setKey(set));
        enqueueOwner(set);
      },
    });
    /** A Recreate rollout goes on when the last old pod is gone. */
    pods.informer.addHandler({
      onDelete: (pod) => {
        const controller = controllerOf(pod);
        if (controller?.kind !== 'ReplicaSet') return;
        const set = sets.get(`${pod.metadata.namespace}/${controller.name}`);
        const key = set && ownerKeyOf(set);
        if (key !== undefined && deployments.get(key)?.spec?.strategy?.type === 'Recreate') queue.add(key);
      },
    });
    return run;
  },
};
