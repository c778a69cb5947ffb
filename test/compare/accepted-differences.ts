/**
 * Differences from the other server that stand, each with its reason. What is not here is a defect. An entry holds for
 * a difference when all that it names matches.
 */
import type { Difference } from './difference.ts';

export interface AcceptedDifference {
  readonly area?: string;
  /** The request: `GET /path`. */
  readonly request?: RegExp;
  readonly path: RegExp;
  readonly what?: Difference['what'];
  readonly ours?: RegExp;
  readonly theirs?: RegExp;
  readonly reason: string;
}

export const acceptedDifferences: readonly AcceptedDifference[] = [
  {
    area: 'crd',
    path: /^body\.details\.causes\[\]$/,
    what: 'order',
    reason: 'the other server walks the properties of a schema in an order of chance; ours is that of the object',
  },
  {
    request: /\/(?:secrets|configmaps)\b/,
    path: /^body\.details\.causes\[\]$/,
    what: 'order',
    reason: 'the other server walks the keys of data in an order of chance; ours is that of the object',
  },
  {
    area: 'rbac',
    path: /^body\.status\.(?:r|nonR)esourceRules$/,
    what: 'order',
    reason: 'the other server lists the rules of a user in an order of chance',
  },
  {
    area: 'rbac',
    path: /^body\.status\.resourceRules\[\]$/,
    what: 'extra',
    ours: /glass\.k8ts\.dev/,
    reason: 'everybody may ask why something was decided; the other server has no such API',
  },
  {
    area: 'crd',
    path: /^status$/,
    theirs: /^0 .*socket hang up/,
    reason: 'the other server breaks off the connection instead of refusing the schema',
  },
  {
    area: 'apply',
    path: /^body\.details\.causes\[\]$/,
    what: 'order',
    theirs: /FieldManagerConflict/,
    reason: 'the other server lists the conflicts with several managers in an order of chance',
  },
  {
    request: /^PATCH /,
    path: /^body\.message$/,
    theirs: /failed to create typed patch object .*: field not declared in schema/s,
    ours: /failed to create typed patch object .*: field not declared in schema/s,
    reason: 'the other server stops at unknown fields in an order of chance',
  },
  {
    area: 'webhooks',
    path: /^headers\.warning$/,
    what: 'order',
    reason: 'validating webhooks are called at the same time, and their warnings come in the order of their answers',
  },
  {
    area: 'discovery',
    request: /^GET \/version/,
    path: /^body\.gitTreeState$/,
    reason: 'how the other server was built',
  },
  {
    request: /\/things\/(?:x|first)(?:\/status)?$/,
    path: /^body\.metadata\.managedFields/,
    ours: /"subresource":"scale"/,
    reason: 'the other server loses the owner of the replicas of a custom resource with the second write to its scale',
  },
  {
    area: 'health',
    path: /^body\.id_token_signing_alg_values_supported/,
    reason: 'the kind of key that each cluster was given',
  },
  {
    area: 'health',
    request: /^GET \/debug\/pprof\//,
    path: /^status$/,
    reason: 'profiles of the Go runtime, which we do not have',
  },
  {
    area: 'query',
    request: /resourceVersion=1&|resourceVersion=1$/,
    path: /^body\[/,
    theirs: /ERROR|Status|Failure|Expired|410|too old|^v1$/,
    reason: 'how many events a server keeps in memory to replay is its own choice',
  },
  {
    area: 'query',
    request: /resourceVersion=1&|resourceVersion=1$/,
    path: /^body\[\d*\]\.object/,
    what: 'extra',
    reason: 'how many events a server keeps in memory to replay is its own choice',
  },
  {
    area: 'delete',
    request: /customresourcedefinitions/,
    path: /^body\.status\.conditions\[\d*\]\.(?:status|reason|message)$/,
    theirs: /^(?:True|False|InstanceDeletion\w+|CustomResource.* deletion .*|removed all instances|could not list .*)$/,
    reason: 'the other server takes seconds to find that a definition has no objects',
  },
  {
    area: 'delete',
    request: /customresourcedefinitions/,
    path: /^body\.metadata\.finalizers\[\d*\]$/,
    theirs: /^customresourcecleanup\.apiextensions\.k8s\.io$/,
    reason: 'the other server takes seconds to find that a definition has no objects',
  },
  {
    area: 'delete',
    request: /customresourcedefinitions/,
    path: /^body\.metadata\.managedFields\[\d*\]\.fieldsV1\.f:status\.f:conditions/,
    reason: 'the other server takes seconds to find that a definition has no objects',
  },
  {
    area: 'metrics',
    path: /^body\[/,
    what: 'missing',
    theirs: /apiserver_flowcontrol_(?:current_r|dispatch_r|latest_s|next_s_bounds|next_discounted_s_bounds) /,
    reason: "numbers of the other server's way to queue fairly; ours keeps other ones",
  },
  {
    area: 'metrics',
    path: /^body\[/,
    what: 'missing',
    theirs:
      /apiserver_flowcontrol_(?:demand_seats|demand_seats_average|demand_seats_smoothed|demand_seats_stdev|target_seats|priority_level_\w+_utilization|read_vs_write_current_requests|watch_count_samples) /,
    reason: 'averages over time by which the other server lends seats; ours lends by the highest demand',
  },
  {
    area: 'metrics',
    path: /^body\[/,
    what: 'missing',
    theirs: /grpc_client_|etcd_bookmark_total|etcd_lease_object_counts/,
    reason: 'the client of etcd; the embedded store is in the process',
  },
  {
    area: 'metrics',
    path: /^body\[/,
    what: 'missing',
    theirs: /rest_client_/,
    reason: 'the other server sends requests to itself through a client; ours calls its pipeline',
  },
  {
    area: 'metrics',
    path: /^body\[/,
    what: 'missing',
    theirs: /apiserver_validation_|cardinality_enforcement_|apiserver_request_timestamp_comparison_time/,
    reason: "checks of the other server's own code: two ways to validate, metrics with too many labels, clocks",
  },
  {
    area: 'metrics',
    path: /^body\[/,
    what: 'missing',
    theirs: /_x509_(?:insecure_sha1|missing_san)_total/,
    reason: "what the other server's TLS library refuses; OpenSSL refuses it at the handshake",
  },
  {
    area: 'metrics',
    path: /^body\[/,
    what: 'missing',
    theirs: /aggregator_discovery_(?:nopeer|peer)_|aggregator_discovery_peer/,
    reason: 'discovery across servers of different versions',
  },
  {
    area: 'metrics',
    path: /^body\[/,
    what: 'missing',
    theirs: /hidden_metrics_total|disabled_metrics_total|registered_metrics_total|_summary summary/,
    reason: 'how the other server registers metrics',
  },
  {
    area: 'metrics',
    path: /^body\[/,
    what: 'missing',
    theirs: /authentication_token_cache_/,
    reason: 'the other server caches the result of each token for ten seconds; ours keeps parsed tokens',
  },
  {
    area: 'metrics',
    path: /^body\[/,
    what: 'missing',
    theirs:
      /apiserver_envelope_encryption_dek_cache|apiserver_storage_data_key_generation|apiserver_storage_envelope_transformation/,
    reason: 'the cache of data keys of KMS v1',
  },
  {
    area: 'metrics',
    path: /^body\[/,
    what: 'missing',
    theirs: /apiserver_storage_consistency_checks_total|apiserver_watch_cache_read_wait_seconds/,
    reason: 'our cache follows the store in the same process',
  },
  {
    area: 'openapi',
    path: /\.(?:additionalItems|additionalProperties|example|externalDocs|items|not|http)\.(?:\$ref|allOf)|\["\$ref"\]/,
    reason: 'a field that the other server has no description for refers to its type directly',
  },
];

export function reasonFor(
  area: string,
  request: string,
  difference: Difference,
  list = acceptedDifferences,
): string | undefined {
  const matches = (pattern: RegExp | undefined, value: unknown): boolean =>
    pattern === undefined || pattern.test(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
  const found = list.find(
    (entry) =>
      (entry.area === undefined || entry.area === area) &&
      matches(entry.request, request) &&
      matches(entry.path, difference.path) &&
      (entry.what === undefined || entry.what === difference.what) &&
      matches(entry.ours, difference.ours) &&
      matches(entry.theirs, difference.theirs),
  );
  return found?.reason;
}
