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

/**  */
export interface APIGroup {
  apiVersion?: string;
  kind?: string;
  /**  */
  name: string;
  /**  */
  versions: GroupVersionForDiscovery[];
  /**  */
  preferredVersion?: GroupVersionForDiscovery;
  /**  */
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[];
}

/**  */
export interface APIGroupList {
  apiVersion?: string;
  kind?: string;
  /**  */
  groups: APIGroup[];
}

/**  */
export interface APIResource {
  /**  */
  name: string;
  /**  */
  singularName: string;
  /**  */
  namespaced: boolean;
  /**  */
  group?: string;
  /**  */
  version?: string;
  /**  */
  kind: string;
  /**  */
  verbs: string[];
  /**  */
  shortNames?: string[];
  /**  */
  categories?: string[];
  /**  */
  storageVersionHash?: string;
}

/**  */
export interface APIResourceList {
  apiVersion?: string;
  kind?: string;
  /**  */
  groupVersion: string;
  /**  */
  resources: APIResource[];
}

/**  */
export interface APIVersions {
  apiVersion?: string;
  kind?: string;
  /**  */
  versions: string[];
  /**  */
  serverAddressByClientCIDRs: ServerAddressByClientCIDR[];
}

/**  */
export interface ApplyOptions {
  apiVersion?: string;
  kind?: string;
  /**  */
  dryRun?: string[];
  /**  */
  force?: boolean;
  /**  */
  fieldManager?: string;
}

/**  */
export interface Condition {
  /**  */
  type: string;
  /** Whether the condition holds: True, False or Unknown. */
  status: string;
  /**  */
  observedGeneration?: number;
  /** When the status last changed. */
  lastTransitionTime: string;
  /** One CamelCase word on why the condition has its status. */
  reason: string;
  /** Details of the last change, for people to read. */
  message: string;
}

/**  */
export interface CreateOptions {
  apiVersion?: string;
  kind?: string;
  /**  */
  dryRun?: string[];
  /**  */
  fieldManager?: string;
  /**  */
  fieldValidation?: string;
}

/**  */
export interface DeleteOptions {
  apiVersion?: string;
  kind?: string;
  /**  */
  gracePeriodSeconds?: number;
  /**  */
  preconditions?: Preconditions;
  /**  */
  orphanDependents?: boolean;
  /**  */
  propagationPolicy?: string;
  /**  */
  dryRun?: string[];
  /**  */
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
}

/**  */
export interface FieldSelectorRequirement {
  /**  */
  key: string;
  /**  */
  operator: string;
  /**  */
  values?: string[];
}

/**  */
export interface GetOptions {
  apiVersion?: string;
  kind?: string;
  /**  */
  resourceVersion?: string;
}

/**  */
export interface GroupKind {
  /**  */
  group?: string;
  /**  */
  kind?: string;
}

/**  */
export interface GroupResource {
  /**  */
  group: string;
  /**  */
  resource: string;
}

/**  */
export interface GroupVersion {
  /**  */
  group?: string;
  /**  */
  version?: string;
}

/**  */
export interface GroupVersionForDiscovery {
  /**  */
  groupVersion: string;
  /**  */
  version: string;
}

/**  */
export interface GroupVersionKind {
  /**  */
  group?: string;
  /**  */
  version?: string;
  /**  */
  kind?: string;
}

/**  */
export interface GroupVersionResource {
  /**  */
  group?: string;
  /**  */
  version?: string;
  /**  */
  resource?: string;
}

/**  */
export interface LabelSelector {
  /**  */
  matchLabels?: Record<string, string>;
  /**  */
  matchExpressions?: LabelSelectorRequirement[];
}

/**  */
export interface LabelSelectorRequirement {
  /**  */
  key: string;
  /**  */
  operator: string;
  /**  */
  values?: string[];
}

/**  */
export interface ListMeta {
  /**  */
  selfLink?: string;
  /**  */
  resourceVersion?: string;
  /**  */
  continue?: string;
  /**  */
  remainingItemCount?: number;
  /**  */
  shardInfo?: ShardInfo;
}

/**  */
export interface ListOptions {
  apiVersion?: string;
  kind?: string;
  /**  */
  labelSelector?: string;
  /**  */
  fieldSelector?: string;
  /**  */
  watch?: boolean;
  /**  */
  allowWatchBookmarks?: boolean;
  /**  */
  resourceVersion?: string;
  /**  */
  resourceVersionMatch?: string;
  /**  */
  timeoutSeconds?: number;
  /**  */
  limit?: number;
  /**  */
  continue?: string;
  /**  */
  sendInitialEvents?: boolean;
  /**  */
  shardSelector?: string;
}

/**  */
export interface ManagedFieldsEntry {
  /**  */
  manager?: string;
  /**  */
  operation?: string;
  /**  */
  apiVersion?: string;
  /**  */
  time?: string;
  /**  */
  fieldsType?: string;
  /**  */
  fieldsV1?: unknown;
  /**  */
  subresource?: string;
}

/**  */
export interface ObjectMeta {
  /**  */
  name?: string;
  /**  */
  generateName?: string;
  /**  */
  namespace?: string;
  /**  */
  selfLink?: string;
  /**  */
  uid?: string;
  /**  */
  resourceVersion?: string;
  /**  */
  generation?: number;
  /**  */
  creationTimestamp?: string;
  /**  */
  deletionTimestamp?: string;
  /**  */
  deletionGracePeriodSeconds?: number;
  /**  */
  labels?: Record<string, string>;
  /**  */
  annotations?: Record<string, string>;
  /**  */
  ownerReferences?: OwnerReference[];
  /**  */
  finalizers?: string[];
  /**  */
  managedFields?: ManagedFieldsEntry[];
}

/**  */
export interface OwnerReference {
  /**  */
  apiVersion: string;
  /**  */
  kind: string;
  /**  */
  name: string;
  /**  */
  uid: string;
  /**  */
  controller?: boolean;
  /**  */
  blockOwnerDeletion?: boolean;
}

/**  */
export interface PartialObjectMetadata {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
}

/**  */
export interface PartialObjectMetadataList {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ListMeta;
  /**  */
  items: PartialObjectMetadata[];
}

/**  */
export interface Patch {
}

/**  */
export interface PatchOptions {
  apiVersion?: string;
  kind?: string;
  /**  */
  dryRun?: string[];
  /**  */
  force?: boolean;
  /**  */
  fieldManager?: string;
  /**  */
  fieldValidation?: string;
}

/**  */
export interface Preconditions {
  /**  */
  uid?: string;
  /**  */
  resourceVersion?: string;
}

/**  */
export interface RootPaths {
  /**  */
  paths?: string[];
}

/**  */
export interface ServerAddressByClientCIDR {
  /**  */
  clientCIDR: string;
  /**  */
  serverAddress: string;
}

/**  */
export interface ShardInfo {
  /**  */
  selector: string;
}

/**  */
export interface Status {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ListMeta;
  /** The observed state, as the system last reported it. */
  status?: string;
  /**  */
  message?: string;
  /**  */
  reason?: string;
  /**  */
  details?: StatusDetails;
  /**  */
  code?: number;
}

/**  */
export interface StatusCause {
  /**  */
  reason?: string;
  /**  */
  message?: string;
  /**  */
  field?: string;
}

/**  */
export interface StatusDetails {
  /**  */
  name?: string;
  /**  */
  group?: string;
  /**  */
  kind?: string;
  /**  */
  uid?: string;
  /**  */
  causes?: StatusCause[];
  /**  */
  retryAfterSeconds?: number;
}

/**  */
export interface TableOptions {
  apiVersion?: string;
  kind?: string;
  /**  */
  includeObject?: string;
}

/**  */
export interface UpdateOptions {
  apiVersion?: string;
  kind?: string;
  /**  */
  dryRun?: string[];
  /**  */
  fieldManager?: string;
  /**  */
  fieldValidation?: string;
}

/**  */
export interface WatchEvent {
  /**  */
  type: string;
  /**  */
  object: unknown;
}
