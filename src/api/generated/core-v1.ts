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

/** Health of a control plane component. */
export interface ComponentCondition {
  /** Which condition: Healthy. */
  type: string;
  /** Whether the condition holds: True, False or Unknown. */
  status: string;
  /** Result of the health check. */
  message?: string;
  /** Error of the health check. */
  error?: string;
}

/** Health of a control plane component; deprecated. */
export interface ComponentStatus {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** What was observed. */
  conditions?: ComponentCondition[];
}

/** A list of ComponentStatus objects. */
export interface ComponentStatusList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ComponentStatus[];
}

/** Configuration that Pods can read. */
export interface ConfigMap {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** Whether the data can never change; once true it stays. */
  immutable?: boolean;
  /** Text values; keys of letters, digits, "-", "_" and ".". */
  data?: Record<string, string>;
  /** Binary values, in base64; keys must not be in data. */
  binaryData?: Record<string, string>;
}

/** A list of ConfigMap objects. */
export interface ConfigMapList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ConfigMap[];
}

/** Confidential data; keys and values together at most 1 MiB. */
export interface Secret {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** Whether the data can never change; once true it stays. */
  immutable?: boolean;
  /** Values in base64; keys of letters, digits, "-", "_" and ".". */
  data?: Record<string, string>;
  /** Values as plain text; written into data and never returned. */
  stringData?: Record<string, string>;
  /** What the Secret is for; default Opaque. */
  type?: string;
}

/** A list of Secret objects. */
export interface SecretList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Secret[];
}

/** A Secret by name and namespace. */
export interface SecretReference {
  /** Name of the Secret. */
  name?: string;
  /** Namespace of the Secret. */
  namespace?: string;
}

/** An AppArmor profile. */
export interface AppArmorProfile {
  /** Localhost, RuntimeDefault or Unconfined. */
  type: string;
  /** Name of a profile loaded on the node; only with type Localhost. */
  localhostProfile?: string;
}

/** Linux capabilities to add to and drop from the runtime's defaults. */
export interface Capabilities {
  /** Capabilities to add. */
  add?: string[];
  /** Capabilities to drop. */
  drop?: string[];
}

/** Takes environment variables from a ConfigMap. */
export interface ConfigMapEnvSource {
  /** Name of the object. */
  name?: string;
  /** Whether the ConfigMap may be missing. */
  optional?: boolean;
}

/** Selects one key of a ConfigMap. */
export interface ConfigMapKeySelector {
  /** Name of the object. */
  name?: string;
  /** The key to read. */
  key: string;
  /** Whether the ConfigMap or its key may be missing. */
  optional?: boolean;
}

/** One container of the Pod. */
export interface Container {
  /** Name of the container, a DNS label unique in the Pod; fixed after creation. */
  name: string;
  /** Image to run. */
  image?: string;
  /** Replaces the image's entrypoint; $(VAR) is expanded, no shell is involved. */
  command?: string[];
  /** Replaces the image's arguments; $(VAR) is expanded. */
  args?: string[];
  /** Directory to start in; default from the image. */
  workingDir?: string;
  /** Ports that the container serves; for information only. */
  ports?: ContainerPort[];
  /** Sources whose every key becomes an environment variable. */
  envFrom?: EnvFromSource[];
  /** Environment variables. */
  env?: EnvVar[];
  /** CPU, memory and other resources that the container needs and may use. */
  resources?: ResourceRequirements;
  /** Whether changing a resource restarts the container. */
  resizePolicy?: ContainerResizePolicy[];
  /** Restart policy of this container; Always makes an init container a sidecar. */
  restartPolicy?: string;
  /** Rules, tried in order, on when the exited container starts again. */
  restartPolicyRules?: ContainerRestartRule[];
  /** Where the Pod's volumes appear in the container's file system. */
  volumeMounts?: VolumeMount[];
  /** Where block volumes appear as devices. */
  volumeDevices?: VolumeDevice[];
  /** Restarts the container when it fails. */
  livenessProbe?: Probe;
  /** Takes the Pod out of Services while it fails. */
  readinessProbe?: Probe;
  /** Holds back the other probes until it succeeds; restarts on failure. */
  startupProbe?: Probe;
  /** Actions after the start and before the stop of the container. */
  lifecycle?: Lifecycle;
  /** File that holds the final message; default /dev/termination-log. */
  terminationMessagePath?: string;
  /** Source of the final message: File (default) or FallbackToLogsOnError. */
  terminationMessagePolicy?: string;
  /** Always, IfNotPresent or Never; default Always for :latest, else IfNotPresent. */
  imagePullPolicy?: string;
  /** Security settings; they win over the Pod's. */
  securityContext?: SecurityContext;
  /** Keep a standard input open; default false. */
  stdin?: boolean;
  /** Close standard input after the first attached session; default false. */
  stdinOnce?: boolean;
  /** Give the container a terminal; needs stdin; default false. */
  tty?: boolean;
}

/** Which request of a claim serves a container's extended resource. */
export interface ContainerExtendedResourceRequest {
  /** The container that asks. */
  containerName: string;
  /** The extended resource. */
  resourceName: string;
  /** The request in the claim. */
  requestName: string;
}

/** An image on the node. */
export interface ContainerImage {
  /** Names by which the image is known. */
  names?: string[];
  /** How many bytes the image takes. */
  sizeBytes?: number;
}

/** A network port of a container. */
export interface ContainerPort {
  /** Name of the port, unique in the Pod; Services can refer to it. */
  name?: string;
  /** Port on the node, 1 to 65535; with hostNetwork the same as containerPort. */
  hostPort?: number;
  /** Port on the Pod's IP address, 1 to 65535. */
  containerPort: number;
  /** TCP (default), UDP or SCTP. */
  protocol?: string;
  /** Node IP address to bind the host port to. */
  hostIP?: string;
}

/** How one resource of a running container is changed. */
export interface ContainerResizePolicy {
  /** The resource: cpu or memory. */
  resourceName: string;
  /** NotRequired (default) or RestartContainer. */
  restartPolicy: string;
}

/** What to do when the container exits in a certain way. */
export interface ContainerRestartRule {
  /** Restart or RestartAllContainers. */
  action: string;
  /** Exit codes to which the rule applies. */
  exitCodes?: ContainerRestartRuleOnExitCodes;
}

/** A test on exit codes. */
export interface ContainerRestartRuleOnExitCodes {
  /** In or NotIn. */
  operator: string;
  /** Exit codes to compare with, at most 255. */
  values?: number[];
}

/** State of a container; one member is set, waiting if none. */
export interface ContainerState {
  /** Details of a container that waits. */
  waiting?: ContainerStateWaiting;
  /** Details of a container that runs. */
  running?: ContainerStateRunning;
  /** Details of a container that has ended. */
  terminated?: ContainerStateTerminated;
}

/** A running container. */
export interface ContainerStateRunning {
  /** When the container last started. */
  startedAt?: string;
}

/** A container that has ended. */
export interface ContainerStateTerminated {
  /** Exit code of the last run. */
  exitCode: number;
  /** Signal that ended the last run. */
  signal?: number;
  /** Short reason for the end. */
  reason?: string;
  /** Message about the end. */
  message?: string;
  /** When the ended run began. */
  startedAt?: string;
  /** When the container ended. */
  finishedAt?: string;
  /** ID of the container, as type://id. */
  containerID?: string;
}

/** A container that has not started yet. */
export interface ContainerStateWaiting {
  /** Short reason for waiting. */
  reason?: string;
  /** Message about why it waits. */
  message?: string;
}

/** What is known about one container. */
export interface ContainerStatus {
  /** Name of the container. */
  name: string;
  /** Present state. */
  state?: ContainerState;
  /** How the previous run of the container ended. */
  lastState?: ContainerState;
  /** Whether the container passes its readiness probe. */
  ready: boolean;
  /** How often the container was restarted; may be too low after cleanup. */
  restartCount: number;
  /** Image that is running; may be written otherwise than in the spec. */
  image: string;
  /** ID of the image. */
  imageID: string;
  /** ID of the container, as type://id. */
  containerID?: string;
  /** Whether the container runs, passed its startup probe and its postStart hook. */
  started?: boolean;
  /** Requests that the node has set aside for the container. */
  allocatedResources?: Record<string, string>;
  /** Requests and limits in force for the running container. */
  resources?: ResourceRequirements;
  /** State of the volume mounts. */
  volumeMounts?: VolumeMountStatus[];
  /** User and groups of the container's first process. */
  user?: ContainerUser;
  /** Health of the devices given to the container. */
  allocatedResourcesStatus?: ResourceStatus[];
  /** Signal that stops the container. */
  stopSignal?: string;
}

/** Identity of a container's first process. */
export interface ContainerUser {
  /** User and groups on Linux. */
  linux?: LinuxContainerUser;
}

/** A ConfigMap or Secret whose keys become environment variables. */
export interface EnvFromSource {
  /** Text put before each variable's name. */
  prefix?: string;
  /** The ConfigMap to read. */
  configMapRef?: ConfigMapEnvSource;
  /** The Secret to read. */
  secretRef?: SecretEnvSource;
}

/** One environment variable. */
export interface EnvVar {
  /** Name of the variable: printable ASCII except "=". */
  name: string;
  /** Value; $(VAR) is expanded from variables before it; default "". */
  value?: string;
  /** Source of the value, instead of value. */
  valueFrom?: EnvVarSource;
}

/** Where a variable's value comes from; exactly one source. */
export interface EnvVarSource {
  /** A field of the Pod, such as metadata.name or status.podIP. */
  fieldRef?: ObjectFieldSelector;
  /** A resource limit or request of a container. */
  resourceFieldRef?: ResourceFieldSelector;
  /** A key of a ConfigMap. */
  configMapKeyRef?: ConfigMapKeySelector;
  /** A key of a Secret. */
  secretKeyRef?: SecretKeySelector;
  /** A key of an env file in a volume. */
  fileKeyRef?: FileKeySelector;
}

/** A temporary container added to a running Pod, usually to debug it. */
export interface EphemeralContainer {
  /** Name of the container, a DNS label unique in the Pod; fixed after creation. */
  name: string;
  /** Image to run. */
  image?: string;
  /** Replaces the image's entrypoint; $(VAR) is expanded, no shell is involved. */
  command?: string[];
  /** Replaces the image's arguments; $(VAR) is expanded. */
  args?: string[];
  /** Directory to start in; default from the image. */
  workingDir?: string;
  /** Not allowed for ephemeral containers. */
  ports?: ContainerPort[];
  /** Sources whose every key becomes an environment variable. */
  envFrom?: EnvFromSource[];
  /** Environment variables. */
  env?: EnvVar[];
  /** Not allowed for ephemeral containers; they use what the Pod has to spare. */
  resources?: ResourceRequirements;
  /** Not allowed for ephemeral containers. */
  resizePolicy?: ContainerResizePolicy[];
  /** Not allowed for ephemeral containers. */
  restartPolicy?: string;
  /** Not allowed for ephemeral containers. */
  restartPolicyRules?: ContainerRestartRule[];
  /** Where the Pod's volumes appear in the container's file system. */
  volumeMounts?: VolumeMount[];
  /** Where block volumes appear as devices. */
  volumeDevices?: VolumeDevice[];
  /** Not allowed for ephemeral containers. */
  livenessProbe?: Probe;
  /** Not allowed for ephemeral containers. */
  readinessProbe?: Probe;
  /** Not allowed for ephemeral containers. */
  startupProbe?: Probe;
  /** Not allowed for ephemeral containers. */
  lifecycle?: Lifecycle;
  /** File that holds the final message; default /dev/termination-log. */
  terminationMessagePath?: string;
  /** Source of the final message: File (default) or FallbackToLogsOnError. */
  terminationMessagePolicy?: string;
  /** Always, IfNotPresent or Never; default Always for :latest, else IfNotPresent. */
  imagePullPolicy?: string;
  /** Security settings; they win over the Pod's. */
  securityContext?: SecurityContext;
  /** Keep a standard input open; default false. */
  stdin?: boolean;
  /** Close standard input after the first attached session; default false. */
  stdinOnce?: boolean;
  /** Give the container a terminal; needs stdin; default false. */
  tty?: boolean;
  /** Container whose process namespace is shared; default the Pod's own. */
  targetContainerName?: string;
}

/** The fields that ephemeral containers share with other containers. */
export interface EphemeralContainerCommon {
  /** Name of the container, a DNS label unique in the Pod; fixed after creation. */
  name: string;
  /** Image to run. */
  image?: string;
  /** Replaces the image's entrypoint; $(VAR) is expanded, no shell is involved. */
  command?: string[];
  /** Replaces the image's arguments; $(VAR) is expanded. */
  args?: string[];
  /** Directory to start in; default from the image. */
  workingDir?: string;
  /** Not allowed for ephemeral containers. */
  ports?: ContainerPort[];
  /** Sources whose every key becomes an environment variable. */
  envFrom?: EnvFromSource[];
  /** Environment variables. */
  env?: EnvVar[];
  /** Not allowed for ephemeral containers; they use what the Pod has to spare. */
  resources?: ResourceRequirements;
  /** Not allowed for ephemeral containers. */
  resizePolicy?: ContainerResizePolicy[];
  /** Not allowed for ephemeral containers. */
  restartPolicy?: string;
  /** Not allowed for ephemeral containers. */
  restartPolicyRules?: ContainerRestartRule[];
  /** Where the Pod's volumes appear in the container's file system. */
  volumeMounts?: VolumeMount[];
  /** Where block volumes appear as devices. */
  volumeDevices?: VolumeDevice[];
  /** Not allowed for ephemeral containers. */
  livenessProbe?: Probe;
  /** Not allowed for ephemeral containers. */
  readinessProbe?: Probe;
  /** Not allowed for ephemeral containers. */
  startupProbe?: Probe;
  /** Not allowed for ephemeral containers. */
  lifecycle?: Lifecycle;
  /** File that holds the final message; default /dev/termination-log. */
  terminationMessagePath?: string;
  /** Source of the final message: File (default) or FallbackToLogsOnError. */
  terminationMessagePolicy?: string;
  /** Always, IfNotPresent or Never; default Always for :latest, else IfNotPresent. */
  imagePullPolicy?: string;
  /** Security settings; they win over the Pod's. */
  securityContext?: SecurityContext;
  /** Keep a standard input open; default false. */
  stdin?: boolean;
  /** Close standard input after the first attached session; default false. */
  stdinOnce?: boolean;
  /** Give the container a terminal; needs stdin; default false. */
  tty?: boolean;
}

/** Runs a command in the container. */
export interface ExecAction {
  /** Program and arguments; exit code 0 is success; no shell is involved. */
  command?: string[];
}

/** Selects a variable in an env file. */
export interface FileKeySelector {
  /** Volume that holds the file. */
  volumeName: string;
  /** Path of the file within the volume; must not leave it with "..". */
  path: string;
  /** Name of the variable in the file. */
  key: string;
  /** Whether the file or key may be missing; default false. */
  optional?: boolean;
}

/** Calls the gRPC health service. */
export interface GRPCAction {
  /** Port number, 1 to 65535. */
  port: number;
  /** Service name to ask about; default "". */
  service?: string;
}

/** Sends an HTTP GET request. */
export interface HTTPGetAction {
  /** Path to request. */
  path?: string;
  /** Port number, or the name of a container port. */
  port: (number | string);
  /** Host to connect to; default the Pod's IP address. */
  host?: string;
  /** HTTP (default) or HTTPS. */
  scheme?: string;
  /** Headers to send; a name may be repeated. */
  httpHeaders?: HTTPHeader[];
}

/** An HTTP header. */
export interface HTTPHeader {
  /** Name of the header. */
  name: string;
  /** Value of the header. */
  value: string;
}

/** Actions around the start and stop of a container. */
export interface Lifecycle {
  /** Runs right after the container is created; failure restarts it. */
  postStart?: LifecycleHandler;
  /** Runs before the container is stopped, within the grace period. */
  preStop?: LifecycleHandler;
  /** Signal that stops the container; default from the image or runtime. */
  stopSignal?: string;
}

/** What a lifecycle hook does; exactly one action. */
export interface LifecycleHandler {
  /** Runs a command in the container. */
  exec?: ExecAction;
  /** Sends an HTTP GET request. */
  httpGet?: HTTPGetAction;
  /** Not supported as a hook; kept for old objects. */
  tcpSocket?: TCPSocketAction;
  /** Waits for a while. */
  sleep?: SleepAction;
}

/** User and groups of a process on Linux. */
export interface LinuxContainerUser {
  /** User ID. */
  uid: number;
  /** Primary group ID. */
  gid: number;
  /** Further group IDs. */
  supplementalGroups?: number[];
}

/** Selects a field of an object. */
export interface ObjectFieldSelector {
  /** Version in which the path is written; default v1. */
  apiVersion?: string;
  /** Path of the field. */
  fieldPath: string;
}

/** A regular check of a container. */
export interface Probe {
  /** Runs a command in the container. */
  exec?: ExecAction;
  /** Sends an HTTP GET request; status 200 to 399 is success. */
  httpGet?: HTTPGetAction;
  /** Opens a TCP connection. */
  tcpSocket?: TCPSocketAction;
  /** Calls the gRPC health service. */
  grpc?: GRPCAction;
  /** Seconds after the start before the first check; default 0. */
  initialDelaySeconds?: number;
  /** Seconds after which a check fails; default 1. */
  timeoutSeconds?: number;
  /** Seconds between checks; default 10, at least 1. */
  periodSeconds?: number;
  /** Successes in a row that count as success; default 1. */
  successThreshold?: number;
  /** Failures in a row that count as failure; default 3. */
  failureThreshold?: number;
  /** Grace period after a failed probe; default the Pod's own. */
  terminationGracePeriodSeconds?: number;
}

/** What a probe does; exactly one action. */
export interface ProbeHandler {
  /** Runs a command in the container. */
  exec?: ExecAction;
  /** Sends an HTTP GET request; status 200 to 399 is success. */
  httpGet?: HTTPGetAction;
  /** Opens a TCP connection. */
  tcpSocket?: TCPSocketAction;
  /** Calls the gRPC health service. */
  grpc?: GRPCAction;
}

/** A reference to an entry of the Pod's resourceClaims. */
export interface ResourceClaim {
  /** Name of the entry. */
  name: string;
  /** One request of the claim; default all of them. */
  request?: string;
}

/** Selects a resource limit or request of a container. */
export interface ResourceFieldSelector {
  /** The container; needed in volumes. */
  containerName?: string;
  /** Such as limits.cpu or requests.memory. */
  resource: string;
  /** Unit of the result; default 1. */
  divisor?: string;
}

/** Resources to set aside and not to exceed. */
export interface ResourceRequirements {
  /** Most that may be used of each resource. */
  limits?: Record<string, string>;
  /** Least that is needed of each resource; default the limits. */
  requests?: Record<string, string>;
  /** Entries of the Pod's resourceClaims that are used here. */
  claims?: ResourceClaim[];
}

/** An SELinux context. */
export interface SELinuxOptions {
  /** SELinux user. */
  user?: string;
  /** SELinux role. */
  role?: string;
  /** SELinux type. */
  type?: string;
  /** SELinux level. */
  level?: string;
}

/** A seccomp filter for system calls. */
export interface SeccompProfile {
  /** Localhost, RuntimeDefault or Unconfined. */
  type: string;
  /** Profile file under the kubelet's seccomp directory; only with type Localhost. */
  localhostProfile?: string;
}

/** Takes environment variables from a Secret. */
export interface SecretEnvSource {
  /** Name of the object. */
  name?: string;
  /** Whether the Secret may be missing. */
  optional?: boolean;
}

/** Selects one key of a Secret. */
export interface SecretKeySelector {
  /** Name of the object. */
  name?: string;
  /** The key to read. */
  key: string;
  /** Whether the Secret or its key may be missing. */
  optional?: boolean;
}

/** Security settings of one container. */
export interface SecurityContext {
  /** Linux capabilities to add and drop. */
  capabilities?: Capabilities;
  /** Give the container root's rights on the node; default false. */
  privileged?: boolean;
  /** SELinux context of the container. */
  seLinuxOptions?: SELinuxOptions;
  /** Windows settings; not for Linux. */
  windowsOptions?: WindowsSecurityContextOptions;
  /** User ID of the process; default from the image. */
  runAsUser?: number;
  /** Group ID of the process; default from the runtime. */
  runAsGroup?: number;
  /** Refuse to start if the user ID would be 0. */
  runAsNonRoot?: boolean;
  /** Mount the root file system read-only; default false. */
  readOnlyRootFilesystem?: boolean;
  /** Whether a process may gain more rights than its parent. */
  allowPrivilegeEscalation?: boolean;
  /** How /proc is mounted: Default or Unmasked. */
  procMount?: string;
  /** System call filter; wins over the Pod's. */
  seccompProfile?: SeccompProfile;
  /** AppArmor profile; wins over the Pod's. */
  appArmorProfile?: AppArmorProfile;
}

/** Waits. */
export interface SleepAction {
  /** How many seconds to wait. */
  seconds: number;
}

/** Opens a TCP connection. */
export interface TCPSocketAction {
  /** Port number, or the name of a container port. */
  port: (number | string);
  /** Host to connect to; default the Pod's IP address. */
  host?: string;
}

/** Windows settings of a container. */
export interface WindowsSecurityContextOptions {
  /** Name of the GMSA credential spec. */
  gmsaCredentialSpecName?: string;
  /** Contents of the GMSA credential spec. */
  gmsaCredentialSpec?: string;
  /** Windows user that runs the process; default from the image. */
  runAsUserName?: string;
  /** Run as a host process; all containers of a Pod must agree. */
  hostProcess?: boolean;
}

/** Reports something that happened in the cluster. */
export interface Event {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The object that the event is about. */
  involvedObject: ObjectReference;
  /** One CamelCase word on why the event was made. */
  reason?: string;
  /** What happened, for people to read. */
  message?: string;
  /** The component that reports the event. */
  source?: EventSource;
  /** When it happened first. */
  firstTimestamp?: string;
  /** When it happened last. */
  lastTimestamp?: string;
  /** How often it has happened. */
  count?: number;
  /** Normal or Warning. */
  type?: string;
  /** When it was first observed, to the microsecond. */
  eventTime?: string;
  /** Repetitions of the event, if any. */
  series?: EventSeries;
  /** What was done to the object, or failed. */
  action?: string;
  /** A second object that takes part. */
  related?: ObjectReference;
  /** Name of the controller that reports, such as kubernetes.io/kubelet. */
  reportingComponent?: string;
  /** Which instance of the controller, such as its Pod. */
  reportingInstance?: string;
}

/** A list of Event objects. */
export interface EventList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Event[];
}

/** Repetitions of one event. */
export interface EventSeries {
  /** How often the event has occurred. */
  count?: number;
  /** When it was last seen. */
  lastObservedTime?: string;
}

/** The component that reports an event. */
export interface EventSource {
  /** Name of the component. */
  component?: string;
  /** Node of the component. */
  host?: string;
}

/** A scope for names, policy and access. */
export interface Namespace {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: NamespaceSpec;
  /** The observed state, as the system last reported it. */
  status?: NamespaceStatus;
}

/** One aspect of the namespace's current state. */
export interface NamespaceCondition {
  /** Which condition, such as NamespaceContentRemaining. */
  type: string;
  /** Whether the condition holds: True, False or Unknown. */
  status: string;
  /** When the status last changed. */
  lastTransitionTime?: string;
  /** One CamelCase word on why the condition has its status. */
  reason?: string;
  /** Details of the last change, for people to read. */
  message?: string;
}

/** A list of Namespace objects. */
export interface NamespaceList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Namespace[];
}

/** What holds the namespace in existence. */
export interface NamespaceSpec {
  /** Names that must be gone before the namespace is removed. */
  finalizers?: string[];
}

/** State of the namespace. */
export interface NamespaceStatus {
  /** Active or Terminating. */
  phase?: string;
  /** Conditions, mostly on how deletion gets along. */
  conditions?: NamespaceCondition[];
}

/** A volume attached to a node. */
export interface AttachedVolume {
  /** Unique name of the volume. */
  name: string;
  /** Path of the device. */
  devicePath: string;
}

/** Pods that a node would rather not run. */
export interface AvoidPods {
  /** The Pods. */
  preferAvoidPods?: PreferAvoidPodsEntry[];
}

/** A ConfigMap with kubelet configuration; no longer supported. */
export interface ConfigMapNodeConfigSource {
  /** Namespace of the ConfigMap. */
  namespace: string;
  /** Name of the ConfigMap. */
  name: string;
  /** UID of the ConfigMap; only in status. */
  uid?: string;
  /** Resource version of the ConfigMap; only in status. */
  resourceVersion?: string;
  /** Key that holds the configuration. */
  kubeletConfigKey: string;
}

/** Port of a daemon. */
export interface DaemonEndpoint {
  /** Port number. */
  Port: number;
}

/** A machine that runs Pods. */
export interface Node {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: NodeSpec;
  /** The observed state, as the system last reported it. */
  status?: NodeStatus;
}

/** One address of a node. */
export interface NodeAddress {
  /** Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS. */
  type: string;
  /** The address. */
  address: string;
}

/** Node resources given to a Pod through one claim. */
export interface NodeAllocatableResourceClaimStatus {
  /** The claim. */
  resourceClaimName: string;
  /** Containers of the Pod that use the claim. */
  containers?: string[];
  /** Total of each resource given through the claim. */
  resources: Record<string, string>;
}

/** One aspect of the node's current state. */
export interface NodeCondition {
  /** Which condition, such as Ready, MemoryPressure, DiskPressure or PIDPressure. */
  type: string;
  /** Whether the condition holds: True, False or Unknown. */
  status: string;
  /** When the condition was last reported. */
  lastHeartbeatTime?: string;
  /** When the status last changed. */
  lastTransitionTime?: string;
  /** One CamelCase word on why the condition has its status. */
  reason?: string;
  /** Details of the last change, for people to read. */
  message?: string;
}

/** Source of kubelet configuration; no longer supported. */
export interface NodeConfigSource {
  /** A ConfigMap with the configuration. */
  configMap?: ConfigMapNodeConfigSource;
}

/** State of kubelet configuration; no longer supported. */
export interface NodeConfigStatus {
  /** Configuration that the node is to use. */
  assigned?: NodeConfigSource;
  /** Configuration in use. */
  active?: NodeConfigSource;
  /** Configuration to go back to on errors. */
  lastKnownGood?: NodeConfigSource;
  /** Problem with the assigned configuration. */
  error?: string;
}

/** Ports of the daemons of a node. */
export interface NodeDaemonEndpoints {
  /** Port of the kubelet. */
  kubeletEndpoint?: DaemonEndpoint;
}

/** What the node's container runtime can do. */
export interface NodeFeatures {
  /** Whether supplementalGroupsPolicy and the container user are supported. */
  supplementalGroupsPolicy?: boolean;
}

/** A list of Node objects. */
export interface NodeList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Node[];
}

/** Query options of a request that is proxied to a node. */
export interface NodeProxyOptions {
  apiVersion?: string;
  kind?: string;
  /** URL path for the request to the node. */
  path?: string;
}

/** A runtime handler of the node. */
export interface NodeRuntimeHandler {
  /** Name of the handler; empty for the default one. */
  name?: string;
  /** What the handler can do. */
  features?: NodeRuntimeHandlerFeatures;
}

/** What a runtime handler can do. */
export interface NodeRuntimeHandlerFeatures {
  /** Whether recursive read-only mounts work. */
  recursiveReadOnlyMounts?: boolean;
  /** Whether user namespaces work. */
  userNamespaces?: boolean;
}

/** Settings of a node. */
export interface NodeSpec {
  /** Address range of the node's Pods. */
  podCIDR?: string;
  /** Address ranges of the node's Pods, at most one of each family. */
  podCIDRs?: string[];
  /** ID of the machine at the cloud provider, as provider://id. */
  providerID?: string;
  /** Whether new Pods stay away, as after kubectl cordon. */
  unschedulable?: boolean;
  /** Taints that keep away Pods without a matching toleration. */
  taints?: Taint[];
  /** Source of kubelet configuration; no longer supported. */
  configSource?: NodeConfigSource;
  /** Not used any more. */
  externalID?: string;
}

/** State of a node. */
export interface NodeStatus {
  /** All resources of the node. */
  capacity?: Record<string, string>;
  /** Resources of the node that Pods can have; default the capacity. */
  allocatable?: Record<string, string>;
  /** Not used any more. */
  phase?: string;
  /** Conditions such as Ready and MemoryPressure. */
  conditions?: NodeCondition[];
  /** Addresses by which the node is reached. */
  addresses?: NodeAddress[];
  /** Ports of the node's daemons. */
  daemonEndpoints?: NodeDaemonEndpoints;
  /** Identity and versions of the node. */
  nodeInfo?: NodeSystemInfo;
  /** Images on the node. */
  images?: ContainerImage[];
  /** Attachable volumes that are mounted. */
  volumesInUse?: string[];
  /** Volumes that are attached. */
  volumesAttached?: AttachedVolume[];
  /** State of kubelet configuration; no longer supported. */
  config?: NodeConfigStatus;
  /** Runtime handlers of the node. */
  runtimeHandlers?: NodeRuntimeHandler[];
  /** What the container runtime can do. */
  features?: NodeFeatures;
  /** Kubelet features that matter for scheduling. */
  declaredFeatures?: string[];
}

/** Swap of a node. */
export interface NodeSwapStatus {
  /** Swap space in bytes. */
  capacity?: number;
}

/** Identity and versions of a node. */
export interface NodeSystemInfo {
  /** Machine ID, unique in the cluster. */
  machineID: string;
  /** UUID of the hardware. */
  systemUUID: string;
  /** ID that changes with every boot. */
  bootID: string;
  /** Kernel version. */
  kernelVersion: string;
  /** Operating system, as in /etc/os-release. */
  osImage: string;
  /** Container runtime and version, as runtime://version. */
  containerRuntimeVersion: string;
  /** Version of the kubelet. */
  kubeletVersion: string;
  /** No longer set. */
  kubeProxyVersion: string;
  /** linux or windows. */
  operatingSystem: string;
  /** CPU architecture, such as amd64 or arm64. */
  architecture: string;
  /** Swap of the node. */
  swap?: NodeSwapStatus;
}

/** Which Pods are meant. */
export interface PodSignature {
  /** The controller that owns the Pods. */
  podController?: OwnerReference;
}

/** Keeps away Pods that do not tolerate it. */
export interface Taint {
  /** Taint key. */
  key: string;
  /** Taint value. */
  value?: string;
  /** NoSchedule, PreferNoSchedule or NoExecute (evicts running Pods too). */
  effect: string;
  /** When the taint was added; set for NoExecute. */
  timeAdded?: string;
}

/** How a change of a volume's attributes class gets along. */
export interface ModifyVolumeStatus {
  /** Class that is being applied. */
  targetVolumeAttributesClassName?: string;
  /** Pending, InProgress or Infeasible. */
  status: string;
}

/** Storage of the cluster that Pods can claim. */
export interface PersistentVolume {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: PersistentVolumeSpec;
  /** The observed state, as the system last reported it. */
  status?: PersistentVolumeStatus;
}

/** A request for storage, bound to one PersistentVolume. */
export interface PersistentVolumeClaim {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: PersistentVolumeClaimSpec;
  /** The observed state, as the system last reported it. */
  status?: PersistentVolumeClaimStatus;
}

/** One aspect of the claim's current state. */
export interface PersistentVolumeClaimCondition {
  /** Which condition, such as Resizing or FileSystemResizePending. */
  type: string;
  /** Whether the condition holds: True, False or Unknown. */
  status: string;
  /** When the condition was last checked. */
  lastProbeTime?: string;
  /** When the status last changed. */
  lastTransitionTime?: string;
  /** One CamelCase word on why the condition has its status. */
  reason?: string;
  /** Details of the last change, for people to read. */
  message?: string;
}

/** A list of PersistentVolumeClaim objects. */
export interface PersistentVolumeClaimList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: PersistentVolumeClaim[];
}

/** What storage is wanted. */
export interface PersistentVolumeClaimSpec {
  /** How the volume is used: ReadWriteOnce, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod. */
  accessModes?: string[];
  /** Labels of volumes that may be bound. */
  selector?: LabelSelector;
  /** Least and most storage wanted. */
  resources?: VolumeResourceRequirements;
  /** The PersistentVolume bound to the claim. */
  volumeName?: string;
  /** StorageClass to use; unset for the default class, "" for none. */
  storageClassName?: string;
  /** Filesystem (default) or Block. */
  volumeMode?: string;
  /** Snapshot or claim to copy the contents from. */
  dataSource?: TypedLocalObjectReference;
  /** Object of any kind to fill the volume from; dataSource's successor. */
  dataSourceRef?: TypedObjectReference;
  /** VolumeAttributesClass that tunes the volume; may be changed. */
  volumeAttributesClassName?: string;
}

/** State of a claim. */
export interface PersistentVolumeClaimStatus {
  /** Pending, Bound or Lost. */
  phase?: string;
  /** Access modes of the bound volume. */
  accessModes?: string[];
  /** Size of the bound volume. */
  capacity?: Record<string, string>;
  /** Conditions of the claim; Resizing while the volume grows. */
  conditions?: PersistentVolumeClaimCondition[];
  /** Storage that is being provided, including a pending growth. */
  allocatedResources?: Record<string, string>;
  /** How growing each resource gets along. */
  allocatedResourceStatuses?: Record<string, string>;
  /** VolumeAttributesClass in force. */
  currentVolumeAttributesClassName?: string;
  /** How a change of attributes class gets along. */
  modifyVolumeStatus?: ModifyVolumeStatus;
}

/** Template of a claim for an ephemeral volume. */
export interface PersistentVolumeClaimTemplate {
  /** Labels and annotations of the claim. */
  metadata?: ObjectMeta;
  /** Spec of the claim. */
  spec: PersistentVolumeClaimSpec;
}

/** A list of PersistentVolume objects. */
export interface PersistentVolumeList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: PersistentVolume[];
}

/** The storage and how it may be used. */
export interface PersistentVolumeSpec {
  /** Size of the volume. */
  capacity?: Record<string, string>;
  /** A Google Compute Engine disk; served by its CSI driver now. */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  /** An AWS EBS disk; served by its CSI driver now. */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  /** A file or directory of the node. */
  hostPath?: HostPathVolumeSource;
  /** A Glusterfs volume; no longer supported. */
  glusterfs?: GlusterfsPersistentVolumeSource;
  /** An NFS export. */
  nfs?: NFSVolumeSource;
  /** A Ceph block device; no longer supported. */
  rbd?: RBDPersistentVolumeSource;
  /** An iSCSI disk. */
  iscsi?: ISCSIPersistentVolumeSource;
  /** An OpenStack Cinder volume; served by its CSI driver now. */
  cinder?: CinderPersistentVolumeSource;
  /** A CephFS file system; no longer supported. */
  cephfs?: CephFSPersistentVolumeSource;
  /** A Fibre Channel disk. */
  fc?: FCVolumeSource;
  /** A Flocker dataset; no longer supported. */
  flocker?: FlockerVolumeSource;
  /** A volume of a FlexVolume driver; deprecated for CSI. */
  flexVolume?: FlexPersistentVolumeSource;
  /** An Azure file share; served by its CSI driver now. */
  azureFile?: AzureFilePersistentVolumeSource;
  /** A vSphere virtual disk; served by its CSI driver now. */
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
  /** A Quobyte volume; no longer supported. */
  quobyte?: QuobyteVolumeSource;
  /** An Azure data disk; served by its CSI driver now. */
  azureDisk?: AzureDiskVolumeSource;
  /** A Photon Controller disk; no longer supported. */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  /** A Portworx volume; served by its CSI driver now. */
  portworxVolume?: PortworxVolumeSource;
  /** A ScaleIO volume; no longer supported. */
  scaleIO?: ScaleIOPersistentVolumeSource;
  /** A directory or block device of one node. */
  local?: LocalVolumeSource;
  /** A StorageOS volume; no longer supported. */
  storageos?: StorageOSPersistentVolumeSource;
  /** A volume of a CSI driver. */
  csi?: CSIPersistentVolumeSource;
  /** All ways in which the volume can be used. */
  accessModes?: string[];
  /** The claim that the volume is bound to. */
  claimRef?: ObjectReference;
  /** What follows the claim's end: Retain (default), Delete or Recycle. */
  persistentVolumeReclaimPolicy?: string;
  /** StorageClass of the volume; "" for none. */
  storageClassName?: string;
  /** Mount options, not checked. */
  mountOptions?: string[];
  /** Filesystem (default) or Block. */
  volumeMode?: string;
  /** Nodes from which the volume can be reached. */
  nodeAffinity?: VolumeNodeAffinity;
  /** VolumeAttributesClass of the volume. */
  volumeAttributesClassName?: string;
}

/** State of a volume. */
export interface PersistentVolumeStatus {
  /** Pending, Available, Bound, Released or Failed. */
  phase?: string;
  /** Why the volume is in this state, for people to read. */
  message?: string;
  /** Why the volume is in this state, in one CamelCase word. */
  reason?: string;
  /** When the phase last changed. */
  lastPhaseTransitionTime?: string;
}

/** An object by kind, name and namespace. */
export interface TypedObjectReference {
  /** API group of the object; unset for the core group. */
  apiGroup?: string;
  /** Kind of the object. */
  kind: string;
  /** Name of the object. */
  name: string;
  /** Namespace of the object; needs a ReferenceGrant there. */
  namespace?: string;
}

/** Least and most storage wanted. */
export interface VolumeResourceRequirements {
  /** Most storage wanted. */
  limits?: Record<string, string>;
  /** Least storage wanted; default the limits. */
  requests?: Record<string, string>;
}

/** Assigns an object, usually a Pod, to another one, usually a Node. */
export interface Binding {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The object to bind to. */
  target: ObjectReference;
}

/** Extra hosts-file names for one IP address. */
export interface HostAlias {
  /** The IP address. */
  ip: string;
  /** Names that resolve to the address. */
  hostnames?: string[];
}

/** One IP address of the Pod's node. */
export interface HostIP {
  /** The IP address. */
  ip: string;
}

/** What an image volume really mounts. */
export interface ImageVolumeStatus {
  /** Digest of the image or artifact that is mounted. */
  imageRef: string;
}

/** One or more containers that run together on a node. */
export interface Pod {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: PodSpec;
  /** The observed state, as the system last reported it. */
  status?: PodStatus;
}

/** Query options of a request to attach to a container. */
export interface PodAttachOptions {
  apiVersion?: string;
  kind?: string;
  /** Send standard input to the container; default false. */
  stdin?: boolean;
  /** Receive the container's standard output; default true. */
  stdout?: boolean;
  /** Receive the container's standard error; default true. */
  stderr?: boolean;
  /** Give the streams a terminal; default false. */
  tty?: boolean;
  /** Container to attach to; needed when the Pod has more than one. */
  container?: string;
}

/** One aspect of the Pod's current state. */
export interface PodCondition {
  /** Which condition, such as PodScheduled, Initialized, ContainersReady or Ready. */
  type: string;
  /** The metadata.generation on which the condition was set. */
  observedGeneration?: number;
  /** Whether the condition holds: True, False or Unknown. */
  status: string;
  /** When the condition was last checked. */
  lastProbeTime?: string;
  /** When the status last changed. */
  lastTransitionTime?: string;
  /** One CamelCase word on why the condition has its status. */
  reason?: string;
  /** Details of the last change, for people to read. */
  message?: string;
}

/** DNS settings that are added to those of the DNS policy. */
export interface PodDNSConfig {
  /** IP addresses of DNS servers, appended to the policy's own. */
  nameservers?: string[];
  /** Search domains for host names, appended to the policy's own. */
  searches?: string[];
  /** Resolver options, merged with the policy's own; these win. */
  options?: PodDNSConfigOption[];
}

/** One option of the DNS resolver. */
export interface PodDNSConfigOption {
  /** Name of the option; required. */
  name?: string;
  /** Value of the option, if it takes one. */
  value?: string;
}

/** Query options of a request to run a command in a container. */
export interface PodExecOptions {
  apiVersion?: string;
  kind?: string;
  /** Send standard input to the command; default false. */
  stdin?: boolean;
  /** Receive the command's standard output. */
  stdout?: boolean;
  /** Receive the command's standard error. */
  stderr?: boolean;
  /** Give the command a terminal; default false. */
  tty?: boolean;
  /** Container to run the command in; needed when the Pod has more than one. */
  container?: string;
  /** The program and its arguments; no shell is involved. */
  command?: string[];
}

/** The generated claim that provides the Pod's extended resources. */
export interface PodExtendedResourceClaimStatus {
  /** Which container's extended resource is served by which request of the claim. */
  requestMappings: ContainerExtendedResourceRequest[];
  /** The ResourceClaim made for the Pod, in its namespace. */
  resourceClaimName: string;
}

/** One IP address of the Pod. */
export interface PodIP {
  /** The IP address. */
  ip: string;
}

/** A list of Pod objects. */
export interface PodList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Pod[];
}

/** Query options of a request for a container's log. */
export interface PodLogOptions {
  apiVersion?: string;
  kind?: string;
  /** Container whose log is read; needed when the Pod has more than one. */
  container?: string;
  /** Keep the connection open and send new lines; default false. */
  follow?: boolean;
  /** Read the log of the previous, ended container; default false. */
  previous?: boolean;
  /** Only lines newer than this many seconds; excludes sinceTime. */
  sinceSeconds?: number;
  /** Only lines written after this time; excludes sinceSeconds. */
  sinceTime?: string;
  /** Start each line with its RFC 3339 time; default false. */
  timestamps?: boolean;
  /** Only this many lines from the end of the log. */
  tailLines?: number;
  /** End the answer after this many bytes. */
  limitBytes?: number;
  /** Do not verify the kubelet's serving certificate; the log could be forged. */
  insecureSkipTLSVerifyBackend?: boolean;
  /** Which output to read: All (default), Stdout or Stderr. */
  stream?: string;
}

/** The operating system that the Pod is made for. */
export interface PodOS {
  /** linux or windows. */
  name: string;
}

/** Query options of a request to forward ports to a Pod. */
export interface PodPortForwardOptions {
  apiVersion?: string;
  kind?: string;
  /** The Pod's ports to forward; needed for WebSocket connections. */
  ports?: number[];
}

/** Query options of a request that is proxied to a Pod. */
export interface PodProxyOptions {
  apiVersion?: string;
  kind?: string;
  /** URL path for the request to the Pod. */
  path?: string;
}

/** A condition that must be true before the Pod is ready. */
export interface PodReadinessGate {
  /** Type of the condition in the Pod's status. */
  conditionType: string;
}

/** Names a ResourceClaim, or a template for one, that the Pod uses. */
export interface PodResourceClaim {
  /** Name by which the Pod's containers refer to the claim. */
  name: string;
  /** An existing ResourceClaim; excludes resourceClaimTemplateName. */
  resourceClaimName?: string;
  /** A template from which the Pod gets its own claim; excludes resourceClaimName. */
  resourceClaimTemplateName?: string;
}

/** The claim that stands behind an entry of spec.resourceClaims. */
export interface PodResourceClaimStatus {
  /** Name of the entry in spec.resourceClaims. */
  name: string;
  /** The ResourceClaim generated for the entry; unset if none was needed. */
  resourceClaimName?: string;
}

/** Keeps the Pod from being scheduled until it is removed. */
export interface PodSchedulingGate {
  /** Name of the gate, unique within the Pod. */
  name: string;
}

/** The group with which the Pod is scheduled. */
export interface PodSchedulingGroup {
  /** Name of the PodGroup, in the Pod's namespace. */
  podGroupName?: string;
}

/** Security settings for the Pod and, as defaults, for its containers. */
export interface PodSecurityContext {
  /** SELinux context of all containers; the runtime picks one if unset. */
  seLinuxOptions?: SELinuxOptions;
  /** Windows settings of all containers; not for Linux. */
  windowsOptions?: WindowsSecurityContextOptions;
  /** User ID of the containers' processes; default from the image. */
  runAsUser?: number;
  /** Group ID of the containers' processes; default from the runtime. */
  runAsGroup?: number;
  /** Refuse to start a container that would run as user ID 0. */
  runAsNonRoot?: boolean;
  /** More group IDs for the first process of each container. */
  supplementalGroups?: number[];
  /** How supplementary groups are found: Merge with the image's (default) or Strict. */
  supplementalGroupsPolicy?: string;
  /** Group ID that owns the files of volumes that support ownership. */
  fsGroup?: number;
  /** Kernel parameters of the Pod's namespaces. */
  sysctls?: Sysctl[];
  /** When volume ownership is changed: Always (default) or OnRootMismatch. */
  fsGroupChangePolicy?: string;
  /** System call filter of the containers. */
  seccompProfile?: SeccompProfile;
  /** AppArmor profile of the containers. */
  appArmorProfile?: AppArmorProfile;
  /** How volumes get SELinux labels: MountOption (default) or Recursive. */
  seLinuxChangePolicy?: string;
}

/** What the Pod runs and under which terms. */
export interface PodSpec {
  /** Volumes that the containers can mount. */
  volumes?: Volume[];
  /** Containers that run, one after the other, before the others start. */
  initContainers?: Container[];
  /** The main containers; at least one, fixed after creation. */
  containers: Container[];
  /** Temporary containers for debugging, added through the ephemeralcontainers subresource. */
  ephemeralContainers?: EphemeralContainer[];
  /** When ended containers start again: Always (default), OnFailure or Never. */
  restartPolicy?: string;
  /** Seconds that containers have to stop before they are killed; default 30. */
  terminationGracePeriodSeconds?: number;
  /** Seconds after which a running Pod is failed and its containers are killed. */
  activeDeadlineSeconds?: number;
  /** ClusterFirst (default), ClusterFirstWithHostNet, Default (the node's DNS) or None. */
  dnsPolicy?: string;
  /** Labels that a node must have to run the Pod. */
  nodeSelector?: Record<string, string>;
  /** ServiceAccount under which the Pod runs; default "default". */
  serviceAccountName?: string;
  /** Older name of serviceAccountName. */
  serviceAccount?: string;
  /** Whether the ServiceAccount's token is mounted in the containers. */
  automountServiceAccountToken?: boolean;
  /** The node of the Pod; set by the scheduler, or directly to bypass it. */
  nodeName?: string;
  /** Use the node's network namespace; default false. */
  hostNetwork?: boolean;
  /** Use the node's process ID namespace; default false. */
  hostPID?: boolean;
  /** Use the node's IPC namespace; default false. */
  hostIPC?: boolean;
  /** Let all containers share one process ID namespace; default false. */
  shareProcessNamespace?: boolean;
  /** Security settings of the Pod as a whole. */
  securityContext?: PodSecurityContext;
  /** Secrets in this namespace with credentials for pulling images. */
  imagePullSecrets?: LocalObjectReference[];
  /** Host name of the Pod; default the Pod's name. */
  hostname?: string;
  /** Makes the full name hostname.subdomain.namespace.svc.domain. */
  subdomain?: string;
  /** Rules on which nodes to run and which Pods to be near to or far from. */
  affinity?: Affinity;
  /** Scheduler that places the Pod; default default-scheduler. */
  schedulerName?: string;
  /** Taints of nodes that the Pod accepts. */
  tolerations?: Toleration[];
  /** Extra entries for the containers' hosts file. */
  hostAliases?: HostAlias[];
  /** PriorityClass that gives the Pod its priority. */
  priorityClassName?: string;
  /** Priority of the Pod, resolved from the class; higher goes first. */
  priority?: number;
  /** DNS settings in addition to those of dnsPolicy. */
  dnsConfig?: PodDNSConfig;
  /** More conditions that must be true for the Pod to be ready. */
  readinessGates?: PodReadinessGate[];
  /** RuntimeClass that selects the container runtime; default the node's own. */
  runtimeClassName?: string;
  /** Whether Services of the namespace appear as environment variables; default true. */
  enableServiceLinks?: boolean;
  /** Whether lower Pods make room: PreemptLowerPriority (default) or Never. */
  preemptionPolicy?: string;
  /** Resources used by the sandbox itself; set from the RuntimeClass. */
  overhead?: Record<string, string>;
  /** How Pods like this one are spread over zones, nodes and so on. */
  topologySpreadConstraints?: TopologySpreadConstraint[];
  /** Use the full domain name as the containers' host name; default false. */
  setHostnameAsFQDN?: boolean;
  /** Operating system of the containers; limits which security fields may be set. */
  os?: PodOS;
  /** Use the node's user namespace (default true); false gives the Pod its own. */
  hostUsers?: boolean;
  /** Gates that hold back scheduling until all are removed; set at creation only. */
  schedulingGates?: PodSchedulingGate[];
  /** ResourceClaims that the Pod needs before it can start. */
  resourceClaims?: PodResourceClaim[];
  /** CPU, memory and huge pages for all containers together. */
  resources?: ResourceRequirements;
  /** Host name inside the Pod, up to 64 characters; DNS records stay as they are. */
  hostnameOverride?: string;
  /** Group with which the Pod is scheduled; fixed after creation. */
  schedulingGroup?: PodSchedulingGroup;
}

/** What is known about the Pod; may lag behind what the node sees. */
export interface PodStatus {
  /** The metadata.generation that the kubelet last acted on. */
  observedGeneration?: number;
  /** Pending, Running, Succeeded, Failed or Unknown. */
  phase?: string;
  /** Conditions such as PodScheduled, Initialized, ContainersReady and Ready. */
  conditions?: PodCondition[];
  /** Why the Pod is in this state, for people to read. */
  message?: string;
  /** Why the Pod is in this state, in one CamelCase word. */
  reason?: string;
  /** Node on which lower Pods are removed to make room for this one. */
  nominatedNodeName?: string;
  /** First IP address of the Pod's node. */
  hostIP?: string;
  /** IP addresses of the Pod's node, at most one of each family. */
  hostIPs?: HostIP[];
  /** First IP address of the Pod. */
  podIP?: string;
  /** IP addresses of the Pod, at most one of each family. */
  podIPs?: PodIP[];
  /** When the kubelet first saw the Pod, before images are pulled. */
  startTime?: string;
  /** State of each init container. */
  initContainerStatuses?: ContainerStatus[];
  /** State of each main container. */
  containerStatuses?: ContainerStatus[];
  /** Guaranteed, Burstable or BestEffort, from the requests and limits. */
  qosClass?: string;
  /** State of each ephemeral container. */
  ephemeralContainerStatuses?: ContainerStatus[];
  /** State of a resource change; now told by the PodResize conditions. */
  resize?: string;
  /** The generated claims behind spec.resourceClaims. */
  resourceClaimStatuses?: PodResourceClaimStatus[];
  /** The generated claim behind the Pod's extended resources. */
  extendedResourceClaimStatus?: PodExtendedResourceClaimStatus;
  /** Pod-level requests that the node has set aside. */
  allocatedResources?: Record<string, string>;
  /** Pod-level requests and limits in force on the node. */
  resources?: ResourceRequirements;
  /** Node resources such as CPU that are allocated through claims. */
  nodeAllocatableResourceClaimStatuses?: NodeAllocatableResourceClaimStatus[];
}

/** A Pod's status as an object of its own. */
export interface PodStatusResult {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The observed state, as the system last reported it. */
  status?: PodStatus;
}

/** Health of one device given to a container. */
export interface ResourceHealth {
  /** Unique ID of the device on the node. */
  resourceID: string;
  /** Healthy, Unhealthy or Unknown. */
  health?: string;
  /** Why the device has this health. */
  message?: string;
}

/** Health of the devices of one resource. */
export interface ResourceStatus {
  /** The resource, or claim:name/request for a claim. */
  name: string;
  /** Health of each device. */
  resources?: ResourceHealth[];
}

/** A kernel parameter. */
export interface Sysctl {
  /** Name of the parameter. */
  name: string;
  /** Value to set. */
  value: string;
}

/** Limits and defaults for resources in a namespace. */
export interface LimitRange {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: LimitRangeSpec;
}

/** Limits for one type of object. */
export interface LimitRangeItem {
  /** Pod, Container or PersistentVolumeClaim. */
  type: string;
  /** Most of each resource. */
  max?: Record<string, string>;
  /** Least of each resource. */
  min?: Record<string, string>;
  /** Limits that are set when a container has none. */
  default?: Record<string, string>;
  /** Requests that are set when a container has none. */
  defaultRequest?: Record<string, string>;
  /** Most that the limit may be, as a multiple of the request. */
  maxLimitRequestRatio?: Record<string, string>;
}

/** A list of LimitRange objects. */
export interface LimitRangeList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: LimitRange[];
}

/** The limits of a LimitRange. */
export interface LimitRangeSpec {
  /** The limits, one entry a type. */
  limits: LimitRangeItem[];
}

/** Caps the resources used in a namespace. */
export interface ResourceQuota {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: ResourceQuotaSpec;
  /** The observed state, as the system last reported it. */
  status?: ResourceQuotaStatus;
}

/** A list of ResourceQuota objects. */
export interface ResourceQuotaList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ResourceQuota[];
}

/** What is capped and how high. */
export interface ResourceQuotaSpec {
  /** Most of each resource or number of objects. */
  hard?: Record<string, string>;
  /** Scopes that an object must all match to be counted; default everything. */
  scopes?: string[];
  /** Further tests on scopes. */
  scopeSelector?: ScopeSelector;
}

/** The caps and what is used of them. */
export interface ResourceQuotaStatus {
  /** The caps in force. */
  hard?: Record<string, string>;
  /** What is used now. */
  used?: Record<string, string>;
}

/** An object of the same namespace, by name. */
export interface LocalObjectReference {
  /** Name of the object. */
  name?: string;
}

/** Points to an object, or to a part of it. */
export interface ObjectReference {
  /** Kind of the object. */
  kind?: string;
  /** Namespace of the object. */
  namespace?: string;
  /** Name of the object. */
  name?: string;
  /** UID of the object. */
  uid?: string;
  /** API version of the object. */
  apiVersion?: string;
  /** The resource version that is meant, if any. */
  resourceVersion?: string;
  /** A part of the object, such as spec.containers{name}. */
  fieldPath?: string;
}

/** What must hold for an operation to go ahead. */
export interface Preconditions {
  /** The UID that the object must have. */
  uid?: string;
}

/** Pods that a node would rather not run. */
export interface PreferAvoidPodsEntry {
  /** Which Pods are meant. */
  podSignature?: PodSignature;
  /** When the entry was added. */
  evictionTime?: string;
  /** Short reason for the entry. */
  reason?: string;
  /** The reason, for people to read. */
  message?: string;
}

/** The allocated part of a number range, as a bitmap. */
export interface RangeAllocation {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The range, such as a CIDR or first-last. */
  range?: string;
  /** One bit for each allocated number. */
  data?: string;
}

/** A reference to an object, as an object of its own. */
export interface SerializedReference {
  apiVersion?: string;
  kind?: string;
  /** The object that is meant. */
  reference?: ObjectReference;
}

/** An object of the same namespace, by kind and name. */
export interface TypedLocalObjectReference {
  /** API group of the object; unset for the core group. */
  apiGroup?: string;
  /** Kind of the object. */
  kind: string;
  /** Name of the object. */
  name: string;
}

/** State of a mounted volume. */
export interface VolumeStatus {
  /** State of an image volume. */
  image?: ImageVolumeStatus;
}

/** A stored template for Pods. */
export interface PodTemplate {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The template. */
  template?: PodTemplateSpec;
}

/** A list of PodTemplate objects. */
export interface PodTemplateList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: PodTemplate[];
}

/** What Pods made from a template look like. */
export interface PodTemplateSpec {
  /** Labels and annotations of the Pods. */
  metadata?: ObjectMeta;
  /** Spec of the Pods. */
  spec?: PodSpec;
}

/** Keeps a number of equal Pods running; ReplicaSet replaces it. */
export interface ReplicationController {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: ReplicationControllerSpec;
  /** The observed state, as the system last reported it. */
  status?: ReplicationControllerStatus;
}

/** One aspect of the controller's current state. */
export interface ReplicationControllerCondition {
  /** Which condition, such as ReplicaFailure. */
  type: string;
  /** Whether the condition holds: True, False or Unknown. */
  status: string;
  /** When the status last changed. */
  lastTransitionTime?: string;
  /** One CamelCase word on why the condition has its status. */
  reason?: string;
  /** Details of the last change, for people to read. */
  message?: string;
}

/** A list of ReplicationController objects. */
export interface ReplicationControllerList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ReplicationController[];
}

/** How many Pods to keep, and which. */
export interface ReplicationControllerSpec {
  /** Wanted number of Pods; default 1. */
  replicas?: number;
  /** Seconds for which a Pod must be ready to count as available; default 0. */
  minReadySeconds?: number;
  /** Labels of the Pods; default the template's labels. */
  selector?: Record<string, string>;
  /** Template for new Pods. */
  template?: PodTemplateSpec;
}

/** State of the controller; may be somewhat behind. */
export interface ReplicationControllerStatus {
  /** Number of Pods observed. */
  replicas: number;
  /** Pods that have all labels of the template. */
  fullyLabeledReplicas?: number;
  /** Pods that are ready. */
  readyReplicas?: number;
  /** Pods that have been ready for minReadySeconds. */
  availableReplicas?: number;
  /** The metadata.generation that this status describes. */
  observedGeneration?: number;
  /** Conditions of the controller. */
  conditions?: ReplicationControllerCondition[];
}

/** Where a Pod wants to run. */
export interface Affinity {
  /** Rules on nodes. */
  nodeAffinity?: NodeAffinity;
  /** Rules on Pods to be near to. */
  podAffinity?: PodAffinity;
  /** Rules on Pods to be far from. */
  podAntiAffinity?: PodAntiAffinity;
}

/** Rules on the nodes of a Pod. */
export interface NodeAffinity {
  /** Nodes on which the Pod may be placed; later changes do not evict it. */
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
  /** Nodes that are preferred, by the sum of matching weights. */
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[];
}

/** Selects nodes that match any one of its terms. */
export interface NodeSelector {
  /** The terms; one match is enough. */
  nodeSelectorTerms: NodeSelectorTerm[];
}

/** A test on a node's label or field. */
export interface NodeSelectorRequirement {
  /** Label key or field path. */
  key: string;
  /** In, NotIn, Exists, DoesNotExist, Gt or Lt. */
  operator: string;
  /** Values to compare with; one integer for Gt and Lt, none for Exists. */
  values?: string[];
}

/** Selects nodes that pass all of its tests; an empty term selects none. */
export interface NodeSelectorTerm {
  /** Tests on labels. */
  matchExpressions?: NodeSelectorRequirement[];
  /** Tests on fields; only metadata.name. */
  matchFields?: NodeSelectorRequirement[];
}

/** Rules on Pods to be near to. */
export interface PodAffinity {
  /** Terms that must all hold when the Pod is placed. */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  /** Terms that make a node preferred, by the sum of their weights. */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
}

/** Selects Pods, and the topology in which to be near to or far from them. */
export interface PodAffinityTerm {
  /** Labels of the Pods; unset selects none. */
  labelSelector?: LabelSelector;
  /** Namespaces of the Pods; default the Pod's own. */
  namespaces?: string[];
  /** Node label whose equal values mean "the same place". */
  topologyKey: string;
  /** Labels of namespaces to add; empty selects all. */
  namespaceSelector?: LabelSelector;
  /** Pod label keys whose values must equal this Pod's. */
  matchLabelKeys?: string[];
  /** Pod label keys whose values must differ from this Pod's. */
  mismatchLabelKeys?: string[];
}

/** Rules on Pods to be far from. */
export interface PodAntiAffinity {
  /** Terms of which none may hold when the Pod is placed. */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  /** Terms that make a node less preferred, by the sum of their weights. */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
}

/** A node term with a weight. */
export interface PreferredSchedulingTerm {
  /** Weight, 1 to 100. */
  weight: number;
  /** Nodes that earn the weight. */
  preference: NodeSelectorTerm;
}

/** Tests on the scopes of a quota, all of which must hold. */
export interface ScopeSelector {
  /** The tests. */
  matchExpressions?: ScopedResourceSelectorRequirement[];
}

/** A test on one scope. */
export interface ScopedResourceSelectorRequirement {
  /** Scope to test. */
  scopeName: string;
  /** In, NotIn, Exists or DoesNotExist. */
  operator: string;
  /** Values to compare with; none for Exists and DoesNotExist. */
  values?: string[];
}

/** Accepts taints that match it. */
export interface Toleration {
  /** Taint key; empty with Exists matches all taints. */
  key?: string;
  /** Exists, Equal (default), Lt or Gt. */
  operator?: string;
  /** Taint value to compare with; empty for Exists. */
  value?: string;
  /** NoSchedule, PreferNoSchedule or NoExecute; empty matches all. */
  effect?: string;
  /** Seconds for which NoExecute is accepted; default for ever. */
  tolerationSeconds?: number;
}

/** A test on a topology label. */
export interface TopologySelectorLabelRequirement {
  /** Label key. */
  key: string;
  /** Accepted values. */
  values: string[];
}

/** Tests on topology labels, all of which must hold. */
export interface TopologySelectorTerm {
  /** The tests. */
  matchLabelExpressions?: TopologySelectorLabelRequirement[];
}

/** How matching Pods are spread over a topology. */
export interface TopologySpreadConstraint {
  /** Most by which Pod counts of two places may differ. */
  maxSkew: number;
  /** Node label whose values are the places. */
  topologyKey: string;
  /** DoNotSchedule, or ScheduleAnyway as a mere preference. */
  whenUnsatisfiable: string;
  /** Labels of the Pods that are counted. */
  labelSelector?: LabelSelector;
  /** Least number of places; fewer count as having an empty one; default 1. */
  minDomains?: number;
  /** Whether nodes excluded by affinity count: Honor leaves them out (default), Ignore counts. */
  nodeAffinityPolicy?: string;
  /** Whether tainted nodes count: Honor leaves them out, Ignore counts them (default). */
  nodeTaintsPolicy?: string;
  /** Pod label keys whose values must equal this Pod's to be counted. */
  matchLabelKeys?: string[];
}

/** A Pod term with a weight. */
export interface WeightedPodAffinityTerm {
  /** Weight, 1 to 100. */
  weight: number;
  /** The term that earns the weight. */
  podAffinityTerm: PodAffinityTerm;
}

/** Settings of client IP session affinity. */
export interface ClientIPConfig {
  /** Seconds for which a client stays with its Pod; 1 to 86400, default 10800. */
  timeoutSeconds?: number;
}

/** One address of an Endpoints object. */
export interface EndpointAddress {
  /** IP address; not loopback, link-local or multicast. */
  ip: string;
  /** Host name of the endpoint. */
  hostname?: string;
  /** Node of the endpoint. */
  nodeName?: string;
  /** The object behind the address, usually a Pod. */
  targetRef?: ObjectReference;
}

/** One port of an Endpoints object. */
export interface EndpointPort {
  /** Name of the port; needed when there is more than one. */
  name?: string;
  /** Port number. */
  port: number;
  /** TCP (default), UDP or SCTP. */
  protocol?: string;
  /** Application protocol, such as kubernetes.io/h2c. */
  appProtocol?: string;
}

/** Addresses that share the same ports. */
export interface EndpointSubset {
  /** Addresses that are ready. */
  addresses?: EndpointAddress[];
  /** Addresses that are not ready. */
  notReadyAddresses?: EndpointAddress[];
  /** Ports of the addresses. */
  ports?: EndpointPort[];
}

/** Addresses behind a Service; EndpointSlice replaces it. */
export interface Endpoints {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** Groups of addresses with the same ports. */
  subsets?: EndpointSubset[];
}

/** A list of Endpoints objects. */
export interface EndpointsList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Endpoints[];
}

/** One entry point of a load balancer. */
export interface LoadBalancerIngress {
  /** IP address. */
  ip?: string;
  /** DNS name. */
  hostname?: string;
  /** How the address works: VIP (destination is kept) or Proxy. */
  ipMode?: string;
  /** State of the ports. */
  ports?: PortStatus[];
}

/** State of a load balancer. */
export interface LoadBalancerStatus {
  /** Its entry points. */
  ingress?: LoadBalancerIngress[];
}

/** State of one port of a load balancer. */
export interface PortStatus {
  /** Port number. */
  port: number;
  /** TCP, UDP or SCTP. */
  protocol: string;
  /** Reason word for a failure of the port. */
  error?: string;
}

/** A stable name, address and ports for a set of Pods. */
export interface Service {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: ServiceSpec;
  /** The observed state, as the system last reported it. */
  status?: ServiceStatus;
}

/** A list of Service objects. */
export interface ServiceList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** List of services. */
  items: Service[];
}

/** One port of a Service. */
export interface ServicePort {
  /** Name of the port, a DNS label; needed when there is more than one. */
  name?: string;
  /** TCP (default), UDP or SCTP. */
  protocol?: string;
  /** Application protocol, such as kubernetes.io/h2c. */
  appProtocol?: string;
  /** Port on which the Service is reached. */
  port: number;
  /** Port number or name on the Pods; default the same as port. */
  targetPort?: (number | string);
  /** Port on every node, for NodePort and LoadBalancer; allocated if 0. */
  nodePort?: number;
}

/** Query options of a request that is proxied to a Service. */
export interface ServiceProxyOptions {
  apiVersion?: string;
  kind?: string;
  /** URL path for the request to the Service. */
  path?: string;
}

/** How a Service is reached and what is behind it. */
export interface ServiceSpec {
  /** Ports of the Service. */
  ports?: ServicePort[];
  /** Labels of the Pods behind it; without one, endpoints are managed by others. */
  selector?: Record<string, string>;
  /** Virtual IP address; allocated if empty, None for a headless Service. */
  clusterIP?: string;
  /** Virtual IP addresses, at most two of different families. */
  clusterIPs?: string[];
  /** ClusterIP (default), NodePort, LoadBalancer or ExternalName. */
  type?: string;
  /** Further IP addresses, routed to nodes by someone else. */
  externalIPs?: string[];
  /** None (default), or ClientIP to keep a client on one Pod. */
  sessionAffinity?: string;
  /** Wanted load balancer address; deprecated. */
  loadBalancerIP?: string;
  /** Client CIDRs that the load balancer lets in; default all. */
  loadBalancerSourceRanges?: string[];
  /** DNS name that the Service is an alias of, for ExternalName. */
  externalName?: string;
  /** Traffic from outside goes to Pods of the Cluster (default) or Local node. */
  externalTrafficPolicy?: string;
  /** Health check port on nodes, for LoadBalancer with Local policy. */
  healthCheckNodePort?: number;
  /** Treat Pods that are not ready as ready; default false. */
  publishNotReadyAddresses?: boolean;
  /** Settings of session affinity. */
  sessionAffinityConfig?: SessionAffinityConfig;
  /** IPv4, IPv6 or both, in order of preference. */
  ipFamilies?: string[];
  /** SingleStack (default), PreferDualStack or RequireDualStack. */
  ipFamilyPolicy?: string;
  /** Whether a LoadBalancer gets node ports; default true. */
  allocateLoadBalancerNodePorts?: boolean;
  /** Load balancer implementation; default the cluster's own. */
  loadBalancerClass?: string;
  /** Traffic from inside goes to Pods of the Cluster (default) or Local node. */
  internalTrafficPolicy?: string;
  /** Which endpoints are preferred: PreferSameZone, PreferSameNode or PreferClose. */
  trafficDistribution?: string;
}

/** State of a Service. */
export interface ServiceStatus {
  /** State of its load balancer. */
  loadBalancer?: LoadBalancerStatus;
  /** Conditions of the Service. */
  conditions?: Condition[];
}

/** Settings of session affinity. */
export interface SessionAffinityConfig {
  /** Settings of client IP affinity. */
  clientIP?: ClientIPConfig;
}

/** An identity for processes in Pods. */
export interface ServiceAccount {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** Secrets that Pods of the account may use, when that is enforced. */
  secrets?: ObjectReference[];
  /** Secrets with image credentials, copied into Pods without any. */
  imagePullSecrets?: LocalObjectReference[];
  /** Whether Pods get the account's token; a Pod may say otherwise. */
  automountServiceAccountToken?: boolean;
}

/** A list of ServiceAccount objects. */
export interface ServiceAccountList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ServiceAccount[];
}

/** An AWS EBS disk. */
export interface AWSElasticBlockStoreVolumeSource {
  /** ID of the EBS volume. */
  volumeID: string;
  /** File system of the volume, such as ext4 (default) or xfs. */
  fsType?: string;
  /** Partition to mount; 0 or unset means the whole disk. */
  partition?: number;
  /** Mount read-only; default false. */
  readOnly?: boolean;
}

/** An Azure data disk. */
export interface AzureDiskVolumeSource {
  /** Name of the disk in blob storage. */
  diskName: string;
  /** URI of the disk in blob storage. */
  diskURI: string;
  /** Host caching: None, ReadOnly or ReadWrite (default). */
  cachingMode?: string;
  /** File system of the disk, such as ext4 (default) or xfs. */
  fsType?: string;
  /** Mount read-only; default false. */
  readOnly?: boolean;
  /** Shared (default), Dedicated or Managed. */
  kind?: string;
}

/** An Azure file share. */
export interface AzureFilePersistentVolumeSource {
  /** Secret with the Azure storage account name and key. */
  secretName: string;
  /** Name of the file share. */
  shareName: string;
  /** Mount read-only; default false. */
  readOnly?: boolean;
  /** Namespace of the Secret; default that of the Pod. */
  secretNamespace?: string;
}

/** An Azure file share. */
export interface AzureFileVolumeSource {
  /** Secret with the Azure storage account name and key. */
  secretName: string;
  /** Name of the file share. */
  shareName: string;
  /** Mount read-only; default false. */
  readOnly?: boolean;
}

/** A volume served by a CSI driver. */
export interface CSIPersistentVolumeSource {
  /** Name of the CSI driver. */
  driver: string;
  /** ID of the volume, as the driver's CreateVolume call returned it. */
  volumeHandle: string;
  /** Publish the volume read-only; default false. */
  readOnly?: boolean;
  /** File system to mount, such as ext4 or xfs. */
  fsType?: string;
  /** Properties of the volume, as the driver gave them. */
  volumeAttributes?: Record<string, string>;
  /** Secret for the driver's controller publish and unpublish calls. */
  controllerPublishSecretRef?: SecretReference;
  /** Secret for the driver's node stage and unstage calls. */
  nodeStageSecretRef?: SecretReference;
  /** Secret for the driver's node publish and unpublish calls. */
  nodePublishSecretRef?: SecretReference;
  /** Secret for the driver's controller expand call. */
  controllerExpandSecretRef?: SecretReference;
  /** Secret for the driver's node expand call. */
  nodeExpandSecretRef?: SecretReference;
}

/** A volume that a CSI driver makes for the Pod only. */
export interface CSIVolumeSource {
  /** Name of the CSI driver. */
  driver: string;
  /** Mount read-only; default false. */
  readOnly?: boolean;
  /** File system to mount; the driver chooses if unset. */
  fsType?: string;
  /** Properties of the volume, for the driver. */
  volumeAttributes?: Record<string, string>;
  /** Secret for the driver's node publish and unpublish calls. */
  nodePublishSecretRef?: LocalObjectReference;
}

/** A CephFS file system. */
export interface CephFSPersistentVolumeSource {
  /** Addresses of the Ceph monitors. */
  monitors: string[];
  /** Directory to mount; default /. */
  path?: string;
  /** Ceph user; default admin. */
  user?: string;
  /** Path of the user's keyring file; default /etc/ceph/user.secret. */
  secretFile?: string;
  /** Secret of the user; wins over secretFile. */
  secretRef?: SecretReference;
  /** Mount read-only; default false. */
  readOnly?: boolean;
}

/** A CephFS file system. */
export interface CephFSVolumeSource {
  /** Addresses of the Ceph monitors. */
  monitors: string[];
  /** Directory to mount; default /. */
  path?: string;
  /** Ceph user; default admin. */
  user?: string;
  /** Path of the user's keyring file; default /etc/ceph/user.secret. */
  secretFile?: string;
  /** Secret of the user; wins over secretFile. */
  secretRef?: LocalObjectReference;
  /** Mount read-only; default false. */
  readOnly?: boolean;
}

/** An OpenStack Cinder volume. */
export interface CinderPersistentVolumeSource {
  /** ID of the Cinder volume. */
  volumeID: string;
  /** File system of the volume, such as ext4 (default) or xfs. */
  fsType?: string;
  /** Mount read-only; default false. */
  readOnly?: boolean;
  /** Secret with the connection to OpenStack. */
  secretRef?: SecretReference;
}

/** An OpenStack Cinder volume. */
export interface CinderVolumeSource {
  /** ID of the Cinder volume. */
  volumeID: string;
  /** File system of the volume, such as ext4 (default) or xfs. */
  fsType?: string;
  /** Mount read-only; default false. */
  readOnly?: boolean;
  /** Secret with the connection to OpenStack. */
  secretRef?: LocalObjectReference;
}

/** Writes CA certificates of ClusterTrustBundles into the volume. */
export interface ClusterTrustBundleProjection {
  /** One ClusterTrustBundle by name; excludes signerName and labelSelector. */
  name?: string;
  /** All ClusterTrustBundles of this signer; excludes name. */
  signerName?: string;
  /** Narrows the bundles of the signer; unset selects none, empty all. */
  labelSelector?: LabelSelector;
  /** Whether the bundles may be missing; then the file is empty. */
  optional?: boolean;
  /** File to write, relative to the volume. */
  path: string;
}

/** Writes keys of a ConfigMap into a projected volume. */
export interface ConfigMapProjection {
  /** Name of the object. */
  name?: string;
  /** Keys to write and where; default every key as a file of its name. */
  items?: KeyToPath[];
  /** Whether the ConfigMap or its keys may be missing. */
  optional?: boolean;
}

/** A volume with the keys of a ConfigMap as files. */
export interface ConfigMapVolumeSource {
  /** Name of the object. */
  name?: string;
  /** Keys to write and where; default every key as a file of its name. */
  items?: KeyToPath[];
  /** Permission bits of the files; default 0644. */
  defaultMode?: number;
  /** Whether the ConfigMap or its keys may be missing. */
  optional?: boolean;
}

/** Writes fields of the Pod into a projected volume. */
export interface DownwardAPIProjection {
  /** The files to write. */
  items?: DownwardAPIVolumeFile[];
}

/** A file with a field of the Pod. */
export interface DownwardAPIVolumeFile {
  /** File to write, relative to the volume. */
  path: string;
  /** A field of the Pod: labels, annotations, name, namespace or uid. */
  fieldRef?: ObjectFieldSelector;
  /** A resource limit or request of a container. */
  resourceFieldRef?: ResourceFieldSelector;
  /** Permission bits of the file; default the volume's defaultMode. */
  mode?: number;
}

/** A volume with fields of the Pod as files. */
export interface DownwardAPIVolumeSource {
  /** The files to write. */
  items?: DownwardAPIVolumeFile[];
  /** Permission bits of the files; default 0644. */
  defaultMode?: number;
}

/** An empty directory that lives as long as the Pod. */
export interface EmptyDirVolumeSource {
  /** Where it is kept: "" (the node's disk, default), Memory or HugePages. */
  medium?: string;
  /** Most that may be stored; default no limit. */
  sizeLimit?: string;
}

/** A volume from a claim that lives as long as the Pod. */
export interface EphemeralVolumeSource {
  /** Template of the claim, which is named pod-volume and owned by the Pod. */
  volumeClaimTemplate?: PersistentVolumeClaimTemplate;
}

/** A Fibre Channel disk. */
export interface FCVolumeSource {
  /** World wide names of the targets. */
  targetWWNs?: string[];
  /** LUN number on the targets. */
  lun?: number;
  /** File system of the disk, such as ext4 (default) or xfs. */
  fsType?: string;
  /** Mount read-only; default false. */
  readOnly?: boolean;
  /** World wide identifiers, instead of targetWWNs and lun. */
  wwids?: string[];
}

/** A volume of an exec-based FlexVolume driver. */
export interface FlexPersistentVolumeSource {
  /** Name of the driver. */
  driver: string;
  /** File system to mount; the driver chooses if unset. */
  fsType?: string;
  /** Secret that is given to the driver. */
  secretRef?: SecretReference;
  /** Mount read-only; default false. */
  readOnly?: boolean;
  /** Further options for the driver. */
  options?: Record<string, string>;
}

/** A volume of an exec-based FlexVolume driver. */
export interface FlexVolumeSource {
  /** Name of the driver. */
  driver: string;
  /** File system to mount; the driver chooses if unset. */
  fsType?: string;
  /** Secret that is given to the driver. */
  secretRef?: LocalObjectReference;
  /** Mount read-only; default false. */
  readOnly?: boolean;
  /** Further options for the driver. */
  options?: Record<string, string>;
}

/** A Flocker dataset. */
export interface FlockerVolumeSource {
  /** Name of the dataset; use datasetUUID instead. */
  datasetName?: string;
  /** UUID of the dataset. */
  datasetUUID?: string;
}

/** A Google Compute Engine persistent disk. */
export interface GCEPersistentDiskVolumeSource {
  /** Name of the disk. */
  pdName: string;
  /** File system of the disk, such as ext4 (default) or xfs. */
  fsType?: string;
  /** Partition to mount; 0 or unset means the whole disk. */
  partition?: number;
  /** Mount read-only; default false. */
  readOnly?: boolean;
}

/** A git checkout; disabled, use an init container instead. */
export interface GitRepoVolumeSource {
  /** URL of the repository. */
  repository: string;
  /** Commit to check out. */
  revision?: string;
  /** Directory of the checkout, without ".."; "." for the volume itself. */
  directory?: string;
}

/** A Glusterfs volume. */
export interface GlusterfsPersistentVolumeSource {
  /** Endpoints object that lists the Glusterfs servers. */
  endpoints: string;
  /** Name of the Glusterfs volume. */
  path: string;
  /** Mount read-only; default false. */
  readOnly?: boolean;
  /** Namespace of the Endpoints object; default that of the claim. */
  endpointsNamespace?: string;
}

/** A Glusterfs volume. */
export interface GlusterfsVolumeSource {
  /** Endpoints object that lists the Glusterfs servers. */
  endpoints: string;
  /** Name of the Glusterfs volume. */
  path: string;
  /** Mount read-only; default false. */
  readOnly?: boolean;
}

/** A file or directory of the node. */
export interface HostPathVolumeSource {
  /** Path on the node; symbolic links are followed. */
  path: string;
  /** What must be there, such as Directory, FileOrCreate or Socket; default no check. */
  type?: string;
}

/** An iSCSI disk. */
export interface ISCSIPersistentVolumeSource {
  /** Address of the target, as ip or ip:port; default port 3260. */
  targetPortal: string;
  /** Qualified name of the target. */
  iqn: string;
  /** LUN number on the target. */
  lun: number;
  /** iSCSI transport; default "default" (tcp). */
  iscsiInterface?: string;
  /** File system of the disk, such as ext4 (default) or xfs. */
  fsType?: string;
  /** Mount read-only; default false. */
  readOnly?: boolean;
  /** More target addresses, for multipath. */
  portals?: string[];
  /** Authenticate discovery with CHAP. */
  chapAuthDiscovery?: boolean;
  /** Authenticate the session with CHAP. */
  chapAuthSession?: boolean;
  /** Secret with the CHAP credentials. */
  secretRef?: SecretReference;
  /** Qualified name of the initiator; makes an interface of its own. */
  initiatorName?: string;
}

/** An iSCSI disk. */
export interface ISCSIVolumeSource {
  /** Address of the target, as ip or ip:port; default port 3260. */
  targetPortal: string;
  /** Qualified name of the target. */
  iqn: string;
  /** LUN number on the target. */
  lun: number;
  /** iSCSI transport; default "default" (tcp). */
  iscsiInterface?: string;
  /** File system of the disk, such as ext4 (default) or xfs. */
  fsType?: string;
  /** Mount read-only; default false. */
  readOnly?: boolean;
  /** More target addresses, for multipath. */
  portals?: string[];
  /** Authenticate discovery with CHAP. */
  chapAuthDiscovery?: boolean;
  /** Authenticate the session with CHAP. */
  chapAuthSession?: boolean;
  /** Secret with the CHAP credentials. */
  secretRef?: LocalObjectReference;
  /** Qualified name of the initiator; makes an interface of its own. */
  initiatorName?: string;
}

/** A volume with the contents of an OCI image or artifact. */
export interface ImageVolumeSource {
  /** Image or artifact to mount. */
  reference?: string;
  /** Always, IfNotPresent or Never; default Always for :latest, else IfNotPresent. */
  pullPolicy?: string;
}

/** Maps a key to a file. */
export interface KeyToPath {
  /** The key. */
  key: string;
  /** File to write, relative to the volume; without "..". */
  path: string;
  /** Permission bits of the file; default the volume's defaultMode. */
  mode?: number;
}

/** A directory or block device of one node. */
export interface LocalVolumeSource {
  /** Path on the node. */
  path: string;
  /** File system for a block device; chosen automatically if unset. */
  fsType?: string;
}

/** An NFS export. */
export interface NFSVolumeSource {
  /** Host name or IP address of the NFS server. */
  server: string;
  /** Exported path. */
  path: string;
  /** Mount read-only; default false. */
  readOnly?: boolean;
}

/** A volume that is claimed by a PersistentVolumeClaim. */
export interface PersistentVolumeClaimVolumeSource {
  /** Name of the claim in the Pod's namespace. */
  claimName: string;
  /** Mount read-only; default false. */
  readOnly?: boolean;
}

/** The storage behind a PersistentVolume; exactly one. */
export interface PersistentVolumeSource {
  /** A Google Compute Engine disk; served by its CSI driver now. */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  /** An AWS EBS disk; served by its CSI driver now. */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  /** A file or directory of the node. */
  hostPath?: HostPathVolumeSource;
  /** A Glusterfs volume; no longer supported. */
  glusterfs?: GlusterfsPersistentVolumeSource;
  /** An NFS export. */
  nfs?: NFSVolumeSource;
  /** A Ceph block device; no longer supported. */
  rbd?: RBDPersistentVolumeSource;
  /** An iSCSI disk. */
  iscsi?: ISCSIPersistentVolumeSource;
  /** An OpenStack Cinder volume; served by its CSI driver now. */
  cinder?: CinderPersistentVolumeSource;
  /** A CephFS file system; no longer supported. */
  cephfs?: CephFSPersistentVolumeSource;
  /** A Fibre Channel disk. */
  fc?: FCVolumeSource;
  /** A Flocker dataset; no longer supported. */
  flocker?: FlockerVolumeSource;
  /** A volume of a FlexVolume driver; deprecated for CSI. */
  flexVolume?: FlexPersistentVolumeSource;
  /** An Azure file share; served by its CSI driver now. */
  azureFile?: AzureFilePersistentVolumeSource;
  /** A vSphere virtual disk; served by its CSI driver now. */
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
  /** A Quobyte volume; no longer supported. */
  quobyte?: QuobyteVolumeSource;
  /** An Azure data disk; served by its CSI driver now. */
  azureDisk?: AzureDiskVolumeSource;
  /** A Photon Controller disk; no longer supported. */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  /** A Portworx volume; served by its CSI driver now. */
  portworxVolume?: PortworxVolumeSource;
  /** A ScaleIO volume; no longer supported. */
  scaleIO?: ScaleIOPersistentVolumeSource;
  /** A directory or block device of one node. */
  local?: LocalVolumeSource;
  /** A StorageOS volume; no longer supported. */
  storageos?: StorageOSPersistentVolumeSource;
  /** A volume of a CSI driver. */
  csi?: CSIPersistentVolumeSource;
}

/** A Photon Controller disk. */
export interface PhotonPersistentDiskVolumeSource {
  /** ID of the disk. */
  pdID: string;
  /** File system of the disk, such as ext4 (default) or xfs. */
  fsType?: string;
}

/** Writes a private key and a certificate of the Pod into the volume. */
export interface PodCertificateProjection {
  /** Signer that issues the certificate. */
  signerName: string;
  /** RSA3072, RSA4096, ECDSAP256, ECDSAP384, ECDSAP521 or ED25519. */
  keyType: string;
  /** Longest lifetime, 3600 to 7862400 seconds; default 86400. */
  maxExpirationSeconds?: number;
  /** File with both key and certificate chain, relative to the volume. */
  credentialBundlePath?: string;
  /** File for the private key, relative to the volume. */
  keyPath?: string;
  /** File for the certificate chain, relative to the volume. */
  certificateChainPath?: string;
  /** Unchecked extra information for the signer. */
  userAnnotations?: Record<string, string>;
}

/** A Portworx volume. */
export interface PortworxVolumeSource {
  /** ID of the Portworx volume. */
  volumeID: string;
  /** File system of the volume, such as ext4 (default) or xfs. */
  fsType?: string;
  /** Mount read-only; default false. */
  readOnly?: boolean;
}

/** Several sources in one directory. */
export interface ProjectedVolumeSource {
  /** The sources; each names one kind of data. */
  sources?: VolumeProjection[];
  /** Permission bits of the files; default 0644. */
  defaultMode?: number;
}

/** A Quobyte volume. */
export interface QuobyteVolumeSource {
  /** Quobyte registries, as host:port, separated by commas. */
  registry: string;
  /** Name of the Quobyte volume. */
  volume: string;
  /** Mount read-only; default false. */
  readOnly?: boolean;
  /** User that mounts; default the service account's user. */
  user?: string;
  /** Group that mounts; default none. */
  group?: string;
  /** Tenant that owns the volume. */
  tenant?: string;
}

/** A Ceph block device. */
export interface RBDPersistentVolumeSource {
  /** Addresses of the Ceph monitors. */
  monitors: string[];
  /** Name of the image. */
  image: string;
  /** File system of the image, such as ext4 (default) or xfs. */
  fsType?: string;
  /** Pool of the image; default rbd. */
  pool?: string;
  /** Ceph user; default admin. */
  user?: string;
  /** Path of the user's keyring; default /etc/ceph/keyring. */
  keyring?: string;
  /** Secret of the user; wins over keyring. */
  secretRef?: SecretReference;
  /** Mount read-only; default false. */
  readOnly?: boolean;
}

/** A Ceph block device. */
export interface RBDVolumeSource {
  /** Addresses of the Ceph monitors. */
  monitors: string[];
  /** Name of the image. */
  image: string;
  /** File system of the image, such as ext4 (default) or xfs. */
  fsType?: string;
  /** Pool of the image; default rbd. */
  pool?: string;
  /** Ceph user; default admin. */
  user?: string;
  /** Path of the user's keyring; default /etc/ceph/keyring. */
  keyring?: string;
  /** Secret of the user; wins over keyring. */
  secretRef?: LocalObjectReference;
  /** Mount read-only; default false. */
  readOnly?: boolean;
}

/** A ScaleIO volume. */
export interface ScaleIOPersistentVolumeSource {
  /** Address of the ScaleIO gateway. */
  gateway: string;
  /** Name of the storage system. */
  system: string;
  /** Secret with the login to ScaleIO. */
  secretRef?: SecretReference;
  /** Talk to the gateway over TLS; default false. */
  sslEnabled?: boolean;
  /** Name of the protection domain. */
  protectionDomain?: string;
  /** Storage pool of the protection domain. */
  storagePool?: string;
  /** ThickProvisioned or ThinProvisioned (default). */
  storageMode?: string;
  /** Name of an existing volume. */
  volumeName?: string;
  /** File system of the volume; default xfs. */
  fsType?: string;
  /** Mount read-only; default false. */
  readOnly?: boolean;
}

/** A ScaleIO volume. */
export interface ScaleIOVolumeSource {
  /** Address of the ScaleIO gateway. */
  gateway: string;
  /** Name of the storage system. */
  system: string;
  /** Secret with the login to ScaleIO. */
  secretRef?: LocalObjectReference;
  /** Talk to the gateway over TLS; default false. */
  sslEnabled?: boolean;
  /** Name of the protection domain. */
  protectionDomain?: string;
  /** Storage pool of the protection domain. */
  storagePool?: string;
  /** ThickProvisioned or ThinProvisioned (default). */
  storageMode?: string;
  /** Name of an existing volume. */
  volumeName?: string;
  /** File system of the volume; default xfs. */
  fsType?: string;
  /** Mount read-only; default false. */
  readOnly?: boolean;
}

/** Writes keys of a Secret into a projected volume. */
export interface SecretProjection {
  /** Name of the object. */
  name?: string;
  /** Keys to write and where; default every key as a file of its name. */
  items?: KeyToPath[];
  /** Whether the Secret or its keys may be missing. */
  optional?: boolean;
}

/** A volume with the keys of a Secret as files. */
export interface SecretVolumeSource {
  /** Name of the Secret in the Pod's namespace. */
  secretName?: string;
  /** Keys to write and where; default every key as a file of its name. */
  items?: KeyToPath[];
  /** Permission bits of the files; default 0644. */
  defaultMode?: number;
  /** Whether the Secret or its keys may be missing. */
  optional?: boolean;
}

/** Writes a token of the Pod's ServiceAccount into the volume. */
export interface ServiceAccountTokenProjection {
  /** Audience that must accept the token; default the API server's. */
  audience?: string;
  /** Lifetime of the token in seconds; default 3600, at least 600. */
  expirationSeconds?: number;
  /** File to write, relative to the volume. */
  path: string;
}

/** A StorageOS volume. */
export interface StorageOSPersistentVolumeSource {
  /** Name of the volume, unique in its namespace. */
  volumeName?: string;
  /** StorageOS namespace of the volume; default the Pod's. */
  volumeNamespace?: string;
  /** File system of the volume, such as ext4 (default) or xfs. */
  fsType?: string;
  /** Mount read-only; default false. */
  readOnly?: boolean;
  /** Secret with the StorageOS credentials. */
  secretRef?: ObjectReference;
}

/** A StorageOS volume. */
export interface StorageOSVolumeSource {
  /** Name of the volume, unique in its namespace. */
  volumeName?: string;
  /** StorageOS namespace of the volume; default the Pod's. */
  volumeNamespace?: string;
  /** File system of the volume, such as ext4 (default) or xfs. */
  fsType?: string;
  /** Mount read-only; default false. */
  readOnly?: boolean;
  /** Secret with the StorageOS credentials. */
  secretRef?: LocalObjectReference;
}

/** A named volume of the Pod. */
export interface Volume {
  /** Name of the volume, a DNS label unique in the Pod. */
  name: string;
  /** A file or directory of the node. */
  hostPath?: HostPathVolumeSource;
  /** An empty directory that lives as long as the Pod. */
  emptyDir?: EmptyDirVolumeSource;
  /** A Google Compute Engine disk; served by its CSI driver now. */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  /** An AWS EBS disk; served by its CSI driver now. */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  /** A git checkout; disabled. */
  gitRepo?: GitRepoVolumeSource;
  /** The keys of a Secret as files. */
  secret?: SecretVolumeSource;
  /** An NFS export. */
  nfs?: NFSVolumeSource;
  /** An iSCSI disk. */
  iscsi?: ISCSIVolumeSource;
  /** A Glusterfs volume; no longer supported. */
  glusterfs?: GlusterfsVolumeSource;
  /** The volume of a PersistentVolumeClaim. */
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  /** A Ceph block device; no longer supported. */
  rbd?: RBDVolumeSource;
  /** A volume of a FlexVolume driver; deprecated for CSI. */
  flexVolume?: FlexVolumeSource;
  /** An OpenStack Cinder volume; served by its CSI driver now. */
  cinder?: CinderVolumeSource;
  /** A CephFS file system; no longer supported. */
  cephfs?: CephFSVolumeSource;
  /** A Flocker dataset; no longer supported. */
  flocker?: FlockerVolumeSource;
  /** Fields of the Pod as files. */
  downwardAPI?: DownwardAPIVolumeSource;
  /** A Fibre Channel disk. */
  fc?: FCVolumeSource;
  /** An Azure file share; served by its CSI driver now. */
  azureFile?: AzureFileVolumeSource;
  /** The keys of a ConfigMap as files. */
  configMap?: ConfigMapVolumeSource;
  /** A vSphere virtual disk; served by its CSI driver now. */
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
  /** A Quobyte volume; no longer supported. */
  quobyte?: QuobyteVolumeSource;
  /** An Azure data disk; served by its CSI driver now. */
  azureDisk?: AzureDiskVolumeSource;
  /** A Photon Controller disk; no longer supported. */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  /** Several sources in one directory. */
  projected?: ProjectedVolumeSource;
  /** A Portworx volume; served by its CSI driver now. */
  portworxVolume?: PortworxVolumeSource;
  /** A ScaleIO volume; no longer supported. */
  scaleIO?: ScaleIOVolumeSource;
  /** A StorageOS volume; no longer supported. */
  storageos?: StorageOSVolumeSource;
  /** A volume that a CSI driver makes for the Pod only. */
  csi?: CSIVolumeSource;
  /** A volume from a claim that lives as long as the Pod. */
  ephemeral?: EphemeralVolumeSource;
  /** The contents of an OCI image or artifact, read-only. */
  image?: ImageVolumeSource;
}

/** A block volume in a container. */
export interface VolumeDevice {
  /** Name of the Pod's volume. */
  name: string;
  /** Path of the device in the container. */
  devicePath: string;
}

/** Where a volume appears in a container. */
export interface VolumeMount {
  /** Name of the Pod's volume. */
  name: string;
  /** Mount read-only; default false. */
  readOnly?: boolean;
  /** Whether submounts are read-only too: Disabled (default), IfPossible or Enabled. */
  recursiveReadOnly?: string;
  /** Path in the container, without ":". */
  mountPath: string;
  /** Path within the volume to mount; default its root. */
  subPath?: string;
  /** How mounts travel: None (default), HostToContainer or Bidirectional. */
  mountPropagation?: string;
  /** Like subPath, with $(VAR) expanded; excludes subPath. */
  subPathExpr?: string;
}

/** State of a volume mount. */
export interface VolumeMountStatus {
  /** Name of the mount's volume. */
  name: string;
  /** Path in the container. */
  mountPath: string;
  /** Whether it is mounted read-only. */
  readOnly?: boolean;
  /** Whether submounts are read-only: Disabled or Enabled. */
  recursiveReadOnly?: string;
  /** State of the volume that is mounted. */
  volumeStatus?: VolumeStatus;
}

/** From which nodes a volume can be reached. */
export interface VolumeNodeAffinity {
  /** Nodes that can use the volume. */
  required?: NodeSelector;
}

/** One source of a projected volume; exactly one member. */
export interface VolumeProjection {
  /** Keys of a Secret. */
  secret?: SecretProjection;
  /** Fields of the Pod. */
  downwardAPI?: DownwardAPIProjection;
  /** Keys of a ConfigMap. */
  configMap?: ConfigMapProjection;
  /** A token of the Pod's ServiceAccount. */
  serviceAccountToken?: ServiceAccountTokenProjection;
  /** CA certificates of ClusterTrustBundles. */
  clusterTrustBundle?: ClusterTrustBundleProjection;
  /** A private key and certificate of the Pod. */
  podCertificate?: PodCertificateProjection;
}

/** The storage behind a Pod's volume; exactly one, emptyDir if none. */
export interface VolumeSource {
  /** A file or directory of the node. */
  hostPath?: HostPathVolumeSource;
  /** An empty directory that lives as long as the Pod. */
  emptyDir?: EmptyDirVolumeSource;
  /** A Google Compute Engine disk; served by its CSI driver now. */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  /** An AWS EBS disk; served by its CSI driver now. */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  /** A git checkout; disabled. */
  gitRepo?: GitRepoVolumeSource;
  /** The keys of a Secret as files. */
  secret?: SecretVolumeSource;
  /** An NFS export. */
  nfs?: NFSVolumeSource;
  /** An iSCSI disk. */
  iscsi?: ISCSIVolumeSource;
  /** A Glusterfs volume; no longer supported. */
  glusterfs?: GlusterfsVolumeSource;
  /** The volume of a PersistentVolumeClaim. */
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  /** A Ceph block device; no longer supported. */
  rbd?: RBDVolumeSource;
  /** A volume of a FlexVolume driver; deprecated for CSI. */
  flexVolume?: FlexVolumeSource;
  /** An OpenStack Cinder volume; served by its CSI driver now. */
  cinder?: CinderVolumeSource;
  /** A CephFS file system; no longer supported. */
  cephfs?: CephFSVolumeSource;
  /** A Flocker dataset; no longer supported. */
  flocker?: FlockerVolumeSource;
  /** Fields of the Pod as files. */
  downwardAPI?: DownwardAPIVolumeSource;
  /** A Fibre Channel disk. */
  fc?: FCVolumeSource;
  /** An Azure file share; served by its CSI driver now. */
  azureFile?: AzureFileVolumeSource;
  /** The keys of a ConfigMap as files. */
  configMap?: ConfigMapVolumeSource;
  /** A vSphere virtual disk; served by its CSI driver now. */
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
  /** A Quobyte volume; no longer supported. */
  quobyte?: QuobyteVolumeSource;
  /** An Azure data disk; served by its CSI driver now. */
  azureDisk?: AzureDiskVolumeSource;
  /** A Photon Controller disk; no longer supported. */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  /** Several sources in one directory. */
  projected?: ProjectedVolumeSource;
  /** A Portworx volume; served by its CSI driver now. */
  portworxVolume?: PortworxVolumeSource;
  /** A ScaleIO volume; no longer supported. */
  scaleIO?: ScaleIOVolumeSource;
  /** A StorageOS volume; no longer supported. */
  storageos?: StorageOSVolumeSource;
  /** A volume that a CSI driver makes for the Pod only. */
  csi?: CSIVolumeSource;
  /** A volume from a claim that lives as long as the Pod. */
  ephemeral?: EphemeralVolumeSource;
  /** The contents of an OCI image or artifact, read-only. */
  image?: ImageVolumeSource;
}

/** A vSphere virtual disk. */
export interface VsphereVirtualDiskVolumeSource {
  /** Path of the disk's vmdk file. */
  volumePath: string;
  /** File system of the disk, such as ext4 (default) or xfs. */
  fsType?: string;
  /** Name of the storage policy profile. */
  storagePolicyName?: string;
  /** ID of the storage policy profile. */
  storagePolicyID?: string;
}
