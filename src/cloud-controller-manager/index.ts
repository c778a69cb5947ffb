/**
 * The cloud controller manager: the controllers that talk to the cloud of a cluster's machines. `provider.ts` is the
 * interface of a cloud provider; the controllers of nodes, routes and load balancers use it. `local-cloud.ts` is the
 * built-in provider, whose instances are the nodes of this machine.
 */
export { run } from './run.ts';
export { DEFAULT_CLOUD_CONFIG } from './config.ts';

export { loadProvider } from './load-provider.ts';
export { localCloud, type LocalInfrastructure } from './local-cloud.ts';
export { cloudControllerManagerHelp, parseCloudControllerManagerFlags } from './command.ts';
export { cloudControllerManagerFlags } from './command.ts';
