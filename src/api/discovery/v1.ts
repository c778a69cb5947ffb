/** The discovery.k8s.io group, v1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const discoveryV1: PackageDeclaration = {
  alias: 'discovery',
  group: 'discovery.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.api.discovery.v1',
  strings: {
    AddressType: [],
  },
  messages: {
    Endpoint: message('', {
      addresses: field(1, '[]string', '', { required: true, keep: true, list: 'set' }),
      conditions: field(2, 'EndpointConditions', ''),
      hostname: field(3, '*string', ''),
      targetRef: field(4, '*core.ObjectReference', ''),
      deprecatedTopology: field(5, 'map[string]string', ''),
      nodeName: field(6, '*string', ''),
      zone: field(7, '*string', ''),
      hints: field(8, '*EndpointHints', ''),
    }),
    EndpointConditions: message('', {
      ready: field(1, '*bool', ''),
      serving: field(2, '*bool', ''),
      terminating: field(3, '*bool', ''),
    }),
    EndpointHints: message('', {
      forZones: field(1, '[]ForZone', '', { list: 'atomic' }),
      forNodes: field(2, '[]ForNode', '', { list: 'atomic' }),
    }),
    EndpointPort: message('', {
      name: field(1, '*string', ''),
      protocol: field(2, '*core.Protocol', ''),
      port: field(3, '*int32', ''),
      appProtocol: field(4, '*string', ''),
    }, { atomic: true }),
    EndpointSlice: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      addressType: field(4, 'AddressType', '', { required: true, keep: true }),
      endpoints: field(2, '[]Endpoint', '', { keep: true, list: 'atomic' }),
      ports: field(3, '[]EndpointPort', '', { keep: true, list: 'atomic' }),
    }),
    EndpointSliceList: listOf('EndpointSlice'),
    ForNode: message('', {
      name: field(1, 'string', '', { required: true, keep: true }),
    }),
    ForZone: message('', {
      name: field(1, 'string', '', { required: true, keep: true }),
    }),
  },
  kinds: [
    {
      kind: 'EndpointSlice',
      plural: 'endpointslices',
      singular: 'endpointslice',
      namespaced: true,
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
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
