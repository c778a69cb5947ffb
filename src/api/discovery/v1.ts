/** The discovery.k8s.io group, v1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const discoveryV1: PackageDeclaration = {
  alias: 'discovery',
  group: 'discovery.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.api.discovery.v1',
  strings: {
    AddressType: ['IPv4', 'IPv6', 'FQDN'],
  },
  messages: {
    Endpoint: message('One backend of a Service.', {
      addresses: field(1, '[]string', "Its addresses, of the slice's type; clients may use any one.", {
        required: true,
        keep: true,
        list: 'set',
      }),
      conditions: field(2, 'EndpointConditions', 'Whether it is ready, serving and terminating.'),
      hostname: field(3, '*string', 'Its host name, a DNS label.'),
      targetRef: field(4, '*core.ObjectReference', 'The object behind it, usually a Pod.'),
      deprecatedTopology: field(5, 'map[string]string', 'Topology labels of the older API; not settable.'),
      nodeName: field(6, '*string', 'Node on which it runs.'),
      zone: field(7, '*string', 'Zone in which it runs.'),
      hints: field(8, '*EndpointHints', 'Who should use it.'),
    }),
    EndpointConditions: message('Condition of an endpoint.', {
      ready: field(1, '*bool', 'Whether it takes new traffic; unset means yes.'),
      serving: field(2, '*bool', 'Like ready, also while it is terminating; unset means as ready.'),
      terminating: field(3, '*bool', 'Whether it is shutting down; unset means no.'),
    }),
    EndpointHints: message('Who should use an endpoint.', {
      forZones: field(1, '[]ForZone', 'Zones whose clients should use it; at most 8.', { list: 'atomic' }),
      forNodes: field(2, '[]ForNode', 'Nodes whose clients should use it; at most 8.', { list: 'atomic' }),
    }),
    EndpointPort: message(
      'A port of the endpoints.',
      {
        name: field(1, '*string', 'Name of the port, unique in the slice; may be empty.', { default: '' }),
        protocol: field(2, '*core.Protocol', 'TCP (default), UDP or SCTP.', { default: 'TCP' }),
        port: field(3, '*int32', 'Port number.'),
        appProtocol: field(4, '*string', 'Application protocol, such as kubernetes.io/h2c.'),
      },
      { atomic: true },
    ),
    EndpointSlice: object('A part of the backends of a Service.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      addressType: field(4, 'AddressType', 'IPv4, IPv6 or FQDN (deprecated); fixed.', { required: true, keep: true }),
      endpoints: field(2, '[]Endpoint', 'The endpoints, at most 1000.', { keep: true, list: 'atomic' }),
      ports: field(3, '[]EndpointPort', 'Ports of every endpoint, at most 100.', { keep: true, list: 'atomic' }),
    }),
    EndpointSliceList: listOf('EndpointSlice'),
    ForNode: message('A node whose clients should use an endpoint.', {
      name: field(1, 'string', 'Name of the node.', { required: true, keep: true }),
    }),
    ForZone: message('A zone whose clients should use an endpoint.', {
      name: field(1, 'string', 'Name of the zone.', { required: true, keep: true }),
    }),
  },
  kinds: [
    {
      kind: 'EndpointSlice',
      plural: 'endpointslices',
      namespaced: true,
      columns: [
        column('Name', 'string', 0, 'name'),
        column('AddressType', 'string'),
        column('Ports', 'string'),
        column('Endpoints', 'string'),
        column('Age', 'string'),
      ],
    },
  ],
};
