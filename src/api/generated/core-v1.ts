// Generated from src/api by `npm run generate`. Do not edit.
import type { Condition, LabelSelector, ListMeta, ObjectMeta, OwnerReference } from './meta-v1.ts';

export type AppArmorProfileType = string;

export type AzureDataDiskCachingMode = string;

export type AzureDataDiskKind = string;

export type Capability = string;

export type ClaimResourceStatus = string;

export type ComponentConditionType = string;

export type ConditionStatus = string;

export type ContainerRestartPolicy = string;

export type ContainerRestartRuleAction = string;

export type ContainerRestartRuleOnExitCodesOperator = string;

export type DNSPolicy = string;

export type FinalizerName = string;

export type HostPathType = string;

export type IPFamily = string;

export type IPFamilyPolicy = string;

export type LimitType = string;

export type LoadBalancerIPMode = string;

export type MountPropagationMode = string;

export type NamespaceConditionType = string;

export type NamespacePhase = string;

export type NodeAddressType = string;

export type NodeConditionType = string;

export type NodeInclusionPolicy = string;

export type NodePhase = string;

export type NodeSelectorOperator = string;

export type OSName = string;

export type PersistentVolumeAccessMode = string;

export type PersistentVolumeClaimConditionType = string;

export type PersistentVolumeClaimModifyVolumeStatus = string;

export type PersistentVolumeClaimPhase = string;

export type PersistentVolumeMode = string;

export type PersistentVolumePhase = string;

export type PersistentVolumeReclaimPolicy = string;

export type PodConditionType = string;

export type PodFSGroupChangePolicy = string;

export type PodPhase = string;

export type PodQOSClass = string;

export type PodResizeStatus = string;

export type PodSELinuxChangePolicy = string;

export type PreemptionPolicy = string;

export type ProcMountType = string;

export type Protocol = string;

export type PullPolicy = string;

export type RecursiveReadOnlyMode = string;

export type ReplicationControllerConditionType = string;

export type ResourceHealthStatus = string;

export type ResourceID = string;

export type ResourceName = string;

export type ResourceQuotaScope = string;

export type ResourceResizeRestartPolicy = string;

export type RestartPolicy = string;

export type ScopeSelectorOperator = string;

export type SeccompProfileType = string;

export type SecretType = string;

export type ServiceAffinity = string;

export type ServiceExternalTrafficPolicy = string;

export type ServiceInternalTrafficPolicy = string;

export type ServiceType = string;

export type Signal = string;

export type StorageMedium = string;

export type SupplementalGroupsPolicy = string;

export type TaintEffect = string;

export type TerminationMessagePolicy = string;

export type TolerationOperator = string;

export type URIScheme = string;

export type UniqueVolumeName = string;

export type UnsatisfiableConstraintAction = string;

/**  */
export interface ComponentCondition {
  /**  */
  type: string;
  /**  */
  status: string;
  /**  */
  message?: string;
  /**  */
  error?: string;
}

/**  */
export interface ComponentStatus {
  apiVersion?: string;
  kind?: string;
  /**  */
  metadata: ObjectMeta;
  /**  */
  conditions?: ComponentCondition[];
}

/** A list of ComponentStatus objects. */
export interface ComponentStatusList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ComponentStatus[];
}

/**  */
export interface ConfigMap {
  apiVersion?: string;
  kind?: string;
  /**  */
  metadata: ObjectMeta;
  /**  */
  immutable?: boolean;
  /**  */
  data?: Record<string, string>;
  /**  */
  binaryData?: Record<string, string>;
}

/** A list of ConfigMap objects. */
export interface ConfigMapList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ConfigMap[];
}

/**  */
export interface Secret {
  apiVersion?: string;
  kind?: string;
  /**  */
  metadata: ObjectMeta;
  /**  */
  immutable?: boolean;
  /**  */
  data?: Record<string, string>;
  /**  */
  stringData?: Record<string, string>;
  /**  */
  type?: string;
}

/** A list of Secret objects. */
export interface SecretList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Secret[];
}

/**  */
export interface SecretReference {
  /**  */
  name?: string;
  /**  */
  namespace?: string;
}

/**  */
export interface AppArmorProfile {
  /**  */
  type: string;
  /**  */
  localhostProfile?: string;
}

/**  */
export interface Capabilities {
  /**  */
  add?: string[];
  /**  */
  drop?: string[];
}

/**  */
export interface ConfigMapEnvSource {
  /**  */
  name?: string;
  /**  */
  optional?: boolean;
}

/**  */
export interface ConfigMapKeySelector {
  /**  */
  name?: string;
  /**  */
  key: string;
  /**  */
  optional?: boolean;
}

/**  */
export interface Container {
  /**  */
  name: string;
  /**  */
  image?: string;
  /**  */
  command?: string[];
  /**  */
  args?: string[];
  /**  */
  workingDir?: string;
  /**  */
  ports?: ContainerPort[];
  /**  */
  envFrom?: EnvFromSource[];
  /**  */
  env?: EnvVar[];
  /**  */
  resources?: ResourceRequirements;
  /**  */
  resizePolicy?: ContainerResizePolicy[];
  /**  */
  restartPolicy?: string;
  /**  */
  restartPolicyRules?: ContainerRestartRule[];
  /**  */
  volumeMounts?: VolumeMount[];
  /**  */
  volumeDevices?: VolumeDevice[];
  /**  */
  livenessProbe?: Probe;
  /**  */
  readinessProbe?: Probe;
  /**  */
  startupProbe?: Probe;
  /**  */
  lifecycle?: Lifecycle;
  /**  */
  terminationMessagePath?: string;
  /**  */
  terminationMessagePolicy?: string;
  /**  */
  imagePullPolicy?: string;
  /**  */
  securityContext?: SecurityContext;
  /**  */
  stdin?: boolean;
  /**  */
  stdinOnce?: boolean;
  /**  */
  tty?: boolean;
}

/**  */
export interface ContainerExtendedResourceRequest {
  /**  */
  containerName: string;
  /**  */
  resourceName: string;
  /**  */
  requestName: string;
}

/**  */
export interface ContainerImage {
  /**  */
  names?: string[];
  /**  */
  sizeBytes?: number;
}

/**  */
export interface ContainerPort {
  /**  */
  name?: string;
  /**  */
  hostPort?: number;
  /**  */
  containerPort: number;
  /**  */
  protocol?: string;
  /**  */
  hostIP?: string;
}

/**  */
export interface ContainerResizePolicy {
  /**  */
  resourceName: string;
  /**  */
  restartPolicy: string;
}

/**  */
export interface ContainerRestartRule {
  /**  */
  action: string;
  /**  */
  exitCodes?: ContainerRestartRuleOnExitCodes;
}

/**  */
export interface ContainerRestartRuleOnExitCodes {
  /**  */
  operator: string;
  /**  */
  values?: number[];
}

/**  */
export interface ContainerState {
  /**  */
  waiting?: ContainerStateWaiting;
  /**  */
  running?: ContainerStateRunning;
  /**  */
  terminated?: ContainerStateTerminated;
}

/**  */
export interface ContainerStateRunning {
  /**  */
  startedAt?: string;
}

/**  */
export interface ContainerStateTerminated {
  /**  */
  exitCode: number;
  /**  */
  signal?: number;
  /**  */
  reason?: string;
  /**  */
  message?: string;
  /**  */
  startedAt?: string;
  /**  */
  finishedAt?: string;
  /**  */
  containerID?: string;
}

/**  */
export interface ContainerStateWaiting {
  /**  */
  reason?: string;
  /**  */
  message?: string;
}

/**  */
export interface ContainerStatus {
  /**  */
  name: string;
  /**  */
  state?: ContainerState;
  /**  */
  lastState?: ContainerState;
  /**  */
  ready: boolean;
  /**  */
  restartCount: number;
  /**  */
  image: string;
  /**  */
  imageID: string;
  /**  */
  containerID?: string;
  /**  */
  started?: boolean;
  /**  */
  allocatedResources?: Record<string, string>;
  /**  */
  resources?: ResourceRequirements;
  /**  */
  volumeMounts?: VolumeMountStatus[];
  /**  */
  user?: ContainerUser;
  /**  */
  allocatedResourcesStatus?: ResourceStatus[];
  /**  */
  stopSignal?: string;
}

/**  */
export interface ContainerUser {
  /**  */
  linux?: LinuxContainerUser;
}

/**  */
export interface EnvFromSource {
  /**  */
  prefix?: string;
  /**  */
  configMapRef?: ConfigMapEnvSource;
  /**  */
  secretRef?: SecretEnvSource;
}

/**  */
export interface EnvVar {
  /**  */
  name: string;
  /**  */
  value?: string;
  /**  */
  valueFrom?: EnvVarSource;
}

/**  */
export interface EnvVarSource {
  /**  */
  fieldRef?: ObjectFieldSelector;
  /**  */
  resourceFieldRef?: ResourceFieldSelector;
  /**  */
  configMapKeyRef?: ConfigMapKeySelector;
  /**  */
  secretKeyRef?: SecretKeySelector;
  /**  */
  fileKeyRef?: FileKeySelector;
}

/**  */
export interface EphemeralContainer {
  /**  */
  name?: string;
  /**  */
  image?: string;
  /**  */
  command?: string[];
  /**  */
  args?: string[];
  /**  */
  workingDir?: string;
  /**  */
  ports?: ContainerPort[];
  /**  */
  envFrom?: EnvFromSource[];
  /**  */
  env?: EnvVar[];
  /**  */
  resources?: ResourceRequirements;
  /**  */
  resizePolicy?: ContainerResizePolicy[];
  /**  */
  restartPolicy?: string;
  /**  */
  restartPolicyRules?: ContainerRestartRule[];
  /**  */
  volumeMounts?: VolumeMount[];
  /**  */
  volumeDevices?: VolumeDevice[];
  /**  */
  livenessProbe?: Probe;
  /**  */
  readinessProbe?: Probe;
  /**  */
  startupProbe?: Probe;
  /**  */
  lifecycle?: Lifecycle;
  /**  */
  terminationMessagePath?: string;
  /**  */
  terminationMessagePolicy?: string;
  /**  */
  imagePullPolicy?: string;
  /**  */
  securityContext?: SecurityContext;
  /**  */
  stdin?: boolean;
  /**  */
  stdinOnce?: boolean;
  /**  */
  tty?: boolean;
  /**  */
  targetContainerName?: string;
}

/**  */
export interface EphemeralContainerCommon {
  /**  */
  name?: string;
  /**  */
  image?: string;
  /**  */
  command?: string[];
  /**  */
  args?: string[];
  /**  */
  workingDir?: string;
  /**  */
  ports?: ContainerPort[];
  /**  */
  envFrom?: EnvFromSource[];
  /**  */
  env?: EnvVar[];
  /**  */
  resources?: ResourceRequirements;
  /**  */
  resizePolicy?: ContainerResizePolicy[];
  /**  */
  restartPolicy?: string;
  /**  */
  restartPolicyRules?: ContainerRestartRule[];
  /**  */
  volumeMounts?: VolumeMount[];
  /**  */
  volumeDevices?: VolumeDevice[];
  /**  */
  livenessProbe?: Probe;
  /**  */
  readinessProbe?: Probe;
  /**  */
  startupProbe?: Probe;
  /**  */
  lifecycle?: Lifecycle;
  /**  */
  terminationMessagePath?: string;
  /**  */
  terminationMessagePolicy?: string;
  /**  */
  imagePullPolicy?: string;
  /**  */
  securityContext?: SecurityContext;
  /**  */
  stdin?: boolean;
  /**  */
  stdinOnce?: boolean;
  /**  */
  tty?: boolean;
}

/**  */
export interface ExecAction {
  /**  */
  command?: string[];
}

/**  */
export interface FileKeySelector {
  /**  */
  volumeName: string;
  /**  */
  path: string;
  /**  */
  key: string;
  /**  */
  optional?: boolean;
}

/**  */
export interface GRPCAction {
  /**  */
  port: number;
  /**  */
  service?: string;
}

/**  */
export interface HTTPGetAction {
  /**  */
  path?: string;
  /**  */
  port: (number | string);
  /**  */
  host?: string;
  /**  */
  scheme?: string;
  /**  */
  httpHeaders?: HTTPHeader[];
}

/**  */
export interface HTTPHeader {
  /**  */
  name: string;
  /**  */
  value: string;
}

/**  */
export interface Lifecycle {
  /**  */
  postStart?: LifecycleHandler;
  /**  */
  preStop?: LifecycleHandler;
  /**  */
  stopSignal?: string;
}

/**  */
export interface LifecycleHandler {
  /**  */
  exec?: ExecAction;
  /**  */
  httpGet?: HTTPGetAction;
  /**  */
  tcpSocket?: TCPSocketAction;
  /**  */
  sleep?: SleepAction;
}

/**  */
export interface LinuxContainerUser {
  /**  */
  uid: number;
  /**  */
  gid: number;
  /**  */
  supplementalGroups?: number[];
}

/**  */
export interface ObjectFieldSelector {
  /**  */
  apiVersion?: string;
  /**  */
  fieldPath: string;
}

/**  */
export interface Probe {
  /**  */
  exec?: ExecAction;
  /**  */
  httpGet?: HTTPGetAction;
  /**  */
  tcpSocket?: TCPSocketAction;
  /**  */
  grpc?: GRPCAction;
  /**  */
  initialDelaySeconds?: number;
  /**  */
  timeoutSeconds?: number;
  /**  */
  periodSeconds?: number;
  /**  */
  successThreshold?: number;
  /**  */
  failureThreshold?: number;
  /**  */
  terminationGracePeriodSeconds?: number;
}

/**  */
export interface ProbeHandler {
  /**  */
  exec?: ExecAction;
  /**  */
  httpGet?: HTTPGetAction;
  /**  */
  tcpSocket?: TCPSocketAction;
  /**  */
  grpc?: GRPCAction;
}

/**  */
export interface ResourceClaim {
  /**  */
  name: string;
  /**  */
  request?: string;
}

/**  */
export interface ResourceFieldSelector {
  /**  */
  containerName?: string;
  /**  */
  resource: string;
  /**  */
  divisor?: string;
}

/**  */
export interface ResourceRequirements {
  /**  */
  limits?: Record<string, string>;
  /**  */
  requests?: Record<string, string>;
  /**  */
  claims?: ResourceClaim[];
}

/**  */
export interface SELinuxOptions {
  /**  */
  user?: string;
  /**  */
  role?: string;
  /**  */
  type?: string;
  /**  */
  level?: string;
}

/**  */
export interface SeccompProfile {
  /**  */
  type: string;
  /**  */
  localhostProfile?: string;
}

/**  */
export interface SecretEnvSource {
  /**  */
  name?: string;
  /**  */
  optional?: boolean;
}

/**  */
export interface SecretKeySelector {
  /**  */
  name?: string;
  /**  */
  key: string;
  /**  */
  optional?: boolean;
}

/**  */
export interface SecurityContext {
  /**  */
  capabilities?: Capabilities;
  /**  */
  privileged?: boolean;
  /**  */
  seLinuxOptions?: SELinuxOptions;
  /**  */
  windowsOptions?: WindowsSecurityContextOptions;
  /**  */
  runAsUser?: number;
  /**  */
  runAsGroup?: number;
  /**  */
  runAsNonRoot?: boolean;
  /**  */
  readOnlyRootFilesystem?: boolean;
  /**  */
  allowPrivilegeEscalation?: boolean;
  /**  */
  procMount?: string;
  /**  */
  seccompProfile?: SeccompProfile;
  /**  */
  appArmorProfile?: AppArmorProfile;
}

/**  */
export interface SleepAction {
  /**  */
  seconds: number;
}

/**  */
export interface TCPSocketAction {
  /**  */
  port: (number | string);
  /**  */
  host?: string;
}

/**  */
export interface WindowsSecurityContextOptions {
  /**  */
  gmsaCredentialSpecName?: string;
  /**  */
  gmsaCredentialSpec?: string;
  /**  */
  runAsUserName?: string;
  /**  */
  hostProcess?: boolean;
}

/**  */
export interface Event {
  apiVersion?: string;
  kind?: string;
  /**  */
  metadata: ObjectMeta;
  /**  */
  involvedObject: ObjectReference;
  /**  */
  reason?: string;
  /**  */
  message?: string;
  /**  */
  source?: EventSource;
  /**  */
  firstTimestamp?: string;
  /**  */
  lastTimestamp?: string;
  /**  */
  count?: number;
  /**  */
  type?: string;
  /**  */
  eventTime?: string;
  /**  */
  series?: EventSeries;
  /**  */
  action?: string;
  /**  */
  related?: ObjectReference;
  /**  */
  reportingComponent?: string;
  /**  */
  reportingInstance?: string;
}

/** A list of Event objects. */
export interface EventList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Event[];
}

/**  */
export interface EventSeries {
  /**  */
  count?: number;
  /**  */
  lastObservedTime?: string;
}

/**  */
export interface EventSource {
  /**  */
  component?: string;
  /**  */
  host?: string;
}

/**  */
export interface Namespace {
  apiVersion?: string;
  kind?: string;
  /**  */
  metadata: ObjectMeta;
  /**  */
  spec?: NamespaceSpec;
  /**  */
  status?: NamespaceStatus;
}

/**  */
export interface NamespaceCondition {
  /**  */
  type: string;
  /**  */
  status: string;
  /**  */
  lastTransitionTime?: string;
  /**  */
  reason?: string;
  /**  */
  message?: string;
}

/** A list of Namespace objects. */
export interface NamespaceList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Namespace[];
}

/**  */
export interface NamespaceSpec {
  /**  */
  finalizers?: string[];
}

/**  */
export interface NamespaceStatus {
  /**  */
  phase?: string;
  /**  */
  conditions?: NamespaceCondition[];
}

/**  */
export interface AttachedVolume {
  /**  */
  name: string;
  /**  */
  devicePath: string;
}

/**  */
export interface AvoidPods {
  /**  */
  preferAvoidPods?: PreferAvoidPodsEntry[];
}

/**  */
export interface ConfigMapNodeConfigSource {
  /**  */
  namespace: string;
  /**  */
  name: string;
  /**  */
  uid?: string;
  /**  */
  resourceVersion?: string;
  /**  */
  kubeletConfigKey: string;
}

/**  */
export interface DaemonEndpoint {
  /**  */
  Port: number;
}

/**  */
export interface Node {
  apiVersion?: string;
  kind?: string;
  /**  */
  metadata: ObjectMeta;
  /**  */
  spec?: NodeSpec;
  /**  */
  status?: NodeStatus;
}

/**  */
export interface NodeAddress {
  /**  */
  type: string;
  /**  */
  address: string;
}

/**  */
export interface NodeAllocatableResourceClaimStatus {
  /**  */
  resourceClaimName: string;
  /**  */
  containers?: string[];
  /**  */
  resources: Record<string, string>;
}

/**  */
export interface NodeCondition {
  /**  */
  type: string;
  /**  */
  status: string;
  /**  */
  lastHeartbeatTime?: string;
  /**  */
  lastTransitionTime?: string;
  /**  */
  reason?: string;
  /**  */
  message?: string;
}

/**  */
export interface NodeConfigSource {
  /**  */
  configMap?: ConfigMapNodeConfigSource;
}

/**  */
export interface NodeConfigStatus {
  /**  */
  assigned?: NodeConfigSource;
  /**  */
  active?: NodeConfigSource;
  /**  */
  lastKnownGood?: NodeConfigSource;
  /**  */
  error?: string;
}

/**  */
export interface NodeDaemonEndpoints {
  /**  */
  kubeletEndpoint?: DaemonEndpoint;
}

/**  */
export interface NodeFeatures {
  /**  */
  supplementalGroupsPolicy?: boolean;
}

/** A list of Node objects. */
export interface NodeList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Node[];
}

/**  */
export interface NodeProxyOptions {
  apiVersion?: string;
  kind?: string;
  /**  */
  path?: string;
}

/**  */
export interface NodeRuntimeHandler {
  /**  */
  name?: string;
  /**  */
  features?: NodeRuntimeHandlerFeatures;
}

/**  */
export interface NodeRuntimeHandlerFeatures {
  /**  */
  recursiveReadOnlyMounts?: boolean;
  /**  */
  userNamespaces?: boolean;
}

/**  */
export interface NodeSpec {
  /**  */
  podCIDR?: string;
  /**  */
  podCIDRs?: string[];
  /**  */
  providerID?: string;
  /**  */
  unschedulable?: boolean;
  /**  */
  taints?: Taint[];
  /**  */
  configSource?: NodeConfigSource;
  /**  */
  externalID?: string;
}

/**  */
export interface NodeStatus {
  /**  */
  capacity?: Record<string, string>;
  /**  */
  allocatable?: Record<string, string>;
  /**  */
  phase?: string;
  /**  */
  conditions?: NodeCondition[];
  /**  */
  addresses?: NodeAddress[];
  /**  */
  daemonEndpoints?: NodeDaemonEndpoints;
  /**  */
  nodeInfo?: NodeSystemInfo;
  /**  */
  images?: ContainerImage[];
  /**  */
  volumesInUse?: string[];
  /**  */
  volumesAttached?: AttachedVolume[];
  /**  */
  config?: NodeConfigStatus;
  /**  */
  runtimeHandlers?: NodeRuntimeHandler[];
  /**  */
  features?: NodeFeatures;
  /**  */
  declaredFeatures?: string[];
}

/**  */
export interface NodeSwapStatus {
  /**  */
  capacity?: number;
}

/**  */
export interface NodeSystemInfo {
  /**  */
  machineID: string;
  /**  */
  systemUUID: string;
  /**  */
  bootID: string;
  /**  */
  kernelVersion: string;
  /**  */
  osImage: string;
  /**  */
  containerRuntimeVersion: string;
  /**  */
  kubeletVersion: string;
  /**  */
  kubeProxyVersion: string;
  /**  */
  operatingSystem: string;
  /**  */
  architecture: string;
  /**  */
  swap?: NodeSwapStatus;
}

/**  */
export interface PodSignature {
  /**  */
  podController?: OwnerReference;
}

/**  */
export interface Taint {
  /**  */
  key: string;
  /**  */
  value?: string;
  /**  */
  effect: string;
  /**  */
  timeAdded?: string;
}

/**  */
export interface ModifyVolumeStatus {
  /**  */
  targetVolumeAttributesClassName?: string;
  /**  */
  status: string;
}

/**  */
export interface PersistentVolume {
  apiVersion?: string;
  kind?: string;
  /**  */
  metadata: ObjectMeta;
  /**  */
  spec?: PersistentVolumeSpec;
  /**  */
  status?: PersistentVolumeStatus;
}

/**  */
export interface PersistentVolumeClaim {
  apiVersion?: string;
  kind?: string;
  /**  */
  metadata: ObjectMeta;
  /**  */
  spec?: PersistentVolumeClaimSpec;
  /**  */
  status?: PersistentVolumeClaimStatus;
}

/**  */
export interface PersistentVolumeClaimCondition {
  /**  */
  type: string;
  /**  */
  status: string;
  /**  */
  lastProbeTime?: string;
  /**  */
  lastTransitionTime?: string;
  /**  */
  reason?: string;
  /**  */
  message?: string;
}

/** A list of PersistentVolumeClaim objects. */
export interface PersistentVolumeClaimList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: PersistentVolumeClaim[];
}

/**  */
export interface PersistentVolumeClaimSpec {
  /**  */
  accessModes?: string[];
  /**  */
  selector?: LabelSelector;
  /**  */
  resources?: VolumeResourceRequirements;
  /**  */
  volumeName?: string;
  /**  */
  storageClassName?: string;
  /**  */
  volumeMode?: string;
  /**  */
  dataSource?: TypedLocalObjectReference;
  /**  */
  dataSourceRef?: TypedObjectReference;
  /**  */
  volumeAttributesClassName?: string;
}

/**  */
export interface PersistentVolumeClaimStatus {
  /**  */
  phase?: string;
  /**  */
  accessModes?: string[];
  /**  */
  capacity?: Record<string, string>;
  /**  */
  conditions?: PersistentVolumeClaimCondition[];
  /**  */
  allocatedResources?: Record<string, string>;
  /**  */
  allocatedResourceStatuses?: Record<string, string>;
  /**  */
  currentVolumeAttributesClassName?: string;
  /**  */
  modifyVolumeStatus?: ModifyVolumeStatus;
}

/**  */
export interface PersistentVolumeClaimTemplate {
  /**  */
  metadata?: ObjectMeta;
  /**  */
  spec: PersistentVolumeClaimSpec;
}

/** A list of PersistentVolume objects. */
export interface PersistentVolumeList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: PersistentVolume[];
}

/**  */
export interface PersistentVolumeSpec {
  /**  */
  capacity?: Record<string, string>;
  /**  */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  /**  */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  /**  */
  hostPath?: HostPathVolumeSource;
  /**  */
  glusterfs?: GlusterfsPersistentVolumeSource;
  /**  */
  nfs?: NFSVolumeSource;
  /**  */
  rbd?: RBDPersistentVolumeSource;
  /**  */
  iscsi?: ISCSIPersistentVolumeSource;
  /**  */
  cinder?: CinderPersistentVolumeSource;
  /**  */
  cephfs?: CephFSPersistentVolumeSource;
  /**  */
  fc?: FCVolumeSource;
  /**  */
  flocker?: FlockerVolumeSource;
  /**  */
  flexVolume?: FlexPersistentVolumeSource;
  /**  */
  azureFile?: AzureFilePersistentVolumeSource;
  /**  */
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
  /**  */
  quobyte?: QuobyteVolumeSource;
  /**  */
  azureDisk?: AzureDiskVolumeSource;
  /**  */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  /**  */
  portworxVolume?: PortworxVolumeSource;
  /**  */
  scaleIO?: ScaleIOPersistentVolumeSource;
  /**  */
  local?: LocalVolumeSource;
  /**  */
  storageos?: StorageOSPersistentVolumeSource;
  /**  */
  csi?: CSIPersistentVolumeSource;
  /**  */
  accessModes?: string[];
  /**  */
  claimRef?: ObjectReference;
  /**  */
  persistentVolumeReclaimPolicy?: string;
  /**  */
  storageClassName?: string;
  /**  */
  mountOptions?: string[];
  /**  */
  volumeMode?: string;
  /**  */
  nodeAffinity?: VolumeNodeAffinity;
  /**  */
  volumeAttributesClassName?: string;
}

/**  */
export interface PersistentVolumeStatus {
  /**  */
  phase?: string;
  /**  */
  message?: string;
  /**  */
  reason?: string;
  /**  */
  lastPhaseTransitionTime?: string;
}

/**  */
export interface TypedObjectReference {
  /**  */
  apiGroup?: string;
  /**  */
  kind: string;
  /**  */
  name: string;
  /**  */
  namespace?: string;
}

/**  */
export interface VolumeResourceRequirements {
  /**  */
  limits?: Record<string, string>;
  /**  */
  requests?: Record<string, string>;
}

/**  */
export interface Binding {
  apiVersion?: string;
  kind?: string;
  /**  */
  metadata: ObjectMeta;
  /**  */
  target: ObjectReference;
}

/**  */
export interface HostAlias {
  /**  */
  ip: string;
  /**  */
  hostnames?: string[];
}

/**  */
export interface HostIP {
  /**  */
  ip: string;
}

/**  */
export interface ImageVolumeStatus {
  /**  */
  imageRef: string;
}

/**  */
export interface Pod {
  apiVersion?: string;
  kind?: string;
  /**  */
  metadata: ObjectMeta;
  /**  */
  spec?: PodSpec;
  /**  */
  status?: PodStatus;
}

/**  */
export interface PodAttachOptions {
  apiVersion?: string;
  kind?: string;
  /**  */
  stdin?: boolean;
  /**  */
  stdout?: boolean;
  /**  */
  stderr?: boolean;
  /**  */
  tty?: boolean;
  /**  */
  container?: string;
}

/**  */
export interface PodCondition {
  /**  */
  type: string;
  /**  */
  observedGeneration?: number;
  /**  */
  status: string;
  /**  */
  lastProbeTime?: string;
  /**  */
  lastTransitionTime?: string;
  /**  */
  reason?: string;
  /**  */
  message?: string;
}

/**  */
export interface PodDNSConfig {
  /**  */
  nameservers?: string[];
  /**  */
  searches?: string[];
  /**  */
  options?: PodDNSConfigOption[];
}

/**  */
export interface PodDNSConfigOption {
  /**  */
  name?: string;
  /**  */
  value?: string;
}

/**  */
export interface PodExecOptions {
  apiVersion?: string;
  kind?: string;
  /**  */
  stdin?: boolean;
  /**  */
  stdout?: boolean;
  /**  */
  stderr?: boolean;
  /**  */
  tty?: boolean;
  /**  */
  container?: string;
  /**  */
  command?: string[];
}

/**  */
export interface PodExtendedResourceClaimStatus {
  /**  */
  requestMappings: ContainerExtendedResourceRequest[];
  /**  */
  resourceClaimName: string;
}

/**  */
export interface PodIP {
  /**  */
  ip: string;
}

/** A list of Pod objects. */
export interface PodList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Pod[];
}

/**  */
export interface PodLogOptions {
  apiVersion?: string;
  kind?: string;
  /**  */
  container?: string;
  /**  */
  follow?: boolean;
  /**  */
  previous?: boolean;
  /**  */
  sinceSeconds?: number;
  /**  */
  sinceTime?: string;
  /**  */
  timestamps?: boolean;
  /**  */
  tailLines?: number;
  /**  */
  limitBytes?: number;
  /**  */
  insecureSkipTLSVerifyBackend?: boolean;
  /**  */
  stream?: string;
}

/**  */
export interface PodOS {
  /**  */
  name: string;
}

/**  */
export interface PodPortForwardOptions {
  apiVersion?: string;
  kind?: string;
  /**  */
  ports?: number[];
}

/**  */
export interface PodProxyOptions {
  apiVersion?: string;
  kind?: string;
  /**  */
  path?: string;
}

/**  */
export interface PodReadinessGate {
  /**  */
  conditionType: string;
}

/**  */
export interface PodResourceClaim {
  /**  */
  name: string;
  /**  */
  resourceClaimName?: string;
  /**  */
  resourceClaimTemplateName?: string;
}

/**  */
export interface PodResourceClaimStatus {
  /**  */
  name: string;
  /**  */
  resourceClaimName?: string;
}

/**  */
export interface PodSchedulingGate {
  /**  */
  name: string;
}

/**  */
export interface PodSchedulingGroup {
  /**  */
  podGroupName?: string;
}

/**  */
export interface PodSecurityContext {
  /**  */
  seLinuxOptions?: SELinuxOptions;
  /**  */
  windowsOptions?: WindowsSecurityContextOptions;
  /**  */
  runAsUser?: number;
  /**  */
  runAsGroup?: number;
  /**  */
  runAsNonRoot?: boolean;
  /**  */
  supplementalGroups?: number[];
  /**  */
  supplementalGroupsPolicy?: string;
  /**  */
  fsGroup?: number;
  /**  */
  sysctls?: Sysctl[];
  /**  */
  fsGroupChangePolicy?: string;
  /**  */
  seccompProfile?: SeccompProfile;
  /**  */
  appArmorProfile?: AppArmorProfile;
  /**  */
  seLinuxChangePolicy?: string;
}

/**  */
export interface PodSpec {
  /**  */
  volumes?: Volume[];
  /**  */
  initContainers?: Container[];
  /**  */
  containers: Container[];
  /**  */
  ephemeralContainers?: EphemeralContainer[];
  /**  */
  restartPolicy?: string;
  /**  */
  terminationGracePeriodSeconds?: number;
  /**  */
  activeDeadlineSeconds?: number;
  /**  */
  dnsPolicy?: string;
  /**  */
  nodeSelector?: Record<string, string>;
  /**  */
  serviceAccountName?: string;
  /**  */
  serviceAccount?: string;
  /**  */
  automountServiceAccountToken?: boolean;
  /**  */
  nodeName?: string;
  /**  */
  hostNetwork?: boolean;
  /**  */
  hostPID?: boolean;
  /**  */
  hostIPC?: boolean;
  /**  */
  shareProcessNamespace?: boolean;
  /**  */
  securityContext?: PodSecurityContext;
  /**  */
  imagePullSecrets?: LocalObjectReference[];
  /**  */
  hostname?: string;
  /**  */
  subdomain?: string;
  /**  */
  affinity?: Affinity;
  /**  */
  schedulerName?: string;
  /**  */
  tolerations?: Toleration[];
  /**  */
  hostAliases?: HostAlias[];
  /**  */
  priorityClassName?: string;
  /**  */
  priority?: number;
  /**  */
  dnsConfig?: PodDNSConfig;
  /**  */
  readinessGates?: PodReadinessGate[];
  /**  */
  runtimeClassName?: string;
  /**  */
  enableServiceLinks?: boolean;
  /**  */
  preemptionPolicy?: string;
  /**  */
  overhead?: Record<string, string>;
  /**  */
  topologySpreadConstraints?: TopologySpreadConstraint[];
  /**  */
  setHostnameAsFQDN?: boolean;
  /**  */
  os?: PodOS;
  /**  */
  hostUsers?: boolean;
  /**  */
  schedulingGates?: PodSchedulingGate[];
  /**  */
  resourceClaims?: PodResourceClaim[];
  /**  */
  resources?: ResourceRequirements;
  /**  */
  hostnameOverride?: string;
  /**  */
  schedulingGroup?: PodSchedulingGroup;
}

/**  */
export interface PodStatus {
  /**  */
  observedGeneration?: number;
  /**  */
  phase?: string;
  /**  */
  conditions?: PodCondition[];
  /**  */
  message?: string;
  /**  */
  reason?: string;
  /**  */
  nominatedNodeName?: string;
  /**  */
  hostIP?: string;
  /**  */
  hostIPs?: HostIP[];
  /**  */
  podIP?: string;
  /**  */
  podIPs?: PodIP[];
  /**  */
  startTime?: string;
  /**  */
  initContainerStatuses?: ContainerStatus[];
  /**  */
  containerStatuses?: ContainerStatus[];
  /**  */
  qosClass?: string;
  /**  */
  ephemeralContainerStatuses?: ContainerStatus[];
  /**  */
  resize?: string;
  /**  */
  resourceClaimStatuses?: PodResourceClaimStatus[];
  /**  */
  extendedResourceClaimStatus?: PodExtendedResourceClaimStatus;
  /**  */
  allocatedResources?: Record<string, string>;
  /**  */
  resources?: ResourceRequirements;
  /**  */
  nodeAllocatableResourceClaimStatuses?: NodeAllocatableResourceClaimStatus[];
}

/**  */
export interface PodStatusResult {
  apiVersion?: string;
  kind?: string;
  /**  */
  metadata: ObjectMeta;
  /**  */
  status?: PodStatus;
}

/**  */
export interface ResourceHealth {
  /**  */
  resourceID: string;
  /**  */
  health?: string;
  /**  */
  message?: string;
}

/**  */
export interface ResourceStatus {
  /**  */
  name: string;
  /**  */
  resources?: ResourceHealth[];
}

/**  */
export interface Sysctl {
  /**  */
  name: string;
  /**  */
  value: string;
}

/**  */
export interface LimitRange {
  apiVersion?: string;
  kind?: string;
  /**  */
  metadata: ObjectMeta;
  /**  */
  spec?: LimitRangeSpec;
}

/**  */
export interface LimitRangeItem {
  /**  */
  type: string;
  /**  */
  max?: Record<string, string>;
  /**  */
  min?: Record<string, string>;
  /**  */
  default?: Record<string, string>;
  /**  */
  defaultRequest?: Record<string, string>;
  /**  */
  maxLimitRequestRatio?: Record<string, string>;
}

/** A list of LimitRange objects. */
export interface LimitRangeList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: LimitRange[];
}

/**  */
export interface LimitRangeSpec {
  /**  */
  limits: LimitRangeItem[];
}

/**  */
export interface ResourceQuota {
  apiVersion?: string;
  kind?: string;
  /**  */
  metadata: ObjectMeta;
  /**  */
  spec?: ResourceQuotaSpec;
  /**  */
  status?: ResourceQuotaStatus;
}

/** A list of ResourceQuota objects. */
export interface ResourceQuotaList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ResourceQuota[];
}

/**  */
export interface ResourceQuotaSpec {
  /**  */
  hard?: Record<string, string>;
  /**  */
  scopes?: string[];
  /**  */
  scopeSelector?: ScopeSelector;
}

/**  */
export interface ResourceQuotaStatus {
  /**  */
  hard?: Record<string, string>;
  /**  */
  used?: Record<string, string>;
}

/**  */
export interface LocalObjectReference {
  /**  */
  name?: string;
}

/**  */
export interface ObjectReference {
  /**  */
  kind?: string;
  /**  */
  namespace?: string;
  /**  */
  name?: string;
  /**  */
  uid?: string;
  /**  */
  apiVersion?: string;
  /**  */
  resourceVersion?: string;
  /**  */
  fieldPath?: string;
}

/**  */
export interface Preconditions {
  /**  */
  uid?: string;
}

/**  */
export interface PreferAvoidPodsEntry {
  /**  */
  podSignature?: PodSignature;
  /**  */
  evictionTime?: string;
  /**  */
  reason?: string;
  /**  */
  message?: string;
}

/**  */
export interface RangeAllocation {
  apiVersion?: string;
  kind?: string;
  /**  */
  metadata: ObjectMeta;
  /**  */
  range?: string;
  /**  */
  data?: string;
}

/**  */
export interface SerializedReference {
  apiVersion?: string;
  kind?: string;
  /**  */
  reference?: ObjectReference;
}

/**  */
export interface TypedLocalObjectReference {
  /**  */
  apiGroup?: string;
  /**  */
  kind: string;
  /**  */
  name: string;
}

/**  */
export interface VolumeStatus {
  /**  */
  image?: ImageVolumeStatus;
}

/**  */
export interface PodTemplate {
  apiVersion?: string;
  kind?: string;
  /**  */
  metadata: ObjectMeta;
  /**  */
  template?: PodTemplateSpec;
}

/** A list of PodTemplate objects. */
export interface PodTemplateList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: PodTemplate[];
}

/**  */
export interface PodTemplateSpec {
  /**  */
  metadata?: ObjectMeta;
  /**  */
  spec?: PodSpec;
}

/**  */
export interface ReplicationController {
  apiVersion?: string;
  kind?: string;
  /**  */
  metadata: ObjectMeta;
  /**  */
  spec?: ReplicationControllerSpec;
  /**  */
  status?: ReplicationControllerStatus;
}

/**  */
export interface ReplicationControllerCondition {
  /**  */
  type: string;
  /**  */
  status: string;
  /**  */
  lastTransitionTime?: string;
  /**  */
  reason?: string;
  /**  */
  message?: string;
}

/** A list of ReplicationController objects. */
export interface ReplicationControllerList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ReplicationController[];
}

/**  */
export interface ReplicationControllerSpec {
  /**  */
  replicas?: number;
  /**  */
  minReadySeconds?: number;
  /**  */
  selector?: Record<string, string>;
  /**  */
  template?: PodTemplateSpec;
}

/**  */
export interface ReplicationControllerStatus {
  /**  */
  replicas: number;
  /**  */
  fullyLabeledReplicas?: number;
  /**  */
  readyReplicas?: number;
  /**  */
  availableReplicas?: number;
  /**  */
  observedGeneration?: number;
  /**  */
  conditions?: ReplicationControllerCondition[];
}

/**  */
export interface Affinity {
  /**  */
  nodeAffinity?: NodeAffinity;
  /**  */
  podAffinity?: PodAffinity;
  /**  */
  podAntiAffinity?: PodAntiAffinity;
}

/**  */
export interface NodeAffinity {
  /**  */
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
  /**  */
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[];
}

/**  */
export interface NodeSelector {
  /**  */
  nodeSelectorTerms: NodeSelectorTerm[];
}

/**  */
export interface NodeSelectorRequirement {
  /**  */
  key: string;
  /**  */
  operator: string;
  /**  */
  values?: string[];
}

/**  */
export interface NodeSelectorTerm {
  /**  */
  matchExpressions?: NodeSelectorRequirement[];
  /**  */
  matchFields?: NodeSelectorRequirement[];
}

/**  */
export interface PodAffinity {
  /**  */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  /**  */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
}

/**  */
export interface PodAffinityTerm {
  /**  */
  labelSelector?: LabelSelector;
  /**  */
  namespaces?: string[];
  /**  */
  topologyKey: string;
  /**  */
  namespaceSelector?: LabelSelector;
  /**  */
  matchLabelKeys?: string[];
  /**  */
  mismatchLabelKeys?: string[];
}

/**  */
export interface PodAntiAffinity {
  /**  */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  /**  */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
}

/**  */
export interface PreferredSchedulingTerm {
  /**  */
  weight: number;
  /**  */
  preference: NodeSelectorTerm;
}

/**  */
export interface ScopeSelector {
  /**  */
  matchExpressions?: ScopedResourceSelectorRequirement[];
}

/**  */
export interface ScopedResourceSelectorRequirement {
  /**  */
  scopeName: string;
  /**  */
  operator: string;
  /**  */
  values?: string[];
}

/**  */
export interface Toleration {
  /**  */
  key?: string;
  /**  */
  operator?: string;
  /**  */
  value?: string;
  /**  */
  effect?: string;
  /**  */
  tolerationSeconds?: number;
}

/**  */
export interface TopologySelectorLabelRequirement {
  /**  */
  key: string;
  /**  */
  values: string[];
}

/**  */
export interface TopologySelectorTerm {
  /**  */
  matchLabelExpressions?: TopologySelectorLabelRequirement[];
}

/**  */
export interface TopologySpreadConstraint {
  /**  */
  maxSkew: number;
  /**  */
  topologyKey: string;
  /**  */
  whenUnsatisfiable: string;
  /**  */
  labelSelector?: LabelSelector;
  /**  */
  minDomains?: number;
  /**  */
  nodeAffinityPolicy?: string;
  /**  */
  nodeTaintsPolicy?: string;
  /**  */
  matchLabelKeys?: string[];
}

/**  */
export interface WeightedPodAffinityTerm {
  /**  */
  weight: number;
  /**  */
  podAffinityTerm: PodAffinityTerm;
}

/**  */
export interface ClientIPConfig {
  /**  */
  timeoutSeconds?: number;
}

/**  */
export interface EndpointAddress {
  /**  */
  ip: string;
  /**  */
  hostname?: string;
  /**  */
  nodeName?: string;
  /**  */
  targetRef?: ObjectReference;
}

/**  */
export interface EndpointPort {
  /**  */
  name?: string;
  /**  */
  port: number;
  /**  */
  protocol?: string;
  /**  */
  appProtocol?: string;
}

/**  */
export interface EndpointSubset {
  /**  */
  addresses?: EndpointAddress[];
  /**  */
  notReadyAddresses?: EndpointAddress[];
  /**  */
  ports?: EndpointPort[];
}

/**  */
export interface Endpoints {
  apiVersion?: string;
  kind?: string;
  /**  */
  metadata: ObjectMeta;
  /**  */
  subsets?: EndpointSubset[];
}

/** A list of Endpoints objects. */
export interface EndpointsList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Endpoints[];
}

/**  */
export interface LoadBalancerIngress {
  /**  */
  ip?: string;
  /**  */
  hostname?: string;
  /**  */
  ipMode?: string;
  /**  */
  ports?: PortStatus[];
}

/**  */
export interface LoadBalancerStatus {
  /**  */
  ingress?: LoadBalancerIngress[];
}

/**  */
export interface PortStatus {
  /**  */
  port: number;
  /**  */
  protocol: string;
  /**  */
  error?: string;
}

/**  */
export interface Service {
  apiVersion?: string;
  kind?: string;
  /**  */
  metadata: ObjectMeta;
  /**  */
  spec?: ServiceSpec;
  /**  */
  status?: ServiceStatus;
}

/** A list of Service objects. */
export interface ServiceList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Service[];
}

/**  */
export interface ServicePort {
  /**  */
  name?: string;
  /**  */
  protocol?: string;
  /**  */
  appProtocol?: string;
  /**  */
  port: number;
  /**  */
  targetPort?: (number | string);
  /**  */
  nodePort?: number;
}

/**  */
export interface ServiceProxyOptions {
  apiVersion?: string;
  kind?: string;
  /**  */
  path?: string;
}

/**  */
export interface ServiceSpec {
  /**  */
  ports?: ServicePort[];
  /**  */
  selector?: Record<string, string>;
  /**  */
  clusterIP?: string;
  /**  */
  clusterIPs?: string[];
  /**  */
  type?: string;
  /**  */
  externalIPs?: string[];
  /**  */
  sessionAffinity?: string;
  /**  */
  loadBalancerIP?: string;
  /**  */
  loadBalancerSourceRanges?: string[];
  /**  */
  externalName?: string;
  /**  */
  externalTrafficPolicy?: string;
  /**  */
  healthCheckNodePort?: number;
  /**  */
  publishNotReadyAddresses?: boolean;
  /**  */
  sessionAffinityConfig?: SessionAffinityConfig;
  /**  */
  ipFamilies?: string[];
  /**  */
  ipFamilyPolicy?: string;
  /**  */
  allocateLoadBalancerNodePorts?: boolean;
  /**  */
  loadBalancerClass?: string;
  /**  */
  internalTrafficPolicy?: string;
  /**  */
  trafficDistribution?: string;
}

/**  */
export interface ServiceStatus {
  /**  */
  loadBalancer?: LoadBalancerStatus;
  /**  */
  conditions?: Condition[];
}

/**  */
export interface SessionAffinityConfig {
  /**  */
  clientIP?: ClientIPConfig;
}

/**  */
export interface ServiceAccount {
  apiVersion?: string;
  kind?: string;
  /**  */
  metadata: ObjectMeta;
  /**  */
  secrets?: ObjectReference[];
  /**  */
  imagePullSecrets?: LocalObjectReference[];
  /**  */
  automountServiceAccountToken?: boolean;
}

/** A list of ServiceAccount objects. */
export interface ServiceAccountList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ServiceAccount[];
}

/**  */
export interface AWSElasticBlockStoreVolumeSource {
  /**  */
  volumeID: string;
  /**  */
  fsType?: string;
  /**  */
  partition?: number;
  /**  */
  readOnly?: boolean;
}

/**  */
export interface AzureDiskVolumeSource {
  /**  */
  diskName: string;
  /**  */
  diskURI: string;
  /**  */
  cachingMode?: string;
  /**  */
  fsType?: string;
  /**  */
  readOnly?: boolean;
  /**  */
  kind?: string;
}

/**  */
export interface AzureFilePersistentVolumeSource {
  /**  */
  secretName: string;
  /**  */
  shareName: string;
  /**  */
  readOnly?: boolean;
  /**  */
  secretNamespace?: string;
}

/**  */
export interface AzureFileVolumeSource {
  /**  */
  secretName: string;
  /**  */
  shareName: string;
  /**  */
  readOnly?: boolean;
}

/**  */
export interface CSIPersistentVolumeSource {
  /**  */
  driver: string;
  /**  */
  volumeHandle: string;
  /**  */
  readOnly?: boolean;
  /**  */
  fsType?: string;
  /**  */
  volumeAttributes?: Record<string, string>;
  /**  */
  controllerPublishSecretRef?: SecretReference;
  /**  */
  nodeStageSecretRef?: SecretReference;
  /**  */
  nodePublishSecretRef?: SecretReference;
  /**  */
  controllerExpandSecretRef?: SecretReference;
  /**  */
  nodeExpandSecretRef?: SecretReference;
}

/**  */
export interface CSIVolumeSource {
  /**  */
  driver: string;
  /**  */
  readOnly?: boolean;
  /**  */
  fsType?: string;
  /**  */
  volumeAttributes?: Record<string, string>;
  /**  */
  nodePublishSecretRef?: LocalObjectReference;
}

/**  */
export interface CephFSPersistentVolumeSource {
  /**  */
  monitors: string[];
  /**  */
  path?: string;
  /**  */
  user?: string;
  /**  */
  secretFile?: string;
  /**  */
  secretRef?: SecretReference;
  /**  */
  readOnly?: boolean;
}

/**  */
export interface CephFSVolumeSource {
  /**  */
  monitors: string[];
  /**  */
  path?: string;
  /**  */
  user?: string;
  /**  */
  secretFile?: string;
  /**  */
  secretRef?: LocalObjectReference;
  /**  */
  readOnly?: boolean;
}

/**  */
export interface CinderPersistentVolumeSource {
  /**  */
  volumeID: string;
  /**  */
  fsType?: string;
  /**  */
  readOnly?: boolean;
  /**  */
  secretRef?: SecretReference;
}

/**  */
export interface CinderVolumeSource {
  /**  */
  volumeID: string;
  /**  */
  fsType?: string;
  /**  */
  readOnly?: boolean;
  /**  */
  secretRef?: LocalObjectReference;
}

/**  */
export interface ClusterTrustBundleProjection {
  /**  */
  name?: string;
  /**  */
  signerName?: string;
  /**  */
  labelSelector?: LabelSelector;
  /**  */
  optional?: boolean;
  /**  */
  path: string;
}

/**  */
export interface ConfigMapProjection {
  /**  */
  name?: string;
  /**  */
  items: KeyToPath[];
  /**  */
  optional?: boolean;
}

/**  */
export interface ConfigMapVolumeSource {
  /**  */
  name?: string;
  /**  */
  items: KeyToPath[];
  /**  */
  defaultMode?: number;
  /**  */
  optional?: boolean;
}

/**  */
export interface DownwardAPIProjection {
  /**  */
  items: DownwardAPIVolumeFile[];
}

/**  */
export interface DownwardAPIVolumeFile {
  /**  */
  path: string;
  /**  */
  fieldRef?: ObjectFieldSelector;
  /**  */
  resourceFieldRef?: ResourceFieldSelector;
  /**  */
  mode?: number;
}

/**  */
export interface DownwardAPIVolumeSource {
  /**  */
  items: DownwardAPIVolumeFile[];
  /**  */
  defaultMode?: number;
}

/**  */
export interface EmptyDirVolumeSource {
  /**  */
  medium?: string;
  /**  */
  sizeLimit?: string;
}

/**  */
export interface EphemeralVolumeSource {
  /**  */
  volumeClaimTemplate?: PersistentVolumeClaimTemplate;
}

/**  */
export interface FCVolumeSource {
  /**  */
  targetWWNs?: string[];
  /**  */
  lun?: number;
  /**  */
  fsType?: string;
  /**  */
  readOnly?: boolean;
  /**  */
  wwids?: string[];
}

/**  */
export interface FlexPersistentVolumeSource {
  /**  */
  driver: string;
  /**  */
  fsType?: string;
  /**  */
  secretRef?: SecretReference;
  /**  */
  readOnly?: boolean;
  /**  */
  options?: Record<string, string>;
}

/**  */
export interface FlexVolumeSource {
  /**  */
  driver: string;
  /**  */
  fsType?: string;
  /**  */
  secretRef?: LocalObjectReference;
  /**  */
  readOnly?: boolean;
  /**  */
  options?: Record<string, string>;
}

/**  */
export interface FlockerVolumeSource {
  /**  */
  datasetName?: string;
  /**  */
  datasetUUID?: string;
}

/**  */
export interface GCEPersistentDiskVolumeSource {
  /**  */
  pdName: string;
  /**  */
  fsType?: string;
  /**  */
  partition?: number;
  /**  */
  readOnly?: boolean;
}

/**  */
export interface GitRepoVolumeSource {
  /**  */
  repository: string;
  /**  */
  revision?: string;
  /**  */
  directory?: string;
}

/**  */
export interface GlusterfsPersistentVolumeSource {
  /**  */
  endpoints: string;
  /**  */
  path: string;
  /**  */
  readOnly?: boolean;
  /**  */
  endpointsNamespace?: string;
}

/**  */
export interface GlusterfsVolumeSource {
  /**  */
  endpoints: string;
  /**  */
  path: string;
  /**  */
  readOnly?: boolean;
}

/**  */
export interface HostPathVolumeSource {
  /**  */
  path: string;
  /**  */
  type?: string;
}

/**  */
export interface ISCSIPersistentVolumeSource {
  /**  */
  targetPortal: string;
  /**  */
  iqn: string;
  /**  */
  lun: number;
  /**  */
  iscsiInterface?: string;
  /**  */
  fsType?: string;
  /**  */
  readOnly?: boolean;
  /**  */
  portals?: string[];
  /**  */
  chapAuthDiscovery?: boolean;
  /**  */
  chapAuthSession?: boolean;
  /**  */
  secretRef?: SecretReference;
  /**  */
  initiatorName?: string;
}

/**  */
export interface ISCSIVolumeSource {
  /**  */
  targetPortal: string;
  /**  */
  iqn: string;
  /**  */
  lun: number;
  /**  */
  iscsiInterface?: string;
  /**  */
  fsType?: string;
  /**  */
  readOnly?: boolean;
  /**  */
  portals?: string[];
  /**  */
  chapAuthDiscovery?: boolean;
  /**  */
  chapAuthSession?: boolean;
  /**  */
  secretRef?: LocalObjectReference;
  /**  */
  initiatorName?: string;
}

/**  */
export interface ImageVolumeSource {
  /**  */
  reference?: string;
  /**  */
  pullPolicy?: string;
}

/**  */
export interface KeyToPath {
  /**  */
  key: string;
  /**  */
  path: string;
  /**  */
  mode?: number;
}

/**  */
export interface LocalVolumeSource {
  /**  */
  path: string;
  /**  */
  fsType?: string;
}

/**  */
export interface NFSVolumeSource {
  /**  */
  server: string;
  /**  */
  path: string;
  /**  */
  readOnly?: boolean;
}

/**  */
export interface PersistentVolumeClaimVolumeSource {
  /**  */
  claimName: string;
  /**  */
  readOnly?: boolean;
}

/**  */
export interface PersistentVolumeSource {
  /**  */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  /**  */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  /**  */
  hostPath?: HostPathVolumeSource;
  /**  */
  glusterfs?: GlusterfsPersistentVolumeSource;
  /**  */
  nfs?: NFSVolumeSource;
  /**  */
  rbd?: RBDPersistentVolumeSource;
  /**  */
  iscsi?: ISCSIPersistentVolumeSource;
  /**  */
  cinder?: CinderPersistentVolumeSource;
  /**  */
  cephfs?: CephFSPersistentVolumeSource;
  /**  */
  fc?: FCVolumeSource;
  /**  */
  flocker?: FlockerVolumeSource;
  /**  */
  flexVolume?: FlexPersistentVolumeSource;
  /**  */
  azureFile?: AzureFilePersistentVolumeSource;
  /**  */
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
  /**  */
  quobyte?: QuobyteVolumeSource;
  /**  */
  azureDisk?: AzureDiskVolumeSource;
  /**  */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  /**  */
  portworxVolume?: PortworxVolumeSource;
  /**  */
  scaleIO?: ScaleIOPersistentVolumeSource;
  /**  */
  local?: LocalVolumeSource;
  /**  */
  storageos?: StorageOSPersistentVolumeSource;
  /**  */
  csi?: CSIPersistentVolumeSource;
}

/**  */
export interface PhotonPersistentDiskVolumeSource {
  /**  */
  pdID: string;
  /**  */
  fsType?: string;
}

/**  */
export interface PodCertificateProjection {
  /**  */
  signerName: string;
  /**  */
  keyType: string;
  /**  */
  maxExpirationSeconds?: number;
  /**  */
  credentialBundlePath?: string;
  /**  */
  keyPath?: string;
  /**  */
  certificateChainPath?: string;
  /**  */
  userAnnotations?: Record<string, string>;
}

/**  */
export interface PortworxVolumeSource {
  /**  */
  volumeID: string;
  /**  */
  fsType?: string;
  /**  */
  readOnly?: boolean;
}

/**  */
export interface ProjectedVolumeSource {
  /**  */
  sources?: VolumeProjection[];
  /**  */
  defaultMode?: number;
}

/**  */
export interface QuobyteVolumeSource {
  /**  */
  registry: string;
  /**  */
  volume: string;
  /**  */
  readOnly?: boolean;
  /**  */
  user?: string;
  /**  */
  group?: string;
  /**  */
  tenant?: string;
}

/**  */
export interface RBDPersistentVolumeSource {
  /**  */
  monitors: string[];
  /**  */
  image: string;
  /**  */
  fsType?: string;
  /**  */
  pool?: string;
  /**  */
  user?: string;
  /**  */
  keyring?: string;
  /**  */
  secretRef?: SecretReference;
  /**  */
  readOnly?: boolean;
}

/**  */
export interface RBDVolumeSource {
  /**  */
  monitors: string[];
  /**  */
  image: string;
  /**  */
  fsType?: string;
  /**  */
  pool?: string;
  /**  */
  user?: string;
  /**  */
  keyring?: string;
  /**  */
  secretRef?: LocalObjectReference;
  /**  */
  readOnly?: boolean;
}

/**  */
export interface ScaleIOPersistentVolumeSource {
  /**  */
  gateway: string;
  /**  */
  system: string;
  /**  */
  secretRef?: SecretReference;
  /**  */
  sslEnabled?: boolean;
  /**  */
  protectionDomain?: string;
  /**  */
  storagePool?: string;
  /**  */
  storageMode?: string;
  /**  */
  volumeName?: string;
  /**  */
  fsType?: string;
  /**  */
  readOnly?: boolean;
}

/**  */
export interface ScaleIOVolumeSource {
  /**  */
  gateway: string;
  /**  */
  system: string;
  /**  */
  secretRef?: LocalObjectReference;
  /**  */
  sslEnabled?: boolean;
  /**  */
  protectionDomain?: string;
  /**  */
  storagePool?: string;
  /**  */
  storageMode?: string;
  /**  */
  volumeName?: string;
  /**  */
  fsType?: string;
  /**  */
  readOnly?: boolean;
}

/**  */
export interface SecretProjection {
  /**  */
  name?: string;
  /**  */
  items: KeyToPath[];
  /**  */
  optional?: boolean;
}

/**  */
export interface SecretVolumeSource {
  /**  */
  secretName?: string;
  /**  */
  items: KeyToPath[];
  /**  */
  defaultMode?: number;
  /**  */
  optional?: boolean;
}

/**  */
export interface ServiceAccountTokenProjection {
  /**  */
  audience?: string;
  /**  */
  expirationSeconds?: number;
  /**  */
  path: string;
}

/**  */
export interface StorageOSPersistentVolumeSource {
  /**  */
  volumeName?: string;
  /**  */
  volumeNamespace?: string;
  /**  */
  fsType?: string;
  /**  */
  readOnly?: boolean;
  /**  */
  secretRef?: ObjectReference;
}

/**  */
export interface StorageOSVolumeSource {
  /**  */
  volumeName?: string;
  /**  */
  volumeNamespace?: string;
  /**  */
  fsType?: string;
  /**  */
  readOnly?: boolean;
  /**  */
  secretRef?: LocalObjectReference;
}

/**  */
export interface Volume {
  /**  */
  name: string;
  /**  */
  hostPath?: HostPathVolumeSource;
  /**  */
  emptyDir?: EmptyDirVolumeSource;
  /**  */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  /**  */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  /**  */
  gitRepo?: GitRepoVolumeSource;
  /**  */
  secret?: SecretVolumeSource;
  /**  */
  nfs?: NFSVolumeSource;
  /**  */
  iscsi?: ISCSIVolumeSource;
  /**  */
  glusterfs?: GlusterfsVolumeSource;
  /**  */
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  /**  */
  rbd?: RBDVolumeSource;
  /**  */
  flexVolume?: FlexVolumeSource;
  /**  */
  cinder?: CinderVolumeSource;
  /**  */
  cephfs?: CephFSVolumeSource;
  /**  */
  flocker?: FlockerVolumeSource;
  /**  */
  downwardAPI?: DownwardAPIVolumeSource;
  /**  */
  fc?: FCVolumeSource;
  /**  */
  azureFile?: AzureFileVolumeSource;
  /**  */
  configMap?: ConfigMapVolumeSource;
  /**  */
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
  /**  */
  quobyte?: QuobyteVolumeSource;
  /**  */
  azureDisk?: AzureDiskVolumeSource;
  /**  */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  /**  */
  projected?: ProjectedVolumeSource;
  /**  */
  portworxVolume?: PortworxVolumeSource;
  /**  */
  scaleIO?: ScaleIOVolumeSource;
  /**  */
  storageos?: StorageOSVolumeSource;
  /**  */
  csi?: CSIVolumeSource;
  /**  */
  ephemeral?: EphemeralVolumeSource;
  /**  */
  image?: ImageVolumeSource;
}

/**  */
export interface VolumeDevice {
  /**  */
  name: string;
  /**  */
  devicePath: string;
}

/**  */
export interface VolumeMount {
  /**  */
  name: string;
  /**  */
  readOnly?: boolean;
  /**  */
  recursiveReadOnly?: string;
  /**  */
  mountPath: string;
  /**  */
  subPath?: string;
  /**  */
  mountPropagation?: string;
  /**  */
  subPathExpr?: string;
}

/**  */
export interface VolumeMountStatus {
  /**  */
  name: string;
  /**  */
  mountPath: string;
  /**  */
  readOnly?: boolean;
  /**  */
  recursiveReadOnly?: string;
  /**  */
  volumeStatus?: VolumeStatus;
}

/**  */
export interface VolumeNodeAffinity {
  /**  */
  required?: NodeSelector;
}

/**  */
export interface VolumeProjection {
  /**  */
  secret?: SecretProjection;
  /**  */
  downwardAPI?: DownwardAPIProjection;
  /**  */
  configMap?: ConfigMapProjection;
  /**  */
  serviceAccountToken?: ServiceAccountTokenProjection;
  /**  */
  clusterTrustBundle?: ClusterTrustBundleProjection;
  /**  */
  podCertificate?: PodCertificateProjection;
}

/**  */
export interface VolumeSource {
  /**  */
  hostPath?: HostPathVolumeSource;
  /**  */
  emptyDir?: EmptyDirVolumeSource;
  /**  */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  /**  */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  /**  */
  gitRepo?: GitRepoVolumeSource;
  /**  */
  secret?: SecretVolumeSource;
  /**  */
  nfs?: NFSVolumeSource;
  /**  */
  iscsi?: ISCSIVolumeSource;
  /**  */
  glusterfs?: GlusterfsVolumeSource;
  /**  */
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  /**  */
  rbd?: RBDVolumeSource;
  /**  */
  flexVolume?: FlexVolumeSource;
  /**  */
  cinder?: CinderVolumeSource;
  /**  */
  cephfs?: CephFSVolumeSource;
  /**  */
  flocker?: FlockerVolumeSource;
  /**  */
  downwardAPI?: DownwardAPIVolumeSource;
  /**  */
  fc?: FCVolumeSource;
  /**  */
  azureFile?: AzureFileVolumeSource;
  /**  */
  configMap?: ConfigMapVolumeSource;
  /**  */
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
  /**  */
  quobyte?: QuobyteVolumeSource;
  /**  */
  azureDisk?: AzureDiskVolumeSource;
  /**  */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  /**  */
  projected?: ProjectedVolumeSource;
  /**  */
  portworxVolume?: PortworxVolumeSource;
  /**  */
  scaleIO?: ScaleIOVolumeSource;
  /**  */
  storageos?: StorageOSVolumeSource;
  /**  */
  csi?: CSIVolumeSource;
  /**  */
  ephemeral?: EphemeralVolumeSource;
  /**  */
  image?: ImageVolumeSource;
}

/**  */
export interface VsphereVirtualDiskVolumeSource {
  /**  */
  volumePath: string;
  /**  */
  fsType?: string;
  /**  */
  storagePolicyName?: string;
  /**  */
  storagePolicyID?: string;
}
