/** The configuration of the cloud controller manager, under upstream's flag names. */

export interface CloudControllerManagerConfig {
  /** `--controllers`: `*` and names, `-name` switches off. */
  readonly controllers: readonly string[];
  readonly clusterName: string;
  readonly configureCloudRoutes: boolean;
  readonly nodeMonitorPeriodMs: number;
  readonly nodeStatusUpdateFrequencyMs: number;
  readonly routeReconciliationPeriodMs: number;
  readonly concurrentServiceSyncs: number;
  readonly leaderElect: boolean;
}

export const DEFAULT_CLOUD_CONFIG: CloudControllerManagerConfig = {
  controllers: ['*'],
  clusterName: 'kubernetes',
  configureCloudRoutes: true,
  nodeMonitorPeriodMs: 5000,
  nodeStatusUpdateFrequencyMs: 300_000,
  routeReconciliationPeriodMs: 10_000,
  concurrentServiceSyncs: 1,
  leaderElect: true,
};
