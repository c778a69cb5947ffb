/** statefulset-controller: pods with stable names and storage, made, replaced and removed in order. */
import type { ControllerRevision, StatefulSet } from '../../api/generated/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import { byNamespace, claimObjects, controllerOf, controllerReference, isNotFound, keyOf, NAMESPACE_INDEX } from '../../client/index.ts';
import { keyedLoop, type ControllerDescriptor } from '../controller.ts';
import { PodControl, podsByOwner } from '../pods/index.ts';
import { availableInMs } from '../../component-helpers/index.ts';
import { RevisionHistory, revisionData, sameData, type RevisionOwner } from '../revisions/index.ts';
import { matcherOf } from '../selector-matchers.ts';
import { ignoringGone, sameStatus } from '../status.ts';
import { StatefulClaims } from './claims.ts';
import { isMember, parentAndOrdinal, revisionNameOf, STATEFUL_SET_KIND } from './identity.ts';
import { StatefulPods } from './stateful-pods.ts';
import { statefulSetStatus, type SetRevisions } from './stateful-status.ts';
import { syncStatefulSet } from './sync-stateful-set.ts';

const WORKERS = 5;
const HASH_LABEL = 'controller.kubernetes.io/hash';

export const statefulSetController: ControllerDescriptor = {
  name: 'statefulset-controller',
  aliases: ['statefulset'],
  build(context) {
    const { client, clock, signal } = context;
    const sets = context.informers.informer('apps/v1/statefulsets', {}, { [NAMESPACE_INDEX]: byNamespace });
    const pods = podsByOwner(context.informers);
    const history = new RevisionHistory(context);
    const claims = new StatefulClaims(context);
    const control = new StatefulPods(context, claims);
    const adoption = new PodControl(context);
    const resource = client.resource('apps/v1/statefulsets');

    const reconcile = async (key: string): Promise<void> => {
      const set = sets.get(key);
      if (!set) return;
      await ignoringGone(async () => {
        const owned = await claim(set);
        const all = await history.list(revisionOwner(set));
        const found = await revisions(set, all);
        if (!found) return;
        const { current, update } = found;
        const names: SetRevisions = { current: current.metadata.name ?? '', update: update.metadata.name ?? '', collisionCount: set.status?.collisionCount ?? 0 };
        let failure: unknown;
        try {
          await syncStatefulSet({ set, pods: owned, current, update, control, claims, now: clock.now() });
        } catch (error) {
          if (signal.aborted) throw error;
          failure = error;
        }
        const status = statefulSetStatus(set, owned, names, clock.now());
        if (!sameStatus(status, set.status)) await resource.updateStatus({ ...set, status }, { signal });
        if (failure !== undefined) throw failure as Error;
        await prune(set, all, new Set([names.current, names.update, status.currentRevision, ...owned.map(revisionNameOf)]));
        wakeWhenAvailable(key, set, owned);
      });
    };

    const stillThere = async ({ metadata: { namespace, name = '', uid } }: StatefulSet): Promise<boolean> => {
      try {
        const live = await resource.get({ namespace, name }, { signal });
        return live.metadata.uid === uid && live.metadata.deletionTimestamp === undefined;
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
    };

    const claim = (set: StatefulSet): Promise<Pod[]> => {
      const selector = matcherOf(set.spec?.selector);
      return claimObjects<Pod>({
        owner: set,
        candidates: pods.candidates(set).filter((pod) => isMember(pod, set)),
        matches: (pod) => selector.matches(pod.metadata.labels ?? {}),
        adopt: (pod) => adoption.adopt(pod, controllerReference(set, STATEFUL_SET_KIND)),
        release: (pod) => adoption.release(pod, set.metadata.uid ?? ''),
        canAdopt: () => stillThere(set),
        isGone: isNotFound,
      });
    };

    const revisionOwner = (set: StatefulSet): RevisionOwner => ({ owner: set, kind: STATEFUL_SET_KIND, selector: set.spec?.selector, canAdopt: () => stillThere(set) });

    /** The revision to update to, made or numbered as the newest where it is not, and the one that pods are updated from. */
    const revisions = async (set: StatefulSet, all: readonly ControllerRevision[]): Promise<{ current: ControllerRevision; update: ControllerRevision } | undefined> => {
      const data = revisionData(set.spec?.template);
      const newest = all.at(-1);
      const equal = all.filter((revision) => sameData(revision, data)).at(-1);
      const number = (newest?.revision ?? 0) + 1;
      const update = equal ? (equal === newest ? equal : await history.setRevision(equal, number)) : await makeRevision(set, data, number);
      if (!update) return undefined;
      return { update, current: all.find((revision) => revision.metadata.name === set.status?.currentRevision && revision !== equal) ?? update };
    };

    const makeRevision = async (set: StatefulSet, data: unknown, revision: number): Promise<ControllerRevision | undefined> => {
      const collisionCount = set.status?.collisionCount ?? 0;
      const made = await history.create({
        ...revisionOwner(set),
        data,
        revision,
        hashLabel: HASH_LABEL,
        labels: { ...set.spec?.template.metadata?.labels },
        annotations: { ...set.metadata.annotations },
        collisionCount,
      });
      if (!made) await resource.updateStatus({ ...set, status: { ...(set.status ?? { replicas: 0 }), collisionCount: collisionCount + 1 } }, { signal });
      return made;
    };

    const prune = async (set: StatefulSet, all: readonly ControllerRevision[], used: ReadonlySet<string | undefined>): Promise<void> => {
      const unused = all.filter((revision) => !used.has(revision.metadata.name));
      const surplus = unused.length - (set.spec?.revisionHistoryLimit ?? 10);
      for (const revision of unused.slice(0, Math.max(0, surplus))) await history.delete(revision);
    };

    const wakeWhenAvailable = (key: string, { spec }: StatefulSet, owned: readonly Pod[]): void => {
      const waits = owned.map((pod) => availableInMs(pod, spec?.minReadySeconds ?? 0, clock.now()) ?? 0).filter((ms) => ms > 0);
      if (waits.length > 0) queue.addAfter(key, Math.min(...waits));
    };

    const { queue, run } = keyedLoop(context, 'statefulset', WORKERS, reconcile);

    /** By owner, and by name: a foreign pod that has the name of ours stands in its way until it goes. */
    const enqueueSet = (object: Pod | ControllerRevision): void => {
      const controller = controllerOf(object);
      const names = new Set([controller?.kind === 'StatefulSet' ? controller.name : undefined, parentAndOrdinal(object.metadata.name ?? '')?.parent]);
      for (const name of names) {
        const key = `${object.metadata.namespace}/${name}`;
        if (name !== undefined && sets.get(key)) queue.add(key);
      }
    };
    const enqueue = (set: StatefulSet): void => queue.add(keyOf(set));
    sets.addHandler({ onAdd: enqueue, onUpdate: (_, after) => enqueue(after), onDelete: enqueue });
    pods.informer.addHandler({ onAdd: enqueueSet, onUpdate: (_, after) => enqueueSet(after), onDelete: enqueueSet });
    history.informer.addHandler({ onDelete: enqueueSet });
    /** A claim that was in the way of a new pod is gone. */
    claims.informer.addHandler({
      onDelete: ({ metadata: { namespace = '', name = '' } }: PersistentVolumeClaim) => {
        const parent = parentAndOrdinal(name)?.parent;
        if (parent === undefined) return;
        for (const set of sets.indexer.byIndex(NAMESPACE_INDEX, namespace)) if (parent.endsWith(`-${set.metadata.name}`)) queue.add(keyOf(set));
      },
    });
    return run;
  },
};
