/**
 * The scheduler: finds a node for every pod that has none, and binds it there. `schedule-one.ts` reads as what happens to
 * one pod; `framework/` is what plugins implement, `plugins/` has one folder for each; `cache/` is the cluster in columns,
 * `evaluation/` which nodes fit and how good they are, `queue/` who is next and who waits for what; `explanations/` tells
 * afterwards why.
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
