/**
 * The pod network: connects sandboxes with a built-in bridge, or with CNI plugins. `pod-network` is their common
 * interface.
 *
 * The built-in bridge needs no plugins: each sandbox gets a veth pair on a bridge in the node's network namespace,
 * created with a few netlink messages. CNI runs the plugins of a configuration directory, as other runtimes do.
 */
export {
  PodNetworkError,
  type Attachment,
  type NetworkSandbox,
  type NetworkStatus,
  type PodNetwork,
  type PodNetworkConfig,
  type PortMapping,
} from './pod-network.ts';
export { BridgeNetwork, type BridgeNetworkOptions } from './bridge/bridge-network.ts';
export {
  CniNetwork,
  DEFAULT_CONFIG_DIRECTORY,
  DEFAULT_PLUGIN_DIRECTORIES,
  type CniNetworkOptions,
} from './cni/cni-network.ts';
