/** Every built-in plugin, by name. */
import type { PluginRegistry } from '../framework/build-profile.ts';
import { defaultBinder } from './default-binder/default-binder.ts';
import { defaultPreemption } from './default-preemption/default-preemption.ts';
import { dynamicResources } from './dynamic-resources/dynamic-resources.ts';
import { isBackedByDevices } from './dynamic-resources/extended-resources.ts';
import { gangScheduling } from './gang-scheduling/gang-scheduling.ts';
import { imageLocality } from './image-locality/image-locality.ts';
import { interPodAffinity } from './inter-pod-affinity/inter-pod-affinity.ts';
import { nodeAffinity } from './node-affinity/node-affinity.ts';
import { nodeDeclaredFeatures } from './node-declared-features/node-declared-features.ts';
import { nodeName } from './node-name/node-name.ts';
import { nodePorts } from './node-ports/node-ports.ts';
import { nodeResourcesBalancedAllocation } from './node-resources-balanced-allocation/node-resources-balanced-allocation.ts';
import { nodeResourcesFit } from './node-resources-fit/node-resources-fit.ts';
import { nodeUnschedulable } from './node-unschedulable/node-unschedulable.ts';
import { nodeVolumeLimits } from './node-volume-limits/node-volume-limits.ts';
import { podTopologySpread } from './pod-topology-spread/pod-topology-spread.ts';
import { prioritySort } from './priority-sort/priority-sort.ts';
import { schedulingGates } from './scheduling-gates/scheduling-gates.ts';
import { taintToleration } from './taint-toleration/taint-toleration.ts';
import { volumeBinding } from './volume-binding/volume-binding.ts';
import { volumeRestrictions } from './volume-restrictions/volume-restrictions.ts';
import { volumeZone } from './volume-zone/volume-zone.ts';

export const plugins = {
  SchedulingGates: () => schedulingGates(),
  PrioritySort: () => prioritySort(),
  NodeUnschedulable: () => nodeUnschedulable(),
  NodeName: () => nodeName(),
  TaintToleration: (_args, { cache }) => taintToleration(cache),
  NodeAffinity: (args) => nodeAffinity(args),
  NodeDeclaredFeatures: (_args, handle) => nodeDeclaredFeatures(handle),
  NodePorts: () => nodePorts(),
  NodeResourcesFit: (args, handle) =>
    nodeResourcesFit(args, handle.cache, (resource) => isBackedByDevices(handle, resource)),
  VolumeRestrictions: (_args, handle) => volumeRestrictions(handle),
  NodeVolumeLimits: (_args, handle) => nodeVolumeLimits(handle),
  VolumeBinding: (args, handle) => volumeBinding(args, handle),
  VolumeZone: (_args, handle) => volumeZone(handle),
  PodTopologySpread: (args, { cache, listers }) => podTopologySpread(args, cache, listers),
  InterPodAffinity: (args, { cache, labelsOf }) => interPodAffinity(args, cache, labelsOf),
  DynamicResources: (_args, handle) => dynamicResources(handle),
  NodeResourcesBalancedAllocation: (args, { cache }) => nodeResourcesBalancedAllocation(args, cache),
  ImageLocality: (_args, { cache }) => imageLocality(cache),
  DefaultPreemption: (args, handle) => defaultPreemption(args, handle),
  GangScheduling: (_args, handle) => gangScheduling(handle),
  DefaultBinder: (_args, { client }) => defaultBinder(client),
} satisfies PluginRegistry;
