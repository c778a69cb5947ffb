/** What the disruption controller watches, and which PodDisruptionBudgets an event concerns. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { keyOf, NAMESPACE_INDEX } from '../../client/index.ts';
import { watch, type Watch } from '../controller.ts';
import { matcherOf } from '../selector-matchers.ts';
import type { DisruptionParts } from './reconcile.ts';

export function disruptionWatches({ budgets, pods }: DisruptionParts): readonly Watch[] {
  const budgetsOf = ({ metadata }: Pod): string[] => {
    if (budgets.indexer.size === 0) return [];
    return budgets.indexer
      .byIndex(NAMESPACE_INDEX, metadata.namespace ?? '')
      .filter(({ spec }) => matcherOf(spec?.selector).matches(metadata.labels ?? {}))
      .map(keyOf);
  };
  return [
    watch(budgets, { added: (budget) => [keyOf(budget)], updated: (_, after) => [keyOf(after)] }),
    watch(pods, {
      added: budgetsOf,
      updated: (before, after) => {
        const isRelabeled = before.metadata.labels !== after.metadata.labels;
        return isRelabeled ? [...budgetsOf(before), ...budgetsOf(after)] : budgetsOf(after);
      },
      deleted: budgetsOf,
    }),
  ];
}
