/** Services, and the Endpoints behind them. */
import { column, field, listOf, message, object, type KindDeclaration, type MessageDeclarations } from '../../declare.ts';

export const messages = {
  ClientIPConfig: message('', {
    timeoutSeconds: field(1, '*int32', ''),
  }),
  EndpointAddress: message('', {
    ip: field(1, 'string', '', { required: true, keep: true }),
    hostname: field(3, 'string', ''),
    nodeName: field(4, '*string', ''),
    targetRef: field(2, '*ObjectReference', ''),
  }, { atomic: true }),
  EndpointPort: message('', {
    name: field(1, 'string', ''),
    port: field(2, 'int32', '', { required: true, keep: true }),
    protocol: field(3, 'Protocol', ''),
    appProtocol: field(4, '*string', ''),
  }, { atomic: true }),
  EndpointSubset: message('', {
    addresses: field(1, '[]EndpointAddress', '', { list: 'atomic' }),
    notReadyAddresses: field(2, '[]EndpointAddress', '', { list: 'atomic' }),
    ports: field(3, '[]EndpointPort', '', { list: 'atomic' }),
  }),
  Endpoints: object('', {
    metadata: field(1, 'meta.ObjectMeta', ''),
    subsets: field(2, '[]EndpointSubset', '', { list: 'atomic' }),
  }),
  EndpointsList: listOf('Endpoints'),
  LoadBalancerIngress: message('', {
    ip: field(1, 'string', ''),
    hostname: field(2, 'string', ''),
    ipMode: field(3, '*LoadBalancerIPMode', ''),
    ports: field(4, '[]PortStatus', '', { list: 'atomic' }),
  }),
  LoadBalancerStatus: message('', {
    ingress: field(1, '[]LoadBalancerIngress', '', { list: 'atomic' }),
  }),
  PortStatus: message('', {
    port: field(1, 'int32', '', { required: true, keep: true }),
    protocol: field(2, 'Protocol', '', { required: true, keep: true }),
    error: field(3, '*string', ''),
  }),
  Service: object('', {
    metadata: field(1, 'meta.ObjectMeta', ''),
    spec: field(2, 'ServiceSpec', ''),
    status: field(3, 'ServiceStatus', ''),
  }),
  ServiceList: listOf('Service'),
  ServicePort: message('', {
    name: field(1, 'string', ''),
    protocol: field(2, 'Protocol', ''),
    appProtocol: field(6, '*string', ''),
    port: field(3, 'int32', '', { required: true, keep: true }),
    targetPort: field(4, 'IntOrString', ''),
    nodePort: field(5, 'int32', ''),
  }),
  ServiceProxyOptions: object('', {
    path: field(1, 'string', ''),
  }),
  ServiceSpec: message('', {
    ports: field(1, '[]ServicePort', '', { list: { map: ['port', 'protocol'] }, patch: 'merge', mergeKey: 'port' }),
    selector: field(2, 'map[string]string', '', { atomic: true }),
    clusterIP: field(3, 'string', ''),
    clusterIPs: field(18, '[]string', '', { list: 'atomic' }),
    type: field(4, 'ServiceType', ''),
    externalIPs: field(5, '[]string', '', { list: 'atomic' }),
    sessionAffinity: field(7, 'ServiceAffinity', ''),
    loadBalancerIP: field(8, 'string', ''),
    loadBalancerSourceRanges: field(9, '[]string', '', { list: 'atomic' }),
    externalName: field(10, 'string', ''),
    externalTrafficPolicy: field(11, 'ServiceExternalTrafficPolicy', ''),
    healthCheckNodePort: field(12, 'int32', ''),
    publishNotReadyAddresses: field(13, 'bool', ''),
    sessionAffinityConfig: field(14, '*SessionAffinityConfig', ''),
    ipFamilies: field(19, '[]IPFamily', '', { list: 'atomic' }),
    ipFamilyPolicy: field(17, '*IPFamilyPolicy', ''),
    allocateLoadBalancerNodePorts: field(20, '*bool', ''),
    loadBalancerClass: field(21, '*string', ''),
    internalTrafficPolicy: field(22, '*ServiceInternalTrafficPolicy', ''),
    trafficDistribution: field(23, '*string', ''),
  }),
  ServiceStatus: message('', {
    loadBalancer: field(1, 'LoadBalancerStatus', ''),
    conditions: field(2, '[]meta.Condition', '', { list: { map: ['type'] }, patch: 'merge', mergeKey: 'type' }),
  }),
  SessionAffinityConfig: message('', {
    clientIP: field(1, '*ClientIPConfig', ''),
  }),
} satisfies MessageDeclarations;

export const kinds: readonly KindDeclaration[] = [
  {
    kind: 'Endpoints',
    plural: 'endpoints',
    singular: 'endpoints',
    namespaced: true,
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    shortNames: ['ep'],
    columns: [
      column('Name', 'string', 0, 'name'),
      column('Endpoints', 'string'),
      column('Age', 'string'),
    ],
  },
  {
    kind: 'Service',
    plural: 'services',
    singular: 'service',
    namespaced: true,
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    shortNames: ['svc'],
    categories: ['all'],
    subresources: {
      proxy: { verbs: ['create', 'delete', 'get', 'patch', 'update'], kind: 'ServiceProxyOptions' },
      status: { verbs: ['get', 'patch', 'update'] },
    },
    selectableFields: {
      'spec.clusterIP': 'spec.clusterIP',
      'spec.type': 'spec.type',
    },
    columns: [
      column('Name', 'string', 0, 'name'),
      column('Type', 'string'),
      column('Cluster-IP', 'string'),
      column('External-IP', 'string'),
      column('Port(s)', 'string'),
      column('Age', 'string'),
      column('Selector', 'string', 1),
    ],
  },
];
