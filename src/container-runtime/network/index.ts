/**
 * The pod network: connects sandboxes with a built-in bridge, or with CNI plugins. `pod-network` is their common
 * interface.
 *
 * The built-in bridge needs no plugins: each sandbox gets a veth pair on a bridge in the node's network namespace,
 * created with a few netlink messages. CNI runs the plugins of a configuration directory, as other runtimes do.
 */
export { type NetworkSandbox, type PodNetwork } from './pod-network.ts';
export { BridgeNetwork } from './bridge/bridge-network.ts';
export { CniNetwork } from './cni/cni-network.ts';
export { removeBridgeNetwork } from './bridge/remove-bridge-network.ts';
