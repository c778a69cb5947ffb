/**
 * The cloud controller manager: what a cluster asks of the cloud that its machines are in. `provider` is the interface
 * that cloud providers know, three controllers use it (nodes, routes, load balancers), `local-cloud` is the provider that
 * is built in: its instances are the nodes of this machine.
 */
export {
  run,
  DEFAULT_CLOUD_CONFIG,
  CLOUD_CONTROLLERS,
  type CloudControllerManagerConfig,
  type CloudControllerManagerOptions,
} from './run.ts';
export {
  type CloudProvider,
  type Instances,
  type InstanceMetadata,
  type LoadBalancers,
  type LoadBalancerStatus,
  type Route,
  type Routes,
} from './provider.ts';
export { loadProvider } from './load-provider.ts';
export { localCloud, type LocalInfrastructure, type LocalInstance } from './local-cloud.ts';
export { cloudControllerManagerHelp, parseCloudControllerManagerFlags } from './command.ts';
export { cloudControllerManagerFlags } from './command.ts';
