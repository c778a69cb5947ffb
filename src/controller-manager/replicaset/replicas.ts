/**
 * Keeps a number of equal pods: what ReplicaSets and ReplicationControllers have in common. Too few are made in growing
 * batches, too many are deleted in the order of least loss; then the status says what there is.
 */
import type { ReplicaSet } from '../../api/generated/apps-v1.ts';
import type { Pod, ReplicationController } from '../../api/generated/core-v1.ts';
import {
  byControllerUid,
  byNamespace,
  claimObjects,
  CONTROLLER_UID_INDEX,
  controllerOf,
  controllerReference,
  Expectations,
  isNamespaceTerminating,
  isNotFound,
  keyOf,
  NAMESPACE_INDEX,
  slowStartBatch,
  SlowStartError,
} from '../../client/index.ts';
import type { LabelSelectorMatcher } from '../../machinery/selectors/index.ts';
import { keyedLoop, type ControllerContext } from '../controller.ts';
import { comparePodsForDeletion, PodControl, podsByOwner } from '../pods/index.ts';
import { availableInMs, isPodActive, isPodTerminating, isTerminalPhase } from '../../component-helpers/index.ts';
import { ReadYourWrites } from '../read-your-writes.ts';
import { ignoringGone, sameStatus } from '../status.ts';
import { replicaStatus } from './replica-status.ts';

/** No single sync makes or deletes more. */
const BURST = 500;
const WORKERS = 5;
/** Pods of a set start together: what they report within this time is counted in one go, and written once. */
const GATHER_MS = 50;

type ReplicaOwner = ReplicaSet | ReplicationController;

export interface ReplicaKind {
  readonly resource: 'apps/v1/replicasets' | 'v1/replicationcontrollers';
  readonly apiVersion: string;
  readonly kind: string;
  readonly queue: string;
  readonly countsTerminating: boolean;
  selectorOf(owner: ReplicaOwner): LabelSelectorMatcher;
}

export function replicaLoop(context: ControllerContext, kind: ReplicaKind): () => Promise<void> {
  const { client, clock, signal } = context;
  const owners = context.informers.informer(kind.resource, {}, { [NAMESPACE_INDEX]: byNamespace, [CONTROLLER_UID_INDEX]: byControllerUid });
  const pods = podsByOwner(context.informers);
  const control = new PodControl(context);
  const expectations = new Expectations(clock);
  const written = new ReadYourWrites();
  const resource = client.resource(kind.resource);

  const reconcile = async (key: string): Promise<void> => {
    const owner = owners.get(key);
    if (!owner) {
      written.forget(key);
      return expectations.forget(key);
    }
    if (written.isBehind(key, owner)) return;
    const mayAct = expectations.satisfied(key);
    const { active, terminating } = await claim(owner);
    const replicas = owner.spec?.replicas ?? 1;
    let failure: unknown;
    if (mayAct && owner.metadata.deletionTimestamp === undefined) {
      try {
        /** What was made or deleted is not in the count yet: within a moment it is, and is written once. */
        if (await manage(owner, active, replicas)) return queue.addAfter(key, GATHER_MS);
      } catch (error) {
        if (signal.aborted) throw error;
        failure = error instanceof SlowStartError ? error.cause : error;
      }
    }
    await writeStatus(owner, active, terminating, failure);
    if (failure !== undefined) throw failure as Error;
    wakeWhenAvailable(owner, active);
  };

  const claim = async (owner: ReplicaOwner): Promise<{ active: Pod[]; terminating: Pod[] }> => {
    const selector = kind.selectorOf(owner);
    const matches = (pod: Pod): boolean => selector.matches(pod.metadata.labels ?? {});
    const candidates = pods.candidates(owner);
    const active = await claimObjects<Pod>({
      owner,
      candidates: candidates.filter(isPodActive),
      matches,
      adopt: (pod) => control.adopt(pod, controllerReference(owner, kind)),
      release: (pod) => control.release(pod, owner.metadata.uid ?? ''),
      canAdopt: () => stillThere(owner),
      isGone: isNotFound,
    });
    return { active, terminating: candidates.filter((pod) => isPodTerminating(pod) && controllerOf(pod)?.uid === owner.metadata.uid && matches(pod)) };
  };

  const stillThere = async (owner: ReplicaOwner): Promise<boolean> => {
    const { namespace, name = '', uid } = owner.metadata;
    try {
      const live = await resource.get({ namespace, name }, { signal });
      return live.metadata.uid === uid && live.metadata.deletionTimestamp === undefined;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  };

  /** Whether there was anything to do. */
  const manage = async (owner: ReplicaOwner, active: Pod[], replicas: number): Promise<boolean> => {
    const key = keyOf(owner);
    if (active.length < replicas) await createPods(key, owner, Math.min(replicas - active.length, BURST));
    else if (active.length > replicas) await deletePods(key, owner, choose(owner, active, Math.min(active.length - replicas, BURST)));
    else return false;
    return true;
  };

  const createPods = async (key: string, owner: ReplicaOwner, count: number): Promise<void> => {
    const reference = controllerReference(owner, kind);
    expectations.expectCreations(key, count);
    try {
      await slowStartBatch(count, async () => {
        try {
          await control.create({ owner, reference, template: owner.spec?.template });
        } catch (error) {
          expectations.creationsAbandoned(key);
          if (!isNamespaceTerminating(error)) throw error;
        }
      });
    } catch (error) {
      if (error instanceof SlowStartError) expectations.creationsAbandoned(key, error.skipped);
      throw error;
    }
  };

  const deletePods = async (key: string, owner: ReplicaOwner, chosen: readonly Pod[]): Promise<void> => {
    expectations.expectDeletions(key, chosen.map(keyOf));
    const results = await Promise.allSettled(
      chosen.map(async (pod) => {
        try {
          await control.delete(pod, owner);
        } catch (error) {
          expectations.deletionObserved(key, keyOf(pod));
          throw error;
        }
        /** Gone before we came: no event will tell of it. */
        if (pods.informer.get(keyOf(pod)) === undefined) expectations.deletionObserved(key, keyOf(pod));
      }),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  };

  const choose = (owner: ReplicaOwner, active: Pod[], count: number): Pod[] => {
    if (count >= active.length) return active;
    const crowds = new Map<string, number>();
    for (const pod of related(owner)) if (isPodActive(pod)) crowds.set(pod.spec?.nodeName ?? '', (crowds.get(pod.spec?.nodeName ?? '') ?? 0) + 1);
    const now = clock.now();
    return active
      .map((pod) => ({ pod, crowd: crowds.get(pod.spec?.nodeName ?? '') ?? 0 }))
      .sort((a, b) => comparePodsForDeletion(a, b, now))
      .slice(0, count)
      .map(({ pod }) => pod);
  };

  /** The pods of all sets that the same owner manages: the old and the new ones of a Deployment. */
  const related = (owner: ReplicaOwner): Pod[] => {
    const controller = controllerOf(owner);
    const siblings = controller === undefined ? [owner] : owners.indexer.byIndex(CONTROLLER_UID_INDEX, controller.uid);
    return siblings.flatMap((sibling) => pods.ownedBy(sibling));
  };

  const inNamespace = (namespace = ''): ReplicaOwner[] => owners.indexer.byIndex(NAMESPACE_INDEX, namespace);

  const writeStatus = async (owner: ReplicaOwner, active: Pod[], terminating: Pod[], failure: unknown): Promise<void> => {
    const { replicas = 1, minReadySeconds = 0, template } = owner.spec ?? {};
    const status = replicaStatus({
      generation: owner.metadata.generation ?? 0,
      replicas,
      minReadySeconds,
      template,
      previous: owner.status,
      active,
      ...(kind.countsTerminating ? { terminating } : {}),
      failure,
      now: clock.now(),
    });
    if (sameStatus(status, owner.status)) return;
    const updated = await ignoringGone(() => resource.updateStatus({ ...owner, status }, { signal }));
    if (updated) written.wrote(keyOf(owner), updated);
  };

  /** Nothing else happens when a ready pod becomes available. */
  const wakeWhenAvailable = (owner: ReplicaOwner, active: Pod[]): void => {
    const minReadySeconds = owner.spec?.minReadySeconds ?? 0;
    if (minReadySeconds === 0) return;
    const waits = active.map((pod) => availableInMs(pod, minReadySeconds, clock.now()) ?? 0).filter((ms) => ms > 0);
    if (waits.length > 0) queue.addAfter(keyOf(owner), Math.min(...waits));
  };

  const { queue, run } = keyedLoop(context, kind.queue, WORKERS, reconcile);

  const ownerKeyOf = (pod: Pod): string | undefined => {
    const controller = controllerOf(pod);
    if (controller === undefined || controller.kind !== kind.kind || controller.apiVersion !== kind.apiVersion) return undefined;
    const key = `${pod.metadata.namespace}/${controller.name}`;
    return owners.get(key)?.metadata.uid === controller.uid ? key : undefined;
  };

  const enqueueClaimants = (pod: Pod): void => {
    for (const owner of inNamespace(pod.metadata.namespace)) if (kind.selectorOf(owner).matches(pod.metadata.labels ?? {})) queue.add(keyOf(owner));
  };

  const gone = (pod: Pod): void => {
    const key = ownerKeyOf(pod);
    if (key === undefined) return;
    expectations.deletionObserved(key, keyOf(pod));
    queue.add(key);
  };

  owners.addHandler({
    onAdd: (owner) => queue.add(keyOf(owner)),
    onUpdate: (_, owner) => queue.add(keyOf(owner)),
    onDelete: (owner) => {
      expectations.forget(keyOf(owner));
      queue.add(keyOf(owner));
    },
  });
  pods.informer.addHandler({
    onAdd: (pod) => {
      if (pod.metadata.deletionTimestamp !== undefined) return gone(pod);
      const key = ownerKeyOf(pod);
      if (key !== undefined) {
        expectations.creationObserved(key);
        queue.add(key);
      } else if (controllerOf(pod) === undefined) enqueueClaimants(pod);
    },
    onUpdate: (before, pod) => {
      if (pod.metadata.deletionTimestamp !== undefined) gone(pod);
      const [oldKey, key] = [ownerKeyOf(before), ownerKeyOf(pod)];
      if (oldKey !== undefined && oldKey !== key) queue.add(oldKey);
      if (key !== undefined) queue.addAfter(key, needsReplacement(before, pod) ? 0 : GATHER_MS);
      else if (controllerOf(pod) === undefined && (before.metadata.labels !== pod.metadata.labels || oldKey !== undefined)) enqueueClaimants(pod);
    },
    onDelete: gone,
  });
  return run;
}

/** The pod has just ended, or begun to: another may be due. */
function needsReplacement(before: Pod, after: Pod): boolean {
  if (after.metadata.deletionTimestamp !== before.metadata.deletionTimestamp) return true;
  const { phase } = after.status ?? {};
  return phase !== before.status?.phase && isTerminalPhase(phase);
}
