/** What must hold in every world. */
import type { Check } from './check.ts';
import { clusterChecks } from './cluster.ts';
import { historyChecks } from './histories.ts';
import { leaderChecks } from './leaders.ts';
import { limitChecks } from './limits.ts';
import { orderChecks } from './order.ts';
import { restChecks } from './rest.ts';
import { watcherChecks } from './watchers.ts';
import { workloadChecks } from './workloads.ts';

export const checks = {
  ...historyChecks,
  ...watcherChecks,
  ...workloadChecks,
  ...limitChecks,
  ...orderChecks,
  ...leaderChecks,
  ...clusterChecks,
  ...restChecks,
} satisfies Record<string, Check>;

export type { Check, CheckContext, Verdict } from './check.ts';
