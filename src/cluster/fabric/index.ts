/**
 * Real nodes on one machine: a network namespace per node, joined by a switch, with routes between their pods.
 * `createFabric` makes or takes up the fabric of a cluster; nodes are added to it and outlive the process.
 */
export { createFabric, DEFAULT_STATE_DIRECTORY, listFabrics, takeUpFabric } from './create-fabric.ts';
export { forwardTo } from './host-listener.ts';
export {
  FabricError,
  type AddNodeOptions,
  type Fabric,
  type FabricNode,
  type FabricOptions,
  type FabricRanges,
  type HostListener,
  type PodRoute,
} from './fabric.ts';
