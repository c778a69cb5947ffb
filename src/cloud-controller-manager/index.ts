/**
 * The cloud controller manager: the controllers that talk to the cloud of a cluster's machines. `provider.ts` is the
 * interface of a cloud provider; the controllers of nodes, routes and load balancers use it. `local-cloud.ts` is the
 * built-in provider, whose instances are the nodes of this machine.
 */
export { run, CLOUD_CONTROLLERS, type CloudControllerManagerOptions } from './run.ts';
export { DEFAULT_CLOUD_CONFIG, type CloudControllerManagerConfig } from './config.ts';
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
