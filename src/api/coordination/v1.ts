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
    Lease: object('A claim to a role that must be renewed, for leader election and heartbeats.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'LeaseSpec', 'The desired state, as the user asks for it.'),
    }),
    LeaseList: listOf('Lease'),
    LeaseSpec: message('Holder and times of a lease.', {
      holderIdentity: field(1, '*string', 'Who holds the lease.'),
      leaseDurationSeconds: field(2, '*int32', 'Seconds after the last renewal before others may take it.'),
      acquireTime: field(3, '*MicroTime', 'When the holder got the lease.'),
      renewTime: field(4, '*MicroTime', 'When the holder last renewed it.'),
      leaseTransitions: field(5, '*int32', 'How often the holder has changed.'),
      strategy: field(6, '*CoordinatedLeaseStrategy', 'How the leader is picked in coordinated election.', {
        gate: 'CoordinatedLeaderElection',
      }),
      preferredHolder: field(7, '*string', 'Who should take over when the present holder yields.', {
        gate: 'CoordinatedLeaderElection',
      }),
    }),
  },
  kinds: [
    {
      kind: 'Lease',
      plural: 'leases',
      namespaced: true,
      columns: [column('Name', 'string', 0, 'name'), column('Holder', 'string'), column('Age', 'string')],
    },
  ],
};
