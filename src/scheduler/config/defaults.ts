/** The default KubeSchedulerConfiguration. */
import { DEFAULT_PLUGINS } from './default-plugins.ts';
import type { ProfileConfiguration, SchedulerConfiguration } from './types.ts';

export const DEFAULT_SCHEDULER_NAME = 'default-scheduler';

export const DEFAULT_PROFILE: ProfileConfiguration = {
  schedulerName: DEFAULT_SCHEDULER_NAME,
  plugins: DEFAULT_PLUGINS,
  pluginConfig: new Map(),
};

export const DEFAULT_CONFIG: SchedulerConfiguration = {
  leaderElect: true,
  leaderElection: {
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2_000,
    resourceName: 'kube-scheduler',
    resourceNamespace: 'kube-system',
  },
  parallelism: 16,
  percentageOfNodesToScore: 0,
  podInitialBackoffSeconds: 1,
  podMaxBackoffSeconds: 10,
  podMaxInUnschedulableSeconds: 300,
  delayCacheUntilActive: false,
  profiles: [DEFAULT_PROFILE],
  extenders: [],
  clientConnection: {
    kubeconfig: '',
    acceptContentTypes: '',
    contentType: 'application/vnd.kubernetes.protobuf',
    qps: 50,
    burst: 100,
  },
  pluginModules: [],
  featureGates: {},
};
