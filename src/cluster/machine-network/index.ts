/**
 * The pod network between machines. Each machine routes the other nodes' pod ranges to their machines: directly where
 * both are on one link, else through a VXLAN interface. Addresses and pod ranges come from Node objects only, so nodes
 * of another kind, with any CNI plugin that routes the same ranges, can be among them.
 */
export { linkOf, podMtu, type MachineLink } from './machine-link.ts';
export { openWireguardKeys, wireguardObstacle } from './wireguard.ts';
export { removeMachineNetwork, runMachineNetwork } from './run.ts';
