/**
 * Feature gates: their defaults in each version that can be emulated. A field whose gate is off is dropped from requests unless the
 * stored object has it already.
 */
import { BINARY_MINOR } from '../../api/kubernetes-version.ts';
import { KNOWN_GATES } from './known-gates.ts';

type KnownGate = keyof typeof KNOWN_GATES;

/** The gates that something asks about. The others are always as they are by default. */
export const CONSULTED_GATES = [
  'CRDObservedGenerationTracking',
  'CRDValidationRatcheting',
  'CSIServiceAccountTokenSecrets',
  'ClusterTrustBundle',
  'ClusterTrustBundleProjection',
  'ContainerRestartRules',
  'ContainerStopSignals',
  'CoordinatedLeaderElection',
  'CrossNamespaceVolumeDataSource',
  'CustomResourceFieldSelectors',
  'DRAAdminAccess',
  'DRAConsumableCapacity',
  'DRADeviceBindingConditions',
  'DRADeviceTaintRules',
  'DRADeviceTaints',
  'DRAExtendedResource',
  'DRAListTypeAttributes',
  'DRANodeAllocatableResources',
  'DRAPartitionableDevices',
  'DRAPrioritizedList',
  'DRAResourceClaimDeviceStatus',
  'DRAResourceClaimGranularStatusAuthorization',
  'DRAResourcePoolStatus',
  'DRAWorkloadResourceClaims',
  'DynamicResourceAllocation',
  'EnvFiles',
  'GenericWorkload',
  'HPAConfigurableTolerance',
  'HPAScaleToZero',
  'HostnameOverride',
  'ImageVolumeWithDigest',
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScaling',
  'MaxUnavailableStatefulSet',
  'MutableCSINodeAllocatableCount',
  'NodeDeclaredFeatures',
  'PodCertificateRequest',
  'PodLevelResources',
  'PodLogsQuerySplitStreams',
  'ResourceHealthStatus',
  'ResourceHealthStatusMessage',
  'SELinuxChangePolicy',
  'SELinuxMountReadWriteOncePod',
  'ShardedListAndWatch',
  'StorageCapacityScoring',
  'StorageVersionAPI',
  'StorageVersionMigrator',
  'SupplementalGroupsPolicy',
  'TopologyAwareWorkloadScheduling',
  'VolumeAttributesClass',
  'VolumeLimitScaling',
  'WorkloadAwarePreemption',
] as const satisfies readonly KnownGate[];

type Stage = 'alpha' | 'beta' | 'GA' | 'deprecated';

interface GateSpec {
  readonly minor: number;
  readonly stage: Stage;
  readonly enabled: boolean;
  readonly locked: boolean;
}

/** What a gate is in a version; undefined if the version does not have it yet. */
export function gateIn(name: string, minor: number): GateSpec | undefined {
  return specsOf(name).findLast((spec) => spec.minor <= minor);
}

export const isKnownGate = (name: string): name is KnownGate => Object.hasOwn(KNOWN_GATES, name);

const parsed = new Map<string, readonly GateSpec[]>();

function specsOf(name: string): readonly GateSpec[] {
  let specs = parsed.get(name);
  if (specs === undefined) {
    specs = isKnownGate(name) ? KNOWN_GATES[name].split(', ').map(parseSpec) : [];
    parsed.set(name, specs);
  }
  return specs;
}

/** `1.34 beta on locked` */
function parseSpec(text: string): GateSpec {
  const [version = '', stage = '', state, locked] = text.split(' ');
  return {
    minor: Number(version.split('.')[1]),
    stage: stage as Stage,
    enabled: state === 'on',
    locked: locked !== undefined,
  };
}

const defaults = new Map(CONSULTED_GATES.map((name) => [name as string, gateIn(name, BINARY_MINOR)?.enabled ?? false]));

/**
 * Whether all gates in `gate` (separated by commas) are on; `overrides` are set by the operator. A gate that is not listed is an
 * error in a declaration.
 */
export function featureEnabled(gate: string, overrides: Readonly<Record<string, boolean>> = {}): boolean {
  return gate.split(',').every((name) => {
    const byDefault = defaults.get(name);
    if (byDefault === undefined) throw new Error(`the feature gate ${name} is not in CONSULTED_GATES`);
    return overrides[name] ?? byDefault;
  });
}
