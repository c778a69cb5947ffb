/** Reconciles the pods, ControllerRevisions and status of one DaemonSet. */
import type { ControllerRevision, DaemonSet } from '../../api/generated/apps-v1.ts';
import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { deepEqual } from '../../base/index.ts';
import {
  claimObjects,
  controllerReference,
  type Expectations,
  isNamespaceTerminating,
  isNotFound,
  keyOf,
  type SharedInformer,
  slowStartBatch,
  SlowStartError,
} from '../../client/index.ts';
import { availableInMs } from '../../component-helpers/index.ts';
import type { ControllerContext, Reconciler, Requeue } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { mayAdopt } from '../owners.ts';
import { templateHash, type PodControl, type PodsByOwner } from '../pods/index.ts';
import { type RevisionHistory, type RevisionOwner, revisionData, sameData } from '../revisions/index.ts';
import { matcherOf, selectsEverything } from '../selector-matchers.ts';
import { GENERATION_LABEL, HASH_LABEL, nodeOf, specFor, templateGeneration } from './daemon-pod.ts';
import { daemonSetStatus } from './daemonset-status.ts';
import type { FailedPodBackoff } from './failed-pod-backoff.ts';
import { planNodes, planRollingUpdate, type DaemonState } from './node-plan.ts';

const BURST = 250;
const KIND = { apiVersion: 'apps/v1', kind: 'DaemonSet' };
const EMPTY_STATUS = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };

/** What the reconciler and the watches of DaemonSets share. */
export interface DaemonSetParts {
  readonly sets: SharedInformer<DaemonSet>;
  readonly nodes: SharedInformer<Node>;
  readonly pods: PodsByOwner;
  readonly history: RevisionHistory;
  readonly control: PodControl;
  readonly expectations: Expectations;
  readonly backoff: FailedPodBackoff;
}

interface PodChanges {
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
}

export class DaemonSetReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #parts: DaemonSetParts;

  constructor(context: ControllerContext, parts: DaemonSetParts) {
    this.#context = context;
    this.#parts = parts;
  }

  async reconcile(key: string): Promise<Requeue | void> {
    const { sets, expectations } = this.#parts;
    const set = sets.get(key);
    if (!set) return expectations.forget(key);
    if (selectsEverything(set.spec?.selector)) {
      const message = 'This daemon set is selecting all pods. A non-empty selector is required.';
      return this.#context.recorder.event(set, 'Warning', 'SelectingAll', message);
    }
    if (set.metadata.deletionTimestamp !== undefined) return;
    let requeue: Requeue | undefined;
    await ignoreNotFound(async () => {
      requeue = await this.#sync(key, set);
    });
    return requeue;
  }

  async #sync(key: string, set: DaemonSet): Promise<Requeue | undefined> {
    const { expectations } = this.#parts;
    const { current, old } = await this.#revisions(set);
    if (!current) return undefined;
    const state = await this.#observe(set, current.metadata.labels?.[HASH_LABEL] ?? '');
    if (!expectations.satisfied(key)) {
      await this.#writeStatus(state, set.status?.observedGeneration);
      return undefined;
    }
    const waits: number[] = [];
    let failure: unknown;
    try {
      waits.push(...(await this.#manage(key, state)));
      const rolls = expectations.satisfied(key) && set.spec?.updateStrategy?.type !== 'OnDelete';
      if (rolls) await this.#changePods(key, state, planRollingUpdate(state));
    } catch (error) {
      if (this.#context.signal.aborted) throw error;
      failure = error;
    }
    if (failure === undefined) await this.#prune(set, old, state);
    await this.#writeStatus(state, set.metadata.generation);
    if (failure !== undefined) throw failure as Error;
    waits.push(...untilAvailable(state));
    return waits.length > 0 ? { afterMs: Math.min(...waits) } : undefined;
  }

  #revisionOwner(set: DaemonSet): RevisionOwner {
    return { owner: set, kind: KIND, selector: set.spec?.selector, canAdopt: () => this.#mayAdopt(set) };
  }

  #mayAdopt(set: DaemonSet): Promise<boolean> {
    const { client, signal } = this.#context;
    return mayAdopt(client.resource('apps/v1/daemonsets'), set, signal);
  }

  /** The revision of the present template, created or renumbered to be the newest. */
  async #revisions(set: DaemonSet): Promise<{ current?: ControllerRevision; old: ControllerRevision[] }> {
    const { history } = this.#parts;
    const all = await history.list(this.#revisionOwner(set));
    const data = revisionData(set.spec?.template);
    const matching = all.filter((revision) => sameData(revision, data));
    const old = all.filter((revision) => !matching.includes(revision));
    const number = Math.max(0, ...old.map(({ revision }) => revision)) + 1;
    const latest = matching.at(-1);
    for (const duplicate of matching.slice(0, -1)) await history.delete(duplicate);
    if (latest) return { current: latest.revision < number ? await history.setRevision(latest, number) : latest, old };
    const current = await history.create({
      ...this.#revisionOwner(set),
      data,
      hash: templateHash(set.spec?.template, set.status?.collisionCount),
      revision: number,
      hashLabel: HASH_LABEL,
      labels: { ...set.spec?.template.metadata?.labels },
      annotations: { ...set.metadata.annotations },
    });
    if (!current) await this.#countCollision(set);
    return { current, old };
  }

  async #countCollision(set: DaemonSet): Promise<void> {
    const { client, signal } = this.#context;
    const status = { ...(set.status ?? EMPTY_STATUS), collisionCount: (set.status?.collisionCount ?? 0) + 1 };
    await client.resource('apps/v1/daemonsets').updateStatus({ ...set, status }, { signal });
  }

  async #observe(set: DaemonSet, hash: string): Promise<DaemonState> {
    const { pods, control, nodes } = this.#parts;
    const selector = matcherOf(set.spec?.selector);
    const claimed = await claimObjects<Pod>({
      owner: set,
      candidates: pods.candidates(set),
      matches: (pod) => selector.matches(pod.metadata.labels ?? {}),
      adopt: (pod) => control.adopt(pod, controllerReference(set, KIND)),
      release: (pod) => control.release(pod, set.metadata.uid ?? ''),
      canAdopt: () => this.#mayAdopt(set),
      isGone: isNotFound,
    });
    const podsOn = new Map<string, Pod[]>();
    for (const pod of claimed) {
      const node = nodeOf(pod);
      if (node !== undefined) podsOn.set(node, [...(podsOn.get(node) ?? []), pod]);
    }
    return { set, nodes: nodes.list(), podsOn, hash, now: this.#context.clock.now() };
  }

  /** Creates missing pods, and deletes surplus and terminal ones; returns the backoff of failed pods. */
  async #manage(key: string, state: DaemonState): Promise<number[]> {
    const { create, remove, ended } = planNodes(state);
    const waits: number[] = [];
    for (const pod of ended) {
      const wait = this.#endedPod(state.set, pod);
      if (wait > 0) waits.push(wait);
      else remove.push(pod);
    }
    await this.#changePods(key, state, { create, remove });
    return waits;
  }

  /** The time until a terminal pod is replaced, in milliseconds. */
  #endedPod(set: DaemonSet, pod: Pod): number {
    const { recorder } = this.#context;
    const node = nodeOf(pod) ?? '';
    const where = `daemon pod ${keyOf(pod)} on node ${node}`;
    if (pod.status?.phase === 'Succeeded') {
      recorder.event(set, 'Normal', 'SucceededDaemonPod', `Found succeeded ${where}, will try to delete it`);
      return 0;
    }
    const wait = this.#parts.backoff.next(`${set.metadata.uid}/${node}`);
    if (wait <= 0) recorder.event(set, 'Warning', 'FailedDaemonPod', `Found failed ${where}, will try to kill it`);
    return wait;
  }

  async #changePods(key: string, state: DaemonState, plan: PodChanges): Promise<void> {
    const { expectations } = this.#parts;
    const create = plan.create.slice(0, BURST);
    const remove = plan.remove.slice(0, BURST);
    if (create.length + remove.length === 0) return;
    expectations.expectCreations(key, create.length);
    expectations.expectDeletions(key, remove.map(keyOf));
    const deletions = remove.map((pod) => this.#deletePod(key, state.set, pod));
    const results = await Promise.allSettled([this.#createOn(key, state, create), ...deletions]);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #createOn(key: string, { set, hash }: DaemonState, nodeNames: readonly string[]): Promise<void> {
    const { control, expectations } = this.#parts;
    const generation = templateGeneration(set);
    const labels = { ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }), [HASH_LABEL]: hash };
    const reference = controllerReference(set, KIND);
    try {
      await slowStartBatch(nodeNames.length, async (i) => {
        try {
          const spec = specFor(set, nodeNames[i] ?? '');
          await control.create({ owner: set, reference, template: set.spec?.template, labels, spec });
        } catch (error) {
          expectations.creationsAbandoned(key);
          if (!isNamespaceTerminating(error)) throw error;
        }
      });
    } catch (error) {
      if (!(error instanceof SlowStartError)) throw error;
      expectations.creationsAbandoned(key, error.skipped);
      throw error.cause;
    }
  }

  async #deletePod(key: string, set: DaemonSet, pod: Pod): Promise<void> {
    const { control, expectations, pods } = this.#parts;
    try {
      await control.delete(pod, set);
    } catch (error) {
      expectations.deletionObserved(key, keyOf(pod));
      throw error;
    }
    if (pods.informer.get(keyOf(pod)) === undefined) expectations.deletionObserved(key, keyOf(pod));
  }

  /** Deletes the oldest unused revisions beyond revisionHistoryLimit. */
  async #prune(set: DaemonSet, old: readonly ControllerRevision[], { podsOn, hash }: DaemonState): Promise<void> {
    const used = new Set([hash, ...[...podsOn.values()].flat().map((pod) => pod.metadata.labels?.[HASH_LABEL])]);
    const unused = old.filter((revision) => !used.has(revision.metadata.labels?.[HASH_LABEL] ?? ''));
    const surplus = old.length - (set.spec?.revisionHistoryLimit ?? 10);
    for (const revision of unused.slice(0, Math.max(0, surplus))) await this.#parts.history.delete(revision);
  }

  async #writeStatus(state: DaemonState, observedGeneration: number | undefined): Promise<void> {
    const { client, signal } = this.#context;
    const status = daemonSetStatus(state, observedGeneration);
    if (deepEqual(status, state.set.status)) return;
    await client.resource('apps/v1/daemonsets').updateStatus({ ...state.set, status }, { signal });
  }
}

/** The time until ready pods become available. */
const untilAvailable = ({ set, podsOn, now }: DaemonState): number[] =>
  [...podsOn.values()]
    .flat()
    .map((pod) => availableInMs(pod, set.spec?.minReadySeconds ?? 0, now) ?? 0)
    .filter((ms) => ms > 0);
