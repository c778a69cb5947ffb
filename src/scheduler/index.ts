/**
 * The scheduler: finds a node for every pod that has none, and binds it there. `schedule-one.ts` reads as what happens to
 * one pod; `framework/` is what plugins implement, `plugins/` has one folder for each; `cache/` is the cluster in columns,
 * `evaluation/` which nodes fit and how good they are, `queue/` who is next and who waits for what; `explanations/` tells
 * afterwards why.
 */
export { run, type SchedulerOptions } from './run.ts';
export { DEFAULT_CONFIG } from './config/defaults.ts';
export type { SchedulerConfiguration } from './config/types.ts';
export { Explanations, type Explanation, type NodeExplanation } from './explanations/explanations.ts';
export { schedulerMetrics, type SchedulerMetrics } from './metrics.ts';
