/** The storagemigration.k8s.io group, v1beta1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const storagemigrationV1beta1: PackageDeclaration = {
  alias: 'storagemigrationv1beta1',
  group: 'storagemigration.k8s.io',
  version: 'v1beta1',
  prefix: 'io.k8s.api.storagemigration.v1beta1',
  strings: {},
  messages: {
    StorageVersionMigration: object('Rewrites all objects of a resource in the version that is stored now.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'StorageVersionMigrationSpec', 'The resource.'),
      status: field(3, 'StorageVersionMigrationStatus', 'How far the migration is.'),
    }),
    StorageVersionMigrationList: listOf('StorageVersionMigration'),
    StorageVersionMigrationSpec: message('The resource whose objects are rewritten.', {
      resource: field(1, 'meta.GroupResource', 'The resource; fixed.', { required: true, keep: true }),
    }),
    StorageVersionMigrationStatus: message('How far the migration is.', {
      conditions: field(1, '[]meta.Condition', 'Running, Succeeded or Failed, with reasons.', {
        list: { map: ['type'] },
        patch: 'merge',
        mergeKey: 'type',
      }),
      resourceVersion: field(2, 'string', 'The resourceVersion of the list of objects that are rewritten.'),
    }),
  },
  kinds: [
    {
      kind: 'StorageVersionMigration',
      plural: 'storageversionmigrations',
      namespaced: false,
      gate: 'StorageVersionMigrator',
      subresources: { status: { verbs: ['get', 'patch', 'update'] } },
      columns: [column('Name', 'string'), column('Resource', 'string'), column('Status', 'string')],
    },
  ],
};
