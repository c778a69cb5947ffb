import type { EnabledPlugin, PluginsConfiguration } from './types.ts';

/** The default plugins, in the order of their calls. */
export const DEFAULT_PLUGIN_LIST: readonly EnabledPlugin[] = [
  { name: 'SchedulingGates' },
  { name: 'PrioritySort' },
  { name: 'NodeUnschedulable' },
  { name: 'NodeName' },
  { name: 'TaintToleration', weight: 3 },
  { name: 'NodeAffinity', weight: 2 },
  { name: 'NodePorts' },
  { name: 'NodeResourcesFit', weight: 1 },
  { name: 'VolumeRestrictions' },
  { name: 'NodeVolumeLimits' },
  { name: 'VolumeBinding' },
  { name: 'VolumeZone' },
  { name: 'PodTopologySpread', weight: 2 },
  { name: 'InterPodAffinity', weight: 2 },
  { name: 'DynamicResources', weight: 2 },
  { name: 'DefaultPreemption' },
  { name: 'NodeResourcesBalancedAllocation', weight: 1 },
  { name: 'ImageLocality', weight: 1 },
  { name: 'DefaultBinder' },
  { name: 'GangScheduling' },
  { name: 'NodeDeclaredFeatures' },
];

export const DEFAULT_PLUGINS: PluginsConfiguration = { multiPoint: { enabled: DEFAULT_PLUGIN_LIST } };
