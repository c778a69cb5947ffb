/**
 * The controller manager: loops that bring the cluster from the state it is in to the state that its objects ask for.
 * One folder a controller (a family of them where they share their logic), all listed in `registry.ts`; `run.ts` starts
 * those that are enabled, with informers that they share, under leader election.
 */
export { run, type ControllerManagerOptions } from './run.ts';
export { DEFAULT_CONFIG, type ControllerManagerConfig } from './config.ts';
export { controllers, enabledControllers } from './registry.ts';
export { STANDARD_CLASS } from './host-path-provisioner/host-path-provisioner.ts';
export { serviceAccountOf } from './service-account-names.ts';
export {
  controllerManagerHelp,
  parseControllerManagerFlags,
  runControllerManagerCommand,
  type ParsedControllerManagerFlags,
} from './command.ts';
export { controllerManagerFlags } from './command/flags.ts';
