/**
 * The scheduler: finds a node for every pod that has none, and binds it there. `schedule-one.ts` reads as what happens
 * to one pod. `framework/` is the scheduling framework that plugins implement, and `plugins/` has one folder for each
 * plugin. `cache/` holds nodes in columns, `evaluation/` finds and scores feasible nodes, `queue/` is the scheduling
 * queue, and `explanations/` tells afterwards why a pod was scheduled where it is.
 */
export { run, type SchedulerOptions } from './run.ts';
export { DEFAULT_CONFIG } from './config/defaults.ts';
export { loadSchedulerConfiguration } from './config/load-configuration.ts';
export { SchedulerConfigurationError } from './config/strict-fields.ts';
export type { SchedulerConfiguration } from './config/types.ts';
export {
  parseSchedulerFlags,
  runSchedulerCommand,
  schedulerConfiguration,
  schedulerHelp,
  type ParsedSchedulerFlags,
} from './command.ts';
export { Explanations, type Explanation, type NodeExplanation } from './explanations/explanations.ts';
export { schedulerMetrics, type SchedulerMetrics } from './metrics.ts';
export type { Plugin } from './framework/plugin.ts';
export type { Handle } from './framework/handle.ts';
export type { PluginFactory, PluginRegistry } from './framework/build-profile.ts';
export { errorStatus, skip, Status, unresolvable, unschedulable, waiting } from './framework/status.ts';
export { schedulerFlags } from './command/flags.ts';
