/**
 * The default values in v1.36 of the feature gates that API fields and kinds depend on. A field whose gate is off is dropped
 * from requests unless the stored object has it already.
 */
export const FEATURE_GATE_DEFAULTS = {
  CRDObservedGenerationTracking: true,
  CRDValidationRatcheting: true,
  CSIServiceAccountTokenSecrets: true,
  CSIStorageCapacity: true,
  ClusterTrustBundle: false,
  ClusterTrustBundleProjection: false,
  ContainerRestartRules: true,
  ContainerStopSignals: false,
  CoordinatedLeaderElection: false,
  CrossNamespaceVolumeDataSource: false,
  CustomResourceFieldSelectors: true,
  DRAAdminAccess: true,
  DRAConsumableCapacity: true,
  DRADeviceBindingConditions: true,
  DRADeviceTaintRules: false,
  DRADeviceTaints: true,
  DRAExtendedResource: true,
  DRAListTypeAttributes: false,
  DRANodeAllocatableResources: false,
  DRAPartitionableDevices: true,
  DRAPrioritizedList: true,
  DRAResourceClaimDeviceStatus: true,
  DRAResourceClaimGranularStatusAuthorization: true,
  DRAResourcePoolStatus: false,
  DRAWorkloadResourceClaims: false,
  DynamicResourceAllocation: true,
  EnvFiles: true,
  GenericWorkload: false,
  HPAConfigurableTolerance: true,
  HPAScaleToZero: false,
  HostnameOverride: true,
  ImageVolumeWithDigest: false,
  InPlacePodLevelResourcesVerticalScaling: true,
  InPlacePodVerticalScaling: true,
  MaxUnavailableStatefulSet: false,
  MutableCSINodeAllocatableCount: true,
  NodeDeclaredFeatures: true,
  PodCertificateRequest: false,
  PodLevelResources: true,
  PodLogsQuerySplitStreams: false,
  ResourceHealthStatus: true,
  ResourceHealthStatusMessage: true,
  SELinuxChangePolicy: true,
  SELinuxMountReadWriteOncePod: true,
  ShardedListAndWatch: false,
  StorageVersionAPI: false,
  StorageVersionMigrator: false,
  SupplementalGroupsPolicy: true,
  TopologyAwareWorkloadScheduling: false,
  VolumeAttributesClass: true,
  VolumeLimitScaling: false,
  WorkloadAwarePreemption: false,
} as const satisfies Record<string, boolean>;

type FeatureGate = keyof typeof FEATURE_GATE_DEFAULTS;

/** The gates that are off by default although they are in beta, most of them because their API is; the others are alpha. */
export const BETA_GATES_OFF: ReadonlySet<string> = new Set<FeatureGate>([
  'ClusterTrustBundle',
  'ClusterTrustBundleProjection',
  'CoordinatedLeaderElection',
  'DRADeviceTaintRules',
  'MaxUnavailableStatefulSet',
  'PodCertificateRequest',
  'StorageVersionMigrator',
]);

const isKnown = (name: string): name is FeatureGate => Object.hasOwn(FEATURE_GATE_DEFAULTS, name);

/**
 * Whether all gates in `gate` (separated by commas) are on; `overrides` are set by the operator. An unknown gate is
 * an error in a declaration.
 */
export function featureEnabled(gate: string, overrides: Readonly<Record<string, boolean>> = {}): boolean {
  return gate.split(',').every((name) => {
    if (!isKnown(name)) throw new Error(`the feature gate ${name} has no default`);
    return overrides[name] ?? FEATURE_GATE_DEFAULTS[name];
  });
}
