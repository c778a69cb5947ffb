/**
 * What the validation of a pod spec depends on besides the spec: what the server allows, what kind of object the spec
 * is in, and what must be borne because the stored object already has it.
 */
export interface PodRules {
  /** The object is a Pod, and not one with a pod's template in it. */
  readonly resourceIsPod: boolean;
  readonly allowPrivileged: boolean;
  readonly allowInvalidDeletionCost: boolean;
  readonly allowInvalidSelectorValues: boolean;
  readonly allowInvalidNodeAffinityValues: boolean;
  readonly allowIndivisibleHugePages: boolean;
  readonly allowInvalidTopologySpreadSelector: boolean;
  readonly allowNonLocalProjectedTokenPath: boolean;
  readonly allowNamespacedSysctlsOfHost: boolean;
}
