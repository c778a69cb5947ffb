/** Reconciles the pods, claims, ControllerRevisions and status of one StatefulSet. */
import type { ControllerRevision, StatefulSet } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { deepEqual, goJsonText } from '../../base/index.ts';
import {
  claimObjects,
  controllerReference,
  isNotFound,
  type ResourceClient,
  type SharedInformer,
} from '../../client/index.ts';
import { availableInMs } from '../../component-helpers/index.ts';
import type { ControllerContext, Reconciler, Requeue } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { mayAdopt } from '../owners.ts';
import { revisionHash, type PodControl, type PodsByOwner } from '../pods/index.ts';
import { revisionData, type RevisionHistory, type RevisionOwner, sameData } from '../revisions/index.ts';
import { matcherOf } from '../selector-matchers.ts';
import type { StatefulClaims } from './claims.ts';
import { isMember, revisionNameOf, STATEFUL_SET_KIND } from './identity.ts';
import type { StatefulPods } from './stateful-pods.ts';
import { statefulSetStatus, type SetRevisions } from './stateful-status.ts';
import { syncStatefulSet } from './sync-stateful-set.ts';

const HASH_LABEL = 'controller.kubernetes.io/hash';

/** What the reconciler and the watches of StatefulSets share. */
export interface StatefulSetParts {
  readonly sets: SharedInformer<StatefulSet>;
  readonly pods: PodsByOwner;
  readonly history: RevisionHistory;
  readonly claims: StatefulClaims;
  readonly control: StatefulPods;
  readonly adoption: PodControl;
}

/** The revision that pods are updated from, and the one that they are updated to. */
interface Revisions {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
}

export class StatefulSetReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #parts: StatefulSetParts;
  readonly #resource: ResourceClient<StatefulSet>;

  constructor(context: ControllerContext, parts: StatefulSetParts) {
    this.#context = context;
    this.#parts = parts;
    this.#resource = context.client.resource('apps/v1/statefulsets');
  }

  async reconcile(key: string): Promise<Requeue | void> {
    const set = this.#parts.sets.get(key);
    if (set) return ignoreNotFound(() => this.#sync(set));
  }

  async #sync(set: StatefulSet): Promise<Requeue | undefined> {
    const { history, control, claims } = this.#parts;
    const { clock, signal } = this.#context;
    const pods = await this.#claimPods(set);
    const all = await history.list(this.#revisionOwner(set));
    const revisions = await this.#revisions(set, all);
    if (!revisions) return undefined;
    const { current, update } = revisions;
    const names: SetRevisions = {
      current: current.metadata.name ?? '',
      update: update.metadata.name ?? '',
      collisionCount: set.status?.collisionCount ?? 0,
    };
    let failure: unknown;
    try {
      await syncStatefulSet({ set, pods, current, update, control, claims, now: clock.now() });
    } catch (error) {
      if (signal.aborted) throw error;
      failure = error;
    }
    const status = statefulSetStatus(set, pods, names, clock.now());
    if (!deepEqual(status, set.status)) await this.#resource.updateStatus({ ...set, status }, { signal });
    if (failure !== undefined) throw failure as Error;
    const used = new Set([names.current, names.update, status.currentRevision, ...pods.map(revisionNameOf)]);
    await this.#prune(set, all, used);
    return this.#untilAvailable(set, pods);
  }

  #mayAdopt(set: StatefulSet): Promise<boolean> {
    return mayAdopt(this.#resource, set, this.#context.signal);
  }

  #claimPods(set: StatefulSet): Promise<Pod[]> {
    const { pods, adoption } = this.#parts;
    const selector = matcherOf(set.spec?.selector);
    return claimObjects<Pod>({
      owner: set,
      candidates: pods.candidates(set).filter((pod) => isMember(pod, set)),
      matches: (pod) => selector.matches(pod.metadata.labels ?? {}),
      adopt: (pod) => adoption.adopt(pod, controllerReference(set, STATEFUL_SET_KIND)),
      release: (pod) => adoption.release(pod, set.metadata.uid ?? ''),
      canAdopt: () => this.#mayAdopt(set),
      isGone: isNotFound,
    });
  }

  #revisionOwner(set: StatefulSet): RevisionOwner {
    return {
      owner: set,
      kind: STATEFUL_SET_KIND,
      selector: set.spec?.selector,
      canAdopt: () => this.#mayAdopt(set),
    };
  }

  /** Creates the update revision where it is missing, and numbers it as the newest where an older one has its data. */
  async #revisions(set: StatefulSet, all: readonly ControllerRevision[]): Promise<Revisions | undefined> {
    const data = revisionData(set.spec?.template);
    const newest = all.at(-1);
    const equal = all.filter((revision) => sameData(revision, data)).at(-1);
    const number = (newest?.revision ?? 0) + 1;
    const existing = equal && equal !== newest ? await this.#parts.history.setRevision(equal, number) : equal;
    const update = existing ?? (await this.#createRevision(set, data, number));
    if (!update) return undefined;
    const { currentRevision } = set.status ?? {};
    const current = all.find((revision) => revision.metadata.name === currentRevision && revision !== equal);
    return { update, current: current ?? update };
  }

  async #createRevision(set: StatefulSet, data: unknown, revision: number): Promise<ControllerRevision | undefined> {
    const collisionCount = set.status?.collisionCount ?? 0;
    const created = await this.#parts.history.create({
      ...this.#revisionOwner(set),
      data,
      hash: revisionHash(goJsonText(data), collisionCount),
      revision,
      hashLabel: HASH_LABEL,
      labels: { ...set.spec?.template.metadata?.labels },
      annotations: { ...set.metadata.annotations },
    });
    if (created) return created;
    const status = { ...(set.status ?? { replicas: 0 }), collisionCount: collisionCount + 1 };
    await this.#resource.updateStatus({ ...set, status }, { signal: this.#context.signal });
    return undefined;
  }

  /** Deletes the oldest revisions that are not in use, beyond the limit. */
  async #prune(
    set: StatefulSet,
    all: readonly ControllerRevision[],
    used: ReadonlySet<string | undefined>,
  ): Promise<void> {
    const unused = all.filter((revision) => !used.has(revision.metadata.name));
    const surplus = unused.length - (set.spec?.revisionHistoryLimit ?? 10);
    for (const revision of unused.slice(0, Math.max(0, surplus))) await this.#parts.history.delete(revision);
  }

  #untilAvailable({ spec }: StatefulSet, pods: readonly Pod[]): Requeue | undefined {
    const now = this.#context.clock.now();
    const waits = pods.map((pod) => availableInMs(pod, spec?.minReadySeconds ?? 0, now) ?? 0).filter((ms) => ms > 0);
    return waits.length > 0 ? { afterMs: Math.min(...waits) } : undefined;
  }
}
