/** Nodes and their state. */
import { column, field, listOf, message, object, type KindDeclaration, type MessageDeclarations } from '../../declare.ts';

export const messages = {
  AttachedVolume: message('', {
    name: field(1, 'UniqueVolumeName', '', { required: true, keep: true }),
    devicePath: field(2, 'string', '', { required: true, keep: true }),
  }),
  AvoidPods: message('', {
    preferAvoidPods: field(1, '[]PreferAvoidPodsEntry', ''),
  }),
  ConfigMapNodeConfigSource: message('', {
    namespace: field(1, 'string', '', { required: true, keep: true }),
    name: field(2, 'string', '', { required: true, keep: true }),
    uid: field(3, 'string', ''),
    resourceVersion: field(4, 'string', ''),
    kubeletConfigKey: field(5, 'string', '', { required: true, keep: true }),
  }),
  DaemonEndpoint: message('', {
    Port: field(1, 'int32', '', { required: true, keep: true }),
  }),
  Node: object('', {
    metadata: field(1, 'meta.ObjectMeta', ''),
    spec: field(2, 'NodeSpec', ''),
    status: field(3, 'NodeStatus', ''),
  }),
  NodeAddress: message('', {
    type: field(1, 'NodeAddressType', '', { required: true, keep: true }),
    address: field(2, 'string', '', { required: true, keep: true }),
  }),
  NodeAllocatableResourceClaimStatus: message('', {
    resourceClaimName: field(1, 'string', '', { required: true, keep: true }),
    containers: field(2, '[]string', '', { list: 'set' }),
    resources: field(3, 'map[string]Quantity', '', { required: true, keep: true }),
  }),
  NodeCondition: message('', {
    type: field(1, 'NodeConditionType', '', { required: true, keep: true }),
    status: field(2, 'ConditionStatus', '', { required: true, keep: true }),
    lastHeartbeatTime: field(3, 'Time', ''),
    lastTransitionTime: field(4, 'Time', ''),
    reason: field(5, 'string', ''),
    message: field(6, 'string', ''),
  }),
  NodeConfigSource: message('', {
    configMap: field(2, '*ConfigMapNodeConfigSource', ''),
  }),
  NodeConfigStatus: message('', {
    assigned: field(1, '*NodeConfigSource', ''),
    active: field(2, '*NodeConfigSource', ''),
    lastKnownGood: field(3, '*NodeConfigSource', ''),
    error: field(4, 'string', ''),
  }),
  NodeDaemonEndpoints: message('', {
    kubeletEndpoint: field(1, 'DaemonEndpoint', ''),
  }),
  NodeFeatures: message('', {
    supplementalGroupsPolicy: field(1, '*bool', ''),
  }),
  NodeList: listOf('Node'),
  NodeProxyOptions: object('', {
    path: field(1, 'string', ''),
  }),
  NodeRuntimeHandler: message('', {
    name: field(1, 'string', '', { keep: true }),
    features: field(2, '*NodeRuntimeHandlerFeatures', ''),
  }),
  NodeRuntimeHandlerFeatures: message('', {
    recursiveReadOnlyMounts: field(1, '*bool', ''),
    userNamespaces: field(2, '*bool', ''),
  }),
  NodeSpec: message('', {
    podCIDR: field(1, 'string', ''),
    podCIDRs: field(7, '[]string', '', { list: 'set', patch: 'merge' }),
    providerID: field(3, 'string', ''),
    unschedulable: field(4, 'bool', ''),
    taints: field(5, '[]Taint', '', { list: 'atomic' }),
    configSource: field(6, '*NodeConfigSource', ''),
    externalID: field(2, 'string', ''),
  }),
  NodeStatus: message('', {
    capacity: field(1, 'map[string]Quantity', ''),
    allocatable: field(2, 'map[string]Quantity', ''),
    phase: field(3, 'NodePhase', ''),
    conditions: field(4, '[]NodeCondition', '', { list: { map: ['type'] }, patch: 'merge', mergeKey: 'type' }),
    addresses: field(5, '[]NodeAddress', '', { list: { map: ['type'] }, patch: 'merge', mergeKey: 'type' }),
    daemonEndpoints: field(6, 'NodeDaemonEndpoints', ''),
    nodeInfo: field(7, 'NodeSystemInfo', ''),
    images: field(8, '[]ContainerImage', '', { list: 'atomic' }),
    volumesInUse: field(9, '[]UniqueVolumeName', '', { list: 'atomic' }),
    volumesAttached: field(10, '[]AttachedVolume', '', { list: 'atomic' }),
    config: field(11, '*NodeConfigStatus', ''),
    runtimeHandlers: field(12, '[]NodeRuntimeHandler', '', { list: 'atomic' }),
    features: field(13, '*NodeFeatures', '', { gate: 'SupplementalGroupsPolicy' }),
    declaredFeatures: field(14, '[]string', '', { list: 'atomic', gate: 'NodeDeclaredFeatures' }),
  }),
  NodeSwapStatus: message('', {
    capacity: field(1, '*int64', ''),
  }),
  NodeSystemInfo: message('', {
    machineID: field(1, 'string', '', { required: true, keep: true }),
    systemUUID: field(2, 'string', '', { required: true, keep: true }),
    bootID: field(3, 'string', '', { required: true, keep: true }),
    kernelVersion: field(4, 'string', '', { required: true, keep: true }),
    osImage: field(5, 'string', '', { required: true, keep: true }),
    containerRuntimeVersion: field(6, 'string', '', { required: true, keep: true }),
    kubeletVersion: field(7, 'string', '', { required: true, keep: true }),
    kubeProxyVersion: field(8, 'string', '', { required: true, keep: true }),
    operatingSystem: field(9, 'string', '', { required: true, keep: true }),
    architecture: field(10, 'string', '', { required: true, keep: true }),
    swap: field(11, '*NodeSwapStatus', ''),
  }),
  PodSignature: message('', {
    podController: field(1, '*meta.OwnerReference', ''),
  }),
  Taint: message('', {
    key: field(1, 'string', '', { required: true, keep: true }),
    value: field(2, 'string', ''),
    effect: field(3, 'TaintEffect', '', { required: true, keep: true }),
    timeAdded: field(4, '*Time', ''),
  }),
} satisfies MessageDeclarations;

export const kinds: readonly KindDeclaration[] = [
  {
    kind: 'Node',
    plural: 'nodes',
    singular: 'node',
    namespaced: false,
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
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
