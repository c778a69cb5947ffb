/** Services, and the Endpoints behind them. */
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
  ClientIPConfig: message('Settings of client IP session affinity.', {
    timeoutSeconds: field(1, '*int32', 'Seconds for which a client stays with its Pod; 1 to 86400, default 10800.'),
  }),
  EndpointAddress: message(
    'One address of an Endpoints object.',
    {
      ip: field(1, 'string', 'IP address; not loopback, link-local or multicast.', { required: true, keep: true }),
      hostname: field(3, 'string', 'Host name of the endpoint.'),
      nodeName: field(4, '*string', 'Node of the endpoint.'),
      targetRef: field(2, '*ObjectReference', 'The object behind the address, usually a Pod.'),
    },
    { atomic: true },
  ),
  EndpointPort: message(
    'One port of an Endpoints object.',
    {
      name: field(1, 'string', 'Name of the port; needed when there is more than one.'),
      port: field(2, 'int32', 'Port number.', { required: true, keep: true }),
      protocol: field(3, 'Protocol', 'TCP (default), UDP or SCTP.', { default: 'TCP' }),
      appProtocol: field(4, '*string', 'Application protocol, such as kubernetes.io/h2c.'),
    },
    { atomic: true },
  ),
  EndpointSubset: message('Addresses that share the same ports.', {
    addresses: field(1, '[]EndpointAddress', 'Addresses that are ready.', { list: 'atomic' }),
    notReadyAddresses: field(2, '[]EndpointAddress', 'Addresses that are not ready.', { list: 'atomic' }),
    ports: field(3, '[]EndpointPort', 'Ports of the addresses.', { list: 'atomic' }),
  }),
  Endpoints: object('Addresses behind a Service; EndpointSlice replaces it.', {
    metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
    subsets: field(2, '[]EndpointSubset', 'Groups of addresses with the same ports.', { list: 'atomic' }),
  }),
  EndpointsList: listOf('Endpoints'),
  LoadBalancerIngress: message('One entry point of a load balancer.', {
    ip: field(1, 'string', 'IP address.'),
    hostname: field(2, 'string', 'DNS name.'),
    ipMode: field(3, '*LoadBalancerIPMode', 'How the address works: VIP (destination is kept) or Proxy.'),
    ports: field(4, '[]PortStatus', 'State of the ports.', { list: 'atomic' }),
  }),
  LoadBalancerStatus: message('State of a load balancer.', {
    ingress: field(1, '[]LoadBalancerIngress', 'Its entry points.', { list: 'atomic' }),
  }),
  PortStatus: message('State of one port of a load balancer.', {
    port: field(1, 'int32', 'Port number.', { required: true, keep: true }),
    protocol: field(2, 'Protocol', 'TCP, UDP or SCTP.', { required: true, keep: true }),
    error: field(3, '*string', 'Reason word for a failure of the port.'),
  }),
  Service: object('A stable name, address and ports for a set of Pods.', {
    metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
    spec: field(2, 'ServiceSpec', 'The desired state, as the user asks for it.'),
    status: field(3, 'ServiceStatus', 'The observed state, as the system last reported it.'),
  }),
  ServiceList: listOf('Service', 'List of services.'),
  ServicePort: message('One port of a Service.', {
    name: field(1, 'string', 'Name of the port, a DNS label; needed when there is more than one.'),
    protocol: field(2, 'Protocol', 'TCP (default), UDP or SCTP.', { default: 'TCP', statesDefault: true }),
    appProtocol: field(6, '*string', 'Application protocol, such as kubernetes.io/h2c.'),
    port: field(3, 'int32', 'Port on which the Service is reached.', { required: true, keep: true }),
    targetPort: field(4, 'IntOrString', 'Port number or name on the Pods; default the same as port.'),
    nodePort: field(5, 'int32', 'Port on every node, for NodePort and LoadBalancer; allocated if 0.'),
  }),
  ServiceProxyOptions: object('Query options of a request that is proxied to a Service.', {
    path: field(1, 'string', 'URL path for the request to the Service.'),
  }),
  ServiceSpec: message('How a Service is reached and what is behind it.', {
    ports: field(1, '[]ServicePort', 'Ports of the Service.', {
      list: { map: ['port', 'protocol'] },
      patch: 'merge',
      mergeKey: 'port',
    }),
    selector: field(
      2,
      'map[string]string',
      'Labels of the Pods behind it; without one, endpoints are managed by others.',
      { atomic: true },
    ),
    clusterIP: field(3, 'string', 'Virtual IP address; allocated if empty, None for a headless Service.'),
    clusterIPs: field(18, '[]string', 'Virtual IP addresses, at most two of different families.', { list: 'atomic' }),
    type: field(4, 'ServiceType', 'ClusterIP (default), NodePort, LoadBalancer or ExternalName.', {
      default: 'ClusterIP',
    }),
    externalIPs: field(5, '[]string', 'Further IP addresses, routed to nodes by someone else.', { list: 'atomic' }),
    sessionAffinity: field(7, 'ServiceAffinity', 'None (default), or ClientIP to keep a client on one Pod.', {
      default: 'None',
    }),
    loadBalancerIP: field(8, 'string', 'Wanted load balancer address; deprecated.'),
    loadBalancerSourceRanges: field(9, '[]string', 'Client CIDRs that the load balancer lets in; default all.', {
      list: 'atomic',
    }),
    externalName: field(10, 'string', 'DNS name that the Service is an alias of, for ExternalName.'),
    externalTrafficPolicy: field(
      11,
      'ServiceExternalTrafficPolicy',
      'Traffic from outside goes to Pods of the Cluster (default) or Local node.',
    ),
    healthCheckNodePort: field(12, 'int32', 'Health check port on nodes, for LoadBalancer with Local policy.'),
    publishNotReadyAddresses: field(13, 'bool', 'Treat Pods that are not ready as ready; default false.'),
    sessionAffinityConfig: field(14, '*SessionAffinityConfig', 'Settings of session affinity.'),
    ipFamilies: field(19, '[]IPFamily', 'IPv4, IPv6 or both, in order of preference.', { list: 'atomic' }),
    ipFamilyPolicy: field(17, '*IPFamilyPolicy', 'SingleStack (default), PreferDualStack or RequireDualStack.'),
    allocateLoadBalancerNodePorts: field(20, '*bool', 'Whether a LoadBalancer gets node ports; default true.'),
    loadBalancerClass: field(21, '*string', "Load balancer implementation; default the cluster's own."),
    internalTrafficPolicy: field(
      22,
      '*ServiceInternalTrafficPolicy',
      'Traffic from inside goes to Pods of the Cluster (default) or Local node.',
    ),
    trafficDistribution: field(
      23,
      '*string',
      'Which endpoints are preferred: PreferSameZone, PreferSameNode or PreferClose.',
    ),
  }),
  ServiceStatus: message('State of a Service.', {
    loadBalancer: field(1, 'LoadBalancerStatus', 'State of its load balancer.'),
    conditions: field(2, '[]meta.Condition', 'Conditions of the Service.', {
      list: { map: ['type'] },
      patch: 'merge',
      mergeKey: 'type',
    }),
  }),
  SessionAffinityConfig: message('Settings of session affinity.', {
    clientIP: field(1, '*ClientIPConfig', 'Settings of client IP affinity.'),
  }),
} satisfies MessageDeclarations;

export const kinds: readonly KindDeclaration[] = [
  {
    kind: 'Endpoints',
    plural: 'endpoints',
    namespaced: true,
    shortNames: ['ep'],
    columns: [column('Name', 'string', 0, 'name'), column('Endpoints', 'string'), column('Age', 'string')],
  },
  {
    kind: 'Service',
    plural: 'services',
    namespaced: true,
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
