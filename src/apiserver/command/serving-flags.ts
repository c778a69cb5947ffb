/** The serving, storage and API flags of kube-apiserver. */
import { tlsFlags } from '../../component-server/index.ts';
import type { FlagTable } from '../../flags/index.ts';
import { COMPACTION_INTERVAL_MS } from '../storage/compactor.ts';
import { STORAGE_MEDIA_TYPES } from '../storage/storage-media-type.ts';

export const servingFlags = {
  'bind-address': { kind: 'text', default: '0.0.0.0', section: 'Serving', summary: 'Address to listen on' },
  'secure-port': { kind: 'whole', default: 6443, section: 'Serving', summary: 'Port to listen on; 0: any free port' },
  'advertise-address': {
    kind: 'text',
    section: 'Serving',
    summary: 'Address of the server in the endpoints of the Service "kubernetes"',
  },
  'external-hostname': {
    kind: 'text',
    section: 'Serving',
    summary: 'Host name in URLs that the server generates',
  },
  'cert-dir': {
    kind: 'text',
    default: '/var/run/kubernetes',
    section: 'Serving',
    summary:
      'Directory of apiserver.crt and apiserver.key, which are generated if missing, when --tls-cert-file is not set',
  },
  ...tlsFlags,
  'http2-max-streams-per-connection': {
    kind: 'whole',
    default: 1000,
    section: 'Serving',
    summary: 'Streams that a client may open on an HTTP/2 connection; 0: 250',
  },
  'disable-http2-serving': {
    kind: 'switch',
    default: false,
    section: 'Serving',
    summary: 'Serve HTTP/1.1 alone',
  },
  'permit-port-sharing': { kind: 'switch', only: ['false'], refused: 'a port is not shared' },
  'cors-allowed-origins': {
    kind: 'texts',
    section: 'Serving',
    summary: 'Regular expressions of the origins whose pages may read responses, such as //example\\.com(:|$)',
  },
  'strict-transport-security-directives': {
    kind: 'texts',
    section: 'Serving',
    summary: 'Directives of the header Strict-Transport-Security: max-age=31536000, includeSubDomains, preload',
  },
  'goaway-chance': {
    kind: 'number',
    default: 0,
    section: 'Serving',
    summary: 'Part of HTTP/2 requests, up to 0.02, after which the client must open another connection',
  },
  'max-connection-bytes-per-sec': { kind: 'whole', ignored: 'deprecated, and without effect upstream too' },
  'debug-socket-path': { kind: 'text', refused: 'Go profiling is not available' },
  'shutdown-delay-duration': {
    kind: 'duration',
    default: 0,
    section: 'Serving',
    summary: 'How long the server goes on serving after a signal to end, while /readyz fails',
  },
  'shutdown-send-retry-after': {
    kind: 'switch',
    default: false,
    section: 'Serving',
    summary: 'Refuse new requests with 429 and Retry-After until those in progress are done, and listen meanwhile',
  },
  'shutdown-watch-termination-grace-period': { kind: 'duration', ignored: 'watches end with the server' },
  'livez-grace-period': { kind: 'duration', ignored: 'the server listens when it is ready' },
  'request-timeout': {
    kind: 'duration',
    default: 60_000,
    section: 'API',
    summary: 'Timeout of requests that are not long-running, including the response',
  },
  'min-request-timeout': {
    kind: 'whole',
    default: 1800,
    section: 'API',
    summary: 'Seconds after which a watch without a timeout ends, at the earliest; at the latest twice as many',
  },
  'egress-selector-config-file': { kind: 'text', refused: 'egress selection is not supported' },
  'tracing-config-file': {
    kind: 'text',
    section: 'API',
    summary: 'TracingConfiguration: the OTLP collector that spans are sent to, and how many',
  },
  'peer-advertise-ip': { kind: 'text', refused: 'the peer proxy is not supported' },
  'peer-advertise-port': { kind: 'text', refused: 'the peer proxy is not supported' },
  'peer-ca-file': { kind: 'text', refused: 'the peer proxy is not supported' },
} as const satisfies FlagTable;

export const storageFlags = {
  'etcd-servers': { kind: 'texts', section: 'Store', summary: 'Endpoints of etcd, http(s)://host:port' },
  'etcd-cafile': { kind: 'text', section: 'Store', summary: "CA bundle that verifies etcd's certificate" },
  'etcd-certfile': { kind: 'text', section: 'Store', summary: 'Client certificate for etcd' },
  'etcd-keyfile': { kind: 'text', section: 'Store', summary: 'Private key of the client certificate for etcd' },
  'etcd-prefix': {
    kind: 'text',
    default: '/registry',
    section: 'Store',
    summary: 'Prefix of all keys in etcd',
  },
  'etcd-servers-overrides': { kind: 'texts', refused: 'only one etcd cluster is supported' },
  'storage-backend': { kind: 'text', default: 'etcd3', only: ['etcd3'], refused: 'the store is etcd v3' },
  'storage-media-type': {
    kind: 'text',
    default: 'application/json',
    // As upstream, an empty one is JSON.
    only: [...STORAGE_MEDIA_TYPES, ''],
    section: 'Store',
    summary: 'How built-in kinds are stored; protobuf is what upstream stores',
  },
  'etcd-compaction-interval': {
    kind: 'duration',
    default: COMPACTION_INTERVAL_MS,
    section: 'Store',
    summary: 'How often etcd is compacted; 0: not by this server',
  },
  'etcd-count-metric-poll-period': { kind: 'duration', ignored: 'objects are counted in the watch cache' },
  'etcd-db-metric-poll-interval': { kind: 'duration', ignored: 'etcd itself reports the size of its database' },
  'etcd-healthcheck-timeout': { kind: 'duration', ignored: 'the etcd health checks have fixed timeouts' },
  'etcd-readycheck-timeout': { kind: 'duration', ignored: 'the etcd health checks have fixed timeouts' },
  'lease-reuse-duration-seconds': { kind: 'whole', ignored: 'events of a minute share a lease' },
  'storage-initialization-timeout': {
    kind: 'duration',
    ignored: 'the server listens after the watch cache is initialized',
  },
  'watch-cache': { kind: 'switch', only: ['true'], refused: 'the watch cache is always on' },
  'watch-cache-sizes': { kind: 'texts', ignored: 'the watch cache sizes itself' },
  'delete-collection-workers': { kind: 'whole', ignored: 'collections are deleted in batches' },
  'enable-garbage-collector': { kind: 'switch', only: ['true'], refused: 'garbage collection is always on' },
  'event-ttl': { kind: 'duration', default: 3_600_000, section: 'Store', summary: 'Lifetime of Events' },
  'encryption-provider-config': {
    kind: 'text',
    section: 'Store',
    summary: 'EncryptionConfiguration file for encryption at rest',
  },
  'encryption-provider-config-automatic-reload': { kind: 'switch', ignored: 'the file is always reloaded' },
} as const satisfies FlagTable;

export const apiFlags = {
  version: {
    kind: 'text',
    section: 'API',
    summary: 'The version to report: that of the program, with a suffix for the build',
  },
  'runtime-config': {
    kind: 'settings',
    section: 'API',
    summary: 'API versions to enable or disable: group/version=true, api/beta=false',
  },
  'runtime-config-emulation-forward-compatible': {
    kind: 'switch',
    default: false,
    section: 'API',
    summary: 'Serve what --runtime-config names also when it is newer than the emulated version',
  },
  'emulation-forward-compatible': {
    kind: 'switch',
    default: false,
    section: 'API',
    summary: 'Serve newer versions of the beta and stable APIs of the emulated version',
  },
  'feature-gates': { kind: 'pairs', section: 'API', summary: 'Feature gates: Name=true' },
  'allow-privileged': {
    kind: 'switch',
    default: false,
    section: 'API',
    summary: 'Allow privileged containers',
  },
  'service-cluster-ip-range': {
    kind: 'text',
    default: '10.0.0.0/24',
    section: 'API',
    summary: 'CIDRs of Service cluster IPs; one per IP family',
  },
  'service-node-port-range': {
    kind: 'text',
    default: '30000-32767',
    section: 'API',
    summary: 'Port range of NodePort Services',
  },
  'kubernetes-service-node-port': {
    kind: 'whole',
    default: 0,
    section: 'API',
    summary: 'Node port of the Service "kubernetes"; 0: it is of type ClusterIP',
  },
  'endpoint-reconciler-type': {
    kind: 'text',
    default: 'lease',
    only: ['lease', 'none', ''],
    section: 'API',
    summary: 'Who writes the endpoints of the Service "kubernetes": the servers that are alive, or nobody (none)',
  },
  'enable-priority-and-fairness': {
    kind: 'switch',
    default: true,
    section: 'API',
    summary: 'Enable API Priority and Fairness',
  },
  'max-requests-inflight': {
    kind: 'whole',
    default: 400,
    section: 'API',
    summary: 'Maximum number of concurrent non-mutating requests; added to the mutating ones',
  },
  'max-mutating-requests-inflight': {
    kind: 'whole',
    default: 200,
    section: 'API',
    summary: 'Maximum number of concurrent mutating requests',
  },
  'enable-aggregator-routing': {
    kind: 'switch',
    default: false,
    section: 'API',
    summary: 'Refuse ExternalName Services of aggregated APIs and webhooks; requests go to endpoints either way',
  },
  'aggregator-reject-forwarding-redirect': {
    kind: 'switch',
    only: ['true'],
    refused: 'redirects of aggregated servers are always rejected',
  },
  'enable-logs-handler': { kind: 'switch', only: ['false'], refused: '/logs is not supported' },
  'kubelet-certificate-authority': {
    kind: 'text',
    section: 'API',
    summary: "CA bundle that verifies kubelets' serving certificates; default: they are not verified",
  },
  'kubelet-client-certificate': { kind: 'text', section: 'API', summary: 'Client certificate for kubelets' },
  'kubelet-client-key': { kind: 'text', section: 'API', summary: 'Private key of the client certificate for kubelets' },
  'kubelet-preferred-address-types': {
    kind: 'texts',
    section: 'API',
    summary: 'Node address types in order of preference',
  },
  'kubelet-timeout': { kind: 'duration', ignored: 'connections to kubelets have fixed timeouts' },
  'proxy-client-cert-file': { kind: 'text', section: 'API', summary: 'Client certificate for aggregated API servers' },
  'proxy-client-key-file': {
    kind: 'text',
    section: 'API',
    summary: 'Private key of the client certificate for aggregated API servers',
  },
  'coordinated-leadership-lease-duration': {
    kind: 'duration',
    ignored: 'coordinated leader election is an alpha feature, and off',
  },
  'coordinated-leadership-renew-deadline': {
    kind: 'duration',
    ignored: 'coordinated leader election is an alpha feature, and off',
  },
  'coordinated-leadership-retry-period': {
    kind: 'duration',
    ignored: 'coordinated leader election is an alpha feature, and off',
  },
} as const satisfies FlagTable;
