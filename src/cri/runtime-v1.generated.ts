// Generated from runtime-v1.proto by `npm run generate`. Do not edit.

export interface RuntimeService {
  version(request: VersionRequest, options?: { signal?: AbortSignal }): Promise<VersionResponse>;
  runPodSandbox(request: RunPodSandboxRequest, options?: { signal?: AbortSignal }): Promise<RunPodSandboxResponse>;
  stopPodSandbox(request: StopPodSandboxRequest, options?: { signal?: AbortSignal }): Promise<StopPodSandboxResponse>;
  removePodSandbox(request: RemovePodSandboxRequest, options?: { signal?: AbortSignal }): Promise<RemovePodSandboxResponse>;
  podSandboxStatus(request: PodSandboxStatusRequest, options?: { signal?: AbortSignal }): Promise<PodSandboxStatusResponse>;
  listPodSandbox(request: ListPodSandboxRequest, options?: { signal?: AbortSignal }): Promise<ListPodSandboxResponse>;
  streamPodSandboxes(request: StreamPodSandboxesRequest, options?: { signal?: AbortSignal }): AsyncIterable<StreamPodSandboxesResponse>;
  createContainer(request: CreateContainerRequest, options?: { signal?: AbortSignal }): Promise<CreateContainerResponse>;
  startContainer(request: StartContainerRequest, options?: { signal?: AbortSignal }): Promise<StartContainerResponse>;
  stopContainer(request: StopContainerRequest, options?: { signal?: AbortSignal }): Promise<StopContainerResponse>;
  removeContainer(request: RemoveContainerRequest, options?: { signal?: AbortSignal }): Promise<RemoveContainerResponse>;
  listContainers(request: ListContainersRequest, options?: { signal?: AbortSignal }): Promise<ListContainersResponse>;
  streamContainers(request: StreamContainersRequest, options?: { signal?: AbortSignal }): AsyncIterable<StreamContainersResponse>;
  containerStatus(request: ContainerStatusRequest, options?: { signal?: AbortSignal }): Promise<ContainerStatusResponse>;
  updateContainerResources(request: UpdateContainerResourcesRequest, options?: { signal?: AbortSignal }): Promise<UpdateContainerResourcesResponse>;
  reopenContainerLog(request: ReopenContainerLogRequest, options?: { signal?: AbortSignal }): Promise<ReopenContainerLogResponse>;
  execSync(request: ExecSyncRequest, options?: { signal?: AbortSignal }): Promise<ExecSyncResponse>;
  exec(request: ExecRequest, options?: { signal?: AbortSignal }): Promise<ExecResponse>;
  attach(request: AttachRequest, options?: { signal?: AbortSignal }): Promise<AttachResponse>;
  portForward(request: PortForwardRequest, options?: { signal?: AbortSignal }): Promise<PortForwardResponse>;
  containerStats(request: ContainerStatsRequest, options?: { signal?: AbortSignal }): Promise<ContainerStatsResponse>;
  listContainerStats(request: ListContainerStatsRequest, options?: { signal?: AbortSignal }): Promise<ListContainerStatsResponse>;
  streamContainerStats(request: StreamContainerStatsRequest, options?: { signal?: AbortSignal }): AsyncIterable<StreamContainerStatsResponse>;
  podSandboxStats(request: PodSandboxStatsRequest, options?: { signal?: AbortSignal }): Promise<PodSandboxStatsResponse>;
  listPodSandboxStats(request: ListPodSandboxStatsRequest, options?: { signal?: AbortSignal }): Promise<ListPodSandboxStatsResponse>;
  streamPodSandboxStats(request: StreamPodSandboxStatsRequest, options?: { signal?: AbortSignal }): AsyncIterable<StreamPodSandboxStatsResponse>;
  updateRuntimeConfig(request: UpdateRuntimeConfigRequest, options?: { signal?: AbortSignal }): Promise<UpdateRuntimeConfigResponse>;
  status(request: StatusRequest, options?: { signal?: AbortSignal }): Promise<StatusResponse>;
  checkpointContainer(request: CheckpointContainerRequest, options?: { signal?: AbortSignal }): Promise<CheckpointContainerResponse>;
  getContainerEvents(request: GetEventsRequest, options?: { signal?: AbortSignal }): AsyncIterable<ContainerEventResponse>;
  listMetricDescriptors(request: ListMetricDescriptorsRequest, options?: { signal?: AbortSignal }): Promise<ListMetricDescriptorsResponse>;
  listPodSandboxMetrics(request: ListPodSandboxMetricsRequest, options?: { signal?: AbortSignal }): Promise<ListPodSandboxMetricsResponse>;
  streamPodSandboxMetrics(request: StreamPodSandboxMetricsRequest, options?: { signal?: AbortSignal }): AsyncIterable<StreamPodSandboxMetricsResponse>;
  runtimeConfig(request: RuntimeConfigRequest, options?: { signal?: AbortSignal }): Promise<RuntimeConfigResponse>;
  updatePodSandboxResources(request: UpdatePodSandboxResourcesRequest, options?: { signal?: AbortSignal }): Promise<UpdatePodSandboxResourcesResponse>;
}

export interface ImageService {
  listImages(request: ListImagesRequest, options?: { signal?: AbortSignal }): Promise<ListImagesResponse>;
  streamImages(request: StreamImagesRequest, options?: { signal?: AbortSignal }): AsyncIterable<StreamImagesResponse>;
  imageStatus(request: ImageStatusRequest, options?: { signal?: AbortSignal }): Promise<ImageStatusResponse>;
  pullImage(request: PullImageRequest, options?: { signal?: AbortSignal }): Promise<PullImageResponse>;
  removeImage(request: RemoveImageRequest, options?: { signal?: AbortSignal }): Promise<RemoveImageResponse>;
  imageFsInfo(request: ImageFsInfoRequest, options?: { signal?: AbortSignal }): Promise<ImageFsInfoResponse>;
}

export interface VersionRequest {
  readonly version?: string;
}

export interface VersionResponse {
  readonly version?: string;
  readonly runtimeName?: string;
  readonly runtimeVersion?: string;
  readonly runtimeApiVersion?: string;
}

export interface DNSConfig {
  readonly servers?: readonly string[];
  readonly searches?: readonly string[];
  readonly options?: readonly string[];
}

export type Protocol = 'TCP' | 'UDP' | 'SCTP';

export interface PortMapping {
  readonly protocol?: Protocol;
  readonly containerPort?: number;
  readonly hostPort?: number;
  readonly hostIp?: string;
}

export type MountPropagation = 'PROPAGATION_PRIVATE' | 'PROPAGATION_HOST_TO_CONTAINER' | 'PROPAGATION_BIDIRECTIONAL';

export interface Mount {
  readonly containerPath?: string;
  readonly hostPath?: string;
  readonly readonly?: boolean;
  readonly selinuxRelabel?: boolean;
  readonly propagation?: MountPropagation;
  readonly uidMappings?: readonly IDMapping[];
  readonly gidMappings?: readonly IDMapping[];
  readonly recursiveReadOnly?: boolean;
  readonly image?: ImageSpec;
  readonly imageSubPath?: string;
}

export interface IDMapping {
  readonly hostId?: number;
  readonly containerId?: number;
  readonly length?: number;
}

export type NamespaceMode = 'POD' | 'CONTAINER' | 'NODE' | 'TARGET';

export interface UserNamespace {
  readonly mode?: NamespaceMode;
  readonly uids?: readonly IDMapping[];
  readonly gids?: readonly IDMapping[];
}

export interface NamespaceOption {
  readonly network?: NamespaceMode;
  readonly pid?: NamespaceMode;
  readonly ipc?: NamespaceMode;
  readonly targetId?: string;
  readonly usernsOptions?: UserNamespace;
}

export type SupplementalGroupsPolicy = 'Merge' | 'Strict';

export interface Int64Value {
  readonly value?: number;
}

export interface LinuxSandboxSecurityContext {
  readonly namespaceOptions?: NamespaceOption;
  readonly selinuxOptions?: SELinuxOption;
  readonly runAsUser?: Int64Value;
  readonly readonlyRootfs?: boolean;
  readonly supplementalGroups?: readonly number[];
  readonly privileged?: boolean;
  readonly seccompProfilePath?: string;
  readonly runAsGroup?: Int64Value;
  readonly seccomp?: SecurityProfile;
  readonly apparmor?: SecurityProfile;
  readonly supplementalGroupsPolicy?: SupplementalGroupsPolicy;
}

export interface SecurityProfile {
  readonly profileType?: SecurityProfileProfileType;
  readonly localhostRef?: string;
}

export type SecurityProfileProfileType = 'RuntimeDefault' | 'Unconfined' | 'Localhost';

export interface LinuxPodSandboxConfig {
  readonly cgroupParent?: string;
  readonly securityContext?: LinuxSandboxSecurityContext;
  readonly sysctls?: Readonly<Record<string, string>>;
  readonly overhead?: LinuxContainerResources;
  readonly resources?: LinuxContainerResources;
}

export interface PodSandboxMetadata {
  readonly name?: string;
  readonly uid?: string;
  readonly namespace?: string;
  readonly attempt?: number;
}

export interface PodSandboxConfig {
  readonly metadata?: PodSandboxMetadata;
  readonly hostname?: string;
  readonly logDirectory?: string;
  readonly dnsConfig?: DNSConfig;
  readonly portMappings?: readonly PortMapping[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly linux?: LinuxPodSandboxConfig;
  readonly windows?: WindowsPodSandboxConfig;
}

export interface RunPodSandboxRequest {
  readonly config?: PodSandboxConfig;
  readonly runtimeHandler?: string;
}

export interface RunPodSandboxResponse {
  readonly podSandboxId?: string;
}

export interface StopPodSandboxRequest {
  readonly podSandboxId?: string;
}

export interface RemovePodSandboxRequest {
  readonly podSandboxId?: string;
}

export interface PodSandboxStatusRequest {
  readonly podSandboxId?: string;
  readonly verbose?: boolean;
}

export interface PodIP {
  readonly ip?: string;
}

export interface PodSandboxNetworkStatus {
  readonly ip?: string;
  readonly additionalIps?: readonly PodIP[];
}

export interface Namespace {
  readonly options?: NamespaceOption;
}

export interface LinuxPodSandboxStatus {
  readonly namespaces?: Namespace;
}

export type PodSandboxState = 'SANDBOX_READY' | 'SANDBOX_NOTREADY';

export interface PodSandboxStatus {
  readonly id?: string;
  readonly metadata?: PodSandboxMetadata;
  readonly state?: PodSandboxState;
  readonly createdAt?: number;
  readonly network?: PodSandboxNetworkStatus;
  readonly linux?: LinuxPodSandboxStatus;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly runtimeHandler?: string;
}

export interface PodSandboxStatusResponse {
  readonly status?: PodSandboxStatus;
  readonly info?: Readonly<Record<string, string>>;
  readonly containersStatuses?: readonly ContainerStatus[];
  readonly timestamp?: number;
}

export interface PodSandboxStateValue {
  readonly state?: PodSandboxState;
}

export interface PodSandboxFilter {
  readonly id?: string;
  readonly state?: PodSandboxStateValue;
  readonly labelSelector?: Readonly<Record<string, string>>;
}

export interface ListPodSandboxRequest {
  readonly filter?: PodSandboxFilter;
}

export interface PodSandbox {
  readonly id?: string;
  readonly metadata?: PodSandboxMetadata;
  readonly state?: PodSandboxState;
  readonly createdAt?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly runtimeHandler?: string;
}

export interface ListPodSandboxResponse {
  readonly items?: readonly PodSandbox[];
}

export interface StreamPodSandboxesRequest {
  readonly filter?: PodSandboxFilter;
}

export interface StreamPodSandboxesResponse {
  readonly podSandboxes?: readonly PodSandbox[];
}

export interface PodSandboxStatsRequest {
  readonly podSandboxId?: string;
}

export interface PodSandboxStatsResponse {
  readonly stats?: PodSandboxStats;
}

export interface PodSandboxStatsFilter {
  readonly id?: string;
  readonly labelSelector?: Readonly<Record<string, string>>;
}

export interface ListPodSandboxStatsRequest {
  readonly filter?: PodSandboxStatsFilter;
}

export interface ListPodSandboxStatsResponse {
  readonly stats?: readonly PodSandboxStats[];
}

export interface StreamPodSandboxStatsRequest {
  readonly filter?: PodSandboxStatsFilter;
}

export interface StreamPodSandboxStatsResponse {
  readonly podSandboxStats?: readonly PodSandboxStats[];
}

export interface PodSandboxAttributes {
  readonly id?: string;
  readonly metadata?: PodSandboxMetadata;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface PodSandboxStats {
  readonly attributes?: PodSandboxAttributes;
  readonly linux?: LinuxPodSandboxStats;
  readonly windows?: WindowsPodSandboxStats;
}

export interface LinuxPodSandboxStats {
  readonly cpu?: CpuUsage;
  readonly memory?: MemoryUsage;
  readonly network?: NetworkUsage;
  readonly process?: ProcessUsage;
  readonly containers?: readonly ContainerStats[];
  readonly io?: IoUsage;
}

export interface WindowsPodSandboxStats {
  readonly cpu?: WindowsCpuUsage;
  readonly memory?: WindowsMemoryUsage;
  readonly network?: WindowsNetworkUsage;
  readonly process?: WindowsProcessUsage;
  readonly containers?: readonly WindowsContainerStats[];
}

export interface NetworkUsage {
  readonly timestamp?: number;
  readonly defaultInterface?: NetworkInterfaceUsage;
  readonly interfaces?: readonly NetworkInterfaceUsage[];
}

export interface WindowsNetworkUsage {
  readonly timestamp?: number;
  readonly defaultInterface?: WindowsNetworkInterfaceUsage;
  readonly interfaces?: readonly WindowsNetworkInterfaceUsage[];
}

export interface NetworkInterfaceUsage {
  readonly name?: string;
  readonly rxBytes?: UInt64Value;
  readonly rxErrors?: UInt64Value;
  readonly txBytes?: UInt64Value;
  readonly txErrors?: UInt64Value;
}

export interface WindowsNetworkInterfaceUsage {
  readonly name?: string;
  readonly rxBytes?: UInt64Value;
  readonly rxPacketsDropped?: UInt64Value;
  readonly txBytes?: UInt64Value;
  readonly txPacketsDropped?: UInt64Value;
}

export interface ProcessUsage {
  readonly timestamp?: number;
  readonly processCount?: UInt64Value;
}

export interface WindowsProcessUsage {
  readonly timestamp?: number;
  readonly processCount?: UInt64Value;
}

export interface ImageSpec {
  readonly image?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly userSpecifiedImage?: string;
  readonly runtimeHandler?: string;
  readonly imageRef?: string;
}

export interface KeyValue {
  readonly key?: string;
  readonly value?: Uint8Array;
}

export interface LinuxContainerResources {
  readonly cpuPeriod?: number;
  readonly cpuQuota?: number;
  readonly cpuShares?: number;
  readonly memoryLimitInBytes?: number;
  readonly oomScoreAdj?: number;
  readonly cpusetCpus?: string;
  readonly cpusetMems?: string;
  readonly hugepageLimits?: readonly HugepageLimit[];
  readonly unified?: Readonly<Record<string, string>>;
  readonly memorySwapLimitInBytes?: number;
}

export interface HugepageLimit {
  readonly pageSize?: string;
  readonly limit?: number;
}

export interface SELinuxOption {
  readonly user?: string;
  readonly role?: string;
  readonly type?: string;
  readonly level?: string;
}

export interface Capability {
  readonly addCapabilities?: readonly string[];
  readonly dropCapabilities?: readonly string[];
  readonly addAmbientCapabilities?: readonly string[];
}

export interface LinuxContainerSecurityContext {
  readonly capabilities?: Capability;
  readonly privileged?: boolean;
  readonly namespaceOptions?: NamespaceOption;
  readonly selinuxOptions?: SELinuxOption;
  readonly runAsUser?: Int64Value;
  readonly runAsUsername?: string;
  readonly readonlyRootfs?: boolean;
  readonly supplementalGroups?: readonly number[];
  readonly apparmorProfile?: string;
  readonly seccompProfilePath?: string;
  readonly noNewPrivs?: boolean;
  readonly runAsGroup?: Int64Value;
  readonly maskedPaths?: readonly string[];
  readonly readonlyPaths?: readonly string[];
  readonly seccomp?: SecurityProfile;
  readonly apparmor?: SecurityProfile;
  readonly supplementalGroupsPolicy?: SupplementalGroupsPolicy;
}

export interface LinuxContainerConfig {
  readonly resources?: LinuxContainerResources;
  readonly securityContext?: LinuxContainerSecurityContext;
}

export interface LinuxContainerUser {
  readonly uid?: number;
  readonly gid?: number;
  readonly supplementalGroups?: readonly number[];
}

export interface WindowsNamespaceOption {
  readonly network?: NamespaceMode;
}

export interface WindowsSandboxSecurityContext {
  readonly runAsUsername?: string;
  readonly credentialSpec?: string;
  readonly hostProcess?: boolean;
  readonly namespaceOptions?: WindowsNamespaceOption;
}

export interface WindowsPodSandboxConfig {
  readonly securityContext?: WindowsSandboxSecurityContext;
}

export interface WindowsContainerSecurityContext {
  readonly runAsUsername?: string;
  readonly credentialSpec?: string;
  readonly hostProcess?: boolean;
}

export interface WindowsContainerConfig {
  readonly resources?: WindowsContainerResources;
  readonly securityContext?: WindowsContainerSecurityContext;
}

export interface WindowsContainerResources {
  readonly cpuShares?: number;
  readonly cpuCount?: number;
  readonly cpuMaximum?: number;
  readonly memoryLimitInBytes?: number;
  readonly rootfsSizeInBytes?: number;
  readonly affinityCpus?: readonly WindowsCpuGroupAffinity[];
}

export interface WindowsCpuGroupAffinity {
  readonly cpuMask?: number;
  readonly cpuGroup?: number;
}

export interface ContainerMetadata {
  readonly name?: string;
  readonly attempt?: number;
}

export interface Device {
  readonly containerPath?: string;
  readonly hostPath?: string;
  readonly permissions?: string;
}

export interface CDIDevice {
  readonly name?: string;
}

export interface ContainerConfig {
  readonly metadata?: ContainerMetadata;
  readonly image?: ImageSpec;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly envs?: readonly KeyValue[];
  readonly mounts?: readonly Mount[];
  readonly devices?: readonly Device[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly logPath?: string;
  readonly stdin?: boolean;
  readonly stdinOnce?: boolean;
  readonly tty?: boolean;
  readonly linux?: LinuxContainerConfig;
  readonly windows?: WindowsContainerConfig;
  readonly CDIDevices?: readonly CDIDevice[];
  readonly stopSignal?: Signal;
}

export type Signal = 'RUNTIME_DEFAULT' | 'SIGABRT' | 'SIGALRM' | 'SIGBUS' | 'SIGCHLD' | 'SIGCLD' | 'SIGCONT' | 'SIGFPE' | 'SIGHUP' | 'SIGILL' | 'SIGINT' | 'SIGIO' | 'SIGIOT' | 'SIGKILL' | 'SIGPIPE' | 'SIGPOLL' | 'SIGPROF' | 'SIGPWR' | 'SIGQUIT' | 'SIGSEGV' | 'SIGSTKFLT' | 'SIGSTOP' | 'SIGSYS' | 'SIGTERM' | 'SIGTRAP' | 'SIGTSTP' | 'SIGTTIN' | 'SIGTTOU' | 'SIGURG' | 'SIGUSR1' | 'SIGUSR2' | 'SIGVTALRM' | 'SIGWINCH' | 'SIGXCPU' | 'SIGXFSZ' | 'SIGRTMIN' | 'SIGRTMINPLUS1' | 'SIGRTMINPLUS2' | 'SIGRTMINPLUS3' | 'SIGRTMINPLUS4' | 'SIGRTMINPLUS5' | 'SIGRTMINPLUS6' | 'SIGRTMINPLUS7' | 'SIGRTMINPLUS8' | 'SIGRTMINPLUS9' | 'SIGRTMINPLUS10' | 'SIGRTMINPLUS11' | 'SIGRTMINPLUS12' | 'SIGRTMINPLUS13' | 'SIGRTMINPLUS14' | 'SIGRTMINPLUS15' | 'SIGRTMAXMINUS14' | 'SIGRTMAXMINUS13' | 'SIGRTMAXMINUS12' | 'SIGRTMAXMINUS11' | 'SIGRTMAXMINUS10' | 'SIGRTMAXMINUS9' | 'SIGRTMAXMINUS8' | 'SIGRTMAXMINUS7' | 'SIGRTMAXMINUS6' | 'SIGRTMAXMINUS5' | 'SIGRTMAXMINUS4' | 'SIGRTMAXMINUS3' | 'SIGRTMAXMINUS2' | 'SIGRTMAXMINUS1' | 'SIGRTMAX';

export interface CreateContainerRequest {
  readonly podSandboxId?: string;
  readonly config?: ContainerConfig;
  readonly sandboxConfig?: PodSandboxConfig;
}

export interface CreateContainerResponse {
  readonly containerId?: string;
}

export interface StartContainerRequest {
  readonly containerId?: string;
}

export interface StopContainerRequest {
  readonly containerId?: string;
  readonly timeout?: number;
}

export interface RemoveContainerRequest {
  readonly containerId?: string;
}

export type ContainerState = 'CONTAINER_CREATED' | 'CONTAINER_RUNNING' | 'CONTAINER_EXITED' | 'CONTAINER_UNKNOWN';

export interface ContainerStateValue {
  readonly state?: ContainerState;
}

export interface ContainerFilter {
  readonly id?: string;
  readonly state?: ContainerStateValue;
  readonly podSandboxId?: string;
  readonly labelSelector?: Readonly<Record<string, string>>;
}

export interface ListContainersRequest {
  readonly filter?: ContainerFilter;
}

export interface Container {
  readonly id?: string;
  readonly podSandboxId?: string;
  readonly metadata?: ContainerMetadata;
  readonly image?: ImageSpec;
  readonly imageRef?: string;
  readonly state?: ContainerState;
  readonly createdAt?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly imageId?: string;
}

export interface ListContainersResponse {
  readonly containers?: readonly Container[];
}

export interface StreamContainersRequest {
  readonly filter?: ContainerFilter;
}

export interface StreamContainersResponse {
  readonly containers?: readonly Container[];
}

export interface ContainerStatusRequest {
  readonly containerId?: string;
  readonly verbose?: boolean;
}

export interface ContainerStatus {
  readonly id?: string;
  readonly metadata?: ContainerMetadata;
  readonly state?: ContainerState;
  readonly createdAt?: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly exitCode?: number;
  readonly image?: ImageSpec;
  readonly imageRef?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly mounts?: readonly Mount[];
  readonly logPath?: string;
  readonly resources?: ContainerResources;
  readonly imageId?: string;
  readonly user?: ContainerUser;
  readonly stopSignal?: Signal;
}

export interface ContainerStatusResponse {
  readonly status?: ContainerStatus;
  readonly info?: Readonly<Record<string, string>>;
}

export interface ContainerResources {
  readonly linux?: LinuxContainerResources;
  readonly windows?: WindowsContainerResources;
}

export interface ContainerUser {
  readonly linux?: LinuxContainerUser;
}

export interface UpdateContainerResourcesRequest {
  readonly containerId?: string;
  readonly linux?: LinuxContainerResources;
  readonly windows?: WindowsContainerResources;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface ExecSyncRequest {
  readonly containerId?: string;
  readonly cmd?: readonly string[];
  readonly timeout?: number;
}

export interface ExecSyncResponse {
  readonly stdout?: Uint8Array;
  readonly stderr?: Uint8Array;
  readonly exitCode?: number;
}

export interface ExecRequest {
  readonly containerId?: string;
  readonly cmd?: readonly string[];
  readonly tty?: boolean;
  readonly stdin?: boolean;
  readonly stdout?: boolean;
  readonly stderr?: boolean;
}

export interface ExecResponse {
  readonly url?: string;
}

export interface AttachRequest {
  readonly containerId?: string;
  readonly stdin?: boolean;
  readonly tty?: boolean;
  readonly stdout?: boolean;
  readonly stderr?: boolean;
}

export interface AttachResponse {
  readonly url?: string;
}

export interface PortForwardRequest {
  readonly podSandboxId?: string;
  readonly port?: readonly number[];
}

export interface PortForwardResponse {
  readonly url?: string;
}

export interface ImageFilter {
  readonly image?: ImageSpec;
}

export interface ListImagesRequest {
  readonly filter?: ImageFilter;
}

export interface Image {
  readonly id?: string;
  readonly repoTags?: readonly string[];
  readonly repoDigests?: readonly string[];
  readonly size?: number;
  readonly uid?: Int64Value;
  readonly username?: string;
  readonly spec?: ImageSpec;
  readonly pinned?: boolean;
}

export interface ListImagesResponse {
  readonly images?: readonly Image[];
}

export interface StreamImagesRequest {
  readonly filter?: ImageFilter;
}

export interface StreamImagesResponse {
  readonly images?: readonly Image[];
}

export interface ImageStatusRequest {
  readonly image?: ImageSpec;
  readonly verbose?: boolean;
}

export interface ImageStatusResponse {
  readonly image?: Image;
  readonly info?: Readonly<Record<string, string>>;
}

export interface AuthConfig {
  readonly username?: string;
  readonly password?: string;
  readonly auth?: string;
  readonly serverAddress?: string;
  readonly identityToken?: string;
  readonly registryToken?: string;
}

export interface PullImageRequest {
  readonly image?: ImageSpec;
  readonly auth?: AuthConfig;
  readonly sandboxConfig?: PodSandboxConfig;
}

export interface PullImageResponse {
  readonly imageRef?: string;
}

export interface RemoveImageRequest {
  readonly image?: ImageSpec;
}

export interface NetworkConfig {
  readonly podCidr?: string;
}

export interface RuntimeConfig {
  readonly networkConfig?: NetworkConfig;
}

export interface UpdateRuntimeConfigRequest {
  readonly runtimeConfig?: RuntimeConfig;
}

export interface RuntimeCondition {
  readonly type?: string;
  readonly status?: boolean;
  readonly reason?: string;
  readonly message?: string;
}

export interface RuntimeStatus {
  readonly conditions?: readonly RuntimeCondition[];
}

export interface StatusRequest {
  readonly verbose?: boolean;
}

export interface RuntimeHandlerFeatures {
  readonly recursiveReadOnlyMounts?: boolean;
  readonly userNamespaces?: boolean;
}

export interface RuntimeHandler {
  readonly name?: string;
  readonly features?: RuntimeHandlerFeatures;
}

export interface RuntimeFeatures {
  readonly supplementalGroupsPolicy?: boolean;
  readonly userNamespacesHostNetwork?: boolean;
}

export interface StatusResponse {
  readonly status?: RuntimeStatus;
  readonly info?: Readonly<Record<string, string>>;
  readonly runtimeHandlers?: readonly RuntimeHandler[];
  readonly features?: RuntimeFeatures;
}

export interface UInt64Value {
  readonly value?: number;
}

export interface FilesystemIdentifier {
  readonly mountpoint?: string;
}

export interface FilesystemUsage {
  readonly timestamp?: number;
  readonly fsId?: FilesystemIdentifier;
  readonly usedBytes?: UInt64Value;
  readonly inodesUsed?: UInt64Value;
}

export interface WindowsFilesystemUsage {
  readonly timestamp?: number;
  readonly fsId?: FilesystemIdentifier;
  readonly usedBytes?: UInt64Value;
}

export interface ImageFsInfoResponse {
  readonly imageFilesystems?: readonly FilesystemUsage[];
  readonly containerFilesystems?: readonly FilesystemUsage[];
}

export interface ContainerStatsRequest {
  readonly containerId?: string;
}

export interface ContainerStatsResponse {
  readonly stats?: ContainerStats;
}

export interface ListContainerStatsRequest {
  readonly filter?: ContainerStatsFilter;
}

export interface ContainerStatsFilter {
  readonly id?: string;
  readonly podSandboxId?: string;
  readonly labelSelector?: Readonly<Record<string, string>>;
}

export interface ListContainerStatsResponse {
  readonly stats?: readonly ContainerStats[];
}

export interface StreamContainerStatsRequest {
  readonly filter?: ContainerStatsFilter;
}

export interface StreamContainerStatsResponse {
  readonly containerStats?: readonly ContainerStats[];
}

export interface ContainerAttributes {
  readonly id?: string;
  readonly metadata?: ContainerMetadata;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface ContainerStats {
  readonly attributes?: ContainerAttributes;
  readonly cpu?: CpuUsage;
  readonly memory?: MemoryUsage;
  readonly writableLayer?: FilesystemUsage;
  readonly swap?: SwapUsage;
  readonly io?: IoUsage;
}

export interface WindowsContainerStats {
  readonly attributes?: ContainerAttributes;
  readonly cpu?: WindowsCpuUsage;
  readonly memory?: WindowsMemoryUsage;
  readonly writableLayer?: WindowsFilesystemUsage;
}

export interface PsiStats {
  readonly Full?: PsiData;
  readonly Some?: PsiData;
}

export interface PsiData {
  readonly Total?: number;
  readonly Avg10?: number;
  readonly Avg60?: number;
  readonly Avg300?: number;
}

export interface CpuUsage {
  readonly timestamp?: number;
  readonly usageCoreNanoSeconds?: UInt64Value;
  readonly usageNanoCores?: UInt64Value;
  readonly psi?: PsiStats;
}

export interface WindowsCpuUsage {
  readonly timestamp?: number;
  readonly usageCoreNanoSeconds?: UInt64Value;
  readonly usageNanoCores?: UInt64Value;
}

export interface MemoryUsage {
  readonly timestamp?: number;
  readonly workingSetBytes?: UInt64Value;
  readonly availableBytes?: UInt64Value;
  readonly usageBytes?: UInt64Value;
  readonly rssBytes?: UInt64Value;
  readonly pageFaults?: UInt64Value;
  readonly majorPageFaults?: UInt64Value;
  readonly psi?: PsiStats;
}

export interface IoUsage {
  readonly timestamp?: number;
  readonly psi?: PsiStats;
}

export interface SwapUsage {
  readonly timestamp?: number;
  readonly swapAvailableBytes?: UInt64Value;
  readonly swapUsageBytes?: UInt64Value;
}

export interface WindowsMemoryUsage {
  readonly timestamp?: number;
  readonly workingSetBytes?: UInt64Value;
  readonly availableBytes?: UInt64Value;
  readonly pageFaults?: UInt64Value;
  readonly commitMemoryBytes?: UInt64Value;
}

export interface ReopenContainerLogRequest {
  readonly containerId?: string;
}

export interface CheckpointContainerRequest {
  readonly containerId?: string;
  readonly location?: string;
  readonly timeout?: number;
}

export interface ContainerEventResponse {
  readonly containerId?: string;
  readonly containerEventType?: ContainerEventType;
  readonly createdAt?: number;
  readonly podSandboxStatus?: PodSandboxStatus;
  readonly containersStatuses?: readonly ContainerStatus[];
}

export type ContainerEventType = 'CONTAINER_CREATED_EVENT' | 'CONTAINER_STARTED_EVENT' | 'CONTAINER_STOPPED_EVENT' | 'CONTAINER_DELETED_EVENT';

export interface ListMetricDescriptorsResponse {
  readonly descriptors?: readonly MetricDescriptor[];
}

export interface MetricDescriptor {
  readonly name?: string;
  readonly help?: string;
  readonly labelKeys?: readonly string[];
}

export interface ListPodSandboxMetricsResponse {
  readonly podMetrics?: readonly PodSandboxMetrics[];
}

export interface StreamPodSandboxMetricsResponse {
  readonly podSandboxMetrics?: readonly PodSandboxMetrics[];
}

export interface PodSandboxMetrics {
  readonly podSandboxId?: string;
  readonly metrics?: readonly Metric[];
  readonly containerMetrics?: readonly ContainerMetrics[];
}

export interface ContainerMetrics {
  readonly containerId?: string;
  readonly metrics?: readonly Metric[];
}

export interface Metric {
  readonly name?: string;
  readonly timestamp?: number;
  readonly metricType?: MetricType;
  readonly labelValues?: readonly string[];
  readonly value?: UInt64Value;
}

export type MetricType = 'COUNTER' | 'GAUGE';

export interface RuntimeConfigResponse {
  readonly linux?: LinuxRuntimeConfiguration;
}

export interface LinuxRuntimeConfiguration {
  readonly cgroupDriver?: CgroupDriver;
}

export type CgroupDriver = 'SYSTEMD' | 'CGROUPFS';

export interface UpdatePodSandboxResourcesRequest {
  readonly podSandboxId?: string;
  readonly overhead?: LinuxContainerResources;
  readonly resources?: LinuxContainerResources;
}

export interface StopPodSandboxResponse {
}

export interface RemovePodSandboxResponse {
}

export interface StartContainerResponse {
}

export interface StopContainerResponse {
}

export interface RemoveContainerResponse {
}

export interface UpdateContainerResourcesResponse {
}

export interface ReopenContainerLogResponse {
}

export interface UpdateRuntimeConfigResponse {
}

export interface CheckpointContainerResponse {
}

export interface GetEventsRequest {
}

export interface ListMetricDescriptorsRequest {
}

export interface ListPodSandboxMetricsRequest {
}

export interface StreamPodSandboxMetricsRequest {
}

export interface RuntimeConfigRequest {
}

export interface UpdatePodSandboxResourcesResponse {
}

export interface RemoveImageResponse {
}

export interface ImageFsInfoRequest {
}

export const PACKAGE = 'runtime.v1';

export const descriptor = {"nested":{"runtime":{"nested":{"v1":{"nested":{"RuntimeService":{"methods":{"Version":{"requestType":"VersionRequest","responseType":"VersionResponse"},"RunPodSandbox":{"requestType":"RunPodSandboxRequest","responseType":"RunPodSandboxResponse"},"StopPodSandbox":{"requestType":"StopPodSandboxRequest","responseType":"StopPodSandboxResponse"},"RemovePodSandbox":{"requestType":"RemovePodSandboxRequest","responseType":"RemovePodSandboxResponse"},"PodSandboxStatus":{"requestType":"PodSandboxStatusRequest","responseType":"PodSandboxStatusResponse"},"ListPodSandbox":{"requestType":"ListPodSandboxRequest","responseType":"ListPodSandboxResponse"},"StreamPodSandboxes":{"requestType":"StreamPodSandboxesRequest","responseType":"StreamPodSandboxesResponse","responseStream":true},"CreateContainer":{"requestType":"CreateContainerRequest","responseType":"CreateContainerResponse"},"StartContainer":{"requestType":"StartContainerRequest","responseType":"StartContainerResponse"},"StopContainer":{"requestType":"StopContainerRequest","responseType":"StopContainerResponse"},"RemoveContainer":{"requestType":"RemoveContainerRequest","responseType":"RemoveContainerResponse"},"ListContainers":{"requestType":"ListContainersRequest","responseType":"ListContainersResponse"},"StreamContainers":{"requestType":"StreamContainersRequest","responseType":"StreamContainersResponse","responseStream":true},"ContainerStatus":{"requestType":"ContainerStatusRequest","responseType":"ContainerStatusResponse"},"UpdateContainerResources":{"requestType":"UpdateContainerResourcesRequest","responseType":"UpdateContainerResourcesResponse"},"ReopenContainerLog":{"requestType":"ReopenContainerLogRequest","responseType":"ReopenContainerLogResponse"},"ExecSync":{"requestType":"ExecSyncRequest","responseType":"ExecSyncResponse"},"Exec":{"requestType":"ExecRequest","responseType":"ExecResponse"},"Attach":{"requestType":"AttachRequest","responseType":"AttachResponse"},"PortForward":{"requestType":"PortForwardRequest","responseType":"PortForwardResponse"},"ContainerStats":{"requestType":"ContainerStatsRequest","responseType":"ContainerStatsResponse"},"ListContainerStats":{"requestType":"ListContainerStatsRequest","responseType":"ListContainerStatsResponse"},"StreamContainerStats":{"requestType":"StreamContainerStatsRequest","responseType":"StreamContainerStatsResponse","responseStream":true},"PodSandboxStats":{"requestType":"PodSandboxStatsRequest","responseType":"PodSandboxStatsResponse"},"ListPodSandboxStats":{"requestType":"ListPodSandboxStatsRequest","responseType":"ListPodSandboxStatsResponse"},"StreamPodSandboxStats":{"requestType":"StreamPodSandboxStatsRequest","responseType":"StreamPodSandboxStatsResponse","responseStream":true},"UpdateRuntimeConfig":{"requestType":"UpdateRuntimeConfigRequest","responseType":"UpdateRuntimeConfigResponse"},"Status":{"requestType":"StatusRequest","responseType":"StatusResponse"},"CheckpointContainer":{"requestType":"CheckpointContainerRequest","responseType":"CheckpointContainerResponse"},"GetContainerEvents":{"requestType":"GetEventsRequest","responseType":"ContainerEventResponse","responseStream":true},"ListMetricDescriptors":{"requestType":"ListMetricDescriptorsRequest","responseType":"ListMetricDescriptorsResponse"},"ListPodSandboxMetrics":{"requestType":"ListPodSandboxMetricsRequest","responseType":"ListPodSandboxMetricsResponse"},"StreamPodSandboxMetrics":{"requestType":"StreamPodSandboxMetricsRequest","responseType":"StreamPodSandboxMetricsResponse","responseStream":true},"RuntimeConfig":{"requestType":"RuntimeConfigRequest","responseType":"RuntimeConfigResponse"},"UpdatePodSandboxResources":{"requestType":"UpdatePodSandboxResourcesRequest","responseType":"UpdatePodSandboxResourcesResponse"}}},"ImageService":{"methods":{"ListImages":{"requestType":"ListImagesRequest","responseType":"ListImagesResponse"},"StreamImages":{"requestType":"StreamImagesRequest","responseType":"StreamImagesResponse","responseStream":true},"ImageStatus":{"requestType":"ImageStatusRequest","responseType":"ImageStatusResponse"},"PullImage":{"requestType":"PullImageRequest","responseType":"PullImageResponse"},"RemoveImage":{"requestType":"RemoveImageRequest","responseType":"RemoveImageResponse"},"ImageFsInfo":{"requestType":"ImageFsInfoRequest","responseType":"ImageFsInfoResponse"}}},"VersionRequest":{"fields":{"version":{"type":"string","id":1}}},"VersionResponse":{"fields":{"version":{"type":"string","id":1},"runtimeName":{"type":"string","id":2},"runtimeVersion":{"type":"string","id":3},"runtimeApiVersion":{"type":"string","id":4}}},"DNSConfig":{"fields":{"servers":{"rule":"repeated","type":"string","id":1},"searches":{"rule":"repeated","type":"string","id":2},"options":{"rule":"repeated","type":"string","id":3}}},"Protocol":{"values":{"TCP":0,"UDP":1,"SCTP":2}},"PortMapping":{"fields":{"protocol":{"type":"Protocol","id":1},"containerPort":{"type":"int32","id":2},"hostPort":{"type":"int32","id":3},"hostIp":{"type":"string","id":4}}},"MountPropagation":{"values":{"PROPAGATION_PRIVATE":0,"PROPAGATION_HOST_TO_CONTAINER":1,"PROPAGATION_BIDIRECTIONAL":2}},"Mount":{"fields":{"containerPath":{"type":"string","id":1},"hostPath":{"type":"string","id":2},"readonly":{"type":"bool","id":3},"selinuxRelabel":{"type":"bool","id":4},"propagation":{"type":"MountPropagation","id":5},"uidMappings":{"rule":"repeated","type":"IDMapping","id":6},"gidMappings":{"rule":"repeated","type":"IDMapping","id":7},"recursiveReadOnly":{"type":"bool","id":8},"image":{"type":"ImageSpec","id":9},"imageSubPath":{"type":"string","id":10}}},"IDMapping":{"fields":{"hostId":{"type":"uint32","id":1},"containerId":{"type":"uint32","id":2},"length":{"type":"uint32","id":3}}},"NamespaceMode":{"values":{"POD":0,"CONTAINER":1,"NODE":2,"TARGET":3}},"UserNamespace":{"fields":{"mode":{"type":"NamespaceMode","id":1},"uids":{"rule":"repeated","type":"IDMapping","id":2},"gids":{"rule":"repeated","type":"IDMapping","id":3}}},"NamespaceOption":{"fields":{"network":{"type":"NamespaceMode","id":1},"pid":{"type":"NamespaceMode","id":2},"ipc":{"type":"NamespaceMode","id":3},"targetId":{"type":"string","id":4},"usernsOptions":{"type":"UserNamespace","id":5}}},"SupplementalGroupsPolicy":{"values":{"Merge":0,"Strict":1}},"Int64Value":{"fields":{"value":{"type":"int64","id":1}}},"LinuxSandboxSecurityContext":{"fields":{"namespaceOptions":{"type":"NamespaceOption","id":1},"selinuxOptions":{"type":"SELinuxOption","id":2},"runAsUser":{"type":"Int64Value","id":3},"readonlyRootfs":{"type":"bool","id":4},"supplementalGroups":{"rule":"repeated","type":"int64","id":5},"privileged":{"type":"bool","id":6},"seccompProfilePath":{"type":"string","id":7},"runAsGroup":{"type":"Int64Value","id":8},"seccomp":{"type":"SecurityProfile","id":9},"apparmor":{"type":"SecurityProfile","id":10},"supplementalGroupsPolicy":{"type":"SupplementalGroupsPolicy","id":11}}},"SecurityProfile":{"fields":{"profileType":{"type":"ProfileType","id":1},"localhostRef":{"type":"string","id":2}},"nested":{"ProfileType":{"values":{"RuntimeDefault":0,"Unconfined":1,"Localhost":2}}}},"LinuxPodSandboxConfig":{"fields":{"cgroupParent":{"type":"string","id":1},"securityContext":{"type":"LinuxSandboxSecurityContext","id":2},"sysctls":{"keyType":"string","type":"string","id":3},"overhead":{"type":"LinuxContainerResources","id":4},"resources":{"type":"LinuxContainerResources","id":5}}},"PodSandboxMetadata":{"fields":{"name":{"type":"string","id":1},"uid":{"type":"string","id":2},"namespace":{"type":"string","id":3},"attempt":{"type":"uint32","id":4}}},"PodSandboxConfig":{"fields":{"metadata":{"type":"PodSandboxMetadata","id":1},"hostname":{"type":"string","id":2},"logDirectory":{"type":"string","id":3},"dnsConfig":{"type":"DNSConfig","id":4},"portMappings":{"rule":"repeated","type":"PortMapping","id":5},"labels":{"keyType":"string","type":"string","id":6},"annotations":{"keyType":"string","type":"string","id":7},"linux":{"type":"LinuxPodSandboxConfig","id":8},"windows":{"type":"WindowsPodSandboxConfig","id":9}}},"RunPodSandboxRequest":{"fields":{"config":{"type":"PodSandboxConfig","id":1},"runtimeHandler":{"type":"string","id":2}}},"RunPodSandboxResponse":{"fields":{"podSandboxId":{"type":"string","id":1}}},"StopPodSandboxRequest":{"fields":{"podSandboxId":{"type":"string","id":1}}},"RemovePodSandboxRequest":{"fields":{"podSandboxId":{"type":"string","id":1}}},"PodSandboxStatusRequest":{"fields":{"podSandboxId":{"type":"string","id":1},"verbose":{"type":"bool","id":2}}},"PodIP":{"fields":{"ip":{"type":"string","id":1}}},"PodSandboxNetworkStatus":{"fields":{"ip":{"type":"string","id":1},"additionalIps":{"rule":"repeated","type":"PodIP","id":2}}},"Namespace":{"fields":{"options":{"type":"NamespaceOption","id":2}}},"LinuxPodSandboxStatus":{"fields":{"namespaces":{"type":"Namespace","id":1}}},"PodSandboxState":{"values":{"SANDBOX_READY":0,"SANDBOX_NOTREADY":1}},"PodSandboxStatus":{"fields":{"id":{"type":"string","id":1},"metadata":{"type":"PodSandboxMetadata","id":2},"state":{"type":"PodSandboxState","id":3},"createdAt":{"type":"int64","id":4},"network":{"type":"PodSandboxNetworkStatus","id":5},"linux":{"type":"LinuxPodSandboxStatus","id":6},"labels":{"keyType":"string","type":"string","id":7},"annotations":{"keyType":"string","type":"string","id":8},"runtimeHandler":{"type":"string","id":9}}},"PodSandboxStatusResponse":{"fields":{"status":{"type":"PodSandboxStatus","id":1},"info":{"keyType":"string","type":"string","id":2},"containersStatuses":{"rule":"repeated","type":"ContainerStatus","id":3},"timestamp":{"type":"int64","id":4}}},"PodSandboxStateValue":{"fields":{"state":{"type":"PodSandboxState","id":1}}},"PodSandboxFilter":{"fields":{"id":{"type":"string","id":1},"state":{"type":"PodSandboxStateValue","id":2},"labelSelector":{"keyType":"string","type":"string","id":3}}},"ListPodSandboxRequest":{"fields":{"filter":{"type":"PodSandboxFilter","id":1}}},"PodSandbox":{"fields":{"id":{"type":"string","id":1},"metadata":{"type":"PodSandboxMetadata","id":2},"state":{"type":"PodSandboxState","id":3},"createdAt":{"type":"int64","id":4},"labels":{"keyType":"string","type":"string","id":5},"annotations":{"keyType":"string","type":"string","id":6},"runtimeHandler":{"type":"string","id":7}}},"ListPodSandboxResponse":{"fields":{"items":{"rule":"repeated","type":"PodSandbox","id":1}}},"StreamPodSandboxesRequest":{"fields":{"filter":{"type":"PodSandboxFilter","id":1}}},"StreamPodSandboxesResponse":{"fields":{"podSandboxes":{"rule":"repeated","type":"PodSandbox","id":1}}},"PodSandboxStatsRequest":{"fields":{"podSandboxId":{"type":"string","id":1}}},"PodSandboxStatsResponse":{"fields":{"stats":{"type":"PodSandboxStats","id":1}}},"PodSandboxStatsFilter":{"fields":{"id":{"type":"string","id":1},"labelSelector":{"keyType":"string","type":"string","id":2}}},"ListPodSandboxStatsRequest":{"fields":{"filter":{"type":"PodSandboxStatsFilter","id":1}}},"ListPodSandboxStatsResponse":{"fields":{"stats":{"rule":"repeated","type":"PodSandboxStats","id":1}}},"StreamPodSandboxStatsRequest":{"fields":{"filter":{"type":"PodSandboxStatsFilter","id":1}}},"StreamPodSandboxStatsResponse":{"fields":{"podSandboxStats":{"rule":"repeated","type":"PodSandboxStats","id":1}}},"PodSandboxAttributes":{"fields":{"id":{"type":"string","id":1},"metadata":{"type":"PodSandboxMetadata","id":2},"labels":{"keyType":"string","type":"string","id":3},"annotations":{"keyType":"string","type":"string","id":4}}},"PodSandboxStats":{"fields":{"attributes":{"type":"PodSandboxAttributes","id":1},"linux":{"type":"LinuxPodSandboxStats","id":2},"windows":{"type":"WindowsPodSandboxStats","id":3}}},"LinuxPodSandboxStats":{"fields":{"cpu":{"type":"CpuUsage","id":1},"memory":{"type":"MemoryUsage","id":2},"network":{"type":"NetworkUsage","id":3},"process":{"type":"ProcessUsage","id":4},"containers":{"rule":"repeated","type":"ContainerStats","id":5},"io":{"type":"IoUsage","id":6}}},"WindowsPodSandboxStats":{"fields":{"cpu":{"type":"WindowsCpuUsage","id":1},"memory":{"type":"WindowsMemoryUsage","id":2},"network":{"type":"WindowsNetworkUsage","id":3},"process":{"type":"WindowsProcessUsage","id":4},"containers":{"rule":"repeated","type":"WindowsContainerStats","id":5}}},"NetworkUsage":{"fields":{"timestamp":{"type":"int64","id":1},"defaultInterface":{"type":"NetworkInterfaceUsage","id":2},"interfaces":{"rule":"repeated","type":"NetworkInterfaceUsage","id":3}}},"WindowsNetworkUsage":{"fields":{"timestamp":{"type":"int64","id":1},"defaultInterface":{"type":"WindowsNetworkInterfaceUsage","id":2},"interfaces":{"rule":"repeated","type":"WindowsNetworkInterfaceUsage","id":3}}},"NetworkInterfaceUsage":{"fields":{"name":{"type":"string","id":1},"rxBytes":{"type":"UInt64Value","id":2},"rxErrors":{"type":"UInt64Value","id":3},"txBytes":{"type":"UInt64Value","id":4},"txErrors":{"type":"UInt64Value","id":5}}},"WindowsNetworkInterfaceUsage":{"fields":{"name":{"type":"string","id":1},"rxBytes":{"type":"UInt64Value","id":2},"rxPacketsDropped":{"type":"UInt64Value","id":3},"txBytes":{"type":"UInt64Value","id":4},"txPacketsDropped":{"type":"UInt64Value","id":5}}},"ProcessUsage":{"fields":{"timestamp":{"type":"int64","id":1},"processCount":{"type":"UInt64Value","id":2}}},"WindowsProcessUsage":{"fields":{"timestamp":{"type":"int64","id":1},"processCount":{"type":"UInt64Value","id":2}}},"ImageSpec":{"fields":{"image":{"type":"string","id":1},"annotations":{"keyType":"string","type":"string","id":2},"userSpecifiedImage":{"type":"string","id":18},"runtimeHandler":{"type":"string","id":19},"imageRef":{"type":"string","id":20}}},"KeyValue":{"fields":{"key":{"type":"string","id":1},"value":{"type":"bytes","id":2}}},"LinuxContainerResources":{"fields":{"cpuPeriod":{"type":"int64","id":1},"cpuQuota":{"type":"int64","id":2},"cpuShares":{"type":"int64","id":3},"memoryLimitInBytes":{"type":"int64","id":4},"oomScoreAdj":{"type":"int64","id":5},"cpusetCpus":{"type":"string","id":6},"cpusetMems":{"type":"string","id":7},"hugepageLimits":{"rule":"repeated","type":"HugepageLimit","id":8},"unified":{"keyType":"string","type":"string","id":9},"memorySwapLimitInBytes":{"type":"int64","id":10}}},"HugepageLimit":{"fields":{"pageSize":{"type":"string","id":1},"limit":{"type":"uint64","id":2}}},"SELinuxOption":{"fields":{"user":{"type":"string","id":1},"role":{"type":"string","id":2},"type":{"type":"string","id":3},"level":{"type":"string","id":4}}},"Capability":{"fields":{"addCapabilities":{"rule":"repeated","type":"string","id":1},"dropCapabilities":{"rule":"repeated","type":"string","id":2},"addAmbientCapabilities":{"rule":"repeated","type":"string","id":3}}},"LinuxContainerSecurityContext":{"fields":{"capabilities":{"type":"Capability","id":1},"privileged":{"type":"bool","id":2},"namespaceOptions":{"type":"NamespaceOption","id":3},"selinuxOptions":{"type":"SELinuxOption","id":4},"runAsUser":{"type":"Int64Value","id":5},"runAsUsername":{"type":"string","id":6},"readonlyRootfs":{"type":"bool","id":7},"supplementalGroups":{"rule":"repeated","type":"int64","id":8},"apparmorProfile":{"type":"string","id":9},"seccompProfilePath":{"type":"string","id":10},"noNewPrivs":{"type":"bool","id":11},"runAsGroup":{"type":"Int64Value","id":12},"maskedPaths":{"rule":"repeated","type":"string","id":13},"readonlyPaths":{"rule":"repeated","type":"string","id":14},"seccomp":{"type":"SecurityProfile","id":15},"apparmor":{"type":"SecurityProfile","id":16},"supplementalGroupsPolicy":{"type":"SupplementalGroupsPolicy","id":17}}},"LinuxContainerConfig":{"fields":{"resources":{"type":"LinuxContainerResources","id":1},"securityContext":{"type":"LinuxContainerSecurityContext","id":2}}},"LinuxContainerUser":{"fields":{"uid":{"type":"int64","id":1},"gid":{"type":"int64","id":2},"supplementalGroups":{"rule":"repeated","type":"int64","id":3}}},"WindowsNamespaceOption":{"fields":{"network":{"type":"NamespaceMode","id":1}}},"WindowsSandboxSecurityContext":{"fields":{"runAsUsername":{"type":"string","id":1},"credentialSpec":{"type":"string","id":2},"hostProcess":{"type":"bool","id":3},"namespaceOptions":{"type":"WindowsNamespaceOption","id":4}}},"WindowsPodSandboxConfig":{"fields":{"securityContext":{"type":"WindowsSandboxSecurityContext","id":1}}},"WindowsContainerSecurityContext":{"fields":{"runAsUsername":{"type":"string","id":1},"credentialSpec":{"type":"string","id":2},"hostProcess":{"type":"bool","id":3}}},"WindowsContainerConfig":{"fields":{"resources":{"type":"WindowsContainerResources","id":1},"securityContext":{"type":"WindowsContainerSecurityContext","id":2}}},"WindowsContainerResources":{"fields":{"cpuShares":{"type":"int64","id":1},"cpuCount":{"type":"int64","id":2},"cpuMaximum":{"type":"int64","id":3},"memoryLimitInBytes":{"type":"int64","id":4},"rootfsSizeInBytes":{"type":"int64","id":5},"affinityCpus":{"rule":"repeated","type":"WindowsCpuGroupAffinity","id":6}}},"WindowsCpuGroupAffinity":{"fields":{"cpuMask":{"type":"uint64","id":1},"cpuGroup":{"type":"uint32","id":2}}},"ContainerMetadata":{"fields":{"name":{"type":"string","id":1},"attempt":{"type":"uint32","id":2}}},"Device":{"fields":{"containerPath":{"type":"string","id":1},"hostPath":{"type":"string","id":2},"permissions":{"type":"string","id":3}}},"CDIDevice":{"fields":{"name":{"type":"string","id":1}}},"ContainerConfig":{"fields":{"metadata":{"type":"ContainerMetadata","id":1},"image":{"type":"ImageSpec","id":2},"command":{"rule":"repeated","type":"string","id":3},"args":{"rule":"repeated","type":"string","id":4},"workingDir":{"type":"string","id":5},"envs":{"rule":"repeated","type":"KeyValue","id":6},"mounts":{"rule":"repeated","type":"Mount","id":7},"devices":{"rule":"repeated","type":"Device","id":8},"labels":{"keyType":"string","type":"string","id":9},"annotations":{"keyType":"string","type":"string","id":10},"logPath":{"type":"string","id":11},"stdin":{"type":"bool","id":12},"stdinOnce":{"type":"bool","id":13},"tty":{"type":"bool","id":14},"linux":{"type":"LinuxContainerConfig","id":15},"windows":{"type":"WindowsContainerConfig","id":16},"CDIDevices":{"rule":"repeated","type":"CDIDevice","id":17},"stopSignal":{"type":"Signal","id":18}}},"Signal":{"values":{"RUNTIME_DEFAULT":0,"SIGABRT":1,"SIGALRM":2,"SIGBUS":3,"SIGCHLD":4,"SIGCLD":5,"SIGCONT":6,"SIGFPE":7,"SIGHUP":8,"SIGILL":9,"SIGINT":10,"SIGIO":11,"SIGIOT":12,"SIGKILL":13,"SIGPIPE":14,"SIGPOLL":15,"SIGPROF":16,"SIGPWR":17,"SIGQUIT":18,"SIGSEGV":19,"SIGSTKFLT":20,"SIGSTOP":21,"SIGSYS":22,"SIGTERM":23,"SIGTRAP":24,"SIGTSTP":25,"SIGTTIN":26,"SIGTTOU":27,"SIGURG":28,"SIGUSR1":29,"SIGUSR2":30,"SIGVTALRM":31,"SIGWINCH":32,"SIGXCPU":33,"SIGXFSZ":34,"SIGRTMIN":35,"SIGRTMINPLUS1":36,"SIGRTMINPLUS2":37,"SIGRTMINPLUS3":38,"SIGRTMINPLUS4":39,"SIGRTMINPLUS5":40,"SIGRTMINPLUS6":41,"SIGRTMINPLUS7":42,"SIGRTMINPLUS8":43,"SIGRTMINPLUS9":44,"SIGRTMINPLUS10":45,"SIGRTMINPLUS11":46,"SIGRTMINPLUS12":47,"SIGRTMINPLUS13":48,"SIGRTMINPLUS14":49,"SIGRTMINPLUS15":50,"SIGRTMAXMINUS14":51,"SIGRTMAXMINUS13":52,"SIGRTMAXMINUS12":53,"SIGRTMAXMINUS11":54,"SIGRTMAXMINUS10":55,"SIGRTMAXMINUS9":56,"SIGRTMAXMINUS8":57,"SIGRTMAXMINUS7":58,"SIGRTMAXMINUS6":59,"SIGRTMAXMINUS5":60,"SIGRTMAXMINUS4":61,"SIGRTMAXMINUS3":62,"SIGRTMAXMINUS2":63,"SIGRTMAXMINUS1":64,"SIGRTMAX":65}},"CreateContainerRequest":{"fields":{"podSandboxId":{"type":"string","id":1},"config":{"type":"ContainerConfig","id":2},"sandboxConfig":{"type":"PodSandboxConfig","id":3}}},"CreateContainerResponse":{"fields":{"containerId":{"type":"string","id":1}}},"StartContainerRequest":{"fields":{"containerId":{"type":"string","id":1}}},"StopContainerRequest":{"fields":{"containerId":{"type":"string","id":1},"timeout":{"type":"int64","id":2}}},"RemoveContainerRequest":{"fields":{"containerId":{"type":"string","id":1}}},"ContainerState":{"values":{"CONTAINER_CREATED":0,"CONTAINER_RUNNING":1,"CONTAINER_EXITED":2,"CONTAINER_UNKNOWN":3}},"ContainerStateValue":{"fields":{"state":{"type":"ContainerState","id":1}}},"ContainerFilter":{"fields":{"id":{"type":"string","id":1},"state":{"type":"ContainerStateValue","id":2},"podSandboxId":{"type":"string","id":3},"labelSelector":{"keyType":"string","type":"string","id":4}}},"ListContainersRequest":{"fields":{"filter":{"type":"ContainerFilter","id":1}}},"Container":{"fields":{"id":{"type":"string","id":1},"podSandboxId":{"type":"string","id":2},"metadata":{"type":"ContainerMetadata","id":3},"image":{"type":"ImageSpec","id":4},"imageRef":{"type":"string","id":5},"state":{"type":"ContainerState","id":6},"createdAt":{"type":"int64","id":7},"labels":{"keyType":"string","type":"string","id":8},"annotations":{"keyType":"string","type":"string","id":9},"imageId":{"type":"string","id":10}}},"ListContainersResponse":{"fields":{"containers":{"rule":"repeated","type":"Container","id":1}}},"StreamContainersRequest":{"fields":{"filter":{"type":"ContainerFilter","id":1}}},"StreamContainersResponse":{"fields":{"containers":{"rule":"repeated","type":"Container","id":1}}},"ContainerStatusRequest":{"fields":{"containerId":{"type":"string","id":1},"verbose":{"type":"bool","id":2}}},"ContainerStatus":{"fields":{"id":{"type":"string","id":1},"metadata":{"type":"ContainerMetadata","id":2},"state":{"type":"ContainerState","id":3},"createdAt":{"type":"int64","id":4},"startedAt":{"type":"int64","id":5},"finishedAt":{"type":"int64","id":6},"exitCode":{"type":"int32","id":7},"image":{"type":"ImageSpec","id":8},"imageRef":{"type":"string","id":9},"reason":{"type":"string","id":10},"message":{"type":"string","id":11},"labels":{"keyType":"string","type":"string","id":12},"annotations":{"keyType":"string","type":"string","id":13},"mounts":{"rule":"repeated","type":"Mount","id":14},"logPath":{"type":"string","id":15},"resources":{"type":"ContainerResources","id":16},"imageId":{"type":"string","id":17},"user":{"type":"ContainerUser","id":18},"stopSignal":{"type":"Signal","id":19}}},"ContainerStatusResponse":{"fields":{"status":{"type":"ContainerStatus","id":1},"info":{"keyType":"string","type":"string","id":2}}},"ContainerResources":{"fields":{"linux":{"type":"LinuxContainerResources","id":1},"windows":{"type":"WindowsContainerResources","id":2}}},"ContainerUser":{"fields":{"linux":{"type":"LinuxContainerUser","id":1}}},"UpdateContainerResourcesRequest":{"fields":{"containerId":{"type":"string","id":1},"linux":{"type":"LinuxContainerResources","id":2},"windows":{"type":"WindowsContainerResources","id":3},"annotations":{"keyType":"string","type":"string","id":4}}},"ExecSyncRequest":{"fields":{"containerId":{"type":"string","id":1},"cmd":{"rule":"repeated","type":"string","id":2},"timeout":{"type":"int64","id":3}}},"ExecSyncResponse":{"fields":{"stdout":{"type":"bytes","id":1},"stderr":{"type":"bytes","id":2},"exitCode":{"type":"int32","id":3}}},"ExecRequest":{"fields":{"containerId":{"type":"string","id":1},"cmd":{"rule":"repeated","type":"string","id":2},"tty":{"type":"bool","id":3},"stdin":{"type":"bool","id":4},"stdout":{"type":"bool","id":5},"stderr":{"type":"bool","id":6}}},"ExecResponse":{"fields":{"url":{"type":"string","id":1}}},"AttachRequest":{"fields":{"containerId":{"type":"string","id":1},"stdin":{"type":"bool","id":2},"tty":{"type":"bool","id":3},"stdout":{"type":"bool","id":4},"stderr":{"type":"bool","id":5}}},"AttachResponse":{"fields":{"url":{"type":"string","id":1}}},"PortForwardRequest":{"fields":{"podSandboxId":{"type":"string","id":1},"port":{"rule":"repeated","type":"int32","id":2}}},"PortForwardResponse":{"fields":{"url":{"type":"string","id":1}}},"ImageFilter":{"fields":{"image":{"type":"ImageSpec","id":1}}},"ListImagesRequest":{"fields":{"filter":{"type":"ImageFilter","id":1}}},"Image":{"fields":{"id":{"type":"string","id":1},"repoTags":{"rule":"repeated","type":"string","id":2},"repoDigests":{"rule":"repeated","type":"string","id":3},"size":{"type":"uint64","id":4},"uid":{"type":"Int64Value","id":5},"username":{"type":"string","id":6},"spec":{"type":"ImageSpec","id":7},"pinned":{"type":"bool","id":8}}},"ListImagesResponse":{"fields":{"images":{"rule":"repeated","type":"Image","id":1}}},"StreamImagesRequest":{"fields":{"filter":{"type":"ImageFilter","id":1}}},"StreamImagesResponse":{"fields":{"images":{"rule":"repeated","type":"Image","id":1}}},"ImageStatusRequest":{"fields":{"image":{"type":"ImageSpec","id":1},"verbose":{"type":"bool","id":2}}},"ImageStatusResponse":{"fields":{"image":{"type":"Image","id":1},"info":{"keyType":"string","type":"string","id":2}}},"AuthConfig":{"fields":{"username":{"type":"string","id":1},"password":{"type":"string","id":2},"auth":{"type":"string","id":3},"serverAddress":{"type":"string","id":4},"identityToken":{"type":"string","id":5},"registryToken":{"type":"string","id":6}}},"PullImageRequest":{"fields":{"image":{"type":"ImageSpec","id":1},"auth":{"type":"AuthConfig","id":2},"sandboxConfig":{"type":"PodSandboxConfig","id":3}}},"PullImageResponse":{"fields":{"imageRef":{"type":"string","id":1}}},"RemoveImageRequest":{"fields":{"image":{"type":"ImageSpec","id":1}}},"NetworkConfig":{"fields":{"podCidr":{"type":"string","id":1}}},"RuntimeConfig":{"fields":{"networkConfig":{"type":"NetworkConfig","id":1}}},"UpdateRuntimeConfigRequest":{"fields":{"runtimeConfig":{"type":"RuntimeConfig","id":1}}},"RuntimeCondition":{"fields":{"type":{"type":"string","id":1},"status":{"type":"bool","id":2},"reason":{"type":"string","id":3},"message":{"type":"string","id":4}}},"RuntimeStatus":{"fields":{"conditions":{"rule":"repeated","type":"RuntimeCondition","id":1}}},"StatusRequest":{"fields":{"verbose":{"type":"bool","id":1}}},"RuntimeHandlerFeatures":{"fields":{"recursiveReadOnlyMounts":{"type":"bool","id":1},"userNamespaces":{"type":"bool","id":2}}},"RuntimeHandler":{"fields":{"name":{"type":"string","id":1},"features":{"type":"RuntimeHandlerFeatures","id":2}}},"RuntimeFeatures":{"fields":{"supplementalGroupsPolicy":{"type":"bool","id":1},"userNamespacesHostNetwork":{"type":"bool","id":2}}},"StatusResponse":{"fields":{"status":{"type":"RuntimeStatus","id":1},"info":{"keyType":"string","type":"string","id":2},"runtimeHandlers":{"rule":"repeated","type":"RuntimeHandler","id":3},"features":{"type":"RuntimeFeatures","id":4}}},"UInt64Value":{"fields":{"value":{"type":"uint64","id":1}}},"FilesystemIdentifier":{"fields":{"mountpoint":{"type":"string","id":1}}},"FilesystemUsage":{"fields":{"timestamp":{"type":"int64","id":1},"fsId":{"type":"FilesystemIdentifier","id":2},"usedBytes":{"type":"UInt64Value","id":3},"inodesUsed":{"type":"UInt64Value","id":4}}},"WindowsFilesystemUsage":{"fields":{"timestamp":{"type":"int64","id":1},"fsId":{"type":"FilesystemIdentifier","id":2},"usedBytes":{"type":"UInt64Value","id":3}}},"ImageFsInfoResponse":{"fields":{"imageFilesystems":{"rule":"repeated","type":"FilesystemUsage","id":1},"containerFilesystems":{"rule":"repeated","type":"FilesystemUsage","id":2}}},"ContainerStatsRequest":{"fields":{"containerId":{"type":"string","id":1}}},"ContainerStatsResponse":{"fields":{"stats":{"type":"ContainerStats","id":1}}},"ListContainerStatsRequest":{"fields":{"filter":{"type":"ContainerStatsFilter","id":1}}},"ContainerStatsFilter":{"fields":{"id":{"type":"string","id":1},"podSandboxId":{"type":"string","id":2},"labelSelector":{"keyType":"string","type":"string","id":3}}},"ListContainerStatsResponse":{"fields":{"stats":{"rule":"repeated","type":"ContainerStats","id":1}}},"StreamContainerStatsRequest":{"fields":{"filter":{"type":"ContainerStatsFilter","id":1}}},"StreamContainerStatsResponse":{"fields":{"containerStats":{"rule":"repeated","type":"ContainerStats","id":1}}},"ContainerAttributes":{"fields":{"id":{"type":"string","id":1},"metadata":{"type":"ContainerMetadata","id":2},"labels":{"keyType":"string","type":"string","id":3},"annotations":{"keyType":"string","type":"string","id":4}}},"ContainerStats":{"fields":{"attributes":{"type":"ContainerAttributes","id":1},"cpu":{"type":"CpuUsage","id":2},"memory":{"type":"MemoryUsage","id":3},"writableLayer":{"type":"FilesystemUsage","id":4},"swap":{"type":"SwapUsage","id":5},"io":{"type":"IoUsage","id":6}}},"WindowsContainerStats":{"fields":{"attributes":{"type":"ContainerAttributes","id":1},"cpu":{"type":"WindowsCpuUsage","id":2},"memory":{"type":"WindowsMemoryUsage","id":3},"writableLayer":{"type":"WindowsFilesystemUsage","id":4}}},"PsiStats":{"fields":{"Full":{"type":"PsiData","id":1},"Some":{"type":"PsiData","id":2}}},"PsiData":{"fields":{"Total":{"type":"uint64","id":1},"Avg10":{"type":"double","id":2},"Avg60":{"type":"double","id":3},"Avg300":{"type":"double","id":4}}},"CpuUsage":{"fields":{"timestamp":{"type":"int64","id":1},"usageCoreNanoSeconds":{"type":"UInt64Value","id":2},"usageNanoCores":{"type":"UInt64Value","id":3},"psi":{"type":"PsiStats","id":4}}},"WindowsCpuUsage":{"fields":{"timestamp":{"type":"int64","id":1},"usageCoreNanoSeconds":{"type":"UInt64Value","id":2},"usageNanoCores":{"type":"UInt64Value","id":3}}},"MemoryUsage":{"fields":{"timestamp":{"type":"int64","id":1},"workingSetBytes":{"type":"UInt64Value","id":2},"availableBytes":{"type":"UInt64Value","id":3},"usageBytes":{"type":"UInt64Value","id":4},"rssBytes":{"type":"UInt64Value","id":5},"pageFaults":{"type":"UInt64Value","id":6},"majorPageFaults":{"type":"UInt64Value","id":7},"psi":{"type":"PsiStats","id":8}}},"IoUsage":{"fields":{"timestamp":{"type":"int64","id":1},"psi":{"type":"PsiStats","id":2}}},"SwapUsage":{"fields":{"timestamp":{"type":"int64","id":1},"swapAvailableBytes":{"type":"UInt64Value","id":2},"swapUsageBytes":{"type":"UInt64Value","id":3}}},"WindowsMemoryUsage":{"fields":{"timestamp":{"type":"int64","id":1},"workingSetBytes":{"type":"UInt64Value","id":2},"availableBytes":{"type":"UInt64Value","id":3},"pageFaults":{"type":"UInt64Value","id":4},"commitMemoryBytes":{"type":"UInt64Value","id":5}}},"ReopenContainerLogRequest":{"fields":{"containerId":{"type":"string","id":1}}},"CheckpointContainerRequest":{"fields":{"containerId":{"type":"string","id":1},"location":{"type":"string","id":2},"timeout":{"type":"int64","id":3}}},"ContainerEventResponse":{"fields":{"containerId":{"type":"string","id":1},"containerEventType":{"type":"ContainerEventType","id":2},"createdAt":{"type":"int64","id":3},"podSandboxStatus":{"type":"PodSandboxStatus","id":4},"containersStatuses":{"rule":"repeated","type":"ContainerStatus","id":5}}},"ContainerEventType":{"values":{"CONTAINER_CREATED_EVENT":0,"CONTAINER_STARTED_EVENT":1,"CONTAINER_STOPPED_EVENT":2,"CONTAINER_DELETED_EVENT":3}},"ListMetricDescriptorsResponse":{"fields":{"descriptors":{"rule":"repeated","type":"MetricDescriptor","id":1}}},"MetricDescriptor":{"fields":{"name":{"type":"string","id":1},"help":{"type":"string","id":2},"labelKeys":{"rule":"repeated","type":"string","id":3}}},"ListPodSandboxMetricsResponse":{"fields":{"podMetrics":{"rule":"repeated","type":"PodSandboxMetrics","id":1}}},"StreamPodSandboxMetricsResponse":{"fields":{"podSandboxMetrics":{"rule":"repeated","type":"PodSandboxMetrics","id":1}}},"PodSandboxMetrics":{"fields":{"podSandboxId":{"type":"string","id":1},"metrics":{"rule":"repeated","type":"Metric","id":2},"containerMetrics":{"rule":"repeated","type":"ContainerMetrics","id":3}}},"ContainerMetrics":{"fields":{"containerId":{"type":"string","id":1},"metrics":{"rule":"repeated","type":"Metric","id":2}}},"Metric":{"fields":{"name":{"type":"string","id":1},"timestamp":{"type":"int64","id":2},"metricType":{"type":"MetricType","id":3},"labelValues":{"rule":"repeated","type":"string","id":4},"value":{"type":"UInt64Value","id":5}}},"MetricType":{"values":{"COUNTER":0,"GAUGE":1}},"RuntimeConfigResponse":{"fields":{"linux":{"type":"LinuxRuntimeConfiguration","id":1}}},"LinuxRuntimeConfiguration":{"fields":{"cgroupDriver":{"type":"CgroupDriver","id":1}}},"CgroupDriver":{"values":{"SYSTEMD":0,"CGROUPFS":1}},"UpdatePodSandboxResourcesRequest":{"fields":{"podSandboxId":{"type":"string","id":1},"overhead":{"type":"LinuxContainerResources","id":2},"resources":{"type":"LinuxContainerResources","id":3}}},"StopPodSandboxResponse":{"fields":{}},"RemovePodSandboxResponse":{"fields":{}},"StartContainerResponse":{"fields":{}},"StopContainerResponse":{"fields":{}},"RemoveContainerResponse":{"fields":{}},"UpdateContainerResourcesResponse":{"fields":{}},"ReopenContainerLogResponse":{"fields":{}},"UpdateRuntimeConfigResponse":{"fields":{}},"CheckpointContainerResponse":{"fields":{}},"GetEventsRequest":{"fields":{}},"ListMetricDescriptorsRequest":{"fields":{}},"ListPodSandboxMetricsRequest":{"fields":{}},"StreamPodSandboxMetricsRequest":{"fields":{}},"RuntimeConfigRequest":{"fields":{}},"UpdatePodSandboxResourcesResponse":{"fields":{}},"RemoveImageResponse":{"fields":{}},"ImageFsInfoRequest":{"fields":{}}}}}}}} as const;
