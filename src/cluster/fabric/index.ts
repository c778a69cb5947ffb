/**
 * Real nodes on one machine: a network namespace per node, joined by a switch, with routes between their pods.
 * `createFabric` creates the fabric of a cluster or takes it over; its nodes outlive the process.
 */
export { createFabric, DEFAULT_STATE_DIRECTORY, listFabrics, takeUpFabric } from './create-fabric.ts';
export { enableForwarding, restoreForwarding } from './host-forwarding.ts';
export { forwardTo, joinSockets } from './host-listener.ts';
export { FabricError, type Fabric, type FabricNode, type FabricOptions, type HostListener } from './fabric.ts';
