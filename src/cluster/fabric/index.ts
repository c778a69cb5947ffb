/** Real nodes on one machine: a network namespace per node, joined by a switch, with routes between their pods. */
export type { AddNodeOptions, Fabric, FabricNode, FabricOptions, FabricRanges, HostListener, PodRoute } from './fabric.ts';
