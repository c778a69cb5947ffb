/**
 * String types that OpenAPI describes with an `enum`, because their declared values are the only ones. Other string
 * types (condition types, resource names, reasons) have well-known values but allow any. With a version: in that one only.
 */
const ENUM_TYPES = new Set(
  `AppArmorProfileType AzureDataDiskCachingMode AzureDataDiskKind ClaimResourceStatus DNSPolicy HostPathType IPFamily
  IPFamilyPolicy MountPropagationMode NamespacePhase NodeInclusionPolicy NodePhase NodeSelectorOperator
  PersistentVolumeAccessMode PersistentVolumeClaimModifyVolumeStatus PersistentVolumeClaimPhase PersistentVolumeMode
  PersistentVolumePhase PersistentVolumeReclaimPolicy PodFSGroupChangePolicy PodPhase PodQOSClass PreemptionPolicy
  ProcMountType Protocol PullPolicy ResourceQuotaScope RestartPolicy ScopeSelectorOperator SeccompProfileType
  ServiceAffinity ServiceExternalTrafficPolicy ServiceInternalTrafficPolicy ServiceType Signal SupplementalGroupsPolicy
  TaintEffect TerminationMessagePolicy TolerationOperator URIScheme UnsatisfiableConstraintAction
  DaemonSetUpdateStrategyType DeploymentStrategyType PodManagementPolicyType StatefulSetUpdateStrategyType
  CompletionMode ConcurrencyPolicy PodFailurePolicyAction PodFailurePolicyOnExitCodesOperator
  PodReplacementPolicy KeyUsage PolicyType UnhealthyPodEvictionPolicyType VolumeBindingMode FailurePolicyType
  MatchPolicyType OperationType PatchType ReinvocationPolicyType ScopeType SideEffectClass ValidationAction
  AddressType AllocationConfigSource DeviceAllocationMode DeviceTaintEffect DeviceTolerationOperator
  DisruptionMode FieldValueErrorReason PathType v1alpha1.ParameterNotFoundActionType`.split(/\s+/),
);

/** The sorted values of an enum; undefined for other strings. `goType` is like `v1.RestartPolicy`. */
export function enumValues({
  goType,
  values,
}: {
  readonly goType: string;
  readonly values: readonly string[];
}): string[] | undefined {
  if (values.length === 0) return undefined;
  if (!ENUM_TYPES.has(goType.slice(goType.indexOf('.') + 1)) && !ENUM_TYPES.has(goType)) return undefined;
  return [...values].sort();
}
