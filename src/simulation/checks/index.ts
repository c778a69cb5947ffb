/** What must hold in every world. */
import type { Check } from './check.ts';
import { clusterChecks } from './cluster.ts';
import { historyChecks } from './histories.ts';
import { workloadChecks } from './workloads.ts';

export const checks = { ...historyChecks, ...workloadChecks, ...clusterChecks } satisfies Record<string, Check>;

export type { Check, CheckContext, Verdict } from './check.ts';
