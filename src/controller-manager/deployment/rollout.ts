/** One sync of one Deployment: the next step of its rolling update, Recreate rollout, scaling or rollback. */
import type { Deployment, DeploymentStatus, ReplicaSet } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { errorMessage, deepEqual } from '../../base/index.ts';
import { isAlreadyExists, isControlledBy, isNamespaceTerminating } from '../../client/index.ts';
import { isPodTerminal } from '../../component-helpers/index.ts';
import type { ControllerContext } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import {
  desiredReplicas,
  lastRevision,
  byRevision,
  maxRevision,
  newSetAnnotations,
  REVISION,
  revisionNumber,
  revisionOf,
  ROLLBACK_TO,
  rolledBackAnnotations,
  sizeAnnotations,
} from './annotations.ts';
import { condition, hasProgressDeadline, isComplete, progressing, TIMED_OUT, withCondition } from './conditions.ts';
import { deploymentStatus, rolloutStatus } from './deployment-status.ts';
import { proportionalSizes } from './proportional-scaling.ts';
import {
  byCreation,
  findNewSet,
  isActiveSet,
  newReplicaSet,
  newSetSize,
  replicasOf,
  sameTemplate,
  totalReplicas,
  withoutHash,
} from './replica-sets.ts';
import { isRolling, maxUnavailable } from './rolling-limits.ts';

const UNLIMITED_HISTORY = 2 ** 31 - 1;

interface RolloutOptions {
  readonly context: ControllerContext;
  readonly deployment: Deployment;
  readonly sets: readonly ReplicaSet[];
  podsOf(set: ReplicaSet): readonly Pod[];
  /** Called with every object that was written. */
  readonly wrote: { deployment(deployment: Deployment): void; set(set: ReplicaSet): void };
}

export class Rollout {
  readonly #context: ControllerContext;
  readonly #podsOf: RolloutOptions['podsOf'];
  readonly #wrote: RolloutOptions['wrote'];
  #deployment: Deployment;
  #sets: ReplicaSet[];
  #found: { among: readonly ReplicaSet[]; template: unknown; newSet: ReplicaSet | undefined } | undefined;
  /** The status has to be written even when its counts do not change. */
  #mustWriteStatus = false;

  constructor({ context, deployment, sets, podsOf, wrote }: RolloutOptions) {
    this.#context = context;
    this.#deployment = deployment;
    this.#sets = [...sets];
    this.#podsOf = podsOf;
    this.#wrote = wrote;
  }

  /** The Deployment as it was last written. */
  get deployment(): Deployment {
    return this.#deployment;
  }

  async sync(): Promise<void> {
    if (this.#deployment.metadata.deletionTimestamp !== undefined)
      return this.#writeStatus(this.#status(deploymentStatus));
    await this.#notePause();
    if (this.#deployment.spec?.paused) return this.#scaleOnly();
    if (this.#deployment.metadata.annotations?.[ROLLBACK_TO] !== undefined) return this.#rollBack();
    const replicas = this.#replicas;
    const scaled = this.#sets.some(
      (set) => isActiveSet(set) && desiredReplicas(set) !== undefined && desiredReplicas(set) !== replicas,
    );
    if (scaled) return this.#scaleOnly();
    await (isRolling(this.#deployment) ? this.#roll() : this.#recreate());
    await this.#writeStatus(this.#status(rolloutStatus));
  }

  get #replicas(): number {
    return this.#deployment.spec?.replicas ?? 1;
  }

  /** Found again only when the sets or the template have changed, because comparing templates is expensive. */
  get #newSet(): ReplicaSet | undefined {
    const { template } = this.#deployment.spec ?? {};
    if (this.#found?.among !== this.#sets || this.#found.template !== template)
      this.#found = { among: this.#sets, template, newSet: findNewSet(this.#deployment, this.#sets) };
    return this.#found.newSet;
  }

  get #oldSets(): ReplicaSet[] {
    const newSet = this.#newSet;
    return this.#sets.filter((set) => set !== newSet);
  }

  async #roll(): Promise<void> {
    await this.#requireNewSet();
    if ((await this.#scaleNewSet()) || (await this.#scaleOldSets())) return;
    if (isComplete(this.#deployment, this.#deployment.status ?? {})) await this.#cleanUp();
  }

  async #recreate(): Promise<void> {
    if (this.#newSet) await this.#syncNewSet();
    const active = this.#oldSets.filter(isActiveSet);
    for (const set of active) await this.#scale(set, 0);
    if (active.length > 0 || this.#oldPodsRun()) return;
    await this.#requireNewSet();
    const newSet = this.#newSet;
    if (newSet) await this.#scale(newSet, this.#replicas);
    if (isComplete(this.#deployment, this.#deployment.status ?? {})) await this.#cleanUp();
  }

  #oldPodsRun(): boolean {
    const old = this.#oldSets;
    return (
      old.some((set) => (set.status?.replicas ?? 0) > 0) ||
      old.some((set) => this.#podsOf(set).some((pod) => !isPodTerminal(pod)))
    );
  }

  /** A paused or scaled Deployment changes sizes only; its rollout does not progress. */
  async #scaleOnly(): Promise<void> {
    if (this.#newSet) await this.#syncNewSet();
    await this.#scaleAll();
    if (this.#deployment.spec?.paused) await this.#cleanUp();
    await this.#writeStatus(this.#status(deploymentStatus));
  }

  async #scaleAll(): Promise<void> {
    const newSet = this.#newSet;
    const active = this.#sets.filter(isActiveSet);
    if (active.length <= 1) {
      const only = active[0] ?? newSet ?? [...this.#oldSets].sort(byCreation).at(-1);
      if (only) await this.#scale(only, this.#replicas);
      return;
    }
    if (newSet && this.#isSaturated(newSet)) {
      for (const set of this.#oldSets.filter(isActiveSet)) await this.#scale(set, 0);
      return;
    }
    if (!isRolling(this.#deployment)) return;
    for (const [set, size] of proportionalSizes(this.#deployment, active)) await this.#resize(set, size);
  }

  #isSaturated(set: ReplicaSet): boolean {
    return (
      replicasOf(set) === this.#replicas &&
      desiredReplicas(set) === this.#replicas &&
      (set.status?.availableReplicas ?? 0) === this.#replicas
    );
  }

  async #scaleNewSet(): Promise<boolean> {
    const newSet = this.#newSet;
    if (!newSet || replicasOf(newSet) === this.#replicas) return false;
    const size =
      replicasOf(newSet) > this.#replicas
        ? this.#replicas
        : newSetSize(this.#deployment, this.#sets, replicasOf(newSet));
    return this.#scale(newSet, size);
  }

  /** Scales down unhealthy replicas first, and then healthy ones up to maxUnavailable. */
  async #scaleOldSets(): Promise<boolean> {
    const old = this.#oldSets.sort(byCreation);
    const newSet = this.#newSet;
    if (totalReplicas(old) === 0) return false;
    const minAvailable = this.#replicas - maxUnavailable(this.#deployment);
    const newUnavailable = newSet ? replicasOf(newSet) - (newSet.status?.availableReplicas ?? 0) : 0;
    const most = totalReplicas(this.#sets) - minAvailable - newUnavailable;
    if (most <= 0) return false;
    let cleaned = 0;
    for (const set of old) {
      const unhealthy = replicasOf(set) - (set.status?.availableReplicas ?? 0);
      const count = Math.min(most - cleaned, unhealthy);
      if (replicasOf(set) === 0 || count <= 0) continue;
      await this.#scale(set, replicasOf(set) - count);
      cleaned += count;
    }
    const available = this.#sets.reduce((total, set) => total + (set.status?.availableReplicas ?? 0), 0);
    let left = available - minAvailable;
    let removed = 0;
    for (const set of this.#oldSets.sort(byCreation)) {
      const count = Math.min(replicasOf(set), left);
      if (count <= 0) continue;
      await this.#scale(set, replicasOf(set) - count);
      left -= count;
      removed += count;
    }
    return cleaned + removed > 0;
  }

  async #scale(set: ReplicaSet, size: number): Promise<boolean> {
    if (replicasOf(set) === size) return false;
    await this.#resize(set, size);
    return true;
  }

  async #resize(set: ReplicaSet, size: number): Promise<void> {
    const before = replicasOf(set);
    const annotations = { ...set.metadata.annotations, ...sizeAnnotations(this.#deployment) };
    if (before === size && deepEqual(annotations, set.metadata.annotations)) return;
    await this.#updateSet(set, {
      ...set,
      metadata: { ...set.metadata, annotations },
      spec: { ...set.spec, replicas: size },
    });
    if (before === size) return;
    this.#event(
      'Normal',
      'ScalingReplicaSet',
      `Scaled ${size > before ? 'up' : 'down'} replica set ${set.metadata.name} from ${before} to ${size}`,
    );
  }

  async #requireNewSet(): Promise<void> {
    if (this.#newSet) await this.#syncNewSet();
    else await this.#createNewSet();
  }

  async #syncNewSet(): Promise<void> {
    const set = this.#newSet;
    if (!set) return;
    const annotations = newSetAnnotations(this.#deployment, set.metadata.annotations, maxRevision(this.#oldSets) + 1n);
    const minReadySeconds = this.#deployment.spec?.minReadySeconds ?? 0;
    if (
      !deepEqual(annotations, set.metadata.annotations ?? {}) ||
      (set.spec?.minReadySeconds ?? 0) !== minReadySeconds
    ) {
      await this.#updateSet(set, {
        ...set,
        metadata: { ...set.metadata, annotations },
        spec: { ...set.spec, minReadySeconds },
      });
    }
    const needsCondition = hasProgressDeadline(this.#deployment) && !progressing(this.#deployment.status?.conditions);
    this.#noteRevision(
      String(revisionOf({ ...set, metadata: { ...set.metadata, annotations } })),
      needsCondition ? ['FoundNewReplicaSet', `Found new replica set "${set.metadata.name}"`] : undefined,
    );
  }

  async #createNewSet(): Promise<void> {
    const { client, signal } = this.#context;
    const revision = maxRevision(this.#oldSets) + 1n;
    const size = newSetSize(this.#deployment, this.#sets, 0);
    const annotations = {
      ...newSetAnnotations(this.#deployment, undefined, revision),
      ...sizeAnnotations(this.#deployment),
    };
    const wanted = newReplicaSet(this.#deployment, size, annotations);
    const name = wanted.metadata.name ?? '';
    let existed = false;
    try {
      this.#sets = [...this.#sets, await client.resource('apps/v1/replicasets').create(wanted, { signal })];
    } catch (error) {
      if (!isAlreadyExists(error)) return this.#creationFailed(error, name);
      await this.#adoptExisting(name, error);
      existed = true;
    }
    if (!existed && size > 0)
      this.#event('Normal', 'ScalingReplicaSet', `Scaled up replica set ${name} from 0 to ${size}`);
    this.#noteRevision(
      String(revision),
      !existed && hasProgressDeadline(this.#deployment)
        ? ['NewReplicaSetCreated', `Created new replica set "${name}"`]
        : undefined,
    );
  }

  /** The name exists: it is the Deployment's own set, which the cache does not show yet, or a hash collision. */
  async #adoptExisting(name: string, error: unknown): Promise<void> {
    const { client, signal } = this.#context;
    const { namespace } = this.#deployment.metadata;
    const set = await client.resource('apps/v1/replicasets').get({ namespace, name }, { signal });
    if (isControlledBy(set, this.#deployment) && sameTemplate(set.spec?.template, this.#deployment.spec?.template)) {
      this.#sets = [...this.#sets, set];
      return;
    }
    const collisionCount = (this.#deployment.status?.collisionCount ?? 0) + 1;
    await this.#updateStatus({ ...this.#deployment, status: { ...this.#deployment.status, collisionCount } });
    throw error;
  }

  async #creationFailed(error: unknown, name: string): Promise<void> {
    if (!this.#context.signal.aborted && !isNamespaceTerminating(error)) {
      const message = `Failed to create new replica set "${name}": ${errorMessage(error)}`;
      if (hasProgressDeadline(this.#deployment)) {
        const conditions = withCondition(
          this.#deployment.status?.conditions,
          condition('Progressing', 'False', 'ReplicaSetCreateError', message, this.#context.clock.now()),
        );
        if (!deepEqual(conditions, this.#deployment.status?.conditions))
          await this.#updateStatus({ ...this.#deployment, status: { ...this.#deployment.status, conditions } });
      }
      this.#event('Warning', 'ReplicaSetCreateError', message);
    }
    throw error;
  }

  /** Sets the revision annotation and the Progressing condition, which are written at the end of the sync. */
  #noteRevision(revision: string, found: [reason: string, message: string] | undefined): void {
    const { metadata, status } = this.#deployment;
    if (metadata.annotations?.[REVISION] === revision && !found) return;
    const now = this.#context.clock.now();
    this.#mustWriteStatus = true;
    this.#deployment = {
      ...this.#deployment,
      metadata: { ...metadata, annotations: { ...metadata.annotations, [REVISION]: revision } },
      status: found
        ? { ...status, conditions: withCondition(status?.conditions, condition('Progressing', 'True', ...found, now)) }
        : status,
    };
  }

  async #notePause(): Promise<void> {
    const { spec, status } = this.#deployment;
    if (!hasProgressDeadline(this.#deployment)) return;
    const current = progressing(status?.conditions);
    if (current?.reason === TIMED_OUT) return;
    const isPausedCondition = current?.reason === 'DeploymentPaused';
    if (Boolean(spec?.paused) === isPausedCondition) return;
    const [reason, message] = spec?.paused
      ? ['DeploymentPaused', 'Deployment is paused']
      : ['DeploymentResumed', 'Deployment is resumed'];
    const conditions = withCondition(
      status?.conditions,
      condition('Progressing', 'Unknown', reason!, message!, this.#context.clock.now()),
    );
    await this.#updateStatus({ ...this.#deployment, status: { ...status, conditions } });
  }

  async #rollBack(): Promise<void> {
    await this.#requireNewSet();
    const wanted = revisionNumber(this.#deployment.metadata.annotations?.[ROLLBACK_TO]) ?? -1n;
    const revision = wanted === 0n ? lastRevision(this.#sets) : wanted;
    const set = revision > 0n ? this.#sets.find((candidate) => revisionOf(candidate) === revision) : undefined;
    let { spec, metadata } = this.#deployment;
    if (!set)
      this.#event(
        'Warning',
        'DeploymentRollbackRevisionNotFound',
        wanted === 0n ? 'Unable to find last revision.' : 'Unable to find the revision to rollback to.',
      );
    else if (sameTemplate(spec?.template, set.spec?.template)) {
      this.#event(
        'Warning',
        'DeploymentRollbackTemplateUnchanged',
        `The rollback revision contains the same template as current deployment "${metadata.name}"`,
      );
    } else {
      spec = { ...spec, template: withoutHash(set.spec?.template) };
      metadata = { ...metadata, annotations: rolledBackAnnotations(this.#deployment, set) };
      this.#event('Normal', 'DeploymentRollback', `Rolled back deployment "${metadata.name}" to revision ${revision}`);
    }
    const { [ROLLBACK_TO]: _, ...annotations } = metadata.annotations ?? {};
    const { client, signal } = this.#context;
    this.#deployment = await client
      .resource('apps/v1/deployments')
      .update({ ...this.#deployment, spec, metadata: { ...metadata, annotations } }, { signal });
    this.#wrote.deployment(this.#deployment);
  }

  async #cleanUp(): Promise<void> {
    const limit = this.#deployment.spec?.revisionHistoryLimit ?? UNLIMITED_HISTORY;
    const alive = this.#oldSets.filter((set) => set.metadata.deletionTimestamp === undefined);
    const surplus = alive.sort(byRevision).slice(0, Math.max(0, alive.length - limit));
    for (const set of surplus) {
      const unused =
        replicasOf(set) === 0 &&
        (set.status?.replicas ?? 0) === 0 &&
        (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0);
      if (unused) await this.#deleteSet(set);
    }
  }

  async #deleteSet(set: ReplicaSet): Promise<void> {
    const { client, signal } = this.#context;
    const { namespace, name = '', uid } = set.metadata;
    await ignoreNotFound(() =>
      client
        .resource('apps/v1/replicasets')
        .delete({ namespace, name }, { preconditions: { uid }, propagationPolicy: 'Background', signal }),
    );
  }

  async #updateSet(before: ReplicaSet, after: ReplicaSet): Promise<void> {
    const { client, signal } = this.#context;
    const updated = await client.resource('apps/v1/replicasets').update(after, { signal });
    this.#wrote.set(updated);
    this.#sets = this.#sets.map((set) => (set.metadata.uid === before.metadata.uid ? updated : set));
  }

  #status(of: typeof deploymentStatus): DeploymentStatus {
    return of({ deployment: this.#deployment, newSet: this.#newSet, sets: this.#sets, now: this.#context.clock.now() });
  }

  async #writeStatus(status: DeploymentStatus): Promise<void> {
    const written = status.conditions?.length === 0 ? { ...status, conditions: undefined } : status;
    if (!this.#mustWriteStatus && deepEqual(written, this.#deployment.status)) return;
    await this.#updateStatus({ ...this.#deployment, status: written });
  }

  async #updateStatus(deployment: Deployment): Promise<void> {
    const { client, signal } = this.#context;
    this.#deployment = await client.resource('apps/v1/deployments').updateStatus(deployment, { signal });
    this.#wrote.deployment(this.#deployment);
    this.#mustWriteStatus = false;
  }

  #event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#context.recorder.event(this.#deployment, type, reason, message);
  }
}
