import type { EvictionRates } from './node-lifecycle/zones.ts';

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
  /** Where the default StorageClass keeps its volumes; without it there is no such class. */
  readonly hostPathProvisionerDirectory?: string;
  /** `--leader-elect`: off when there can be only one. */
  readonly leaderElect: boolean;
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
};
