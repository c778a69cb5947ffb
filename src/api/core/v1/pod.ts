/** Pods. */
import {
  column,
  field,
  listOf,
  message,
  object,
  type KindDeclaration,
  type MessageDeclarations,
} from '../../declare.ts';

export const messages = {
  Binding: object('Assigns an object, usually a Pod, to another one, usually a Node.', {
    metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
    target: field(2, 'ObjectReference', 'The object to bind to.', { required: true, keep: true }),
  }),
  HostAlias: message('Extra hosts-file names for one IP address.', {
    ip: field(1, 'string', 'The IP address.', { required: true, keep: true }),
    hostnames: field(2, '[]string', 'Names that resolve to the address.', { list: 'atomic' }),
  }),
  HostIP: message("One IP address of the Pod's node.", {
    ip: field(1, 'string', 'The IP address.', { required: true, keep: true }),
  }),
  ImageVolumeStatus: message('What an image volume really mounts.', {
    imageRef: field(1, 'string', 'Digest of the image or artifact that is mounted.', { required: true }),
  }),
  Pod: object('One or more containers that run together on a node.', {
    metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
    spec: field(2, 'PodSpec', 'The desired state, as the user asks for it.'),
    status: field(3, 'PodStatus', 'The observed state, as the system last reported it.'),
  }),
  PodAttachOptions: object('Query options of a request to attach to a container.', {
    stdin: field(1, 'bool', 'Send standard input to the container; default false.'),
    stdout: field(2, 'bool', "Receive the container's standard output; default true."),
    stderr: field(3, 'bool', "Receive the container's standard error; default true."),
    tty: field(4, 'bool', 'Give the streams a terminal; default false.'),
    container: field(5, 'string', 'Container to attach to; needed when the Pod has more than one.'),
  }),
  PodCondition: message("One aspect of the Pod's current state.", {
    type: field(
      1,
      'PodConditionType',
      'Which condition, such as PodScheduled, Initialized, ContainersReady or Ready.',
      { required: true, keep: true },
    ),
    observedGeneration: field(7, 'int64', 'The metadata.generation on which the condition was set.'),
    status: field(2, 'ConditionStatus', 'Whether the condition holds: True, False or Unknown.', {
      required: true,
      keep: true,
    }),
    lastProbeTime: field(3, 'Time', 'When the condition was last checked.'),
    lastTransitionTime: field(4, 'Time', 'When the status last changed.'),
    reason: field(5, 'string', 'One CamelCase word on why the condition has its status.'),
    message: field(6, 'string', 'Details of the last change, for people to read.'),
  }),
  PodDNSConfig: message('DNS settings that are added to those of the DNS policy.', {
    nameservers: field(1, '[]string', "IP addresses of DNS servers, appended to the policy's own.", { list: 'atomic' }),
    searches: field(2, '[]string', "Search domains for host names, appended to the policy's own.", { list: 'atomic' }),
    options: field(3, '[]PodDNSConfigOption', "Resolver options, merged with the policy's own; these win.", {
      list: 'atomic',
    }),
  }),
  PodDNSConfigOption: message('One option of the DNS resolver.', {
    name: field(1, 'string', 'Name of the option; required.'),
    value: field(2, '*string', 'Value of the option, if it takes one.'),
  }),
  PodExecOptions: object('Query options of a request to run a command in a container.', {
    stdin: field(1, 'bool', 'Send standard input to the command; default false.'),
    stdout: field(2, 'bool', "Receive the command's standard output."),
    stderr: field(3, 'bool', "Receive the command's standard error."),
    tty: field(4, 'bool', 'Give the command a terminal; default false.'),
    container: field(5, 'string', 'Container to run the command in; needed when the Pod has more than one.'),
    command: field(6, '[]string', 'The program and its arguments; no shell is involved.', { keep: true }),
  }),
  PodExtendedResourceClaimStatus: message("The generated claim that provides the Pod's extended resources.", {
    requestMappings: field(
      1,
      '[]ContainerExtendedResourceRequest',
      "Which container's extended resource is served by which request of the claim.",
      { required: true, keep: true, list: 'atomic' },
    ),
    resourceClaimName: field(2, 'string', 'The ResourceClaim made for the Pod, in its namespace.', {
      required: true,
      keep: true,
    }),
  }),
  PodIP: message('One IP address of the Pod.', {
    ip: field(1, 'string', 'The IP address.', { required: true, keep: true }),
  }),
  PodList: listOf('Pod'),
  PodLogOptions: object("Query options of a request for a container's log.", {
    container: field(1, 'string', 'Container whose log is read; needed when the Pod has more than one.'),
    follow: field(2, 'bool', 'Keep the connection open and send new lines; default false.'),
    previous: field(3, 'bool', 'Read the log of the previous, ended container; default false.'),
    sinceSeconds: field(4, '*int64', 'Only lines newer than this many seconds; excludes sinceTime.'),
    sinceTime: field(5, '*Time', 'Only lines written after this time; excludes sinceSeconds.'),
    timestamps: field(6, 'bool', 'Start each line with its RFC 3339 time; default false.'),
    tailLines: field(7, '*int64', 'Only this many lines from the end of the log.'),
    limitBytes: field(8, '*int64', 'End the answer after this many bytes.'),
    insecureSkipTLSVerifyBackend: field(
      9,
      'bool',
      "Do not verify the kubelet's serving certificate; the log could be forged.",
    ),
    stream: field(10, '*string', 'Which output to read: All (default), Stdout or Stderr.', {
      gate: 'PodLogsQuerySplitStreams',
    }),
  }),
  PodOS: message('The operating system that the Pod is made for.', {
    name: field(1, 'OSName', 'linux or windows.', { required: true, keep: true }),
  }),
  PodPortForwardOptions: object('Query options of a request to forward ports to a Pod.', {
    ports: field(1, '[]int32', "The Pod's ports to forward; needed for WebSocket connections."),
  }),
  PodProxyOptions: object('Query options of a request that is proxied to a Pod.', {
    path: field(1, 'string', 'URL path for the request to the Pod.'),
  }),
  PodReadinessGate: message('A condition that must be true before the Pod is ready.', {
    conditionType: field(1, 'PodConditionType', "Type of the condition in the Pod's status.", {
      required: true,
      keep: true,
    }),
  }),
  PodResourceClaim: message('Names a ResourceClaim, or a template for one, that the Pod uses.', {
    name: field(1, 'string', "Name by which the Pod's containers refer to the claim.", { required: true, keep: true }),
    resourceClaimName: field(3, '*string', 'An existing ResourceClaim; excludes resourceClaimTemplateName.'),
    resourceClaimTemplateName: field(
      4,
      '*string',
      'A template from which the Pod gets its own claim; excludes resourceClaimName.',
    ),
  }),
  PodResourceClaimStatus: message('The claim that stands behind an entry of spec.resourceClaims.', {
    name: field(1, 'string', 'Name of the entry in spec.resourceClaims.', { required: true, keep: true }),
    resourceClaimName: field(2, '*string', 'The ResourceClaim generated for the entry; unset if none was needed.'),
  }),
  PodSchedulingGate: message('Keeps the Pod from being scheduled until it is removed.', {
    name: field(1, 'string', 'Name of the gate, unique within the Pod.', { required: true, keep: true }),
  }),
  PodSchedulingGroup: message(
    'The group with which the Pod is scheduled.',
    {
      podGroupName: field(1, '*string', "Name of the PodGroup, in the Pod's namespace."),
    },
    { union: { members: ['podGroupName'] } },
  ),
  PodSecurityContext: message('Security settings for the Pod and, as defaults, for its containers.', {
    seLinuxOptions: field(1, '*SELinuxOptions', 'SELinux context of all containers; the runtime picks one if unset.'),
    windowsOptions: field(8, '*WindowsSecurityContextOptions', 'Windows settings of all containers; not for Linux.'),
    runAsUser: field(2, '*int64', "User ID of the containers' processes; default from the image."),
    runAsGroup: field(6, '*int64', "Group ID of the containers' processes; default from the runtime."),
    runAsNonRoot: field(3, '*bool', 'Refuse to start a container that would run as user ID 0.'),
    supplementalGroups: field(4, '[]int64', 'More group IDs for the first process of each container.', {
      list: 'atomic',
    }),
    supplementalGroupsPolicy: field(
      12,
      '*SupplementalGroupsPolicy',
      "How supplementary groups are found: Merge with the image's (default) or Strict.",
      { gate: 'SupplementalGroupsPolicy' },
    ),
    fsGroup: field(5, '*int64', 'Group ID that owns the files of volumes that support ownership.'),
    sysctls: field(7, '[]Sysctl', "Kernel parameters of the Pod's namespaces.", { list: 'atomic' }),
    fsGroupChangePolicy: field(
      9,
      '*PodFSGroupChangePolicy',
      'When volume ownership is changed: Always (default) or OnRootMismatch.',
    ),
    seccompProfile: field(10, '*SeccompProfile', 'System call filter of the containers.'),
    appArmorProfile: field(11, '*AppArmorProfile', 'AppArmor profile of the containers.'),
    seLinuxChangePolicy: field(
      13,
      '*PodSELinuxChangePolicy',
      'How volumes get SELinux labels: MountOption (default) or Recursive.',
      { gate: 'SELinuxChangePolicy' },
    ),
  }),
  PodSpec: message('What the Pod runs and under which terms.', {
    volumes: field(1, '[]Volume', 'Volumes that the containers can mount.', {
      list: { map: ['name'] },
      patch: 'merge,retainKeys',
      mergeKey: 'name',
    }),
    initContainers: field(20, '[]Container', 'Containers that run, one after the other, before the others start.', {
      list: { map: ['name'] },
      patch: 'merge',
      mergeKey: 'name',
    }),
    containers: field(2, '[]Container', 'The main containers; at least one, fixed after creation.', {
      required: true,
      keep: true,
      list: { map: ['name'] },
      patch: 'merge',
      mergeKey: 'name',
    }),
    ephemeralContainers: field(
      34,
      '[]EphemeralContainer',
      'Temporary containers for debugging, added through the ephemeralcontainers subresource.',
      { list: { map: ['name'] }, patch: 'merge', mergeKey: 'name' },
    ),
    restartPolicy: field(
      3,
      'RestartPolicy',
      'When ended containers start again: Always (default), OnFailure or Never.',
      { default: 'Always' },
    ),
    terminationGracePeriodSeconds: field(
      4,
      '*int64',
      'Seconds that containers have to stop before they are killed; default 30.',
      { default: 30 },
    ),
    activeDeadlineSeconds: field(
      5,
      '*int64',
      'Seconds after which a running Pod is failed and its containers are killed.',
    ),
    dnsPolicy: field(
      6,
      'DNSPolicy',
      "ClusterFirst (default), ClusterFirstWithHostNet, Default (the node's DNS) or None.",
      { default: 'ClusterFirst' },
    ),
    nodeSelector: field(7, 'map[string]string', 'Labels that a node must have to run the Pod.', { atomic: true }),
    serviceAccountName: field(8, 'string', 'ServiceAccount under which the Pod runs; default "default".'),
    serviceAccount: field(9, 'string', 'Older name of serviceAccountName.'),
    automountServiceAccountToken: field(
      21,
      '*bool',
      "Whether the ServiceAccount's token is mounted in the containers.",
    ),
    nodeName: field(10, 'string', 'The node of the Pod; set by the scheduler, or directly to bypass it.'),
    hostNetwork: field(11, 'bool', "Use the node's network namespace; default false."),
    hostPID: field(12, 'bool', "Use the node's process ID namespace; default false."),
    hostIPC: field(13, 'bool', "Use the node's IPC namespace; default false."),
    shareProcessNamespace: field(27, '*bool', 'Let all containers share one process ID namespace; default false.'),
    securityContext: field(14, '*PodSecurityContext', 'Security settings of the Pod as a whole.'),
    imagePullSecrets: field(
      15,
      '[]LocalObjectReference',
      'Secrets in this namespace with credentials for pulling images.',
      { list: { map: ['name'] }, patch: 'merge', mergeKey: 'name' },
    ),
    hostname: field(16, 'string', "Host name of the Pod; default the Pod's name."),
    subdomain: field(17, 'string', 'Makes the full name hostname.subdomain.namespace.svc.domain.'),
    affinity: field(18, '*Affinity', 'Rules on which nodes to run and which Pods to be near to or far from.'),
    schedulerName: field(19, 'string', 'Scheduler that places the Pod; default default-scheduler.', {
      default: 'default-scheduler',
    }),
    tolerations: field(22, '[]Toleration', 'Taints of nodes that the Pod accepts.', { list: 'atomic' }),
    hostAliases: field(23, '[]HostAlias', "Extra entries for the containers' hosts file.", {
      list: { map: ['ip'] },
      patch: 'merge',
      mergeKey: 'ip',
    }),
    priorityClassName: field(24, 'string', 'PriorityClass that gives the Pod its priority.'),
    priority: field(25, '*int32', 'Priority of the Pod, resolved from the class; higher goes first.'),
    dnsConfig: field(26, '*PodDNSConfig', 'DNS settings in addition to those of dnsPolicy.'),
    readinessGates: field(28, '[]PodReadinessGate', 'More conditions that must be true for the Pod to be ready.', {
      list: 'atomic',
    }),
    runtimeClassName: field(29, '*string', "RuntimeClass that selects the container runtime; default the node's own."),
    enableServiceLinks: field(
      30,
      '*bool',
      'Whether Services of the namespace appear as environment variables; default true.',
    ),
    preemptionPolicy: field(
      31,
      '*PreemptionPolicy',
      'Whether lower Pods make room: PreemptLowerPriority (default) or Never.',
    ),
    overhead: field(32, 'map[string]Quantity', 'Resources used by the sandbox itself; set from the RuntimeClass.'),
    topologySpreadConstraints: field(
      33,
      '[]TopologySpreadConstraint',
      'How Pods like this one are spread over zones, nodes and so on.',
      { list: { map: ['topologyKey', 'whenUnsatisfiable'] }, patch: 'merge', mergeKey: 'topologyKey' },
    ),
    setHostnameAsFQDN: field(35, '*bool', "Use the full domain name as the containers' host name; default false."),
    os: field(36, '*PodOS', 'Operating system of the containers; limits which security fields may be set.'),
    hostUsers: field(37, '*bool', "Use the node's user namespace (default true); false gives the Pod its own."),
    schedulingGates: field(
      38,
      '[]PodSchedulingGate',
      'Gates that hold back scheduling until all are removed; set at creation only.',
      { list: { map: ['name'] }, patch: 'merge', mergeKey: 'name' },
    ),
    resourceClaims: field(39, '[]PodResourceClaim', 'ResourceClaims that the Pod needs before it can start.', {
      list: { map: ['name'] },
      patch: 'merge,retainKeys',
      mergeKey: 'name',
      gate: 'DynamicResourceAllocation',
    }),
    resources: field(40, '*ResourceRequirements', 'CPU, memory and huge pages for all containers together.', {
      gate: 'PodLevelResources',
    }),
    hostnameOverride: field(
      41,
      '*string',
      'Host name inside the Pod, up to 64 characters; DNS records stay as they are.',
      { gate: 'HostnameOverride' },
    ),
    schedulingGroup: field(43, '*PodSchedulingGroup', 'Group with which the Pod is scheduled; fixed after creation.', {
      gate: 'GenericWorkload',
    }),
  }),
  PodStatus: message('What is known about the Pod; may lag behind what the node sees.', {
    observedGeneration: field(17, 'int64', 'The metadata.generation that the kubelet last acted on.'),
    phase: field(1, 'PodPhase', 'Pending, Running, Succeeded, Failed or Unknown.'),
    conditions: field(2, '[]PodCondition', 'Conditions such as PodScheduled, Initialized, ContainersReady and Ready.', {
      list: { map: ['type'] },
      patch: 'merge',
      mergeKey: 'type',
    }),
    message: field(3, 'string', 'Why the Pod is in this state, for people to read.'),
    reason: field(4, 'string', 'Why the Pod is in this state, in one CamelCase word.'),
    nominatedNodeName: field(11, 'string', 'Node on which lower Pods are removed to make room for this one.'),
    hostIP: field(5, 'string', "First IP address of the Pod's node."),
    hostIPs: field(16, '[]HostIP', "IP addresses of the Pod's node, at most one of each family.", {
      list: 'atomic',
      patch: 'merge',
      mergeKey: 'ip',
    }),
    podIP: field(6, 'string', 'First IP address of the Pod.'),
    podIPs: field(12, '[]PodIP', 'IP addresses of the Pod, at most one of each family.', {
      list: { map: ['ip'] },
      patch: 'merge',
      mergeKey: 'ip',
    }),
    startTime: field(7, '*Time', 'When the kubelet first saw the Pod, before images are pulled.'),
    initContainerStatuses: field(10, '[]ContainerStatus', 'State of each init container.', { list: 'atomic' }),
    containerStatuses: field(8, '[]ContainerStatus', 'State of each main container.', { list: 'atomic' }),
    qosClass: field(9, 'PodQOSClass', 'Guaranteed, Burstable or BestEffort, from the requests and limits.'),
    ephemeralContainerStatuses: field(13, '[]ContainerStatus', 'State of each ephemeral container.', {
      list: 'atomic',
    }),
    resize: field(14, 'PodResizeStatus', 'State of a resource change; now told by the PodResize conditions.', {
      gate: 'InPlacePodVerticalScaling',
    }),
    resourceClaimStatuses: field(15, '[]PodResourceClaimStatus', 'The generated claims behind spec.resourceClaims.', {
      list: { map: ['name'] },
      patch: 'merge,retainKeys',
      mergeKey: 'name',
      gate: 'DynamicResourceAllocation',
    }),
    extendedResourceClaimStatus: field(
      18,
      '*PodExtendedResourceClaimStatus',
      "The generated claim behind the Pod's extended resources.",
      { gate: 'DRAExtendedResource' },
    ),
    allocatedResources: field(19, 'map[string]Quantity', 'Pod-level requests that the node has set aside.', {
      gate: 'InPlacePodLevelResourcesVerticalScaling',
    }),
    resources: field(20, '*ResourceRequirements', 'Pod-level requests and limits in force on the node.', {
      gate: 'InPlacePodLevelResourcesVerticalScaling',
    }),
    nodeAllocatableResourceClaimStatuses: field(
      21,
      '[]NodeAllocatableResourceClaimStatus',
      'Node resources such as CPU that are allocated through claims.',
      { list: 'atomic', gate: 'DRANodeAllocatableResources' },
    ),
  }),
  PodStatusResult: object("A Pod's status as an object of its own.", {
    metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
    status: field(2, 'PodStatus', 'The observed state, as the system last reported it.'),
  }),
  ResourceHealth: message('Health of one device given to a container.', {
    resourceID: field(1, 'ResourceID', 'Unique ID of the device on the node.', { required: true, keep: true }),
    health: field(2, 'ResourceHealthStatus', 'Healthy, Unhealthy or Unknown.'),
    message: field(6, '*string', 'Why the device has this health.', { gate: 'ResourceHealthStatusMessage' }),
  }),
  ResourceStatus: message('Health of the devices of one resource.', {
    name: field(1, 'ResourceName', 'The resource, or claim:name/request for a claim.', { required: true, keep: true }),
    resources: field(2, '[]ResourceHealth', 'Health of each device.', { list: { map: ['resourceID'] } }),
  }),
  Sysctl: message('A kernel parameter.', {
    name: field(1, 'string', 'Name of the parameter.', { required: true, keep: true }),
    value: field(2, 'string', 'Value to set.', { required: true, keep: true }),
  }),
} satisfies MessageDeclarations;

export const kinds: readonly KindDeclaration[] = [
  {
    kind: 'Binding',
    plural: 'bindings',
    namespaced: true,
    verbs: ['create'],
  },
  {
    kind: 'Pod',
    plural: 'pods',
    namespaced: true,
    shortNames: ['po'],
    categories: ['all'],
    subresources: {
      attach: { verbs: ['create', 'get'], kind: 'PodAttachOptions' },
      binding: { verbs: ['create'], kind: 'Binding' },
      ephemeralcontainers: { verbs: ['get', 'patch', 'update'] },
      eviction: { verbs: ['create'], kind: 'policy/v1.Eviction' },
      exec: { verbs: ['create', 'get'], kind: 'PodExecOptions' },
      log: { verbs: ['get'] },
      portforward: { verbs: ['create', 'get'], kind: 'PodPortForwardOptions' },
      proxy: { verbs: ['create', 'delete', 'get', 'patch', 'update'], kind: 'PodProxyOptions' },
      resize: { verbs: ['get', 'patch', 'update'] },
      status: { verbs: ['get', 'patch', 'update'] },
    },
    selectableFields: {
      'spec.nodeName': 'spec.nodeName',
      'spec.restartPolicy': 'spec.restartPolicy',
      'spec.schedulerName': 'spec.schedulerName',
      'spec.serviceAccountName': 'spec.serviceAccountName',
      'spec.hostNetwork': 'spec.hostNetwork',
      'status.phase': 'status.phase',
      'status.podIP': 'status.podIP',
      'status.podIPs': 'status.podIPs',
      'status.nominatedNodeName': 'status.nominatedNodeName',
    },
    columns: [
      column('Name', 'string', 0, 'name'),
      column('Ready', 'string'),
      column('Status', 'string'),
      column('Restarts', 'string'),
      column('Age', 'string'),
      column('IP', 'string', 1),
      column('Node', 'string', 1),
      column('Nominated Node', 'string', 1),
      column('Readiness Gates', 'string', 1),
    ],
  },
];
