/** Computes the status of one PodDisruptionBudget from the pods that it selects. */
import type { Pod } from '../../api/generated/core-v1.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../api/generated/policy-v1.ts';
import { errorMessage, deepEqual } from '../../base/index.ts';
import { keyOf, NAMESPACE_INDEX, type SharedInformer } from '../../client/index.ts';
import type { ControllerContext, Reconciler, Requeue } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { matcherOf } from '../selector-matchers.ts';
import { budgetStatus, disruptedPods, failedStatus } from './budget-status.ts';
import type { ExpectedPodsCounter } from './expected-pods.ts';
import { selectorText } from './selector-text.ts';

/** What the reconciler and the watches of budgets share; both informers have the index NAMESPACE_INDEX. */
export interface DisruptionParts {
  readonly budgets: SharedInformer<PodDisruptionBudget>;
  readonly pods: SharedInformer<Pod>;
  readonly counter: ExpectedPodsCounter;
}

export class DisruptionReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #parts: DisruptionParts;

  constructor(context: ControllerContext, parts: DisruptionParts) {
    this.#context = context;
    this.#parts = parts;
  }

  async reconcile(key: string): Promise<Requeue | void> {
    const { clock, recorder, signal } = this.#context;
    const budget = this.#parts.budgets.get(key);
    if (!budget) return;
    const selected = this.#podsOf(budget);
    if (selected.length === 0) recorder.event(budget, 'Normal', 'NoPods', 'No matching pods found');
    try {
      return await this.#sync(budget, selected);
    } catch (error) {
      if (signal.aborted) throw error;
      const why = errorMessage(error);
      const message = `Failed to calculate the number of expected pods: ${why}`;
      recorder.event(budget, 'Warning', 'CalculateExpectedPodCountFailed', message);
      await this.#writeStatus(budget, failedStatus(budget, why, clock.now()));
      throw error;
    }
  }

  async #sync(budget: PodDisruptionBudget, selected: readonly Pod[]): Promise<Requeue | undefined> {
    const { clock, recorder } = this.#context;
    const counts = await this.#parts.counter.count(budget, selected);
    if (counts.unmanaged.length > 0) this.#warnOfUnmanaged(budget);
    const disrupted = disruptedPods(budget, selected, clock.now());
    for (const pod of disrupted.overdue) {
      const message = `Pod was expected by PDB ${keyOf(budget)} to be deleted but it wasn't`;
      recorder.event(pod, 'Warning', 'NotDeleted', message);
    }
    await this.#writeStatus(budget, budgetStatus(budget, selected, counts, disrupted.pods, clock.now()));
    return disrupted.recheckInMs === undefined ? undefined : { afterMs: disrupted.recheckInMs + 1000 };
  }

  #podsOf({ metadata: { namespace = '' }, spec }: PodDisruptionBudget): Pod[] {
    const selector = matcherOf(spec?.selector);
    return this.#parts.pods.indexer
      .byIndex(NAMESPACE_INDEX, namespace)
      .filter((pod) => selector.matches(pod.metadata.labels ?? {}));
  }

  #warnOfUnmanaged(budget: PodDisruptionBudget): void {
    const message =
      `Pods selected by this PodDisruptionBudget (selector: ${selectorText(budget.spec?.selector)}) were found to be unmanaged. ` +
      'As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. ' +
      'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.';
    this.#context.recorder.event(budget, 'Warning', 'UnmanagedPods', message);
  }

  async #writeStatus(budget: PodDisruptionBudget, status: PodDisruptionBudgetStatus): Promise<void> {
    if (deepEqual(status, budget.status)) return;
    const { client, signal } = this.#context;
    const resource = client.resource('policy/v1/poddisruptionbudgets');
    await ignoreNotFound(() => resource.updateStatus({ ...budget, status }, { signal }));
  }
}
