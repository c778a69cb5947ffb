/** The meta.k8s.io group, v1. */
import { field, message, object, type PackageDeclaration } from '../declare.ts';

export const metaV1: PackageDeclaration = {
  alias: 'meta',
  group: 'meta.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.apimachinery.pkg.apis.meta.v1',
  strings: {
    CauseType: [
      'FieldValueNotFound',
      'FieldValueRequired',
      'FieldValueDuplicate',
      'FieldValueInvalid',
      'FieldValueNotSupported',
      'FieldValueForbidden',
      'FieldValueTooLong',
      'FieldValueTooMany',
      'InternalError',
      'FieldValueTypeInvalid',
      'UnexpectedServerResponse',
      'FieldManagerConflict',
      'ResourceVersionTooLarge',
    ],
    ConditionStatus: ['True', 'False', 'Unknown'],
    DeletionPropagation: ['Orphan', 'Background', 'Foreground'],
    FieldSelectorOperator: ['In', 'NotIn', 'Exists', 'DoesNotExist'],
    IncludeObjectPolicy: ['None', 'Metadata', 'Object'],
    LabelSelectorOperator: ['In', 'NotIn', 'Exists', 'DoesNotExist'],
    ManagedFieldsOperationType: ['Apply', 'Update'],
    ResourceVersionMatch: ['NotOlderThan', 'Exact'],
    StatusReason: [
      '',
      'Unauthorized',
      'Forbidden',
      'NotFound',
      'AlreadyExists',
      'Conflict',
      'Gone',
      'Invalid',
      'ServerTimeout',
      'StorageReadError',
      'Timeout',
      'TooManyRequests',
      'BadRequest',
      'MethodNotAllowed',
      'NotAcceptable',
      'RequestEntityTooLarge',
      'UnsupportedMediaType',
      'InternalError',
      'Expired',
      'ServiceUnavailable',
    ],
  },
  messages: {
    APIGroup: object('An API group and its versions.', {
      name: field(1, 'string', 'Name of the group.', { required: true, keep: true }),
      versions: field(2, '[]GroupVersionForDiscovery', 'Versions of the group that are served.', {
        required: true,
        keep: true,
        list: 'atomic',
      }),
      preferredVersion: field(3, 'GroupVersionForDiscovery', 'Version that clients should use.'),
      serverAddressByClientCIDRs: field(
        4,
        '[]ServerAddressByClientCIDR',
        'Server addresses for clients of certain networks.',
        { list: 'atomic' },
      ),
    }),
    APIGroupList: object('The API groups, as served at /apis.', {
      groups: field(1, '[]APIGroup', 'The groups.', { required: true, keep: true, list: 'atomic' }),
    }),
    APIResource: message('A resource of an API group version.', {
      name: field(1, 'string', 'Plural name of the resource; subresources as resource/subresource.', {
        required: true,
        keep: true,
      }),
      singularName: field(6, 'string', 'Singular name; empty means the lower-case kind.', {
        required: true,
        keep: true,
      }),
      namespaced: field(2, 'bool', 'Whether its objects live in namespaces.', { required: true, keep: true }),
      group: field(8, 'string', 'Group of the kind, when it is not that of the list.'),
      version: field(9, 'string', 'Version of the kind, when it is not that of the list.'),
      kind: field(3, 'string', 'Kind of the objects, such as Pod.', { required: true, keep: true }),
      verbs: field(4, 'meta.Verbs', 'Verbs that the resource supports.', { required: true, keep: true }),
      shortNames: field(5, '[]string', 'Short names, such as po.', { list: 'atomic' }),
      categories: field(7, '[]string', 'Categories the resource is in, such as all.', { list: 'atomic' }),
      storageVersionHash: field(10, 'string', 'Hash of the version in which objects are stored.'),
    }),
    APIResourceList: object('The resources of an API group version.', {
      groupVersion: field(1, 'string', 'The group and version.', { required: true, keep: true }),
      resources: field(2, '[]APIResource', 'The resources and their subresources.', {
        required: true,
        keep: true,
        list: 'atomic',
      }),
    }),
    APIVersions: object('The versions of the core group, as served at /api.', {
      versions: field(1, '[]string', 'The versions.', { required: true, keep: true, list: 'atomic' }),
      serverAddressByClientCIDRs: field(
        2,
        '[]ServerAddressByClientCIDR',
        'Server addresses for clients of certain networks.',
        { required: true, keep: true, list: 'atomic' },
      ),
    }),
    ApplyOptions: object('Query options of an apply request.', {
      dryRun: field(1, '[]string', 'All to go through every step but storing.'),
      force: field(2, 'bool', 'Take over fields that other managers own.', { keep: true }),
      fieldManager: field(3, 'string', 'Name under which fields are owned; required, at most 128 characters.', {
        keep: true,
      }),
    }),
    Condition: message("One aspect of an object's current state.", {
      type: field(1, 'string', 'Which condition, in CamelCase or as domain/CamelCase.', { required: true, keep: true }),
      status: field(2, 'ConditionStatus', 'Whether the condition holds: True, False or Unknown.', {
        required: true,
        keep: true,
      }),
      observedGeneration: field(3, 'int64', 'The metadata.generation on which the condition was set.'),
      lastTransitionTime: field(4, 'Time', 'When the status last changed.', { required: true, keep: true }),
      reason: field(5, 'string', 'One CamelCase word on why the condition has its status.', {
        required: true,
        keep: true,
      }),
      message: field(6, 'string', 'Details of the last change, for people to read.', { required: true, keep: true }),
    }),
    CreateOptions: object('Query options of a create request.', {
      dryRun: field(1, '[]string', 'All to go through every step but storing.'),
      fieldManager: field(3, 'string', 'Name under which fields are owned; default from the user agent.'),
      fieldValidation: field(4, 'string', 'Unknown or duplicate fields: Ignore, Warn (default) or Strict.'),
    }),
    DeleteOptions: object('How an object is deleted.', {
      gracePeriodSeconds: field(
        1,
        '*int64',
        'Seconds before the object is deleted; 0 at once; default depends on the kind.',
      ),
      preconditions: field(2, '*Preconditions', 'What must hold for the deletion to go ahead.'),
      orphanDependents: field(3, '*bool', 'Whether dependents stay; use propagationPolicy instead.'),
      propagationPolicy: field(
        4,
        '*DeletionPropagation',
        'Orphan, Background or Foreground; default depends on the kind.',
      ),
      dryRun: field(5, '[]string', 'All to go through every step but deleting.', { list: 'atomic' }),
      ignoreStoreReadErrorWithClusterBreakingPotential: field(
        6,
        '*bool',
        'Delete an object that cannot be read, skipping finalizers; dangerous.',
      ),
    }),
    FieldSelectorRequirement: message('A test on a field.', {
      key: field(1, 'string', 'Path of the field.', { required: true, keep: true }),
      operator: field(2, 'FieldSelectorOperator', 'In, NotIn, Exists or DoesNotExist.', { required: true, keep: true }),
      values: field(3, '[]string', 'Values to compare with; none for Exists and DoesNotExist.', { list: 'atomic' }),
    }),
    GetOptions: object('Query options of a get request.', {
      resourceVersion: field(1, 'string', 'How fresh the answer must be; unset for the latest, 0 for any.'),
    }),
    GroupKind: message('A kind and its group.', {
      group: field(1, 'string', 'Name of the group; empty for core.', { keep: true }),
      kind: field(2, 'string', 'Name of the kind.', { keep: true }),
    }),
    GroupResource: message('A resource and its group.', {
      group: field(1, 'string', 'Name of the group; empty for core.', { required: true, keep: true }),
      resource: field(2, 'string', 'Plural name of the resource.', { required: true, keep: true }),
    }),
    GroupVersion: message('A group and version.', {
      group: field(1, 'string', 'Name of the group; empty for core.', { keep: true }),
      version: field(2, 'string', 'Name of the version.', { keep: true }),
    }),
    GroupVersionForDiscovery: message('A version of an API group.', {
      groupVersion: field(1, 'string', 'Group and version, as group/version.', { required: true, keep: true }),
      version: field(2, 'string', 'The version alone.', { required: true, keep: true }),
    }),
    GroupVersionKind: message('A kind with its group and version.', {
      group: field(1, 'string', 'Name of the group; empty for core.', { keep: true }),
      version: field(2, 'string', 'Name of the version.', { keep: true }),
      kind: field(3, 'string', 'Name of the kind.', { keep: true }),
    }),
    GroupVersionResource: message('A resource with its group and version.', {
      group: field(1, 'string', 'Name of the group; empty for core.', { keep: true }),
      version: field(2, 'string', 'Name of the version.', { keep: true }),
      resource: field(3, 'string', 'Plural name of the resource.', { keep: true }),
    }),
    LabelSelector: message(
      'Selects by labels; all tests must pass, an empty selector selects everything.',
      {
        matchLabels: field(1, 'map[string]string', 'Labels that must be equal.'),
        matchExpressions: field(2, '[]LabelSelectorRequirement', 'Tests on labels.', { list: 'atomic' }),
      },
      { atomic: true },
    ),
    LabelSelectorRequirement: message('A test on a label.', {
      key: field(1, 'string', 'Key of the label.', { required: true, keep: true }),
      operator: field(2, 'LabelSelectorOperator', 'In, NotIn, Exists or DoesNotExist.', { required: true, keep: true }),
      values: field(3, '[]string', 'Values to compare with; none for Exists and DoesNotExist.', { list: 'atomic' }),
    }),
    List: object('Objects of any kinds, as kubectl writes several into one document.', {
      metadata: field(1, 'ListMeta', 'Metadata of the list.'),
      items: field(2, '[]RawExtension', 'The objects.', { required: true, keep: true }),
    }),
    ListMeta: message('Metadata of a list.', {
      selfLink: field(1, 'string', 'No longer set.'),
      resourceVersion: field(2, 'string', 'Version of the collection, for watching from here.'),
      continue: field(3, 'string', 'Token for the next page; empty on the last.'),
      remainingItemCount: field(4, '*int64', 'Estimate of how many objects follow on later pages.'),
      shardInfo: field(5, '*ShardInfo', 'Set when the list holds one shard of the objects.', {
        gate: 'ShardedListAndWatch',
      }),
    }),
    ListOptions: object('Query options of a list or watch request.', {
      labelSelector: field(1, 'string', 'Only objects whose labels match; default all.'),
      fieldSelector: field(2, 'string', 'Only objects whose fields match; default all.'),
      watch: field(3, 'bool', 'Stream changes instead of returning a list.'),
      allowWatchBookmarks: field(9, 'bool', 'Send BOOKMARK events on a watch now and then.'),
      resourceVersion: field(4, 'string', 'How fresh a list must be, or where a watch starts.'),
      resourceVersionMatch: field(
        10,
        'ResourceVersionMatch',
        'How resourceVersion applies to lists: Exact or NotOlderThan.',
      ),
      timeoutSeconds: field(5, '*int64', 'Ends the request after this many seconds.'),
      limit: field(7, 'int64', 'Most objects in one answer; the rest follows with continue.'),
      continue: field(8, 'string', 'Token of the previous page.'),
      sendInitialEvents: field(11, '*bool', 'Begin a watch with the present objects, ended by a bookmark.'),
      shardSelector: field(15, 'string', 'Only objects of one shard, by ranges of a hash.', {
        gate: 'ShardedListAndWatch',
      }),
    }),
    ManagedFieldsEntry: message('Fields that one manager owns.', {
      manager: field(1, 'string', 'Name of the manager.'),
      operation: field(2, 'ManagedFieldsOperationType', 'Apply or Update.'),
      apiVersion: field(3, 'string', 'Version in which the fields are written.'),
      time: field(4, '*Time', 'When the manager last changed the set.'),
      fieldsType: field(6, 'string', 'Format of the set: FieldsV1.'),
      fieldsV1: field(7, '*FieldsV1', 'The set of fields, as a tree.'),
      subresource: field(8, 'string', 'Subresource through which the fields were written.'),
    }),
    ObjectMeta: message('Metadata that every stored object has.', {
      name: field(1, 'string', 'Name, unique within namespace and resource; fixed after creation.'),
      generateName: field(2, 'string', 'Prefix for a name that the server completes, when name is empty.'),
      namespace: field(3, 'string', 'Namespace of the object; empty for cluster-scoped ones; fixed.'),
      selfLink: field(4, 'string', 'No longer set.'),
      uid: field(5, 'string', 'ID that is unique over all time; set by the server.'),
      resourceVersion: field(6, 'string', 'Version of the object, changed by every write; opaque to clients.'),
      generation: field(7, 'int64', 'Number of the desired state; grows when it changes.'),
      creationTimestamp: field(
        8,
        'Time',
        'CreationTimestamp is a timestamp of the server: when the object was created.',
        { omitZero: true },
      ),
      deletionTimestamp: field(
        9,
        '*Time',
        'DeletionTimestamp is RFC 3339 date and time when the object is to be gone; set when deletion begins.',
      ),
      deletionGracePeriodSeconds: field(10, '*int64', 'Seconds of grace that a deletion was given.'),
      labels: field(11, 'map[string]string', 'Keys and values to select objects by.'),
      annotations: field(12, 'map[string]string', 'Keys and values of any content, for tools.'),
      ownerReferences: field(13, '[]OwnerReference', 'Owners of the object; it is collected when all are gone.', {
        list: { map: ['uid'] },
        patch: 'merge',
        mergeKey: 'uid',
      }),
      finalizers: field(14, '[]string', 'Names that must be removed before the object is deleted.', {
        list: 'set',
        patch: 'merge',
      }),
      managedFields: field(17, '[]ManagedFieldsEntry', 'Which manager owns which fields.', { list: 'atomic' }),
    }),
    OwnerReference: message(
      'An owner of an object, in the same namespace or cluster-scoped.',
      {
        apiVersion: field(5, 'string', 'API version of the owner.', { required: true, keep: true }),
        kind: field(1, 'string', 'Kind of the owner.', { required: true, keep: true }),
        name: field(3, 'string', 'Name of the owner.', { required: true, keep: true }),
        uid: field(4, 'string', 'UID of the owner.', { required: true, keep: true }),
        controller: field(6, '*bool', 'Whether the owner is the managing controller; at most one is.'),
        blockOwnerDeletion: field(7, '*bool', 'Whether foreground deletion of the owner waits for this object.'),
      },
      { atomic: true },
    ),
    PartialObjectMetadata: object('An object of any kind with nothing but its metadata.', {
      metadata: field(1, 'ObjectMeta', "Standard object's metadata: name, labels, annotations."),
    }),
    PartialObjectMetadataList: object('A list of objects with nothing but their metadata.', {
      metadata: field(1, 'ListMeta', 'Metadata of the list.'),
      items: field(2, '[]PartialObjectMetadata', 'The objects of the list.', { keep: true }),
    }),
    Patch: message('The body of a patch request.', {}),
    PatchOptions: object('Query options of a patch request.', {
      dryRun: field(1, '[]string', 'All to go through every step but storing.'),
      force: field(2, '*bool', 'Take over fields that other managers own; only for apply.'),
      fieldManager: field(3, 'string', 'Name under which fields are owned; default from the user agent.'),
      fieldValidation: field(4, 'string', 'Unknown or duplicate fields: Ignore, Warn (default) or Strict.'),
    }),
    Preconditions: message('What must hold for an operation to go ahead.', {
      uid: field(1, '*string', 'The UID that the object must have.'),
      resourceVersion: field(2, '*string', 'The resource version that the object must have.'),
    }),
    RootPaths: message('The paths that a server answers.', {
      paths: field(1, '[]string', 'The paths.', { keep: true }),
    }),
    ServerAddressByClientCIDR: message('A server address for clients of one network.', {
      clientCIDR: field(1, 'string', 'Network of the clients.', { required: true, keep: true }),
      serverAddress: field(2, 'string', 'Address to use: host, host:port or IP address.', {
        required: true,
        keep: true,
      }),
    }),
    ShardInfo: message('Which shard of the objects a list holds.', {
      selector: field(1, 'string', 'The shard selector of the request.', { required: true, keep: true }),
    }),
    Status: object('The outcome of a request that returns no object.', {
      metadata: field(1, 'ListMeta', 'Metadata of the answer.'),
      status: field(2, 'string', 'Success or Failure.'),
      message: field(3, 'string', 'The outcome, for people to read.'),
      reason: field(4, 'StatusReason', 'The outcome in one word, such as NotFound; finer than the code.'),
      details: field(5, '*StatusDetails', 'More about the outcome, depending on the reason.'),
      code: field(6, 'int32', 'HTTP status code.'),
    }),
    StatusCause: message('One cause of a failure.', {
      reason: field(1, 'CauseType', 'The cause in one word, such as FieldValueRequired.'),
      message: field(2, 'string', 'The cause, for people to read.'),
      field: field(3, 'string', 'Path of the field that is at fault, such as spec.replicas.'),
    }),
    StatusDetails: message('More about the outcome of a request.', {
      name: field(1, 'string', 'Name of the object.'),
      group: field(2, 'string', 'API group of the object.'),
      kind: field(3, 'string', 'Kind or resource of the object.'),
      uid: field(6, 'string', 'UID of the object.'),
      causes: field(4, '[]StatusCause', 'Causes of the failure.', { list: 'atomic' }),
      retryAfterSeconds: field(5, 'int32', 'Seconds to wait before trying again.'),
    }),
    // A Table has no protobuf form; the numbers only keep the fields' order.
    Table: object('Objects as rows and cells, as kubectl get shows them.', {
      metadata: field(1, 'ListMeta', 'Metadata of the list that the rows are of.'),
      columnDefinitions: field(2, '[]TableColumnDefinition', 'What the cells of each row are, in order.', {
        required: true,
        keep: true,
        list: 'atomic',
      }),
      rows: field(3, '[]TableRow', 'One row for each object.', { required: true, keep: true, list: 'atomic' }),
    }),
    TableColumnDefinition: message('A column of a table.', {
      name: field(1, 'string', 'Heading of the column.', { required: true, keep: true }),
      type: field(2, 'string', 'OpenAPI type of the cells: number, integer, string, boolean, array.', {
        required: true,
        keep: true,
      }),
      format: field(3, 'string', 'OpenAPI modifier of the type; name marks the column that identifies the object.', {
        required: true,
        keep: true,
      }),
      description: field(4, 'string', 'What the column tells.', { required: true, keep: true }),
      priority: field(5, 'int32', 'Columns above 0 are left out where there is little room.', {
        required: true,
        keep: true,
      }),
    }),
    TableRow: message('One object of a table.', {
      cells: field(1, '[]JSON', 'As many as there are columns: strings, numbers, booleans, lists or null.', {
        required: true,
        keep: true,
        list: 'atomic',
      }),
      conditions: field(2, '[]TableRowCondition', 'What to know of the row, such as that its Pod has completed.', {
        list: 'atomic',
      }),
      object: field(3, 'RawExtension', 'The object, its metadata, or nothing, as includeObject asks.'),
    }),
    TableRowCondition: message('What to know of a row.', {
      type: field(1, 'string', 'Which condition; Completed is known.', { required: true, keep: true }),
      status: field(2, 'ConditionStatus', 'Whether it holds: True, False or Unknown.', { required: true, keep: true }),
      reason: field(3, 'string', 'One word on why.'),
      message: field(4, 'string', 'More, for people to read.'),
    }),
    TableOptions: object('Query options of a request for a table.', {
      includeObject: field(1, 'IncludeObjectPolicy', 'What each row carries: None, Metadata (default) or Object.'),
    }),
    UpdateOptions: object('Query options of an update request.', {
      dryRun: field(1, '[]string', 'All to go through every step but storing.'),
      fieldManager: field(2, 'string', 'Name under which fields are owned; default from the user agent.'),
      fieldValidation: field(3, 'string', 'Unknown or duplicate fields: Ignore, Warn (default) or Strict.'),
    }),
    WatchEvent: message('One event of a watch.', {
      type: field(1, 'string', 'ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.', { required: true, keep: true }),
      object: field(2, 'RawExtension', 'The object after the event, before it for DELETED, or a Status.', {
        required: true,
        keep: true,
      }),
    }),
  },
  kinds: [],
};
