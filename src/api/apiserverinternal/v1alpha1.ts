/** The internal.apiserver.k8s.io group, v1alpha1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const apiserverinternalV1alpha1: PackageDeclaration = {
  alias: 'apiserverinternalv1alpha1',
  group: 'internal.apiserver.k8s.io',
  version: 'v1alpha1',
  prefix: 'io.k8s.api.apiserverinternal.v1alpha1',
  strings: {
    ConditionStatus: ['True', 'False', 'Unknown'],
    StorageVersionConditionType: ['AllEncodingVersionsEqual'],
  },
  messages: {
    ServerStorageVersion: message('The versions of a resource that one API server stores and serves.', {
      apiServerID: field(1, 'string', 'ID of the API server, the name of its identity lease.', { required: true }),
      encodingVersion: field(2, 'string', 'The version that it stores.', { required: true }),
      decodableVersions: field(3, '[]string', 'The versions that it can read.', { required: true, list: 'set' }),
      servedVersions: field(4, '[]string', 'The versions that it serves, among those that it can read.', {
        list: 'set',
      }),
    }),
    StorageVersion: object('The versions of one resource that the API servers store; named group.resource.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations.", {
        required: true,
      }),
      spec: field(2, 'StorageVersionSpec', 'Empty: API servers write the status.', { keep: true }),
      status: field(3, 'StorageVersionStatus', 'What each API server stores.', { keep: true }),
    }),
    StorageVersionCondition: message('One aspect of the current state.', {
      type: field(1, 'StorageVersionConditionType', 'Which condition.', { required: true, keep: true }),
      status: field(2, 'ConditionStatus', 'Whether the condition holds: True, False or Unknown.', {
        required: true,
        keep: true,
      }),
      observedGeneration: field(3, 'int64', 'The metadata.generation on which the condition was set.'),
      lastTransitionTime: field(4, 'Time', 'When the status last changed.'),
      reason: field(5, 'string', 'One CamelCase word on why the condition has its status.', {
        required: true,
        keep: true,
      }),
      message: field(6, 'string', 'Details of the last change, for people to read.', { required: true }),
    }),
    StorageVersionList: listOf('StorageVersion'),
    StorageVersionSpec: message('Empty: API servers write the status.', {}),
    StorageVersionStatus: message('What each API server stores.', {
      storageVersions: field(1, '[]ServerStorageVersion', 'The versions by API server.', {
        list: { map: ['apiServerID'] },
      }),
      commonEncodingVersion: field(2, '*string', 'The stored version, if all API servers store the same.'),
      conditions: field(3, '[]StorageVersionCondition', 'AllEncodingVersionsEqual, with its reason.', {
        list: { map: ['type'] },
      }),
    }),
  },
  kinds: [
    {
      kind: 'StorageVersion',
      plural: 'storageversions',
      namespaced: false,
      subresources: { status: { verbs: ['get', 'patch', 'update'] } },
      columns: [
        column('Name', 'string', 0, 'name'),
        column('CommonEncodingVersion', 'string'),
        column('StorageVersions', 'string'),
        column('Age', 'string'),
      ],
    },
  ],
};
