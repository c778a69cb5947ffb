/** daemonset-controller: one pod on every node that should have it, replaced step by step when the template changes. */
import type { ControllerRevision, DaemonSet } from '../../api/generated/apps-v1.ts';
import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { byNamespace, claimObjects, controllerOf, controllerReference, Expectations, isNamespaceTerminating, isNotFound, keyOf, NAMESPACE_INDEX, slowStartBatch, SlowStartError } from '../../client/index.ts';
import { deepEqual } from '../../machinery/deep-equal.ts';
import { keyedLoop, type ControllerDescriptor } from '../controller.ts';
import { PodControl, podsByOwner } from '../pods/index.ts';
import { availableInMs } from '../../component-helpers/index.ts';
import { RevisionHistory, revisionData, sameData, type RevisionOwner } from '../revisions/index.ts';
import { matcherOf } from '../selector-matchers.ts';
import { ignoringGone, sameStatus } from '../status.ts';
import { GENERATION_LABEL, HASH_LABEL, nodeOf, specFor, templateGeneration } from './daemon-pod.ts';
import { daemonSetStatus } from './daemonset-status.ts';
import { FailedPodBackoff } from './failed-pod-backoff.ts';
import { planNodes, planRollingUpdate, type DaemonState } from './node-plan.ts';

const WORKERS = 2;
const BURST = 250;
const KIND = { apiVersion: 'apps/v1', kind: 'DaemonSet' };

export const daemonSetController: ControllerDescriptor = {
  name: 'daemonset-controller',
  aliases: ['daemonset'],
  build(context) {
    const { client, clock, signal, recorder } = context;
    const sets = context.informers.informer('apps/v1/daemonsets', {}, { [NAMESPACE_INDEX]: byNamespace });
    const nodes = context.informers.informer('v1/nodes');
    const pods = podsByOwner(context.informers);
    const history = new RevisionHistory(context);
    const control = new PodControl(context);
    const expectations = new Expectations(clock);
    const backoff = new FailedPodBackoff(clock);
    const resource = client.resource('apps/v1/daemonsets');

    const reconcile = async (key: string): Promise<void> => {
      const set = sets.get(key);
      if (!set) return expectations.forget(key);
      if (selectsAll(set)) return recorder.event(set, 'Warning', 'SelectingAll', 'This daemon set is selecting all pods. A non-empty selector is required.');
      if (set.metadata.deletionTimestamp !== undefined) return;
      await ignoringGone(async () => {
        const { current, old } = await revisions(set);
        if (!current) return;
        const hash = current.metadata.labels?.[HASH_LABEL] ?? '';
        const state = await observe(set, hash);
        if (!expectations.satisfied(key)) return writeStatus(state, set.status?.observedGeneration);
        let failure: unknown;
        try {
          await manage(key, state);
          if (expectations.satisfied(key) && set.spec?.updateStrategy?.type !== 'OnDelete') await sync(key, state, planRollingUpdate(state));
        } catch (error) {
          if (signal.aborted) throw error;
          failure = error;
        }
        if (failure === undefined) await prune(set, old, state);
        await writeStatus(state, set.metadata.generation);
        if (failure !== undefined) throw failure as Error;
        wakeWhenAvailable(key, state);
      });
    };

    const selectsAll = ({ spec }: DaemonSet): boolean => !Object.keys(spec?.selector?.matchLabels ?? {}).length && !spec?.selector?.matchExpressions?.length;

    const stillThere = async ({ metadata: { namespace, name = '', uid } }: DaemonSet): Promise<boolean> => {
      try {
        const live = await resource.get({ namespace, name }, { signal });
        return live.metadata.uid === uid && live.metadata.deletionTimestamp === undefined;
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
    };

    const revisionOwner = (set: DaemonSet): RevisionOwner => ({ owner: set, kind: KIND, selector: set.spec?.selector, canAdopt: () => stillThere(set) });

    /** The revision of the template as it is now, made or numbered as the newest where it is not. */
    const revisions = async (set: DaemonSet): Promise<{ current?: ControllerRevision; old: ControllerRevision[] }> => {
      const all = await history.list(revisionOwner(set));
      const data = revisionData(set.spec?.template);
      const matching = all.filter((revision) => sameData(revision, data));
      const old = all.filter((revision) => !matching.includes(revision));
      const number = Math.max(0, ...old.map(({ revision }) => revision)) + 1;
      const latest = matching.at(-1);
      for (const duplicate of matching.slice(0, -1)) await history.delete(duplicate);
      if (latest) return { current: latest.revision < number ? await history.setRevision(latest, number) : latest, old };
      const current = await history.create({
        ...revisionOwner(set),
        data,
        revision: number,
        hashLabel: HASH_LABEL,
        labels: { ...set.spec?.template.metadata?.labels },
        annotations: { ...set.metadata.annotations },
        collisionCount: set.status?.collisionCount,
      });
      if (!current) await resource.updateStatus({ ...set, status: { ...(set.status ?? emptyStatus), collisionCount: (set.status?.collisionCount ?? 0) + 1 } }, { signal });
      return { current, old };
    };

    const observe = async (set: DaemonSet, hash: string): Promise<DaemonState> => {
      const selector = matcherOf(set.spec?.selector);
      const claimed = await claimObjects<Pod>({
        owner: set,
        candidates: pods.candidates(set),
        matches: (pod) => selector.matches(pod.metadata.labels ?? {}),
        adopt: (pod) => control.adopt(pod, controllerReference(set, KIND)),
        release: (pod) => control.release(pod, set.metadata.uid ?? ''),
        canAdopt: () => stillThere(set),
        isGone: isNotFound,
      });
      const podsOn = new Map<string, Pod[]>();
      for (const pod of claimed) {
        const node = nodeOf(pod);
        if (node !== undefined) podsOn.set(node, [...(podsOn.get(node) ?? []), pod]);
      }
      return { set, nodes: nodes.list(), podsOn, hash, now: clock.now() };
    };

    const manage = async (key: string, state: DaemonState): Promise<void> => {
      const { create, remove, ended } = planNodes(state);
      for (const pod of ended) {
        const node = nodeOf(pod) ?? '';
        const where = `daemon pod ${keyOf(pod)} on node ${node}`;
        if (pod.status?.phase === 'Succeeded') recorder.event(state.set, 'Normal', 'SucceededDaemonPod', `Found succeeded ${where}, will try to delete it`);
        else {
          const wait = backoff.next(`${state.set.metadata.uid}/${node}`);
          if (wait > 0) {
            queue.addAfter(key, wait);
            continue;
          }
          recorder.event(state.set, 'Warning', 'FailedDaemonPod', `Found failed ${where}, will try to kill it`);
        }
        remove.push(pod);
      }
      await sync(key, state, { create, remove });
    };

    const sync = async (key: string, state: DaemonState, plan: { create: string[]; remove: Pod[] }): Promise<void> => {
      const create = plan.create.slice(0, BURST);
      const remove = plan.remove.slice(0, BURST);
      if (create.length + remove.length === 0) return;
      expectations.expectCreations(key, create.length);
      expectations.expectDeletions(key, remove.map(keyOf));
      const results = await Promise.allSettled([createOn(key, state, create), ...remove.map((pod) => deletePod(key, state.set, pod))]);
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
    };

    const createOn = async (key: string, { set, hash }: DaemonState, names: readonly string[]): Promise<void> => {
      const generation = templateGeneration(set);
      const labels = { ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }), [HASH_LABEL]: hash };
      const reference = controllerReference(set, KIND);
      try {
        await slowStartBatch(names.length, async (i) => {
          try {
            await control.create({ owner: set, reference, template: set.spec?.template, labels, spec: specFor(set, names[i] ?? '') });
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
    };

    const deletePod = async (key: string, set: DaemonSet, pod: Pod): Promise<void> => {
      try {
        await control.delete(pod, set);
      } catch (error) {
        expectations.deletionObserved(key, keyOf(pod));
        throw error;
      }
      if (pods.informer.get(keyOf(pod)) === undefined) expectations.deletionObserved(key, keyOf(pod));
    };

    const prune = async (set: DaemonSet, old: readonly ControllerRevision[], { podsOn, hash }: DaemonState): Promise<void> => {
      const used = new Set([hash, ...[...podsOn.values()].flat().map((pod) => pod.metadata.labels?.[HASH_LABEL])]);
      const unused = old.filter((revision) => !used.has(revision.metadata.labels?.[HASH_LABEL] ?? ''));
      const surplus = old.length - (set.spec?.revisionHistoryLimit ?? 10);
      for (const revision of unused.slice(0, Math.max(0, surplus))) await history.delete(revision);
    };

    const writeStatus = async (state: DaemonState, observedGeneration: number | undefined): Promise<void> => {
      const status = daemonSetStatus(state, observedGeneration);
      if (!sameStatus(status, state.set.status)) await resource.updateStatus({ ...state.set, status }, { signal });
    };

    const wakeWhenAvailable = (key: string, { set, podsOn, now }: DaemonState): void => {
      const minReadySeconds = set.spec?.minReadySeconds ?? 0;
      const waits = [...podsOn.values()].flat().map((pod) => availableInMs(pod, minReadySeconds, now) ?? 0).filter((ms) => ms > 0);
      if (waits.length > 0) queue.addAfter(key, Math.min(...waits));
    };

    const { queue, run } = keyedLoop(context, 'daemonset', WORKERS, reconcile);

    const setKeyOf = (object: Pod | ControllerRevision): string | undefined => {
      const controller = controllerOf(object);
      if (controller?.kind !== 'DaemonSet') return undefined;
      const key = `${object.metadata.namespace}/${controller.name}`;
      return sets.get(key)?.metadata.uid === controller.uid ? key : undefined;
    };
    const enqueueOwner = (object: Pod | ControllerRevision): string | undefined => {
      const key = setKeyOf(object);
      if (key !== undefined) queue.add(key);
      else if (controllerOf(object) === undefined) {
        for (const set of sets.indexer.byIndex(NAMESPACE_INDEX, object.metadata.namespace ?? '')) {
          if (!selectsAll(set) && matcherOf(set.spec?.selector).matches(object.metadata.labels ?? {})) queue.add(keyOf(set));
        }
      }
      return key;
    };
    const gone = (pod: Pod): void => {
      const key = setKeyOf(pod);
      if (key === undefined) return;
      expectations.deletionObserved(key, keyOf(pod));
      queue.add(key);
    };
    const enqueue = (set: DaemonSet): void => queue.add(keyOf(set));
    sets.addHandler({ onAdd: enqueue, onUpdate: (_, after) => enqueue(after), onDelete: enqueue });
    pods.informer.addHandler({
      onAdd: (pod) => {
        if (pod.metadata.deletionTimestamp !== undefined) return gone(pod);
        const key = enqueueOwner(pod);
        if (key !== undefined) expectations.creationObserved(key);
      },
      onUpdate: (before, pod) => {
        if (pod.metadata.deletionTimestamp !== undefined) gone(pod);
        const previous = setKeyOf(before);
        if (previous !== undefined && previous !== setKeyOf(pod)) queue.add(previous);
        enqueueOwner(pod);
      },
      onDelete: gone,
    });
    history.informer.addHandler({ onUpdate: (_, after) => void enqueueOwner(after), onDelete: (revision) => void enqueueOwner(revision) });
    const enqueueAll = (): void => sets.list().forEach(enqueue);
    nodes.addHandler({
      onAdd: enqueueAll,
      onUpdate: (before: Node, after: Node) => {
        if (!deepEqual(before.metadata.labels, after.metadata.labels) || !deepEqual(before.spec?.taints, after.spec?.taints)) enqueueAll();
      },
      onDelete: enqueueAll,
    });
    return run;
  },
};

const emptyStatus = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
