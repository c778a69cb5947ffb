/** The core group, v1: one file a topic. */
import type { PackageDeclaration, StringDeclarations } from '../../declare.ts';
import * as componentStatus from './component-status.ts';
import * as config from './config.ts';
import * as container from './container.ts';
import * as event from './event.ts';
import * as namespace from './namespace.ts';
import * as node from './node.ts';
import * as persistentVolume from './persistent-volume.ts';
import * as pod from './pod.ts';
import * as quota from './quota.ts';
import * as reference from './reference.ts';
import * as replicationController from './replication-controller.ts';
import * as scheduling from './scheduling.ts';
import * as service from './service.ts';
import * as serviceAccount from './service-account.ts';
import * as volume from './volume.ts';

/** Named strings of the core group, with their values. */
export const strings: StringDeclarations = {
  AppArmorProfileType: ['Unconfined', 'RuntimeDefault', 'Localhost'],
  AzureDataDiskCachingMode: ['None', 'ReadOnly', 'ReadWrite'],
  AzureDataDiskKind: ['Shared', 'Dedicated', 'Managed'],
  Capability: [],
  ClaimResourceStatus: ['ControllerResizeInProgress', 'ControllerResizeInfeasible', 'NodeResizePending', 'NodeResizeInProgress', 'NodeResizeInfeasible'],
  ComponentConditionType: ['Healthy'],
  ConditionStatus: ['True', 'False', 'Unknown'],
  ContainerRestartPolicy: ['Always', 'Never', 'OnFailure'],
  ContainerRestartRuleAction: ['Restart', 'RestartAllContainers'],
  ContainerRestartRuleOnExitCodesOperator: ['In', 'NotIn'],
  DNSPolicy: ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'],
  FinalizerName: ['kubernetes'],
  HostPathType: ['', 'DirectoryOrCreate', 'Directory', 'FileOrCreate', 'File', 'Socket', 'CharDevice', 'BlockDevice'],
  IPFamily: ['IPv4', 'IPv6', ''],
  IPFamilyPolicy: ['SingleStack', 'PreferDualStack', 'RequireDualStack'],
  LimitType: ['Pod', 'Container', 'PersistentVolumeClaim'],
  LoadBalancerIPMode: ['VIP', 'Proxy'],
  MountPropagationMode: ['None', 'HostToContainer', 'Bidirectional'],
  NamespaceConditionType: ['NamespaceDeletionDiscoveryFailure', 'NamespaceDeletionContentFailure', 'NamespaceDeletionGroupVersionParsingFailure', 'NamespaceContentRemaining', 'NamespaceFinalizersRemaining'],
  NamespacePhase: ['Active', 'Terminating'],
  NodeAddressType: ['Hostname', 'InternalIP', 'ExternalIP', 'InternalDNS', 'ExternalDNS'],
  NodeConditionType: ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable'],
  NodeInclusionPolicy: ['Ignore', 'Honor'],
  NodePhase: ['Pending', 'Running', 'Terminated'],
  NodeSelectorOperator: ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'],
  OSName: ['linux', 'windows'],
  PersistentVolumeAccessMode: ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'],
  PersistentVolumeClaimConditionType: ['Resizing', 'FileSystemResizePending', 'ControllerResizeError', 'NodeResizeError', 'ModifyVolumeError', 'ModifyingVolume', 'Unused'],
  PersistentVolumeClaimModifyVolumeStatus: ['Pending', 'InProgress', 'Infeasible'],
  PersistentVolumeClaimPhase: ['Pending', 'Bound', 'Lost'],
  PersistentVolumeMode: ['Block', 'Filesystem'],
  PersistentVolumePhase: ['Pending', 'Available', 'Bound', 'Released', 'Failed'],
  PersistentVolumeReclaimPolicy: ['Recycle', 'Delete', 'Retain'],
  PodConditionType: ['ContainersReady', 'Initialized', 'Ready', 'PodScheduled', 'DisruptionTarget', 'PodReadyToStartContainers', 'PodResizePending', 'PodResizeInProgress', 'AllContainersRestarting'],
  PodFSGroupChangePolicy: ['OnRootMismatch', 'Always'],
  PodPhase: ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'],
  PodQOSClass: ['Guaranteed', 'Burstable', 'BestEffort'],
  PodResizeStatus: ['InProgress', 'Deferred', 'Infeasible'],
  PodSELinuxChangePolicy: ['Recursive', 'MountOption'],
  PreemptionPolicy: ['PreemptLowerPriority', 'Never'],
  ProcMountType: ['Default', 'Unmasked'],
  Protocol: ['TCP', 'UDP', 'SCTP'],
  PullPolicy: ['Always', 'Never', 'IfNotPresent'],
  RecursiveReadOnlyMode: ['Disabled', 'IfPossible', 'Enabled'],
  ReplicationControllerConditionType: ['ReplicaFailure'],
  ResourceHealthStatus: ['Healthy', 'Unhealthy', 'Unknown'],
  ResourceID: [],
  ResourceName: ['cpu', 'memory', 'storage', 'ephemeral-storage', 'pods', 'services', 'replicationcontrollers', 'resourcequotas', 'secrets', 'configmaps', 'persistentvolumeclaims', 'services.nodeports', 'services.loadbalancers', 'requests.cpu', 'requests.memory', 'requests.storage', 'requests.ephemeral-storage', 'limits.cpu', 'limits.memory', 'limits.ephemeral-storage'],
  ResourceQuotaScope: ['Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort', 'PriorityClass', 'CrossNamespacePodAffinity', 'VolumeAttributesClass'],
  ResourceResizeRestartPolicy: ['NotRequired', 'RestartContainer'],
  RestartPolicy: ['Always', 'OnFailure', 'Never'],
  ScopeSelectorOperator: ['In', 'NotIn', 'Exists', 'DoesNotExist'],
  SeccompProfileType: ['Unconfined', 'RuntimeDefault', 'Localhost'],
  SecretType: ['Opaque', 'kubernetes.io/service-account-token', 'kubernetes.io/dockercfg', 'kubernetes.io/dockerconfigjson', 'kubernetes.io/basic-auth', 'kubernetes.io/ssh-auth', 'kubernetes.io/tls', 'bootstrap.kubernetes.io/token'],
  ServiceAffinity: ['ClientIP', 'None'],
  ServiceExternalTrafficPolicy: ['Cluster', 'Local'],
  ServiceInternalTrafficPolicy: ['Cluster', 'Local'],
  ServiceType: ['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'],
  Signal: ['SIGABRT', 'SIGALRM', 'SIGBUS', 'SIGCHLD', 'SIGCLD', 'SIGCONT', 'SIGFPE', 'SIGHUP', 'SIGILL', 'SIGINT', 'SIGIO', 'SIGIOT', 'SIGKILL', 'SIGPIPE', 'SIGPOLL', 'SIGPROF', 'SIGPWR', 'SIGQUIT', 'SIGSEGV', 'SIGSTKFLT', 'SIGSTOP', 'SIGSYS', 'SIGTERM', 'SIGTRAP', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU', 'SIGURG', 'SIGUSR1', 'SIGUSR2', 'SIGVTALRM', 'SIGWINCH', 'SIGXCPU', 'SIGXFSZ', 'SIGRTMIN', 'SIGRTMIN+1', 'SIGRTMIN+2', 'SIGRTMIN+3', 'SIGRTMIN+4', 'SIGRTMIN+5', 'SIGRTMIN+6', 'SIGRTMIN+7', 'SIGRTMIN+8', 'SIGRTMIN+9', 'SIGRTMIN+10', 'SIGRTMIN+11', 'SIGRTMIN+12', 'SIGRTMIN+13', 'SIGRTMIN+14', 'SIGRTMIN+15', 'SIGRTMAX-14', 'SIGRTMAX-13', 'SIGRTMAX-12', 'SIGRTMAX-11', 'SIGRTMAX-10', 'SIGRTMAX-9', 'SIGRTMAX-8', 'SIGRTMAX-7', 'SIGRTMAX-6', 'SIGRTMAX-5', 'SIGRTMAX-4', 'SIGRTMAX-3', 'SIGRTMAX-2', 'SIGRTMAX-1', 'SIGRTMAX'],
  StorageMedium: ['', 'Memory', 'HugePages', 'HugePages-'],
  SupplementalGroupsPolicy: ['Merge', 'Strict'],
  TaintEffect: ['NoSchedule', 'PreferNoSchedule', 'NoExecute'],
  TerminationMessagePolicy: ['File', 'FallbackToLogsOnError'],
  TolerationOperator: ['Exists', 'Equal', 'Lt', 'Gt'],
  URIScheme: ['HTTP', 'HTTPS'],
  UniqueVolumeName: [],
  UnsatisfiableConstraintAction: ['DoNotSchedule', 'ScheduleAnyway'],
};

export const coreV1: PackageDeclaration = {
  alias: 'core',
  group: '',
  version: 'v1',
  prefix: 'io.k8s.api.core.v1',
  strings,
  messages: {
    ...componentStatus.messages,
    ...config.messages,
    ...container.messages,
    ...event.messages,
    ...namespace.messages,
    ...node.messages,
    ...persistentVolume.messages,
    ...pod.messages,
    ...quota.messages,
    ...reference.messages,
    ...replicationController.messages,
    ...scheduling.messages,
    ...service.messages,
    ...serviceAccount.messages,
    ...volume.messages,
  },
  kinds: [
    ...componentStatus.kinds,
    ...config.kinds,
    ...event.kinds,
    ...namespace.kinds,
    ...node.kinds,
    ...persistentVolume.kinds,
    ...pod.kinds,
    ...quota.kinds,
    ...replicationController.kinds,
    ...service.kinds,
    ...serviceAccount.kinds,
  ],
};
