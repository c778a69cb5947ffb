/**
 * The controller manager: control loops that move the cluster from its present state to the desired one. Each
 * controller has a folder (or shares one with related controllers) and is listed in `registry.ts`; `run.ts` starts
 * those that are enabled, with shared informers, under leader election.
 */
export { run } from './run.ts';
export { DEFAULT_CONFIG } from './config.ts';
export { enabledControllers } from './registry.ts';
export { STANDARD_CLASS } from './host-path-provisioner/host-path-provisioner.ts';
export { parseSchedule } from './cronjob/schedule.ts';
export { serviceAccountOf } from './service-account-names.ts';
export { controllerManagerHelp, parseControllerManagerFlags, runControllerManagerCommand } from './command.ts';
export { controllerManagerFlags } from './command/flags.ts';
export {
  hasCondition,
  KUBELET_SERVING,
  readRequest,
  refusal,
  type RequestedCertificate,
} from './certificates/request.ts';
