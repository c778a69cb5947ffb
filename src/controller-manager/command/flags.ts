/** Every flag that kube-controller-manager v1.36 has. */
import { componentServingFlags } from '../../component-server/index.ts';
import {
  clientFlags,
  type FlagTable,
  type FlagValues,
  leaderElectionFlags,
  loggingFlags,
  processFlags,
} from '../../flags/index.ts';
import { DEFAULT_CONFIG } from '../config.ts';

const NO_CLOUD = 'the cloud controller manager handles clouds';
const NO_RECYCLING = 'the Recycle reclaim policy is deprecated';
const BATCHED = 'the work queue already batches updates';
const WATCHED = 'informers deliver changes without a resync';

const { leaderElection, horizontalPodAutoscaler: autoscaler, nodeEviction } = DEFAULT_CONFIG;

const generalFlags = {
  ...clientFlags(30),
  controllers: {
    kind: 'texts',
    default: ['*'],
    section: 'General',
    summary: 'Controllers to enable: * for all that are on by default, name, -name to disable',
  },
  'use-service-account-credentials': {
    kind: 'switch',
    default: false,
    section: 'General',
    summary: 'Use individual ServiceAccount credentials for each controller',
  },
  'feature-gates': { kind: 'pairs', section: 'General', summary: 'Feature gates: Name=true' },
  'cluster-name': {
    kind: 'text',
    default: DEFAULT_CONFIG.clusterName,
    section: 'General',
    summary: 'Prefix of cloud resources of the cluster',
  },
  'min-resync-period': { kind: 'duration', ignored: WATCHED },
  'controller-start-interval': { kind: 'duration', ignored: 'all controllers start at once' },
  'controller-shutdown-timeout': { kind: 'duration', ignored: 'controllers stop at once' },
  'enable-garbage-collector': {
    kind: 'switch',
    only: ['true'],
    refused: 'use --controllers=*,-garbage-collector-controller',
  },
} as const satisfies FlagTable;

const electionFlags = {
  ...leaderElectionFlags('controllers run', leaderElection),
  'enable-leader-migration': { kind: 'switch', only: ['false'], refused: 'leader migration is not supported' },
  'leader-migration-config': { kind: 'text', refused: 'leader migration is not supported' },
} as const satisfies FlagTable;

const nodeFlags = {
  'cluster-cidr': {
    kind: 'text',
    default: '',
    section: 'Nodes',
    summary: 'CIDR ranges for pods, one for each IP family',
  },
  'allocate-node-cidrs': {
    kind: 'switch',
    default: false,
    section: 'Nodes',
    summary: 'Allocate pod CIDRs to nodes',
  },
  'node-cidr-mask-size': {
    kind: 'whole',
    section: 'Nodes',
    summary: 'Mask size of node CIDRs (default 24 for IPv4, 64 for IPv6)',
  },
  'node-cidr-mask-size-ipv4': { kind: 'whole', section: 'Nodes', summary: 'Mask size of IPv4 node CIDRs' },
  'node-cidr-mask-size-ipv6': { kind: 'whole', section: 'Nodes', summary: 'Mask size of IPv6 node CIDRs' },
  'cidr-allocator-type': { kind: 'text', only: ['RangeAllocator'], refused: NO_CLOUD },
  'service-cluster-ip-range': {
    kind: 'text',
    default: '',
    section: 'Nodes',
    summary: 'CIDR range of Services, which is not allocated to nodes',
  },
  'node-monitor-period': {
    kind: 'duration',
    default: DEFAULT_CONFIG.nodeMonitorPeriodSeconds * 1000,
    section: 'Nodes',
    summary: 'Period of checks of node health',
  },
  'node-monitor-grace-period': {
    kind: 'duration',
    default: DEFAULT_CONFIG.nodeMonitorGracePeriodSeconds * 1000,
    section: 'Nodes',
    summary: 'Time a node may be unresponsive before it is marked unhealthy',
  },
  'node-startup-grace-period': {
    kind: 'duration',
    default: DEFAULT_CONFIG.nodeStartupGracePeriodSeconds * 1000,
    section: 'Nodes',
    summary: 'Time a starting node may be unresponsive before it is marked unhealthy',
  },
  'node-eviction-rate': {
    kind: 'number',
    default: nodeEviction.primary,
    section: 'Nodes',
    summary: 'Nodes per second from which pods are evicted, in a healthy zone',
  },
  'secondary-node-eviction-rate': {
    kind: 'number',
    default: nodeEviction.secondary,
    section: 'Nodes',
    summary: 'Nodes per second from which pods are evicted, in an unhealthy zone',
  },
  'large-cluster-size-threshold': {
    kind: 'whole',
    default: nodeEviction.largeClusterSize,
    section: 'Nodes',
    summary: 'Number of nodes up to which an unhealthy zone evicts no pods',
  },
  'unhealthy-zone-threshold': {
    kind: 'number',
    default: nodeEviction.unhealthyThreshold,
    section: 'Nodes',
    summary: 'Fraction of nodes that are not ready in an unhealthy zone',
  },
  'terminated-pod-gc-threshold': {
    kind: 'whole',
    default: DEFAULT_CONFIG.terminatedPodGcThreshold,
    section: 'Nodes',
    summary: 'Number of terminated pods before the pod garbage collector deletes some',
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
    summary: 'Root CA that is published in every namespace',
  },
  'service-account-private-key-file': {
    kind: 'text',
    section: 'Certificates and tokens',
    summary: 'Private key that signs ServiceAccount tokens',
  },
  'legacy-service-account-token-clean-up-period': {
    kind: 'duration',
    default: DEFAULT_CONFIG.legacyTokenCleanUpPeriodSeconds * 1000,
    section: 'Certificates and tokens',
    summary: 'Time since the last use of a legacy token before it is deleted',
  },
  'cluster-signing-cert-file': {
    kind: 'text',
    section: 'Certificates and tokens',
    summary: 'Authority that signs CertificateSigningRequests',
  },
  'cluster-signing-key-file': {
    kind: 'text',
    section: 'Certificates and tokens',
    summary: 'Private key of the certificate',
  },
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
  'cluster-signing-kubelet-client-key-file': {
    kind: 'text',
    section: 'Certificates and tokens',
    summary: 'Private key of the certificate',
  },
  'cluster-signing-kubelet-serving-cert-file': {
    kind: 'text',
    section: 'Certificates and tokens',
    summary: 'Authority of kubernetes.io/kubelet-serving',
  },
  'cluster-signing-kubelet-serving-key-file': {
    kind: 'text',
    section: 'Certificates and tokens',
    summary: 'Private key of the certificate',
  },
  'cluster-signing-kube-apiserver-client-cert-file': {
    kind: 'text',
    section: 'Certificates and tokens',
    summary: 'Authority of kubernetes.io/kube-apiserver-client',
  },
  'cluster-signing-kube-apiserver-client-key-file': {
    kind: 'text',
    section: 'Certificates and tokens',
    summary: 'Private key of the certificate',
  },
  'cluster-signing-legacy-unknown-cert-file': {
    kind: 'text',
    section: 'Certificates and tokens',
    summary: 'Authority of kubernetes.io/legacy-unknown',
  },
  'cluster-signing-legacy-unknown-key-file': {
    kind: 'text',
    section: 'Certificates and tokens',
    summary: 'Private key of the certificate',
  },
} as const satisfies FlagTable;

const workloadFlags = {
  'horizontal-pod-autoscaler-sync-period': {
    kind: 'duration',
    default: autoscaler.syncPeriodMs,
    section: 'Workloads',
    summary: 'Period for syncing HorizontalPodAutoscalers',
  },
  'horizontal-pod-autoscaler-tolerance': {
    kind: 'number',
    default: autoscaler.tolerance,
    section: 'Workloads',
    summary: 'Minimum change of the ratio of a metric to its target for scaling',
  },
  'horizontal-pod-autoscaler-cpu-initialization-period': {
    kind: 'duration',
    default: autoscaler.cpuInitializationPeriodMs,
    section: 'Workloads',
    summary: 'Period after the start of a pod in which CPU samples may be skipped',
  },
  'horizontal-pod-autoscaler-initial-readiness-delay': {
    kind: 'duration',
    default: autoscaler.initialReadinessDelayMs,
    section: 'Workloads',
    summary: 'Period after the start of a pod in which readiness changes count as initial readiness',
  },
  'horizontal-pod-autoscaler-downscale-stabilization': {
    kind: 'duration',
    default: autoscaler.downscaleStabilizationMs,
    section: 'Workloads',
    summary: 'Stabilization window for scaling down',
  },
  'resource-quota-sync-period': {
    kind: 'duration',
    default: DEFAULT_CONFIG.resourceQuotaSyncPeriodMs,
    section: 'Workloads',
    summary: 'Period for syncing quota usage',
  },
  'namespace-sync-period': { kind: 'duration', ignored: WATCHED },
  'max-endpoints-per-slice': {
    kind: 'whole',
    default: DEFAULT_CONFIG.maxEndpointsPerSlice,
    section: 'Workloads',
    summary: 'Maximum number of endpoints in an EndpointSlice',
  },
  'mirroring-max-endpoints-per-subset': {
    kind: 'whole',
    default: DEFAULT_CONFIG.mirroringMaxEndpointsPerSubset,
    section: 'Workloads',
    summary: 'Maximum number of endpoints that are mirrored from a subset',
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
    summary: 'Provision directories for claims whose StorageClass has the provisioner k8ts.dev/host-path',
  },
  'enable-dynamic-provisioning': {
    kind: 'switch',
    only: ['true'],
    refused: 'provisioning depends on StorageClasses only',
  },
  'flex-volume-plugin-dir': { kind: 'text', ignored: 'FlexVolume is deprecated' },
  'attach-detach-reconcile-sync-period': { kind: 'duration', ignored: WATCHED },
  'disable-attach-detach-reconcile-sync': { kind: 'switch', ignored: WATCHED },
  'disable-force-detach-on-timeout': {
    kind: 'switch',
    only: ['false'],
    refused: 'volumes are detached by force after six minutes',
  },
  'pvclaimbinder-sync-period': { kind: 'duration', ignored: WATCHED },
  'pv-recycler-increment-timeout-nfs': { kind: 'whole', ignored: NO_RECYCLING },
  'pv-recycler-minimum-timeout-hostpath': { kind: 'whole', ignored: NO_RECYCLING },
  'pv-recycler-minimum-timeout-nfs': { kind: 'whole', ignored: NO_RECYCLING },
  'pv-recycler-pod-template-filepath-hostpath': { kind: 'text', ignored: NO_RECYCLING },
  'pv-recycler-pod-template-filepath-nfs': { kind: 'text', ignored: NO_RECYCLING },
  'pv-recycler-timeout-increment-hostpath': { kind: 'whole', ignored: NO_RECYCLING },
} as const satisfies FlagTable;

/** The work queue whose number of workers each flag sets. */
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
const workers = {
  kind: 'whole',
  section: 'Concurrency',
  summary: 'Number of objects that are synced concurrently',
} as const;
const concurrencyFlags = Object.fromEntries(Object.keys(CONCURRENCY).map((name) => [name, workers])) as Record<
  ConcurrencyFlag,
  typeof workers
>;

const servingFlags = {
  'bind-address': {
    kind: 'text',
    default: '0.0.0.0',
    section: 'Serving',
    summary: 'Address for health checks and metrics',
  },
  'secure-port': {
    kind: 'whole',
    default: 10257,
    section: 'Serving',
    summary: 'Port for health checks and metrics; 0 disables serving',
  },
  ...componentServingFlags('kube-controller-manager'),
  'http2-max-streams-per-connection': { kind: 'whole', ignored: 'health checks and metrics are served on HTTP/1.1' },
  'disable-http2-serving': { kind: 'switch', ignored: 'health checks and metrics are served on HTTP/1.1' },
  'permit-port-sharing': { kind: 'switch', only: ['false'], refused: 'a port is not shared' },
  'authentication-kubeconfig': { kind: 'text', ignored: 'tokens are reviewed with the kubeconfig' },
  'authorization-kubeconfig': { kind: 'text', ignored: 'access is reviewed with the kubeconfig' },
  'authorization-always-allow-paths': {
    kind: 'texts',
    default: ['/healthz', '/readyz', '/livez'],
    section: 'Serving',
    summary: 'Paths that are served without authorization',
  },
  'authentication-token-webhook-cache-ttl': { kind: 'duration', ignored: 'reviews are cached for ten seconds' },
  'authentication-tolerate-lookup-failure': {
    kind: 'switch',
    ignored: 'client certificates are not accepted',
  },
  'authorization-webhook-cache-authorized-ttl': { kind: 'duration', ignored: 'reviews are cached for ten seconds' },
  'authorization-webhook-cache-unauthorized-ttl': { kind: 'duration', ignored: 'reviews are cached for ten seconds' },
  'requestheader-client-ca-file': { kind: 'text', refused: 'clients authenticate with bearer tokens' },
  'requestheader-allowed-names': { kind: 'texts', ignored: 'clients authenticate with bearer tokens' },
  'requestheader-extra-headers-prefix': { kind: 'texts', ignored: 'clients authenticate with bearer tokens' },
  'requestheader-group-headers': { kind: 'texts', ignored: 'clients authenticate with bearer tokens' },
  'requestheader-uid-headers': { kind: 'texts', ignored: 'clients authenticate with bearer tokens' },
  'requestheader-username-headers': { kind: 'texts', ignored: 'clients authenticate with bearer tokens' },
} as const satisfies FlagTable;

export const controllerManagerFlags = {
  ...generalFlags,
  ...electionFlags,
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
