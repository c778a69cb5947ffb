/**
 * Named strings whose declared values are all there are: OpenAPI lists them as an enumeration. Other named strings
 * (condition types, resource names, reasons) have well-known values, but any may occur.
 */
const CLOSED_STRINGS = new Set(
  `AppArmorProfileType AzureDataDiskCachingMode AzureDataDiskKind ClaimResourceStatus DNSPolicy HostPathType IPFamily
  IPFamilyPolicy MountPropagationMode NamespacePhase NodeInclusionPolicy NodePhase NodeSelectorOperator
  PersistentVolumeAccessMode PersistentVolumeClaimModifyVolumeStatus PersistentVolumeClaimPhase PersistentVolumeMode
  PersistentVolumePhase PersistentVolumeReclaimPolicy PodFSGroupChangePolicy PodPhase PodQOSClass PreemptionPolicy
  ProcMountType Protocol PullPolicy ResourceQuotaScope RestartPolicy ScopeSelectorOperator SeccompProfileType
  ServiceAffinity ServiceExternalTrafficPolicy ServiceInternalTrafficPolicy ServiceType Signal SupplementalGroupsPolicy
  TaintEffect TerminationMessagePolicy TolerationOperator URIScheme UnsatisfiableConstraintAction
  DaemonSetUpdateStrategyType DeploymentStrategyType PodManagementPolicyType StatefulSetUpdateStrategyType
  MetricSourceType CompletionMode ConcurrencyPolicy PodFailurePolicyAction PodFailurePolicyOnExitCodesOperator
  PodReplacementPolicy KeyUsage PolicyType UnhealthyPodEvictionPolicyType VolumeBindingMode FailurePolicyType
  MatchPolicyType OperationType PatchType ReinvocationPolicyType ScopeType SideEffectClass ValidationAction
  AllocationConfigSource DeviceTaintEffect DeviceTolerationOperator`.split(/\s+/),
);

/** The values of an enumeration in order; undefined for other strings. `goType` is like `v1.RestartPolicy`. */
export function enumeration({
  goType,
  values,
}: {
  readonly goType: string;
  readonly values: readonly string[];
}): string[] | undefined {
  if (values.length === 0 || !CLOSED_STRINGS.has(goType.slice(goType.indexOf('.') + 1))) return undefined;
  return [...values].sort();
}
