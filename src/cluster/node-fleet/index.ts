/**
 * The node fleet: nodes of this machine that run containers, with the fabric between them, what they share, and each
 * node's kubelet, kube-proxy and network policy agent.
 */
export { NodeFleet, type FleetOptions } from './node-fleet.ts';
export { freeName, openFleet, removeLeftovers, startFleet } from './open-fleet.ts';
export { startNode, type NodeOptions, type RunningNode } from './start-node.ts';
export { listImages, loadImage, pullImage, type FleetImage } from './fleet-images.ts';
