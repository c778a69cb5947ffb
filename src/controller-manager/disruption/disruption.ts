/** disruption-controller: how many pods of each PodDisruptionBudget may be evicted now. */
import type { Pod } from '../../api/generated/core-v1.ts';
import type { PodDisruptionBudget } from '../../api/generated/policy-v1.ts';
import { byNamespace, keyOf, NAMESPACE_INDEX } from '../../client/index.ts';
import { runWorkers, WorkQueue } from '../../kernel/index.ts';
import { formatTime, parseTime } from '../../machinery/time/index.ts';
import { keyedLoop, type ControllerDescriptor } from '../controller.ts';
import { isPodTerminal, podCondition } from '../../component-helpers/index.ts';
import { ScaleClient } from '../scale-client.ts';
import { matcherOf } from '../selector-matchers.ts';
import { ignoringGone, sameStatus } from '../status.ts';
import { budgetStatus, DELETION_TIMEOUT_MS, disruptedPods, failedStatus } from './budget-status.ts';
import { ExpectedPodsCounter } from './expected-pods.ts';

const WORKERS = 5;
const DISRUPTION_TARGET = 'DisruptionTarget';

export const disruptionController: ControllerDescriptor = {
  name: 'disruption-controller',
  aliases: ['disruption'],
  eventSource: 'controllermanager',
  build(context) {
    const { client, clock, signal, recorder, metrics, logger } = context;
    const budgets = context.informers.informer('policy/v1/poddisruptionbudgets', {}, { [NAMESPACE_INDEX]: byNamespace });
    const pods = context.informers.informer('v1/pods', {}, { [NAMESPACE_INDEX]: byNamespace });
    const counter = new ExpectedPodsCounter(context.informers, new ScaleClient(context));
    const resource = client.resource('policy/v1/poddisruptionbudgets');

    const reconcile = async (key: string): Promise<void> => {
      const budget = budgets.get(key);
      if (!budget) return;
      const selected = podsOf(budget);
      if (selected.length === 0) recorder.event(budget, 'Normal', 'NoPods', 'No matching pods found');
      try {
        const counts = await counter.count(budget, selected);
        if (counts.unmanaged.length > 0) warnOfUnmanaged(budget);
        const disrupted = disruptedPods(budget, selected, clock.now());
        for (const pod of disrupted.overdue) recorder.event(pod, 'Warning', 'NotDeleted', `Pod was expected by PDB ${keyOf(budget)} to be deleted but it wasn't`);
        await write(budget, budgetStatus(budget, selected, counts, disrupted.pods, clock.now()));
        if (disrupted.recheckInMs !== undefined) queue.addAfter(key, disrupted.recheckInMs + 1000);
      } catch (error) {
        if (signal.aborted) throw error;
        const why = error instanceof Error ? error.message : String(error);
        recorder.event(budget, 'Warning', 'CalculateExpectedPodCountFailed', `Failed to calculate the number of expected pods: ${why}`);
        await write(budget, failedStatus(budget, why, clock.now()));
        throw error;
      }
    };

    const podsOf = ({ metadata: { namespace = '' }, spec }: PodDisruptionBudget): Pod[] => {
      const selector = matcherOf(spec?.selector);
      return pods.indexer.byIndex(NAMESPACE_INDEX, namespace).filter((pod) => selector.matches(pod.metadata.labels ?? {}));
    };

    const warnOfUnmanaged = (budget: PodDisruptionBudget): void => {
      const selector = matcherOf(budget.spec?.selector).toString();
      recorder.event(
        budget,
        'Warning',
        'UnmanagedPods',
        `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`,
      );
    };

    const write = async (budget: PodDisruptionBudget, status: NonNullable<PodDisruptionBudget['status']>): Promise<void> => {
      if (sameStatus(status, budget.status)) return;
      await ignoringGone(() => resource.updateStatus({ ...budget, status }, { signal }));
    };

    const { queue, run } = keyedLoop(context, 'disruption', WORKERS, reconcile);

    /** Pods that were to be disrupted and were not: they are told so, lest they look doomed for ever. */
    const reprieved = new WorkQueue<string>({ name: 'stale_pod_disruption', clock, metrics });
    const reprieve = async (key: string): Promise<void> => {
      const pod = pods.get(key);
      const condition = pod && podCondition(pod, DISRUPTION_TARGET);
      if (!pod || !isDoomed(pod) || !condition) return;
      const left = parseTime(condition.lastTransitionTime ?? '1970-01-01T00:00:00Z') + DELETION_TIMEOUT_MS - clock.now();
      if (left > 0) return reprieved.addAfter(key, left);
      const { namespace, name = '', uid } = pod.metadata;
      const conditions = [{ type: DISRUPTION_TARGET, status: 'False', lastTransitionTime: formatTime(clock.now()) }];
      await ignoringGone(() => client.resource('v1/pods').patch({ namespace, name }, { metadata: { uid }, status: { conditions } }, { type: 'strategic', subresource: 'status', signal }));
    };
    const isDoomed = (pod: Pod): boolean => podCondition(pod, DISRUPTION_TARGET)?.status === 'True' && pod.metadata.deletionTimestamp === undefined && !isPodTerminal(pod);

    const budgetsAround = (pod: Pod): PodDisruptionBudget[] => (budgets.indexer.size === 0 ? [] : budgets.indexer.byIndex(NAMESPACE_INDEX, pod.metadata.namespace ?? ''));
    const enqueueBudgets = (pod: Pod): void => {
      for (const budget of budgetsAround(pod)) {
        if (matcherOf(budget.spec?.selector).matches(pod.metadata.labels ?? {})) queue.add(keyOf(budget));
      }
      if (isDoomed(pod)) reprieved.add(keyOf(pod));
    };
    const enqueue = (budget: PodDisruptionBudget): void => queue.add(keyOf(budget));
    budgets.addHandler({ onAdd: enqueue, onUpdate: (_, after) => enqueue(after) });
    pods.addHandler({
      onAdd: enqueueBudgets,
      onUpdate: (before, after) => {
        if (before.metadata.labels !== after.metadata.labels) enqueueBudgets(before);
        enqueueBudgets(after);
      },
      onDelete: enqueueBudgets,
    });
    return async () => {
      await Promise.all([run(), runWorkers({ queue: reprieved, workers: 1, handle: reprieve, signal, logger })]);
    };
  },
};
