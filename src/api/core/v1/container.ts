/** Containers of a pod, their probes, environment and security. */
import { field, message, type MessageDeclarations } from '../../declare.ts';

/** Of all containers, ephemeral ones as well: where volumes appear. */
const MOUNT_FIELDS = {
  volumeMounts: field(9, '[]VolumeMount', "Where the Pod's volumes appear in the container's file system.", {
    list: { map: ['mountPath'] },
    patch: 'merge',
    mergeKey: 'mountPath',
  }),
  volumeDevices: field(21, '[]VolumeDevice', 'Where block volumes appear as devices.', {
    list: { map: ['devicePath'] },
    patch: 'merge',
    mergeKey: 'devicePath',
  }),
};

/** Of all containers, ephemeral ones as well. */
const COMMON_FIELDS = {
  terminationMessagePath: field(13, 'string', 'File that holds the final message; default /dev/termination-log.', {
    default: '/dev/termination-log',
  }),
  terminationMessagePolicy: field(
    20,
    'TerminationMessagePolicy',
    'Source of the final message: File (default) or FallbackToLogsOnError.',
    { default: 'File' },
  ),
  imagePullPolicy: field(
    14,
    'PullPolicy',
    'Always, IfNotPresent or Never; default Always for :latest, else IfNotPresent.',
  ),
  securityContext: field(15, '*SecurityContext', "Security settings; they win over the Pod's."),
  stdin: field(16, 'bool', 'Keep a standard input open; default false.'),
  stdinOnce: field(17, 'bool', 'Close standard input after the first attached session; default false.'),
  tty: field(18, 'bool', 'Give the container a terminal; needs stdin; default false.'),
};

export const messages = {
  AppArmorProfile: message(
    'An AppArmor profile.',
    {
      type: field(1, 'AppArmorProfileType', 'Localhost, RuntimeDefault or Unconfined.', { required: true, keep: true }),
      localhostProfile: field(2, '*string', 'Name of a profile loaded on the node; only with type Localhost.'),
    },
    { union: { discriminator: 'type', members: ['localhostProfile'] } },
  ),
  Capabilities: message("Linux capabilities to add to and drop from the runtime's defaults.", {
    add: field(1, '[]Capability', 'Capabilities to add.', { list: 'atomic' }),
    drop: field(2, '[]Capability', 'Capabilities to drop.', { list: 'atomic' }),
  }),
  ConfigMapEnvSource: message('Takes environment variables from a ConfigMap.', {
    localObjectReference: field(1, 'LocalObjectReference', 'The ConfigMap.', { inline: true }),
    optional: field(2, '*bool', 'Whether the ConfigMap may be missing.'),
  }),
  ConfigMapKeySelector: message(
    'Selects one key of a ConfigMap.',
    {
      localObjectReference: field(1, 'LocalObjectReference', 'The ConfigMap.', { inline: true }),
      key: field(2, 'string', 'The key to read.', { required: true, keep: true }),
      optional: field(3, '*bool', 'Whether the ConfigMap or its key may be missing.'),
    },
    { atomic: true },
  ),
  Container: message('One container of the Pod.', {
    name: field(1, 'string', 'Name of the container, a DNS label unique in the Pod; fixed after creation.', {
      required: true,
      keep: true,
    }),
    image: field(2, 'string', 'Image to run.'),
    command: field(3, '[]string', "Replaces the image's entrypoint; $(VAR) is expanded, no shell is involved.", {
      list: 'atomic',
    }),
    args: field(4, '[]string', "Replaces the image's arguments; $(VAR) is expanded.", { list: 'atomic' }),
    workingDir: field(5, 'string', 'Directory to start in; default from the image.'),
    ports: field(6, '[]ContainerPort', 'Ports that the container serves; for information only.', {
      list: { map: ['containerPort', 'protocol'] },
      patch: 'merge',
      mergeKey: 'containerPort',
    }),
    envFrom: field(19, '[]EnvFromSource', 'Sources whose every key becomes an environment variable.', {
      list: 'atomic',
    }),
    env: field(7, '[]EnvVar', 'Environment variables.', { list: { map: ['name'] }, patch: 'merge', mergeKey: 'name' }),
    resources: field(
      8,
      'ResourceRequirements',
      'CPU, memory and other resources that the container needs and may use.',
    ),
    resizePolicy: field(23, '[]ContainerResizePolicy', 'Whether changing a resource restarts the container.', {
      list: 'atomic',
      gate: 'InPlacePodVerticalScaling',
    }),
    restartPolicy: field(
      24,
      '*ContainerRestartPolicy',
      'Restart policy of this container; Always makes an init container a sidecar.',
    ),
    restartPolicyRules: field(
      25,
      '[]ContainerRestartRule',
      'Rules, tried in order, on when the exited container starts again.',
      { list: 'atomic', gate: 'ContainerRestartRules' },
    ),
    ...MOUNT_FIELDS,
    livenessProbe: field(10, '*Probe', 'Restarts the container when it fails.'),
    readinessProbe: field(11, '*Probe', 'Takes the Pod out of Services while it fails.'),
    startupProbe: field(22, '*Probe', 'Holds back the other probes until it succeeds; restarts on failure.'),
    lifecycle: field(12, '*Lifecycle', 'Actions after the start and before the stop of the container.'),
    ...COMMON_FIELDS,
  }),
  ContainerExtendedResourceRequest: message("Which request of a claim serves a container's extended resource.", {
    containerName: field(1, 'string', 'The container that asks.', { required: true, keep: true }),
    resourceName: field(2, 'string', 'The extended resource.', { required: true, keep: true }),
    requestName: field(3, 'string', 'The request in the claim.', { required: true, keep: true }),
  }),
  ContainerImage: message('An image on the node.', {
    names: field(1, '[]string', 'Names by which the image is known.', { keep: true, list: 'atomic' }),
    sizeBytes: field(2, 'int64', 'How many bytes the image takes.'),
  }),
  ContainerPort: message('A network port of a container.', {
    name: field(1, 'string', 'Name of the port, unique in the Pod; Services can refer to it.'),
    hostPort: field(2, 'int32', 'Port on the node, 1 to 65535; with hostNetwork the same as containerPort.'),
    containerPort: field(3, 'int32', "Port on the Pod's IP address, 1 to 65535.", { required: true, keep: true }),
    protocol: field(4, 'Protocol', 'TCP (default), UDP or SCTP.', { default: 'TCP', statesDefault: true }),
    hostIP: field(5, 'string', 'Node IP address to bind the host port to.'),
  }),
  ContainerResizePolicy: message('How one resource of a running container is changed.', {
    resourceName: field(1, 'ResourceName', 'The resource: cpu or memory.', { required: true, keep: true }),
    restartPolicy: field(2, 'ResourceResizeRestartPolicy', 'NotRequired (default) or RestartContainer.', {
      required: true,
      keep: true,
    }),
  }),
  ContainerRestartRule: message('What to do when the container exits in a certain way.', {
    action: field(1, 'ContainerRestartRuleAction', 'Restart or RestartAllContainers.', { required: true }),
    exitCodes: field(2, '*ContainerRestartRuleOnExitCodes', 'Exit codes to which the rule applies.'),
  }),
  ContainerRestartRuleOnExitCodes: message('A test on exit codes.', {
    operator: field(1, 'ContainerRestartRuleOnExitCodesOperator', 'In or NotIn.', { required: true }),
    values: field(2, '[]int32', 'Exit codes to compare with, at most 255.', { list: 'set' }),
  }),
  ContainerState: message('State of a container; one member is set, waiting if none.', {
    waiting: field(1, '*ContainerStateWaiting', 'Details of a container that waits.'),
    running: field(2, '*ContainerStateRunning', 'Details of a container that runs.'),
    terminated: field(3, '*ContainerStateTerminated', 'Details of a container that has ended.'),
  }),
  ContainerStateRunning: message('A running container.', {
    startedAt: field(1, 'Time', 'When the container last started.'),
  }),
  ContainerStateTerminated: message('A container that has ended.', {
    exitCode: field(1, 'int32', 'Exit code of the last run.', { required: true, keep: true }),
    signal: field(2, 'int32', 'Signal that ended the last run.'),
    reason: field(3, 'string', 'Short reason for the end.'),
    message: field(4, 'string', 'Message about the end.'),
    startedAt: field(5, 'Time', 'When the ended run began.'),
    finishedAt: field(6, 'Time', 'When the container ended.'),
    containerID: field(7, 'string', 'ID of the container, as type://id.'),
  }),
  ContainerStateWaiting: message('A container that has not started yet.', {
    reason: field(1, 'string', 'Short reason for waiting.'),
    message: field(2, 'string', 'Message about why it waits.'),
  }),
  ContainerStatus: message('What is known about one container.', {
    name: field(1, 'string', 'Name of the container.', { required: true, keep: true }),
    state: field(2, 'ContainerState', 'Present state.'),
    lastState: field(3, 'ContainerState', 'How the previous run of the container ended.'),
    ready: field(4, 'bool', 'Whether the container passes its readiness probe.', { required: true, keep: true }),
    restartCount: field(5, 'int32', 'How often the container was restarted; may be too low after cleanup.', {
      required: true,
      keep: true,
    }),
    image: field(6, 'string', 'Image that is running; may be written otherwise than in the spec.', {
      required: true,
      keep: true,
    }),
    imageID: field(7, 'string', 'ID of the image.', { required: true, keep: true }),
    containerID: field(8, 'string', 'ID of the container, as type://id.'),
    started: field(9, '*bool', 'Whether the container runs, passed its startup probe and its postStart hook.'),
    allocatedResources: field(10, 'map[string]Quantity', 'Requests that the node has set aside for the container.'),
    resources: field(11, '*ResourceRequirements', 'Requests and limits in force for the running container.', {
      gate: 'InPlacePodVerticalScaling',
    }),
    volumeMounts: field(12, '[]VolumeMountStatus', 'State of the volume mounts.', {
      list: { map: ['mountPath'] },
      patch: 'merge',
      mergeKey: 'mountPath',
    }),
    user: field(13, '*ContainerUser', "User and groups of the container's first process.", {
      gate: 'SupplementalGroupsPolicy',
    }),
    allocatedResourcesStatus: field(14, '[]ResourceStatus', 'Health of the devices given to the container.', {
      list: { map: ['name'] },
      patch: 'merge',
      mergeKey: 'name',
      gate: 'ResourceHealthStatus',
    }),
    stopSignal: field(15, '*Signal', 'Signal that stops the container.'),
  }),
  ContainerUser: message("Identity of a container's first process.", {
    linux: field(1, '*LinuxContainerUser', 'User and groups on Linux.'),
  }),
  EnvFromSource: message('A ConfigMap or Secret whose keys become environment variables.', {
    prefix: field(1, 'string', "Text put before each variable's name."),
    configMapRef: field(2, '*ConfigMapEnvSource', 'The ConfigMap to read.'),
    secretRef: field(3, '*SecretEnvSource', 'The Secret to read.'),
  }),
  EnvVar: message('One environment variable.', {
    name: field(1, 'string', 'Name of the variable: printable ASCII except "=".', { required: true, keep: true }),
    value: field(2, 'string', 'Value; $(VAR) is expanded from variables before it; default "".'),
    valueFrom: field(3, '*EnvVarSource', 'Source of the value, instead of value.'),
  }),
  EnvVarSource: message("Where a variable's value comes from; exactly one source.", {
    fieldRef: field(1, '*ObjectFieldSelector', 'A field of the Pod, such as metadata.name or status.podIP.'),
    resourceFieldRef: field(2, '*ResourceFieldSelector', 'A resource limit or request of a container.'),
    configMapKeyRef: field(3, '*ConfigMapKeySelector', 'A key of a ConfigMap.'),
    secretKeyRef: field(4, '*SecretKeySelector', 'A key of a Secret.'),
    fileKeyRef: field(5, '*FileKeySelector', 'A key of an env file in a volume.', { gate: 'EnvFiles' }),
  }),
  EphemeralContainer: message('A temporary container added to a running Pod, usually to debug it.', {
    ephemeralContainerCommon: field(1, 'EphemeralContainerCommon', 'The fields shared with other containers.', {
      inline: true,
    }),
    targetContainerName: field(2, 'string', "Container whose process namespace is shared; default the Pod's own."),
  }),
  EphemeralContainerCommon: message('The fields that ephemeral containers share with other containers.', {
    name: field(1, 'string', 'Name of the container, a DNS label unique in the Pod; fixed after creation.', {
      required: true,
      keep: true,
    }),
    image: field(2, 'string', 'Image to run.'),
    command: field(3, '[]string', "Replaces the image's entrypoint; $(VAR) is expanded, no shell is involved."),
    args: field(4, '[]string', "Replaces the image's arguments; $(VAR) is expanded."),
    workingDir: field(5, 'string', 'Directory to start in; default from the image.'),
    ports: field(6, '[]ContainerPort', 'Not allowed for ephemeral containers.', {
      list: { map: ['containerPort', 'protocol'] },
      patch: 'merge',
      mergeKey: 'containerPort',
      distinguishesEmpty: true,
    }),
    envFrom: field(19, '[]EnvFromSource', 'Sources whose every key becomes an environment variable.'),
    env: field(7, '[]EnvVar', 'Environment variables.', { list: { map: ['name'] }, patch: 'merge', mergeKey: 'name' }),
    resources: field(
      8,
      'ResourceRequirements',
      'Not allowed for ephemeral containers; they use what the Pod has to spare.',
    ),
    resizePolicy: field(23, '[]ContainerResizePolicy', 'Not allowed for ephemeral containers.', {
      gate: 'InPlacePodVerticalScaling',
      distinguishesEmpty: true,
    }),
    restartPolicy: field(24, '*ContainerRestartPolicy', 'Not allowed for ephemeral containers.'),
    restartPolicyRules: field(25, '[]ContainerRestartRule', 'Not allowed for ephemeral containers.', {
      gate: 'ContainerRestartRules',
      distinguishesEmpty: true,
    }),
    ...MOUNT_FIELDS,
    livenessProbe: field(10, '*Probe', 'Not allowed for ephemeral containers.'),
    readinessProbe: field(11, '*Probe', 'Not allowed for ephemeral containers.'),
    startupProbe: field(22, '*Probe', 'Not allowed for ephemeral containers.'),
    lifecycle: field(12, '*Lifecycle', 'Not allowed for ephemeral containers.'),
    ...COMMON_FIELDS,
  }),
  ExecAction: message('Runs a command in the container.', {
    command: field(1, '[]string', 'Program and arguments; exit code 0 is success; no shell is involved.', {
      list: 'atomic',
    }),
  }),
  FileKeySelector: message(
    'Selects a variable in an env file.',
    {
      volumeName: field(1, 'string', 'Volume that holds the file.', { required: true, keep: true }),
      path: field(2, 'string', 'Path of the file within the volume; must not leave it with "..".', {
        required: true,
        keep: true,
      }),
      key: field(3, 'string', 'Name of the variable in the file.', { required: true, keep: true }),
      optional: field(4, '*bool', 'Whether the file or key may be missing; default false.', {
        default: false,
        statesDefault: true,
      }),
    },
    { atomic: true },
  ),
  GRPCAction: message('Calls the gRPC health service.', {
    port: field(1, 'int32', 'Port number, 1 to 65535.', { required: true, keep: true }),
    service: field(2, '*string', 'Service name to ask about; default "".', {
      keep: true,
      default: '',
      statesDefault: true,
    }),
  }),
  HTTPGetAction: message('Sends an HTTP GET request.', {
    path: field(1, 'string', 'Path to request.', { default: '/' }),
    port: field(2, 'IntOrString', 'Port number, or the name of a container port.', { required: true, keep: true }),
    host: field(3, 'string', "Host to connect to; default the Pod's IP address."),
    scheme: field(4, 'URIScheme', 'HTTP (default) or HTTPS.', { default: 'HTTP' }),
    httpHeaders: field(5, '[]HTTPHeader', 'Headers to send; a name may be repeated.', { list: 'atomic' }),
  }),
  HTTPHeader: message('An HTTP header.', {
    name: field(1, 'string', 'Name of the header.', { required: true, keep: true }),
    value: field(2, 'string', 'Value of the header.', { required: true, keep: true }),
  }),
  Lifecycle: message('Actions around the start and stop of a container.', {
    postStart: field(1, '*LifecycleHandler', 'Runs right after the container is created; failure restarts it.'),
    preStop: field(2, '*LifecycleHandler', 'Runs before the container is stopped, within the grace period.'),
    stopSignal: field(3, '*Signal', 'Signal that stops the container; default from the image or runtime.', {
      gate: 'ContainerStopSignals',
    }),
  }),
  LifecycleHandler: message('What a lifecycle hook does; exactly one action.', {
    exec: field(1, '*ExecAction', 'Runs a command in the container.'),
    httpGet: field(2, '*HTTPGetAction', 'Sends an HTTP GET request.'),
    tcpSocket: field(3, '*TCPSocketAction', 'Not supported as a hook; kept for old objects.'),
    sleep: field(4, '*SleepAction', 'Waits for a while.'),
  }),
  LinuxContainerUser: message('User and groups of a process on Linux.', {
    uid: field(1, 'int64', 'User ID.', { required: true, keep: true }),
    gid: field(2, 'int64', 'Primary group ID.', { required: true, keep: true }),
    supplementalGroups: field(3, '[]int64', 'Further group IDs.', { list: 'atomic' }),
  }),
  ObjectFieldSelector: message(
    'Selects a field of an object.',
    {
      apiVersion: field(1, 'string', 'Version in which the path is written; default v1.', { default: 'v1' }),
      fieldPath: field(2, 'string', 'Path of the field.', { required: true, keep: true }),
    },
    { atomic: true },
  ),
  Probe: message('A regular check of a container.', {
    handler: field(1, 'ProbeHandler', 'The check to make.', { inline: true }),
    initialDelaySeconds: field(2, 'int32', 'Seconds after the start before the first check; default 0.'),
    timeoutSeconds: field(3, 'int32', 'Seconds after which a check fails; default 1.', { default: 1 }),
    periodSeconds: field(4, 'int32', 'Seconds between checks; default 10, at least 1.', { default: 10 }),
    successThreshold: field(5, 'int32', 'Successes in a row that count as success; default 1.', { default: 1 }),
    failureThreshold: field(6, 'int32', 'Failures in a row that count as failure; default 3.', { default: 3 }),
    terminationGracePeriodSeconds: field(7, '*int64', "Grace period after a failed probe; default the Pod's own."),
  }),
  ProbeHandler: message('What a probe does; exactly one action.', {
    exec: field(1, '*ExecAction', 'Runs a command in the container.'),
    httpGet: field(2, '*HTTPGetAction', 'Sends an HTTP GET request; status 200 to 399 is success.'),
    tcpSocket: field(3, '*TCPSocketAction', 'Opens a TCP connection.'),
    grpc: field(4, '*GRPCAction', 'Calls the gRPC health service.'),
  }),
  ResourceClaim: message("A reference to an entry of the Pod's resourceClaims.", {
    name: field(1, 'string', 'Name of the entry.', { required: true, keep: true }),
    request: field(2, 'string', 'One request of the claim; default all of them.'),
  }),
  ResourceFieldSelector: message(
    'Selects a resource limit or request of a container.',
    {
      containerName: field(1, 'string', 'The container; needed in volumes.'),
      resource: field(2, 'string', 'Such as limits.cpu or requests.memory.', { required: true, keep: true }),
      divisor: field(3, 'Quantity', 'Unit of the result; default 1.'),
    },
    { atomic: true },
  ),
  ResourceRequirements: message('Resources to set aside and not to exceed.', {
    limits: field(1, 'map[string]Quantity', 'Most that may be used of each resource.'),
    requests: field(2, 'map[string]Quantity', 'Least that is needed of each resource; default the limits.'),
    claims: field(3, '[]ResourceClaim', "Entries of the Pod's resourceClaims that are used here.", {
      list: { map: ['name'] },
      gate: 'DynamicResourceAllocation',
    }),
  }),
  SELinuxOptions: message('An SELinux context.', {
    user: field(1, 'string', 'SELinux user.'),
    role: field(2, 'string', 'SELinux role.'),
    type: field(3, 'string', 'SELinux type.'),
    level: field(4, 'string', 'SELinux level.'),
  }),
  SeccompProfile: message(
    'A seccomp filter for system calls.',
    {
      type: field(1, 'SeccompProfileType', 'Localhost, RuntimeDefault or Unconfined.', { required: true, keep: true }),
      localhostProfile: field(
        2,
        '*string',
        "Profile file under the kubelet's seccomp directory; only with type Localhost.",
      ),
    },
    { union: { discriminator: 'type', members: ['localhostProfile'] } },
  ),
  SecretEnvSource: message('Takes environment variables from a Secret.', {
    localObjectReference: field(1, 'LocalObjectReference', 'The Secret.', { inline: true }),
    optional: field(2, '*bool', 'Whether the Secret may be missing.'),
  }),
  SecretKeySelector: message(
    'Selects one key of a Secret.',
    {
      localObjectReference: field(1, 'LocalObjectReference', 'The Secret.', { inline: true }),
      key: field(2, 'string', 'The key to read.', { required: true, keep: true }),
      optional: field(3, '*bool', 'Whether the Secret or its key may be missing.'),
    },
    { atomic: true },
  ),
  SecurityContext: message('Security settings of one container.', {
    capabilities: field(1, '*Capabilities', 'Linux capabilities to add and drop.'),
    privileged: field(2, '*bool', "Give the container root's rights on the node; default false."),
    seLinuxOptions: field(3, '*SELinuxOptions', 'SELinux context of the container.'),
    windowsOptions: field(10, '*WindowsSecurityContextOptions', 'Windows settings; not for Linux.'),
    runAsUser: field(4, '*int64', 'User ID of the process; default from the image.'),
    runAsGroup: field(8, '*int64', 'Group ID of the process; default from the runtime.'),
    runAsNonRoot: field(5, '*bool', 'Refuse to start if the user ID would be 0.'),
    readOnlyRootFilesystem: field(6, '*bool', 'Mount the root file system read-only; default false.'),
    allowPrivilegeEscalation: field(7, '*bool', 'Whether a process may gain more rights than its parent.'),
    procMount: field(9, '*ProcMountType', 'How /proc is mounted: Default or Unmasked.'),
    seccompProfile: field(11, '*SeccompProfile', "System call filter; wins over the Pod's."),
    appArmorProfile: field(12, '*AppArmorProfile', "AppArmor profile; wins over the Pod's."),
  }),
  SleepAction: message('Waits.', {
    seconds: field(1, 'int64', 'How many seconds to wait.', { required: true, keep: true }),
  }),
  TCPSocketAction: message('Opens a TCP connection.', {
    port: field(1, 'IntOrString', 'Port number, or the name of a container port.', { required: true, keep: true }),
    host: field(2, 'string', "Host to connect to; default the Pod's IP address."),
  }),
  WindowsSecurityContextOptions: message('Windows settings of a container.', {
    gmsaCredentialSpecName: field(1, '*string', 'Name of the GMSA credential spec.'),
    gmsaCredentialSpec: field(2, '*string', 'Contents of the GMSA credential spec.'),
    runAsUserName: field(3, '*string', 'Windows user that runs the process; default from the image.'),
    hostProcess: field(4, '*bool', 'Run as a host process; all containers of a Pod must agree.'),
  }),
} satisfies MessageDeclarations;
