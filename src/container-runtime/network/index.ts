/**
 * The network of sandboxes: the interface that the runtime calls, the built-in bridge, and CNI.
 *
 * The built-in bridge needs no plugins: a veth pair per sandbox on a bridge in the node's network namespace, made with
 * a handful of netlink messages. CNI runs the plugins of a configuration directory as every runtime does.
 */
export { type NetworkSandbox, type PodNetwork } from './pod-network.ts';
export { BridgeNetwork } from './bridge/bridge-network.ts';
export { CniNetwork } from './cni/cni-network.ts';
