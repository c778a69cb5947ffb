/** A configuration as a KubeSchedulerConfiguration, for /configz, and as YAML, for `--write-config-to`. */
import { stringify } from 'yaml';
import { formatDuration } from '../../base/index.ts';
import type { SchedulerConfiguration } from './types.ts';

/** As a KubeSchedulerConfiguration file. */
export const formatConfiguration = (config: SchedulerConfiguration): string => stringify(configurationObject(config));

export function configurationObject(config: SchedulerConfiguration): Readonly<Record<string, unknown>> {
  const { leaderElection } = config;
  return {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    clientConnection: config.clientConnection,
    leaderElection: {
      leaderElect: config.leaderElect,
      leaseDuration: formatDuration(leaderElection.leaseDurationMs),
      renewDeadline: formatDuration(leaderElection.renewDeadlineMs),
      retryPeriod: formatDuration(leaderElection.retryPeriodMs),
      resourceLock: 'leases',
      resourceName: leaderElection.resourceName,
      resourceNamespace: leaderElection.resourceNamespace,
    },
    parallelism: config.parallelism,
    percentageOfNodesToScore: config.percentageOfNodesToScore,
    podInitialBackoffSeconds: config.podInitialBackoffSeconds,
    podMaxBackoffSeconds: config.podMaxBackoffSeconds,
    delayCacheUntilActive: config.delayCacheUntilActive,
    profiles: config.profiles.map(({ schedulerName, plugins, pluginConfig }) => ({
      schedulerName,
      plugins,
      ...(pluginConfig.size > 0 ? { pluginConfig: Array.from(pluginConfig, ([name, args]) => ({ name, args })) } : {}),
    })),
    ...(config.extenders.length > 0
      ? {
          extenders: config.extenders.map(({ httpTimeoutMs, ...extender }) => ({
            ...extender,
            httpTimeout: formatDuration(httpTimeoutMs),
          })),
        }
      : {}),
  };
}
