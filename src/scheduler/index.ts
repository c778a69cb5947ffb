/**
 * The scheduler: finds a node for every pod that has none, and binds it there. `schedule-one.ts` reads as what happens
 * to one pod. `framework/` is the scheduling framework that plugins implement, and `plugins/` has one folder for each
 * plugin. `cache/` holds nodes in columns, `evaluation/` finds and scores feasible nodes, `queue/` is the scheduling
 * queue, and `explanations/` explains past decisions.
 */
export { run } from './run.ts';
export { DEFAULT_CONFIG } from './config/defaults.ts';

export { parseSchedulerFlags, runSchedulerCommand, schedulerHelp } from './command.ts';
export { Explanations, type Explanation } from './explanations/explanations.ts';
export type { Fit } from './explanations/fit.ts';
export { schedulerMetrics } from './metrics.ts';

export { schedulerFlags } from './command/flags.ts';
