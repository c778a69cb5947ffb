/** The coordination.k8s.io group, v1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const coordinationV1: PackageDeclaration = {
  alias: 'coordination',
  group: 'coordination.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.api.coordination.v1',
  strings: {
    CoordinatedLeaseStrategy: ['OldestEmulationVersion'],
  },
  messages: {
    Lease: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      spec: field(2, 'LeaseSpec', 'The desired state, as the user asks for it.'),
    }),
    LeaseList: listOf('Lease'),
    LeaseSpec: message('', {
      holderIdentity: field(1, '*string', ''),
      leaseDurationSeconds: field(2, '*int32', ''),
      acquireTime: field(3, '*MicroTime', ''),
      renewTime: field(4, '*MicroTime', ''),
      leaseTransitions: field(5, '*int32', ''),
      strategy: field(6, '*CoordinatedLeaseStrategy', '', { gate: 'CoordinatedLeaderElection' }),
      preferredHolder: field(7, '*string', '', { gate: 'CoordinatedLeaderElection' }),
    }),
  },
  kinds: [
    {
      kind: 'Lease',
      plural: 'leases',
      singular: 'lease',
      namespaced: true,
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Holder', 'string'),
        column('Age', 'string'),
      ],
    },
  ],
};
