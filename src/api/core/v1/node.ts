/** Nodes and their state. */
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
  AttachedVolume: message('A volume attached to a node.', {
    name: field(1, 'UniqueVolumeName', 'Unique name of the volume.', { required: true, keep: true }),
    devicePath: field(2, 'string', 'Path of the device.', { required: true, keep: true }),
  }),
  AvoidPods: message('Pods that a node would rather not run.', {
    preferAvoidPods: field(1, '[]PreferAvoidPodsEntry', 'The Pods.'),
  }),
  ConfigMapNodeConfigSource: message('A ConfigMap with kubelet configuration; no longer supported.', {
    namespace: field(1, 'string', 'Namespace of the ConfigMap.', { required: true, keep: true }),
    name: field(2, 'string', 'Name of the ConfigMap.', { required: true, keep: true }),
    uid: field(3, 'string', 'UID of the ConfigMap; only in status.'),
    resourceVersion: field(4, 'string', 'Resource version of the ConfigMap; only in status.'),
    kubeletConfigKey: field(5, 'string', 'Key that holds the configuration.', { required: true, keep: true }),
  }),
  DaemonEndpoint: message('Port of a daemon.', {
    Port: field(1, 'int32', 'Port number.', { required: true, keep: true }),
  }),
  Node: object('A machine that runs Pods.', {
    metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
    spec: field(2, 'NodeSpec', 'The desired state, as the user asks for it.'),
    status: field(3, 'NodeStatus', 'The observed state, as the system last reported it.'),
  }),
  NodeAddress: message('One address of a node.', {
    type: field(1, 'NodeAddressType', 'Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.', {
      required: true,
      keep: true,
    }),
    address: field(2, 'string', 'The address.', { required: true, keep: true }),
  }),
  NodeAllocatableResourceClaimStatus: message('Node resources given to a Pod through one claim.', {
    resourceClaimName: field(1, 'string', 'The claim.', { required: true, keep: true }),
    containers: field(2, '[]string', 'Containers of the Pod that use the claim.', { list: 'set' }),
    resources: field(3, 'map[string]Quantity', 'Total of each resource given through the claim.', {
      keyType: 'v1.ResourceName',
      required: true,
      keep: true,
    }),
  }),
  NodeCondition: message("One aspect of the node's current state.", {
    type: field(
      1,
      'NodeConditionType',
      'Which condition, such as Ready, MemoryPressure, DiskPressure or PIDPressure.',
      { required: true, keep: true },
    ),
    status: field(2, 'ConditionStatus', 'Whether the condition holds: True, False or Unknown.', {
      required: true,
      keep: true,
    }),
    lastHeartbeatTime: field(3, 'Time', 'When the condition was last reported.'),
    lastTransitionTime: field(4, 'Time', 'When the status last changed.'),
    reason: field(5, 'string', 'One CamelCase word on why the condition has its status.'),
    message: field(6, 'string', 'Details of the last change, for people to read.'),
  }),
  NodeConfigSource: message('Source of kubelet configuration; no longer supported.', {
    configMap: field(2, '*ConfigMapNodeConfigSource', 'A ConfigMap with the configuration.'),
  }),
  NodeConfigStatus: message('State of kubelet configuration; no longer supported.', {
    assigned: field(1, '*NodeConfigSource', 'Configuration that the node is to use.'),
    active: field(2, '*NodeConfigSource', 'Configuration in use.'),
    lastKnownGood: field(3, '*NodeConfigSource', 'Configuration to go back to on errors.'),
    error: field(4, 'string', 'Problem with the assigned configuration.'),
  }),
  NodeDaemonEndpoints: message('Ports of the daemons of a node.', {
    kubeletEndpoint: field(1, 'DaemonEndpoint', 'Port of the kubelet.'),
  }),
  NodeFeatures: message("What the node's container runtime can do.", {
    supplementalGroupsPolicy: field(
      1,
      '*bool',
      'Whether supplementalGroupsPolicy and the container user are supported.',
    ),
  }),
  NodeList: listOf('Node'),
  NodeProxyOptions: object('Query options of a request that is proxied to a node.', {
    path: field(1, 'string', 'URL path for the request to the node.'),
  }),
  NodeRuntimeHandler: message('A runtime handler of the node.', {
    name: field(1, 'string', 'Name of the handler; empty for the default one.', { keep: true }),
    features: field(2, '*NodeRuntimeHandlerFeatures', 'What the handler can do.'),
  }),
  NodeRuntimeHandlerFeatures: message('What a runtime handler can do.', {
    recursiveReadOnlyMounts: field(1, '*bool', 'Whether recursive read-only mounts work.'),
    userNamespaces: field(2, '*bool', 'Whether user namespaces work.'),
  }),
  NodeSpec: message('Settings of a node.', {
    podCIDR: field(1, 'string', "Address range of the node's Pods."),
    podCIDRs: field(7, '[]string', "Address ranges of the node's Pods, at most one of each family.", {
      list: 'set',
      patch: 'merge',
    }),
    providerID: field(3, 'string', 'ID of the machine at the cloud provider, as provider://id.'),
    unschedulable: field(4, 'bool', 'Whether new Pods stay away, as after kubectl cordon.'),
    taints: field(5, '[]Taint', 'Taints that keep away Pods without a matching toleration.', { list: 'atomic' }),
    configSource: field(6, '*NodeConfigSource', 'Source of kubelet configuration; no longer supported.'),
    externalID: field(2, 'string', 'Not used any more.'),
  }),
  NodeStatus: message('State of a node.', {
    capacity: field(1, 'map[string]Quantity', 'All resources of the node.'),
    allocatable: field(2, 'map[string]Quantity', 'Resources of the node that Pods can have; default the capacity.'),
    phase: field(3, 'NodePhase', 'Not used any more.'),
    conditions: field(4, '[]NodeCondition', 'Conditions such as Ready and MemoryPressure.', {
      list: { map: ['type'] },
      patch: 'merge',
      mergeKey: 'type',
    }),
    addresses: field(5, '[]NodeAddress', 'Addresses by which the node is reached.', {
      list: { map: ['type'] },
      patch: 'merge',
      mergeKey: 'type',
    }),
    daemonEndpoints: field(6, 'NodeDaemonEndpoints', "Ports of the node's daemons."),
    nodeInfo: field(7, 'NodeSystemInfo', 'Identity and versions of the node.'),
    images: field(8, '[]ContainerImage', 'Images on the node.', { list: 'atomic' }),
    volumesInUse: field(9, '[]UniqueVolumeName', 'Attachable volumes that are mounted.', { list: 'atomic' }),
    volumesAttached: field(10, '[]AttachedVolume', 'Volumes that are attached.', { list: 'atomic' }),
    config: field(11, '*NodeConfigStatus', 'State of kubelet configuration; no longer supported.'),
    runtimeHandlers: field(12, '[]NodeRuntimeHandler', 'Runtime handlers of the node.', { list: 'atomic' }),
    features: field(13, '*NodeFeatures', 'What the container runtime can do.', { gate: 'SupplementalGroupsPolicy' }),
    declaredFeatures: field(14, '[]string', 'Kubelet features that matter for scheduling.', {
      list: 'atomic',
      gate: 'NodeDeclaredFeatures',
    }),
  }),
  NodeSwapStatus: message('Swap of a node.', {
    capacity: field(1, '*int64', 'Swap space in bytes.'),
  }),
  NodeSystemInfo: message('Identity and versions of a node.', {
    machineID: field(1, 'string', 'Machine ID, unique in the cluster.', { required: true, keep: true }),
    systemUUID: field(2, 'string', 'UUID of the hardware.', { required: true, keep: true }),
    bootID: field(3, 'string', 'ID that changes with every boot.', { required: true, keep: true }),
    kernelVersion: field(4, 'string', 'Kernel version.', { required: true, keep: true }),
    osImage: field(5, 'string', 'Operating system, as in /etc/os-release.', { required: true, keep: true }),
    containerRuntimeVersion: field(6, 'string', 'Container runtime and version, as runtime://version.', {
      required: true,
      keep: true,
    }),
    kubeletVersion: field(7, 'string', 'Version of the kubelet.', { required: true, keep: true }),
    kubeProxyVersion: field(8, 'string', 'No longer set.', { required: true, keep: true }),
    operatingSystem: field(9, 'string', 'linux or windows.', { required: true, keep: true }),
    architecture: field(10, 'string', 'CPU architecture, such as amd64 or arm64.', { required: true, keep: true }),
    swap: field(11, '*NodeSwapStatus', 'Swap of the node.'),
  }),
  PodSignature: message('Which Pods are meant.', {
    podController: field(1, '*meta.OwnerReference', 'The controller that owns the Pods.'),
  }),
  Taint: message('Keeps away Pods that do not tolerate it.', {
    key: field(1, 'string', 'Taint key.', { required: true, keep: true }),
    value: field(2, 'string', 'Taint value.'),
    effect: field(3, 'TaintEffect', 'NoSchedule, PreferNoSchedule or NoExecute (evicts running Pods too).', {
      required: true,
      keep: true,
    }),
    timeAdded: field(4, '*Time', 'When the taint was added; set for NoExecute.'),
  }),
} satisfies MessageDeclarations;

export const kinds: readonly KindDeclaration[] = [
  {
    kind: 'Node',
    plural: 'nodes',
    namespaced: false,
    shortNames: ['no'],
    subresources: {
      proxy: { verbs: ['create', 'delete', 'get', 'patch', 'update'], kind: 'NodeProxyOptions' },
      status: { verbs: ['get', 'patch', 'update'] },
    },
    selectableFields: {
      'spec.unschedulable': 'spec.unschedulable',
    },
    columns: [
      column('Name', 'string', 0, 'name'),
      column('Status', 'string'),
      column('Roles', 'string'),
      column('Age', 'string'),
      column('Version', 'string'),
      column('Internal-IP', 'string', 1),
      column('External-IP', 'string', 1),
      column('OS-Image', 'string', 1),
      column('Kernel-Version', 'string', 1),
      column('Container-Runtime', 'string', 1),
    ],
  },
];
