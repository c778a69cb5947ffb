/** Nodes that run containers, on this machine: the network between them, what they share, and each node's agents. */
export { NodeFleet, type FleetOptions } from './node-fleet.ts';
export { freeName, openFleet, removeLeftovers, startFleet } from './open-fleet.ts';
export { startNode, type NodeOptions, type RunningNode } from './start-node.ts';
export { listImages, loadImage, pullImage, type FleetImage } from './fleet-images.ts';
