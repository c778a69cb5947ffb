/**
 * What the validation of a pod spec depends on besides the spec: settings of the server, the kind of object with the
 * spec, and invalid values that are accepted because the stored object has them.
 */
export interface PodRules {
  /** The object is a Pod, not one with a pod template. */
  readonly resourceIsPod: boolean;
  readonly allowPrivileged: boolean;
  readonly allowInvalidDeletionCost: boolean;
  readonly allowInvalidSelectorValues: boolean;
  readonly allowInvalidNodeAffinityValues: boolean;
  readonly allowIndivisibleHugePages: boolean;
  readonly allowInvalidTopologySpreadSelector: boolean;
  readonly allowNonLocalProjectedTokenPath: boolean;
  readonly allowNamespacedSysctlsOfHost: boolean;
  /** An init container that is no sidecar has the resize policy RestartContainer. */
  readonly allowRestartContainerOfInit: boolean;
  /** The SELinux change policy may be another than Recursive. */
  readonly allowAnySelinuxChangePolicy: boolean;
  readonly allowUserNamespaceWithHostNetwork: boolean;
  readonly allowUserNamespaceWithVolumeDevices: boolean;
}
