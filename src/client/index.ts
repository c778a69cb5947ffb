/**
 * How every component but the API server itself talks to the API server, and how programs that embed k8ts do: a typed
 * client over HTTP or in-process, informers that keep a local copy of a resource equal to the server's, and the rest of
 * a controller's toolbox: leader election, event recorders, expectations, owner references, retries.
 *
 * A `Client` speaks through a `Transport`. `connect` makes one over the network from a `ClientConfig`, which comes from a
 * kubeconfig (`loadKubeconfig`) or from inside a Pod (`inClusterConfig`). Objects that informers hand out are frozen.
 */
export { Client, type ClientOptions, type Impersonation } from './client.ts';
export { builtIn, type BuiltInResource, type ObjectOf } from './built-in-resources.ts';
export {
  ResourceClient,
  type ListOptions,
  type ObjectList,
  type PatchType,
  type ReadOptions,
  type WatchOptions,
  type WriteOptions,
} from './resource-client.ts';
export {
  apiVersionOf,
  defineResource,
  keyOf,
  resourcePath,
  splitKey,
  type ApiObject,
  type CustomResourceName,
  type ObjectReference,
  type Resource,
  type UntypedObject,
} from './resource.ts';
export {
  formatQuery,
  queryParameters,
  TransportError,
  type Query,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type WatchEvent,
} from './transport.ts';
export {
  errorFromResponse,
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNamespaceTerminating,
  isNotFound,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
} from './errors.ts';
export { discover, findKind, RepeatedDiscovery, type DiscoveredResource, type Discovery } from './discovery.ts';
export { ResourceFinder } from './find-resource.ts';
export { connect } from './connect.ts';
export { LeaderElectionCheck } from './leader-election-check.ts';
export { HttpTransport } from './http-transport.ts';
export { ClientConfigError, type ClientConfig } from './client-config.ts';
export { readJsonLines } from './json-lines.ts';
export { loadKubeconfig, type KubeconfigOptions } from './kubeconfig.ts';
export { inClusterConfig } from './in-cluster-config.ts';
export { serviceAccountCredentials } from './service-account-credentials.ts';
export {
  anonymous,
  basicAuth,
  bearerToken,
  clientCertificate,
  combine,
  tokenFile,
  type ClientCertificate,
  type Credentials,
} from './credentials.ts';
export { execCredentials, type ExecPlugin } from './exec-credentials.ts';
export { EventStream } from './event-stream.ts';
export { listPages } from './list-pages.ts';
export {
  Reflector,
  type ListerWatcher,
  type ReflectorOptions,
  type ReflectorSink,
  type ReflectorTiming,
} from './reflector.ts';
export {
  byControllerUid,
  byNamespace,
  CONTROLLER_UID_INDEX,
  Indexer,
  NAMESPACE_INDEX,
  type IndexFunction,
} from './indexer.ts';
export { SharedInformer, type InformerHandler, type InformerOptions } from './informer.ts';
export { enqueueOnChange } from './enqueue-on-change.ts';
export { InformerFactory, scoped, type InformerFactoryOptions, type InformerScope } from './informer-factory.ts';
export { candidateVersions, type CandidateVersions } from './lease-candidate.ts';
export {
  LeaderElector,
  LeadershipLost,
  runAsCandidate,
  runWithLeaderElection,
  type CandidateOptions,
  type LeaderElectionConfiguration,
  type LeaderElectionOptions,
} from './leader-election.ts';
export { type EventDetails, type EventPacing, type EventRecorder, type EventType } from './event-recorder.ts';
export { createCoreEventRecorder } from './core-event-recorder.ts';
export { tracedWork, type Work } from './traced-work.ts';
export { createEventsV1Recorder } from './events-v1-recorder.ts';
export { referenceTo } from './object-reference.ts';
export {
  adoptionPatch,
  claimObjects,
  controllerOf,
  controllerReference,
  isControlledBy,
  releasePatch,
  type ClaimOptions,
} from './owner-references.ts';
export { Expectations } from './expectations.ts';
export { slowStartBatch, SlowStartError } from './slow-start-batch.ts';
export { retryOnConflict, type RetryOptions } from './retry-on-conflict.ts';
