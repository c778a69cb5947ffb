/** Rolls one Deployment over to its template. */
import type { Deployment, ReplicaSet } from '../../api/generated/apps-v1.ts';
import {
  adoptionPatch,
  claimObjects,
  CONTROLLER_UID_INDEX,
  controllerReference,
  isNotFound,
  keyOf,
  releasePatch,
  type SharedInformer,
} from '../../client/index.ts';
import type { ControllerContext, Reconciler, Requeue } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { mayAdopt } from '../owners.ts';
import type { PodsByOwner } from '../pods/index.ts';
import { ReadYourWrites } from '../read-your-writes.ts';
import { matcherOf, selectsEverything } from '../selector-matchers.ts';
import { deadlineOf, isComplete, progressing, TIMED_OUT } from './conditions.ts';
import { DEPLOYMENT_KIND } from './replica-sets.ts';
import { Rollout } from './rollout.ts';

export const ORPHANS_INDEX = 'orphansByNamespace';

export interface DeploymentParts {
  readonly deployments: SharedInformer<Deployment>;
  readonly sets: SharedInformer<ReplicaSet>;
  readonly pods: PodsByOwner;
  /** Deployments and their sets: each step starts from what the last one has written. */
  readonly written: ReadYourWrites;
}

/** ReplicaSets share `written` with Deployments. */
export const writtenSetKey = (set: ReplicaSet): string => `set/${keyOf(set)}`;

export class DeploymentReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #parts: DeploymentParts;

  constructor(context: ControllerContext, parts: DeploymentParts) {
    this.#context = context;
    this.#parts = parts;
  }

  async reconcile(key: string): Promise<Requeue | void> {
    const { deployments, written } = this.#parts;
    const deployment = deployments.get(key);
    if (!deployment) return written.forget(key);
    if (selectsEverything(deployment.spec?.selector)) return this.#refuse(deployment);
    if (written.isBehind(key, deployment)) return;
    return ignoreNotFound(() => this.#rollOut(deployment));
  }

  async #rollOut(deployment: Deployment): Promise<Requeue | undefined> {
    const { pods, written } = this.#parts;
    const sets = await this.#claim(deployment);
    if (sets.some((set) => written.isBehind(writtenSetKey(set), set))) return undefined;
    const wrote = {
      deployment: (updated: Deployment) => written.wrote(keyOf(updated), updated),
      set: (updated: ReplicaSet) => written.wrote(writtenSetKey(updated), updated),
    };
    const rollout = new Rollout({ context: this.#context, deployment, sets, podsOf: pods.ownedBy, wrote });
    await rollout.sync();
    return this.#untilDeadline(rollout.deployment);
  }

  async #refuse(deployment: Deployment): Promise<void> {
    const { client, recorder, signal } = this.#context;
    const message = 'This deployment is selecting all pods. A non-empty selector is required.';
    recorder.event(deployment, 'Warning', 'SelectingAll', message);
    const { generation } = deployment.metadata;
    if ((deployment.status?.observedGeneration ?? 0) >= (generation ?? 0)) return;
    const status = { ...deployment.status, observedGeneration: generation };
    await ignoreNotFound(() =>
      client.resource('apps/v1/deployments').updateStatus({ ...deployment, status }, { signal }),
    );
  }

  #claim(deployment: Deployment): Promise<ReplicaSet[]> {
    const { client, signal } = this.#context;
    const { sets } = this.#parts;
    const { uid = '', namespace = '' } = deployment.metadata;
    const selector = matcherOf(deployment.spec?.selector);
    const patch = async ({ metadata }: ReplicaSet, body: unknown): Promise<void> => {
      const place = { namespace: metadata.namespace, name: metadata.name ?? '' };
      await client.resource('apps/v1/replicasets').patch(place, body, { type: 'strategic', signal });
    };
    return claimObjects<ReplicaSet>({
      owner: deployment,
      candidates: [
        ...sets.indexer.byIndex(CONTROLLER_UID_INDEX, uid),
        ...sets.indexer.byIndex(ORPHANS_INDEX, namespace),
      ],
      matches: (set) => selector.matches(set.metadata.labels ?? {}),
      adopt: (set) => patch(set, adoptionPatch(set, controllerReference(deployment, DEPLOYMENT_KIND))),
      release: (set) => patch(set, releasePatch(set, uid)),
      canAdopt: () => mayAdopt(client.resource('apps/v1/deployments'), deployment, signal),
      isGone: isNotFound,
    });
  }

  /** Nothing happens when a rollout does not move; only the clock tells. */
  #untilDeadline(deployment: Deployment): Requeue | undefined {
    const { spec, status = {} } = deployment;
    const deadline = deadlineOf(deployment, status.conditions);
    if (deadline === undefined || spec?.paused || isComplete(deployment, status)) return undefined;
    if (progressing(status.conditions)?.reason === TIMED_OUT) return undefined;
    return { afterMs: deadline - this.#context.clock.now() + 1000 };
  }
}
