/**
 * Reconciles one ReplicaSet or ReplicationController: adopts and releases pods, creates missing ones in growing batches,
 * deletes surplus ones, and writes the status.
 */
import type { Pod } from '../../api/generated/core-v1.ts';
import { deepEqual } from '../../base/index.ts';
import {
  claimObjects,
  CONTROLLER_UID_INDEX,
  controllerOf,
  controllerReference,
  isNamespaceTerminating,
  isNotFound,
  keyOf,
  type ResourceClient,
  slowStartBatch,
  SlowStartError,
} from '../../client/index.ts';
import { availableInMs, isPodActive, isPodTerminating } from '../../component-helpers/index.ts';
import type { ControllerContext, Reconciler, Requeue } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { mayAdopt } from '../owners.ts';
import { comparePodsForDeletion } from '../pods/index.ts';
import { STATUS_BATCH_MS, type ReplicaOwner, type ReplicaWorkerParts, type ReplicaPods } from './replica-kind.ts';
import { replicaStatus } from './replica-status.ts';

/** The most pods that one sync creates or deletes. */
const BURST = 500;

export class ReplicaReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #parts: ReplicaWorkerParts;

  constructor(context: ControllerContext, parts: ReplicaWorkerParts) {
    this.#context = context;
    this.#parts = parts;
  }

  async reconcile(key: string): Promise<Requeue | void> {
    const { owners, expectations } = this.#parts;
    const owner = owners.get(key);
    if (!owner) {
      this.#parts.written.forget(key);
      return expectations.forget(key);
    }
    if (this.#parts.written.isBehind(key, owner)) return this.#parts.metrics.skipped();
    const mayAct = expectations.satisfied(key);
    const pods = await this.#claim(owner);
    let failure: unknown;
    if (mayAct && owner.metadata.deletionTimestamp === undefined) {
      try {
        // The informer does not show the created and deleted pods yet, so the status is written in the next sync.
        if (await this.#manage(owner, pods.active)) return { afterMs: STATUS_BATCH_MS };
      } catch (error) {
        if (this.#context.signal.aborted) throw error;
        failure = error instanceof SlowStartError ? error.cause : error;
      }
    }
    await this.#writeStatus(owner, pods, failure);
    if (failure !== undefined) throw failure as Error;
    return this.#untilAvailable(owner, pods.active);
  }

  async #claim(owner: ReplicaOwner): Promise<ReplicaPods> {
    const { client, signal } = this.#context;
    const { kind, pods, control } = this.#parts;
    const selector = kind.selectorOf(owner);
    const matches = (pod: Pod): boolean => selector.matches(pod.metadata.labels ?? {});
    const isOwned = (pod: Pod): boolean => controllerOf(pod)?.uid === owner.metadata.uid;
    const candidates = pods.candidates(owner);
    const active = await claimObjects<Pod>({
      owner,
      candidates: candidates.filter(isPodActive),
      matches,
      adopt: (pod) => control.adopt(pod, controllerReference(owner, kind)),
      release: (pod) => control.release(pod, owner.metadata.uid ?? ''),
      canAdopt: () => mayAdopt(client.resource(kind.resource) as ResourceClient<ReplicaOwner>, owner, signal),
      isGone: isNotFound,
    });
    return { active, terminating: candidates.filter((pod) => isPodTerminating(pod) && isOwned(pod) && matches(pod)) };
  }

  /** Whether pods were missing or surplus. */
  async #manage(owner: ReplicaOwner, active: readonly Pod[]): Promise<boolean> {
    const surplus = active.length - (owner.spec?.replicas ?? 1);
    if (surplus < 0) await this.#createPods(owner, Math.min(-surplus, BURST));
    else if (surplus > 0) await this.#deletePods(owner, this.#choose(owner, active, Math.min(surplus, BURST)));
    return surplus !== 0;
  }

  async #createPods(owner: ReplicaOwner, count: number): Promise<void> {
    const { kind, control, expectations } = this.#parts;
    const key = keyOf(owner);
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
  }

  async #deletePods(owner: ReplicaOwner, chosen: readonly Pod[]): Promise<void> {
    const { pods, control, expectations } = this.#parts;
    const key = keyOf(owner);
    expectations.expectDeletions(key, chosen.map(keyOf));
    const results = await Promise.allSettled(
      chosen.map(async (pod) => {
        try {
          await control.delete(pod, owner);
        } catch (error) {
          expectations.deletionObserved(key, keyOf(pod));
          throw error;
        }
        // The pod did not exist any more, so there will be no event.
        if (pods.informer.get(keyOf(pod)) === undefined) expectations.deletionObserved(key, keyOf(pod));
      }),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** The pods to delete, in deletion order; equal pods are ranked by the number of related pods on their node. */
  #choose(owner: ReplicaOwner, active: readonly Pod[], count: number): readonly Pod[] {
    if (count >= active.length) return active;
    const podsOnNode = new Map<string, number>();
    for (const pod of this.#related(owner)) {
      const node = pod.spec?.nodeName ?? '';
      if (isPodActive(pod)) podsOnNode.set(node, (podsOnNode.get(node) ?? 0) + 1);
    }
    const now = this.#context.clock.now();
    const chosen = active
      .map((pod) => ({ pod, rank: podsOnNode.get(pod.spec?.nodeName ?? '') ?? 0 }))
      .sort((a, b) => comparePodsForDeletion(a, b, now))
      .slice(0, count)
      .map(({ pod }) => pod);
    this.#parts.metrics.chose(chosen, active, now);
    return chosen;
  }

  /** The pods of all ReplicaSets of the same owner: the old and new ones of a Deployment. */
  #related(owner: ReplicaOwner): Pod[] {
    const { owners, pods } = this.#parts;
    const controller = controllerOf(owner);
    const siblings = controller === undefined ? [owner] : owners.indexer.byIndex(CONTROLLER_UID_INDEX, controller.uid);
    return siblings.flatMap((sibling) => pods.ownedBy(sibling));
  }

  async #writeStatus(owner: ReplicaOwner, { active, terminating }: ReplicaPods, failure: unknown): Promise<void> {
    const { client, clock, signal } = this.#context;
    const { kind } = this.#parts;
    const { replicas = 1, minReadySeconds = 0, template } = owner.spec ?? {};
    const status = replicaStatus({
      generation: owner.metadata.generation ?? 0,
      ...{ replicas, minReadySeconds, template, active, failure },
      previous: owner.status,
      ...(kind.countsTerminating ? { terminating } : {}),
      now: clock.now(),
    });
    if (deepEqual(status, owner.status)) return;
    const updated = await ignoreNotFound(() =>
      client.resource(kind.resource).updateStatus({ ...owner, status }, { signal }),
    );
    if (updated) this.#parts.written.wrote(keyOf(owner), updated);
  }

  /** No event occurs when a ready pod becomes available, so a timer is needed. */
  #untilAvailable(owner: ReplicaOwner, active: readonly Pod[]): Requeue | undefined {
    const minReadySeconds = owner.spec?.minReadySeconds ?? 0;
    if (minReadySeconds === 0) return undefined;
    const now = this.#context.clock.now();
    const waits = active.map((pod) => availableInMs(pod, minReadySeconds, now) ?? 0).filter((ms) => ms > 0);
    return waits.length > 0 ? { afterMs: Math.min(...waits) } : undefined;
  }
}
