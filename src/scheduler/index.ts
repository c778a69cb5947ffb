/**
 * The scheduler: finds a node for every pod that has none, and binds it there.
 */
export { DEFAULT_CONFIG, run, type SchedulerConfiguration, type SchedulerOptions } from './run.ts';
