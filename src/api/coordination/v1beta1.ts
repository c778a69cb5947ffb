/** The coordination.k8s.io group, v1beta1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const coordinationV1beta1: PackageDeclaration = {
  alias: 'coordinationv1beta1',
  group: 'coordination.k8s.io',
  version: 'v1beta1',
  prefix: 'io.k8s.api.coordination.v1beta1',
  strings: {},
  messages: {
    LeaseCandidate: object('Offers a process as the holder of a lease, for coordinated leader election.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'LeaseCandidateSpec', 'The lease and what speaks for the candidate.', { required: true }),
    }),
    LeaseCandidateList: listOf('LeaseCandidate'),
    LeaseCandidateSpec: message('The lease and what speaks for the candidate.', {
      leaseName: field(1, 'string', 'Name of the lease; fixed.', { required: true, keep: true }),
      pingTime: field(2, '*MicroTime', 'When the candidate was last asked whether it still is one.'),
      renewTime: field(3, '*MicroTime', 'When the candidate last said that it still is one.'),
      binaryVersion: field(4, 'string', 'Version of the program, such as 1.36.0.', { required: true, keep: true }),
      emulationVersion: field(5, 'string', 'Version that the program emulates; at most its own.'),
      strategy: field(6, 'coordination.CoordinatedLeaseStrategy', 'How the leader should be picked.', {
        required: true,
      }),
    }),
  },
  kinds: [
    {
      kind: 'LeaseCandidate',
      deprecated: { since: '1.36' },
      plural: 'leasecandidates',
      namespaced: true,
      columns: [
        column('Name', 'string', 0, 'name'),
        column('LeaseName', 'string'),
        column('BinaryVersion', 'string'),
        column('EmulationVersion', 'string'),
        column('Age', 'string'),
      ],
    },
  ],
};
