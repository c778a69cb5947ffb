import type { LeaderElectionConfiguration } from '../client/index.ts';
import type { EvictionRates } from './node-lifecycle/eviction-rates.ts';

/** The controller manager's configuration, under upstream's flag names. */
export interface ControllerManagerConfig {
  /** `--controllers`: `*` and names, `-name` switches off. */
  readonly controllers: readonly string[];
  /** `--cluster-cidr`, for nodes' pod ranges. */
  readonly clusterCidr: string;
  readonly allocateNodeCidrs: boolean;
  readonly serviceClusterIpRange: string;
  /** PEM; published as kube-root-ca.crt in every namespace. */
  readonly rootCa: string;
  /** The CA that signs CertificateSigningRequests, PEM. */
  readonly clusterSigningCertificate?: string;
  readonly clusterSigningKey?: string;
  /** CAs of single signers, by signer name; other signers use the cluster signing CA. */
  readonly signerAuthorities?: Readonly<Record<string, { readonly certificate: string; readonly key: string }>>;
  /** `--cluster-signing-duration`: the maximum lifetime of signed certificates. */
  readonly clusterSigningDurationSeconds: number;
  /** `--service-account-private-key-file`, PEM; without it no token Secrets are filled. */
  readonly serviceAccountPrivateKey?: string;
  /** `--legacy-service-account-token-clean-up-period`. */
  readonly legacyTokenCleanUpPeriodSeconds: number;
  readonly clusterName: string;
  /**
   * The delay before the content of a terminating namespace is deleted. With several API servers, one that has not seen
   * the deletion yet may still admit new objects; one API server needs no delay.
   */
  readonly namespaceDeletionDelaySeconds: number;
  /** `--node-monitor-period`. */
  readonly nodeMonitorPeriodSeconds: number;
  /** `--node-monitor-grace-period`: how long a node may be without a heartbeat. */
  readonly nodeMonitorGracePeriodSeconds: number;
  /** `--node-startup-grace-period`: the same for a node that has never reported. */
  readonly nodeStartupGracePeriodSeconds: number;
  /** `--node-eviction-rate`, `--secondary-node-eviction-rate`, `--large-cluster-size-threshold`, `--unhealthy-zone-threshold`. */
  readonly nodeEviction: EvictionRates;
  /** `--terminated-pod-gc-threshold`: how many finished pods are kept. */
  readonly terminatedPodGcThreshold: number;
  /** Where the host-path provisioner keeps its volumes; without it the provisioner does nothing. */
  readonly hostPathProvisionerDirectory?: string;
  /** Removes the directory of a volume, where the directories are not on this machine's disk. */
  readonly removeVolumeDirectory?: (directory: string) => Promise<void>;
  /** `--leader-elect`: off when the cluster has only one manager. */
  readonly leaderElect: boolean;
  readonly leaderElection: LeaderElectionConfiguration;
  /** `--node-cidr-mask-size-ipv4` and `--node-cidr-mask-size-ipv6`. */
  readonly nodeCidrMaskSizes: { readonly ipv4: number; readonly ipv6: number };
  readonly horizontalPodAutoscaler: HorizontalPodAutoscalerConfig;
  /** `--resource-quota-sync-period`. */
  readonly resourceQuotaSyncPeriodMs: number;
  /** `--max-endpoints-per-slice`. */
  readonly maxEndpointsPerSlice: number;
  /** `--mirroring-max-endpoints-per-subset`. */
  readonly mirroringMaxEndpointsPerSubset: number;
  /** `--concurrent-…-syncs`, by the name of the work queue; others have the controller's default. */
  readonly concurrentSyncs: Readonly<Record<string, number>>;
}

/** `--horizontal-pod-autoscaler-…`. */
interface HorizontalPodAutoscalerConfig {
  readonly syncPeriodMs: number;
  readonly tolerance: number;
  readonly cpuInitializationPeriodMs: number;
  readonly initialReadinessDelayMs: number;
  readonly downscaleStabilizationMs: number;
}

export const DEFAULT_CONFIG: ControllerManagerConfig = {
  controllers: ['*'],
  clusterCidr: '10.244.0.0/16',
  allocateNodeCidrs: true,
  serviceClusterIpRange: '10.96.0.0/16',
  rootCa: '',
  clusterName: 'kubernetes',
  clusterSigningDurationSeconds: 365 * 24 * 3600,
  legacyTokenCleanUpPeriodSeconds: 365 * 24 * 3600,
  namespaceDeletionDelaySeconds: 0,
  nodeMonitorPeriodSeconds: 5,
  nodeMonitorGracePeriodSeconds: 50,
  nodeStartupGracePeriodSeconds: 60,
  nodeEviction: { primary: 0.1, secondary: 0.01, largeClusterSize: 50, unhealthyThreshold: 0.55 },
  terminatedPodGcThreshold: 12_500,
  leaderElect: true,
  /**
   * Shorter than upstream's 15 s and 10 s: a standby sees the last renewal at most one retry period late, so it takes
   * over within 14 s.
   */
  leaderElection: {
    leaseDurationMs: 12_000,
    renewDeadlineMs: 8_000,
    retryPeriodMs: 2_000,
    resourceName: 'kube-controller-manager',
    resourceNamespace: 'kube-system',
  },
  nodeCidrMaskSizes: { ipv4: 24, ipv6: 64 },
  horizontalPodAutoscaler: {
    syncPeriodMs: 15_000,
    tolerance: 0.1,
    cpuInitializationPeriodMs: 300_000,
    initialReadinessDelayMs: 30_000,
    downscaleStabilizationMs: 300_000,
  },
  resourceQuotaSyncPeriodMs: 300_000,
  maxEndpointsPerSlice: 100,
  mirroringMaxEndpointsPerSubset: 1_000,
  concurrentSyncs: {},
};
