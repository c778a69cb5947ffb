/** The gates that the scheduler itself asks about, as v1.36 has them when nobody sets them. */
const DEFAULTS = {
  DRAExtendedResource: true,
  DRAPrioritizedList: true,
  NodeDeclaredFeatures: true,
  StorageCapacityScoring: false,
} as const;

export type SchedulerFeature = keyof typeof DEFAULTS;

export function featureEnabled(gates: Readonly<Record<string, boolean>>, feature: SchedulerFeature): boolean {
  return gates[feature] ?? DEFAULTS[feature];
}
