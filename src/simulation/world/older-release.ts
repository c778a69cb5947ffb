/** How the release before this one differs: what has been switched on since, and defaults. */
export const OLDER_VERSION = 'v1.35.0';

export const OLDER_GATES: Readonly<Record<string, boolean>> = {
  ContainerRestartRules: false,
  CRDValidationRatcheting: false,
  DRADeviceTaints: false,
  DRAExtendedResource: false,
  HPAConfigurableTolerance: false,
  HostnameOverride: false,
  PodLevelResources: false,
};

/** Of controller managers. */
export const OLDER_MANAGER = { maxEndpointsPerSlice: 2, namespaceDeletionDelaySeconds: 10 };
