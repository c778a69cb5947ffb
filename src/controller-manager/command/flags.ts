/** Every flag that kube-controller-manager v1.36 has. */
import { type FlagTable, type FlagValues, loggingFlags, processFlags } from '../../flags/index.ts';
import { DEFAULT_CONFIG } from '../config.ts';

const NO_CLOUD = 'clouds are the business of the cloud controller manager';
const NO_RECYCLING = 'recycling is deprecated: volumes are provisioned and deleted';
const BATCHED = 'the work queue already merges changes of a moment';
const WATCHED = 'changes are seen when they happen';
const OWN_SERVING = 'there is one serving certificate, and its TLS settings are those of Node.js';

const { leaderElection, horizontalPodAutoscaler: autoscaler, nodeEviction } = DEFAULT_CONFIG;

const generalFlags = {
  kubeconfig: { kind: 'text', section: 'General', summary: 'Kubeconfig file of the API server' },
  master: { kind: 'text', section: 'General', summary: "Address of the API server, in the place of the kubeconfig's" },
  controllers: {
    kind: 'texts',
    default: ['*'],
    section: 'General',
    summary: 'Which controllers run: * for those on by default, name, -name',
  },
  'use-service-account-credentials': {
    kind: 'switch',
    default: false,
    section: 'General',
    summary: 'Whether each controller acts as a ServiceAccount of its own',
  },
  'feature-gates': { kind: 'pairs', section: 'General', summary: 'Feature gates: Name=true' },
  'cluster-name': {
    kind: 'text',
    default: DEFAULT_CONFIG.clusterName,
    section: 'General',
    summary: 'Prefix of cloud resources of the cluster',
  },
  'kube-api-qps': { kind: 'number', section: 'General', summary: 'Requests a second; no limit of our own without it' },
  'kube-api-burst': { kind: 'whole', section: 'General', summary: 'Requests at once where they are limited (30)' },
  'kube-api-content-type': { kind: 'text', ignored: 'JSON is spoken' },
  'min-resync-period': { kind: 'duration', ignored: WATCHED },
  'controller-start-interval': { kind: 'duration', ignored: 'controllers start together' },
  'controller-shutdown-timeout': { kind: 'duration', ignored: 'controllers end at once' },
  'enable-garbage-collector': {
    kind: 'switch',
    only: ['true'],
    refused: 'use --controllers=*,-garbage-collector-controller',
  },
} as const satisfies FlagTable;

const leaderElectionFlags = {
  'leader-elect': {
    kind: 'switch',
    default: true,
    section: 'Leader election',
    summary: 'Whether one of several managers is elected leader',
  },
  'leader-elect-lease-duration': {
    kind: 'duration',
    default: leaderElection.leaseDurationMs,
    section: 'Leader election',
    summary: 'How long others wait for a renewal',
  },
  'leader-elect-renew-deadline': {
    kind: 'duration',
    default: leaderElection.renewDeadlineMs,
    section: 'Leader election',
    summary: 'How long the leader tries to renew',
  },
  'leader-elect-retry-period': {
    kind: 'duration',
    default: leaderElection.retryPeriodMs,
    section: 'Leader election',
    summary: 'Time between attempts',
  },
  'leader-elect-resource-lock': { kind: 'text', only: ['leases'], refused: 'the lock is a Lease' },
  'leader-elect-resource-name': {
    kind: 'text',
    default: leaderElection.resourceName,
    section: 'Leader election',
    summary: 'Name of the Lease',
  },
  'leader-elect-resource-namespace': {
    kind: 'text',
    default: leaderElection.resourceNamespace,
    section: 'Leader election',
    summary: 'Namespace of the Lease',
  },
  'enable-leader-migration': { kind: 'switch', only: ['false'], refused: 'there is nothing to migrate from' },
  'leader-migration-config': { kind: 'text', refused: 'there is nothing to migrate from' },
} as const satisfies FlagTable;

const nodeFlags = {
  'cluster-cidr': { kind: 'text', default: '', section: 'Nodes', summary: 'Addresses of pods; one range a family' },
  'allocate-node-cidrs': {
    kind: 'switch',
    default: false,
    section: 'Nodes',
    summary: 'Whether nodes get ranges of pod addresses',
  },
  'node-cidr-mask-size': {
    kind: 'whole',
    section: 'Nodes',
    summary: "Size of a node's range (24 for IPv4, 64 for IPv6)",
  },
  'node-cidr-mask-size-ipv4': { kind: 'whole', section: 'Nodes', summary: "Size of a node's IPv4 range" },
  'node-cidr-mask-size-ipv6': { kind: 'whole', section: 'Nodes', summary: "Size of a node's IPv6 range" },
  'cidr-allocator-type': { kind: 'text', only: ['RangeAllocator'], refused: NO_CLOUD },
  'service-cluster-ip-range': {
    kind: 'text',
    default: '',
    section: 'Nodes',
    summary: 'Addresses of Services, which pods must not get',
  },
  'node-monitor-period': {
    kind: 'duration',
    default: DEFAULT_CONFIG.nodeMonitorPeriodSeconds * 1000,
    section: 'Nodes',
    summary: 'How often nodes are looked at',
  },
  'node-monitor-grace-period': {
    kind: 'duration',
    default: DEFAULT_CONFIG.nodeMonitorGracePeriodSeconds * 1000,
    section: 'Nodes',
    summary: 'How long a node may be without a heartbeat',
  },
  'node-startup-grace-period': {
    kind: 'duration',
    default: DEFAULT_CONFIG.nodeStartupGracePeriodSeconds * 1000,
    section: 'Nodes',
    summary: 'The same for a node that has never reported',
  },
  'node-eviction-rate': {
    kind: 'number',
    default: nodeEviction.primary,
    section: 'Nodes',
    summary: 'Nodes a second that pods are evicted from',
  },
  'secondary-node-eviction-rate': {
    kind: 'number',
    default: nodeEviction.secondary,
    section: 'Nodes',
    summary: 'The same in an unhealthy zone',
  },
  'large-cluster-size-threshold': {
    kind: 'whole',
    default: nodeEviction.largeClusterSize,
    section: 'Nodes',
    summary: 'Size above which the secondary rate applies to unhealthy zones',
  },
  'unhealthy-zone-threshold': {
    kind: 'number',
    default: nodeEviction.unhealthyThreshold,
    section: 'Nodes',
    summary: 'Fraction of nodes not ready at which a zone is unhealthy',
  },
  'terminated-pod-gc-threshold': {
    kind: 'whole',
    default: DEFAULT_CONFIG.terminatedPodGcThreshold,
    section: 'Nodes',
    summary: 'How many terminated pods are kept',
  },
  'cloud-provider': { kind: 'text', only: ['', 'external'], refused: NO_CLOUD },
  'cloud-config': { kind: 'text', refused: NO_CLOUD },
  'configure-cloud-routes': { kind: 'switch', ignored: NO_CLOUD },
  'route-reconciliation-period': { kind: 'duration', ignored: NO_CLOUD },
  'external-cloud-volume-plugin': { kind: 'text', refused: NO_CLOUD },
  'concurrent-service-syncs': { kind: 'whole', ignored: NO_CLOUD },
} as const satisfies FlagTable;

const certificateFlags = {
  'root-ca-file': {
    kind: 'text',
    section: 'Certificates and tokens',
    summary: 'Certificate authority that is published to pods',
  },
  'service-account-private-key-file': {
    kind: 'text',
    section: 'Certificates and tokens',
    summary: 'Key that signs the tokens of Secrets',
  },
  'legacy-service-account-token-clean-up-period': {
    kind: 'duration',
    default: DEFAULT_CONFIG.legacyTokenCleanUpPeriodSeconds * 1000,
    section: 'Certificates and tokens',
    summary: 'How long tokens of Secrets may be unused',
  },
  'cluster-signing-cert-file': {
    kind: 'text',
    section: 'Certificates and tokens',
    summary: 'Authority that signs CertificateSigningRequests',
  },
  'cluster-signing-key-file': { kind: 'text', section: 'Certificates and tokens', summary: 'Its key' },
  'cluster-signing-duration': {
    kind: 'duration',
    default: DEFAULT_CONFIG.clusterSigningDurationSeconds * 1000,
    section: 'Certificates and tokens',
    summary: 'Maximum lifetime of certificates',
  },
  'cluster-signing-kubelet-client-cert-file': {
    kind: 'text',
    section: 'Certificates and tokens',
    summary: 'Authority of kubernetes.io/kube-apiserver-client-kubelet',
  },
  'cluster-signing-kubelet-client-key-file': { kind: 'text', section: 'Certificates and tokens', summary: 'Its key' },
  'cluster-signing-kubelet-serving-cert-file': {
    kind: 'text',
    section: 'Certificates and tokens',
    summary: 'Authority of kubernetes.io/kubelet-serving',
  },
  'cluster-signing-kubelet-serving-key-file': { kind: 'text', section: 'Certificates and tokens', summary: 'Its key' },
  'cluster-signing-kube-apiserver-client-cert-file': {
    kind: 'text',
    section: 'Certificates and tokens',
    summary: 'Authority of kubernetes.io/kube-apiserver-client',
  },
  'cluster-signing-kube-apiserver-client-key-file': {
    kind: 'text',
    section: 'Certificates and tokens',
    summary: 'Its key',
  },
  'cluster-signing-legacy-unknown-cert-file': {
    kind: 'text',
    section: 'Certificates and tokens',
    summary: 'Authority of kubernetes.io/legacy-unknown',
  },
  'cluster-signing-legacy-unknown-key-file': { kind: 'text', section: 'Certificates and tokens', summary: 'Its key' },
} as const satisfies FlagTable;

const workloadFlags = {
  'horizontal-pod-autoscaler-sync-period': {
    kind: 'duration',
    default: autoscaler.syncPeriodMs,
    section: 'Workloads',
    summary: 'Period of autoscaling',
  },
  'horizontal-pod-autoscaler-tolerance': {
    kind: 'number',
    default: autoscaler.tolerance,
    section: 'Workloads',
    summary: 'How far a metric may be off before the size changes',
  },
  'horizontal-pod-autoscaler-cpu-initialization-period': {
    kind: 'duration',
    default: autoscaler.cpuInitializationPeriodMs,
    section: 'Workloads',
    summary: 'How long CPU numbers of new pods may not count',
  },
  'horizontal-pod-autoscaler-initial-readiness-delay': {
    kind: 'duration',
    default: autoscaler.initialReadinessDelayMs,
    section: 'Workloads',
    summary: 'How long a change of readiness is the first',
  },
  'horizontal-pod-autoscaler-downscale-stabilization': {
    kind: 'duration',
    default: autoscaler.downscaleStabilizationMs,
    section: 'Workloads',
    summary: 'How long a smaller size must be wanted',
  },
  'resource-quota-sync-period': {
    kind: 'duration',
    default: DEFAULT_CONFIG.resourceQuotaSyncPeriodMs,
    section: 'Workloads',
    summary: 'How often quotas are recalculated',
  },
  'namespace-sync-period': { kind: 'duration', ignored: WATCHED },
  'max-endpoints-per-slice': {
    kind: 'whole',
    default: DEFAULT_CONFIG.maxEndpointsPerSlice,
    section: 'Workloads',
    summary: 'Endpoints in a slice',
  },
  'mirroring-max-endpoints-per-subset': {
    kind: 'whole',
    default: DEFAULT_CONFIG.mirroringMaxEndpointsPerSubset,
    section: 'Workloads',
    summary: 'Endpoints of a subset that are mirrored',
  },
  'endpoint-updates-batch-period': { kind: 'duration', ignored: BATCHED },
  'endpointslice-updates-batch-period': { kind: 'duration', ignored: BATCHED },
  'mirroring-endpointslice-updates-batch-period': { kind: 'duration', ignored: BATCHED },
} as const satisfies FlagTable;

const volumeFlags = {
  'enable-hostpath-provisioner': {
    kind: 'switch',
    default: false,
    section: 'Volumes',
    summary: 'Whether claims of classes with the provisioner k8ts.dev/host-path get directories',
  },
  'enable-dynamic-provisioning': { kind: 'switch', only: ['true'], refused: 'StorageClasses decide on provisioning' },
  'flex-volume-plugin-dir': { kind: 'text', ignored: 'FlexVolume is deprecated' },
  'attach-detach-reconcile-sync-period': { kind: 'duration', ignored: WATCHED },
  'disable-attach-detach-reconcile-sync': { kind: 'switch', ignored: WATCHED },
  'disable-force-detach-on-timeout': {
    kind: 'switch',
    only: ['true', 'false'],
    ignored: 'volumes are never detached by force',
  },
  'pvclaimbinder-sync-period': { kind: 'duration', ignored: WATCHED },
  'pv-recycler-increment-timeout-nfs': { kind: 'whole', ignored: NO_RECYCLING },
  'pv-recycler-minimum-timeout-hostpath': { kind: 'whole', ignored: NO_RECYCLING },
  'pv-recycler-minimum-timeout-nfs': { kind: 'whole', ignored: NO_RECYCLING },
  'pv-recycler-pod-template-filepath-hostpath': { kind: 'text', ignored: NO_RECYCLING },
  'pv-recycler-pod-template-filepath-nfs': { kind: 'text', ignored: NO_RECYCLING },
  'pv-recycler-timeout-increment-hostpath': { kind: 'whole', ignored: NO_RECYCLING },
} as const satisfies FlagTable;

/** The queue whose workers each flag counts. */
export const CONCURRENCY = {
  'concurrent-cron-job-syncs': 'cronjob',
  'concurrent-daemonset-syncs': 'daemonset',
  'concurrent-deployment-syncs': 'deployment',
  'concurrent-device-taint-eviction-syncs': 'device_taint_eviction',
  'concurrent-endpoint-syncs': 'endpoint',
  'concurrent-ephemeralvolume-syncs': 'ephemeral_volume',
  'concurrent-gc-syncs': 'garbage_collector_attempt_to_delete',
  'concurrent-horizontal-pod-autoscaler-syncs': 'horizontalpodautoscaler',
  'concurrent-job-syncs': 'job',
  'concurrent-namespace-syncs': 'namespace',
  'concurrent-rc-syncs': 'replicationmanager',
  'concurrent-replicaset-syncs': 'replicaset',
  'concurrent-resource-quota-syncs': 'resourcequota_primary',
  'concurrent-resourceclaim-syncs': 'resource_claim',
  'concurrent-service-endpoint-syncs': 'endpoint_slice',
  'concurrent-serviceaccount-token-syncs': 'serviceaccount_tokens_secret',
  'concurrent-statefulset-syncs': 'statefulset',
  'concurrent-ttl-after-finished-syncs': 'ttl_jobs_to_delete',
  'concurrent-validating-admission-policy-status-syncs': 'validatingadmissionpolicy-status',
  'mirroring-concurrent-service-endpoint-syncs': 'endpoint_slice_mirroring',
} as const;

type ConcurrencyFlag = keyof typeof CONCURRENCY;
const workers = { kind: 'whole', section: 'Concurrency', summary: 'How many are synced at the same time' } as const;
const concurrencyFlags = Object.fromEntries(Object.keys(CONCURRENCY).map((name) => [name, workers])) as Record<
  ConcurrencyFlag,
  typeof workers
>;

const servingFlags = {
  'bind-address': {
    kind: 'text',
    default: '0.0.0.0',
    section: 'Serving',
    summary: 'Address of health checks and metrics',
  },
  'secure-port': { kind: 'whole', default: 10257, section: 'Serving', summary: 'Their port; 0 disables serving' },
  'cert-dir': { kind: 'text', ignored: 'a self-signed certificate is created at each start' },
  'tls-cert-file': { kind: 'text', section: 'Serving', summary: 'Serving certificate' },
  'tls-private-key-file': { kind: 'text', section: 'Serving', summary: 'Its key' },
  'tls-cipher-suites': { kind: 'texts', refused: OWN_SERVING },
  'tls-curve-preferences': { kind: 'texts', refused: OWN_SERVING },
  'tls-min-version': { kind: 'text', only: ['VersionTLS12'], refused: OWN_SERVING },
  'tls-sni-cert-key': { kind: 'repeated', refused: OWN_SERVING },
  'http2-max-streams-per-connection': { kind: 'whole', ignored: 'health checks and metrics are served on HTTP/1.1' },
  'disable-http2-serving': { kind: 'switch', ignored: 'health checks and metrics are served on HTTP/1.1' },
  'permit-address-sharing': { kind: 'switch', only: ['false'], refused: OWN_SERVING },
  'permit-port-sharing': { kind: 'switch', only: ['false'], refused: OWN_SERVING },
  'authentication-kubeconfig': { kind: 'text', ignored: 'tokens are reviewed with the kubeconfig' },
  'authorization-kubeconfig': { kind: 'text', ignored: 'access is reviewed with the kubeconfig' },
  'authorization-always-allow-paths': {
    kind: 'texts',
    default: ['/healthz', '/readyz', '/livez'],
    section: 'Serving',
    summary: 'Paths that are served without authorization',
  },
  'authentication-skip-lookup': { kind: 'switch', ignored: 'client certificates of the cluster are not looked at' },
  'authentication-token-webhook-cache-ttl': { kind: 'duration', ignored: 'answers are kept for ten seconds' },
  'authentication-tolerate-lookup-failure': {
    kind: 'switch',
    ignored: 'client certificates of the cluster are not looked at',
  },
  'authorization-webhook-cache-authorized-ttl': { kind: 'duration', ignored: 'answers are kept for ten seconds' },
  'authorization-webhook-cache-unauthorized-ttl': { kind: 'duration', ignored: 'answers are kept for ten seconds' },
  'client-ca-file': { kind: 'text', refused: 'metrics are shown to bearers of tokens' },
  'requestheader-client-ca-file': { kind: 'text', refused: 'metrics are shown to bearers of tokens' },
  'requestheader-allowed-names': { kind: 'texts', ignored: 'metrics are shown to bearers of tokens' },
  'requestheader-extra-headers-prefix': { kind: 'texts', ignored: 'metrics are shown to bearers of tokens' },
  'requestheader-group-headers': { kind: 'texts', ignored: 'metrics are shown to bearers of tokens' },
  'requestheader-uid-headers': { kind: 'texts', ignored: 'metrics are shown to bearers of tokens' },
  'requestheader-username-headers': { kind: 'texts', ignored: 'metrics are shown to bearers of tokens' },
} as const satisfies FlagTable;

export const controllerManagerFlags = {
  ...generalFlags,
  ...leaderElectionFlags,
  ...nodeFlags,
  ...certificateFlags,
  ...workloadFlags,
  ...volumeFlags,
  ...concurrencyFlags,
  ...servingFlags,
  ...loggingFlags,
  ...processFlags,
} as const satisfies FlagTable;

export type ControllerManagerFlagValues = FlagValues<typeof controllerManagerFlags>;
