// Generated from src/api by `npm run generate`. Do not edit.

export type CauseType = string;

export type ConditionStatus = string;

export type DeletionPropagation = string;

export type FieldSelectorOperator = string;

export type IncludeObjectPolicy = string;

export type LabelSelectorOperator = string;

export type ManagedFieldsOperationType = string;

export type ResourceVersionMatch = string;

export type StatusReason = string;

/** An API group and its versions. */
export interface APIGroup {
  apiVersion?: string;
  kind?: string;
  /** Name of the group. */
  name: string;
  /** Versions of the group that are served. */
  versions: GroupVersionForDiscovery[];
  /** Version that clients should use. */
  preferredVersion?: GroupVersionForDiscovery;
  /** Server addresses for clients of certain networks. */
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[];
}

/** The API groups, as served at /apis. */
export interface APIGroupList {
  apiVersion?: string;
  kind?: string;
  /** The groups. */
  groups: APIGroup[];
}

/** A resource of an API group version. */
export interface APIResource {
  /** Plural name of the resource; subresources as resource/subresource. */
  name: string;
  /** Singular name; empty means the lower-case kind. */
  singularName: string;
  /** Whether its objects live in namespaces. */
  namespaced: boolean;
  /** Group of the kind, when it is not that of the list. */
  group?: string;
  /** Version of the kind, when it is not that of the list. */
  version?: string;
  /** Kind of the objects, such as Pod. */
  kind: string;
  /** Verbs that the resource supports. */
  verbs: string[];
  /** Short names, such as po. */
  shortNames?: string[];
  /** Categories the resource is in, such as all. */
  categories?: string[];
  /** Hash of the version in which objects are stored. */
  storageVersionHash?: string;
}

/** The resources of an API group version. */
export interface APIResourceList {
  apiVersion?: string;
  kind?: string;
  /** The group and version. */
  groupVersion: string;
  /** The resources and their subresources. */
  resources: APIResource[];
}

/** The versions of the core group, as served at /api. */
export interface APIVersions {
  apiVersion?: string;
  kind?: string;
  /** The versions. */
  versions: string[];
  /** Server addresses for clients of certain networks. */
  serverAddressByClientCIDRs: ServerAddressByClientCIDR[];
}

/** Query options of an apply request. */
export interface ApplyOptions {
  apiVersion?: string;
  kind?: string;
  /** All to go through every step but storing. */
  dryRun?: string[];
  /** Take over fields that other managers own. */
  force?: boolean;
  /** Name under which fields are owned; required, at most 128 characters. */
  fieldManager?: string;
}

/** One aspect of an object's current state. */
export interface Condition {
  /** Which condition, in CamelCase or as domain/CamelCase. */
  type: string;
  /** Whether the condition holds: True, False or Unknown. */
  status: string;
  /** The metadata.generation on which the condition was set. */
  observedGeneration?: number;
  /** When the status last changed. */
  lastTransitionTime: string;
  /** One CamelCase word on why the condition has its status. */
  reason: string;
  /** Details of the last change, for people to read. */
  message: string;
}

/** Query options of a create request. */
export interface CreateOptions {
  apiVersion?: string;
  kind?: string;
  /** All to go through every step but storing. */
  dryRun?: string[];
  /** Name under which fields are owned; default from the user agent. */
  fieldManager?: string;
  /** Unknown or duplicate fields: Ignore, Warn (default) or Strict. */
  fieldValidation?: string;
}

/** How an object is deleted. */
export interface DeleteOptions {
  apiVersion?: string;
  kind?: string;
  /** Seconds before the object is deleted; 0 at once; default depends on the kind. */
  gracePeriodSeconds?: number;
  /** What must hold for the deletion to go ahead. */
  preconditions?: Preconditions;
  /** Whether dependents stay; use propagationPolicy instead. */
  orphanDependents?: boolean;
  /** Orphan, Background or Foreground; default depends on the kind. */
  propagationPolicy?: string;
  /** All to go through every step but deleting. */
  dryRun?: string[];
  /** Delete an object that cannot be read, skipping finalizers; dangerous. */
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
}

/** A test on a field. */
export interface FieldSelectorRequirement {
  /** Path of the field. */
  key: string;
  /** In, NotIn, Exists or DoesNotExist. */
  operator: string;
  /** Values to compare with; none for Exists and DoesNotExist. */
  values?: string[];
}

/** Query options of a get request. */
export interface GetOptions {
  apiVersion?: string;
  kind?: string;
  /** How fresh the answer must be; unset for the latest, 0 for any. */
  resourceVersion?: string;
}

/** A kind and its group. */
export interface GroupKind {
  /** Name of the group; empty for core. */
  group?: string;
  /** Name of the kind. */
  kind?: string;
}

/** A resource and its group. */
export interface GroupResource {
  /** Name of the group; empty for core. */
  group: string;
  /** Plural name of the resource. */
  resource: string;
}

/** A group and version. */
export interface GroupVersion {
  /** Name of the group; empty for core. */
  group?: string;
  /** Name of the version. */
  version?: string;
}

/** A version of an API group. */
export interface GroupVersionForDiscovery {
  /** Group and version, as group/version. */
  groupVersion: string;
  /** The version alone. */
  version: string;
}

/** A kind with its group and version. */
export interface GroupVersionKind {
  /** Name of the group; empty for core. */
  group?: string;
  /** Name of the version. */
  version?: string;
  /** Name of the kind. */
  kind?: string;
}

/** A resource with its group and version. */
export interface GroupVersionResource {
  /** Name of the group; empty for core. */
  group?: string;
  /** Name of the version. */
  version?: string;
  /** Plural name of the resource. */
  resource?: string;
}

/** Selects by labels; all tests must pass, an empty selector selects everything. */
export interface LabelSelector {
  /** Labels that must be equal. */
  matchLabels?: Record<string, string>;
  /** Tests on labels. */
  matchExpressions?: LabelSelectorRequirement[];
}

/** A test on a label. */
export interface LabelSelectorRequirement {
  /** Key of the label. */
  key: string;
  /** In, NotIn, Exists or DoesNotExist. */
  operator: string;
  /** Values to compare with; none for Exists and DoesNotExist. */
  values?: string[];
}

/** Objects of any kinds, as kubectl writes several into one document. */
export interface List {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects. */
  items: unknown[];
}

/** Metadata of a list. */
export interface ListMeta {
  /** No longer set. */
  selfLink?: string;
  /** Version of the collection, for watching from here. */
  resourceVersion?: string;
  /** Token for the next page; empty on the last. */
  continue?: string;
  /** Estimate of how many objects follow on later pages. */
  remainingItemCount?: number;
  /** Set when the list holds one shard of the objects. */
  shardInfo?: ShardInfo;
}

/** Query options of a list or watch request. */
export interface ListOptions {
  apiVersion?: string;
  kind?: string;
  /** Only objects whose labels match; default all. */
  labelSelector?: string;
  /** Only objects whose fields match; default all. */
  fieldSelector?: string;
  /** Stream changes instead of returning a list. */
  watch?: boolean;
  /** Send BOOKMARK events on a watch now and then. */
  allowWatchBookmarks?: boolean;
  /** How fresh a list must be, or where a watch starts. */
  resourceVersion?: string;
  /** How resourceVersion applies to lists: Exact or NotOlderThan. */
  resourceVersionMatch?: string;
  /** Ends the request after this many seconds. */
  timeoutSeconds?: number;
  /** Most objects in one answer; the rest follows with continue. */
  limit?: number;
  /** Token of the previous page. */
  continue?: string;
  /** Begin a watch with the present objects, ended by a bookmark. */
  sendInitialEvents?: boolean;
  /** Only objects of one shard, by ranges of a hash. */
  shardSelector?: string;
}

/** Fields that one manager owns. */
export interface ManagedFieldsEntry {
  /** Name of the manager. */
  manager?: string;
  /** Apply or Update. */
  operation?: string;
  /** Version in which the fields are written. */
  apiVersion?: string;
  /** When the manager last changed the set. */
  time?: string;
  /** Format of the set: FieldsV1. */
  fieldsType?: string;
  /** The set of fields, as a tree. */
  fieldsV1?: unknown;
  /** Subresource through which the fields were written. */
  subresource?: string;
}

/** Metadata that every stored object has. */
export interface ObjectMeta {
  /** Name, unique within namespace and resource; fixed after creation. */
  name?: string;
  /** Prefix for a name that the server completes, when name is empty. */
  generateName?: string;
  /** Namespace of the object; empty for cluster-scoped ones; fixed. */
  namespace?: string;
  /** No longer set. */
  selfLink?: string;
  /** ID that is unique over all time; set by the server. */
  uid?: string;
  /** Version of the object, changed by every write; opaque to clients. */
  resourceVersion?: string;
  /** Number of the desired state; grows when it changes. */
  generation?: number;
  /** CreationTimestamp is a timestamp of the server: when the object was created. */
  creationTimestamp?: string;
  /** DeletionTimestamp is RFC 3339 date and time when the object is to be gone; set when deletion begins. */
  deletionTimestamp?: string;
  /** Seconds of grace that a deletion was given. */
  deletionGracePeriodSeconds?: number;
  /** Keys and values to select objects by. */
  labels?: Record<string, string>;
  /** Keys and values of any content, for tools. */
  annotations?: Record<string, string>;
  /** Owners of the object; it is collected when all are gone. */
  ownerReferences?: OwnerReference[];
  /** Names that must be removed before the object is deleted. */
  finalizers?: string[];
  /** Which manager owns which fields. */
  managedFields?: ManagedFieldsEntry[];
}

/** An owner of an object, in the same namespace or cluster-scoped. */
export interface OwnerReference {
  /** API version of the owner. */
  apiVersion: string;
  /** Kind of the owner. */
  kind: string;
  /** Name of the owner. */
  name: string;
  /** UID of the owner. */
  uid: string;
  /** Whether the owner is the managing controller; at most one is. */
  controller?: boolean;
  /** Whether foreground deletion of the owner waits for this object. */
  blockOwnerDeletion?: boolean;
}

/** An object of any kind with nothing but its metadata. */
export interface PartialObjectMetadata {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
}

/** A list of objects with nothing but their metadata. */
export interface PartialObjectMetadataList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: PartialObjectMetadata[];
}

/** The body of a patch request. */
export interface Patch {
}

/** Query options of a patch request. */
export interface PatchOptions {
  apiVersion?: string;
  kind?: string;
  /** All to go through every step but storing. */
  dryRun?: string[];
  /** Take over fields that other managers own; only for apply. */
  force?: boolean;
  /** Name under which fields are owned; default from the user agent. */
  fieldManager?: string;
  /** Unknown or duplicate fields: Ignore, Warn (default) or Strict. */
  fieldValidation?: string;
}

/** What must hold for an operation to go ahead. */
export interface Preconditions {
  /** The UID that the object must have. */
  uid?: string;
  /** The resource version that the object must have. */
  resourceVersion?: string;
}

/** The paths that a server answers. */
export interface RootPaths {
  /** The paths. */
  paths?: string[];
}

/** A server address for clients of one network. */
export interface ServerAddressByClientCIDR {
  /** Network of the clients. */
  clientCIDR: string;
  /** Address to use: host, host:port or IP address. */
  serverAddress: string;
}

/** Which shard of the objects a list holds. */
export interface ShardInfo {
  /** The shard selector of the request. */
  selector: string;
}

/** The outcome of a request that returns no object. */
export interface Status {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the answer. */
  metadata: ListMeta;
  /** Success or Failure. */
  status?: string;
  /** The outcome, for people to read. */
  message?: string;
  /** The outcome in one word, such as NotFound; finer than the code. */
  reason?: string;
  /** More about the outcome, depending on the reason. */
  details?: StatusDetails;
  /** HTTP status code. */
  code?: number;
}

/** One cause of a failure. */
export interface StatusCause {
  /** The cause in one word, such as FieldValueRequired. */
  reason?: string;
  /** The cause, for people to read. */
  message?: string;
  /** Path of the field that is at fault, such as spec.replicas. */
  field?: string;
}

/** More about the outcome of a request. */
export interface StatusDetails {
  /** Name of the object. */
  name?: string;
  /** API group of the object. */
  group?: string;
  /** Kind or resource of the object. */
  kind?: string;
  /** UID of the object. */
  uid?: string;
  /** Causes of the failure. */
  causes?: StatusCause[];
  /** Seconds to wait before trying again. */
  retryAfterSeconds?: number;
}

/** Objects as rows and cells, as kubectl get shows them. */
export interface Table {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list that the rows are of. */
  metadata: ListMeta;
  /** What the cells of each row are, in order. */
  columnDefinitions: TableColumnDefinition[];
  /** One row for each object. */
  rows: TableRow[];
}

/** A column of a table. */
export interface TableColumnDefinition {
  /** Heading of the column. */
  name: string;
  /** OpenAPI type of the cells: number, integer, string, boolean, array. */
  type: string;
  /** OpenAPI modifier of the type; name marks the column that identifies the object. */
  format: string;
  /** What the column tells. */
  description: string;
  /** Columns above 0 are left out where there is little room. */
  priority: number;
}

/** One object of a table. */
export interface TableRow {
  /** As many as there are columns: strings, numbers, booleans, lists or null. */
  cells: unknown[];
  /** What to know of the row, such as that its Pod has completed. */
  conditions?: TableRowCondition[];
  /** The object, its metadata, or nothing, as includeObject asks. */
  object?: unknown;
}

/** What to know of a row. */
export interface TableRowCondition {
  /** Which condition; Completed is known. */
  type: string;
  /** Whether it holds: True, False or Unknown. */
  status: string;
  /** One word on why. */
  reason?: string;
  /** More, for people to read. */
  message?: string;
}

/** Query options of a request for a table. */
export interface TableOptions {
  apiVersion?: string;
  kind?: string;
  /** What each row carries: None, Metadata (default) or Object. */
  includeObject?: string;
}

/** Query options of an update request. */
export interface UpdateOptions {
  apiVersion?: string;
  kind?: string;
  /** All to go through every step but storing. */
  dryRun?: string[];
  /** Name under which fields are owned; default from the user agent. */
  fieldManager?: string;
  /** Unknown or duplicate fields: Ignore, Warn (default) or Strict. */
  fieldValidation?: string;
}

/** One event of a watch. */
export interface WatchEvent {
  /** ADDED, MODIFIED, DELETED, BOOKMARK or ERROR. */
  type: string;
  /** The object after the event, before it for DELETED, or a Status. */
  object: unknown;
}
