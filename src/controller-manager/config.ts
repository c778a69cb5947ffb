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
  /** Authorities of single signers, by the signer's name; they take the place of the one for all. */
  readonly signerAuthorities?: Readonly<Record<string, { readonly certificate: string; readonly key: string }>>;
  /** `--cluster-signing-duration`: the longest that a signed certificate lives. */
  readonly clusterSigningDurationSeconds: number;
  /** `--service-account-private-key-file`, PEM; without it no token Secrets are filled. */
  readonly serviceAccountPrivateKey?: string;
  /** `--legacy-service-account-token-clean-up-period`. */
  readonly legacyTokenCleanUpPeriodSeconds: number;
  readonly clusterName: string;
  /**
   * How long a namespace's deletion waits before it begins. Several API servers learn of the deletion one after the
   * other, and until the last has, it may still let new content in; with one there is nothing to wait for.
   */
  readonly namespaceDeletionDelaySeconds: number;
  /** `--node-monitor-period`. */
  readonly nodeMonitorPeriodSeconds: number;
  /** `--node-monitor-grace-period`: how long a running node may be silent. */
  readonly nodeMonitorGracePeriodSeconds: number;
  /** `--node-startup-grace-period`: how long one that has never reported may be. */
  readonly nodeStartupGracePeriodSeconds: number;
  /** `--node-eviction-rate`, `--secondary-node-eviction-rate`, `--large-cluster-size-threshold`, `--unhealthy-zone-threshold`. */
  readonly nodeEviction: EvictionRates;
  /** `--terminated-pod-gc-threshold`: how many finished pods are kept. */
  readonly terminatedPodGcThreshold: number;
  /** Where the host-path provisioner keeps its volumes; without it the provisioner does nothing. */
  readonly hostPathProvisionerDirectory?: string;
  /** `--leader-elect`: off when there can be only one. */
  readonly leaderElect: boolean;
  readonly leaderElection: LeaderElectionConfig;
  /** The sizes of a node's pod range, one a family: `--node-cidr-mask-size-ipv4` and `-ipv6`. */
  readonly nodeCidrMaskSizes: { readonly ipv4: number; readonly ipv6: number };
  readonly horizontalPodAutoscaler: HorizontalPodAutoscalerConfig;
  /** `--resource-quota-sync-period`. */
  readonly resourceQuotaSyncPeriodMs: number;
  /** `--max-endpoints-per-slice`. */
  readonly maxEndpointsPerSlice: number;
  /** `--mirroring-max-endpoints-per-subset`. */
  readonly mirroringMaxEndpointsPerSubset: number;
  /** `--concurrent-…-syncs`, by the name of the queue; what is not named has the controller's own number. */
  readonly concurrentSyncs: Readonly<Record<string, number>>;
}

export interface LeaderElectionConfig {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly resourceName: string;
  readonly resourceNamespace: string;
}

/** `--horizontal-pod-autoscaler-…`. */
export interface HorizontalPodAutoscalerConfig {
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
   * Shorter than upstream's 15 s and 10 s: a standby has seen the last renewal at most a retry period late, so it acts
   * within 14 s of the leader's end.
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
