/** The feature gates of the scheduler, with their defaults in v1.36. */
const DEFAULTS = {
  DRAExtendedResource: true,
  DRAPrioritizedList: true,
  NodeDeclaredFeatures: true,
  StorageCapacityScoring: false,
} as const;

type SchedulerFeature = keyof typeof DEFAULTS;

export function featureEnabled(gates: Readonly<Record<string, boolean>>, feature: SchedulerFeature): boolean {
  return gates[feature] ?? DEFAULTS[feature];
}
