/** `cloud-controller-manager` as a program of its own, with upstream's flags. */
import { flagsHelp, type FlagTable, loggingFlags, parseFlags, processFlags } from '../flags/index.ts';
import { DEFAULT_CLOUD_CONFIG, type CloudControllerManagerConfig } from './run.ts';

export const cloudControllerManagerFlags = {
  ...loggingFlags,
  ...processFlags,
  kubeconfig: { kind: 'text', summary: 'how to reach the API server' },
  'cloud-provider': { kind: 'text', summary: 'a module whose default export makes the provider' },
  'cloud-config': { kind: 'text', summary: 'a file for the provider' },
  controllers: { kind: 'texts', summary: 'controllers to run: * for all, -name leaves one out', default: ['*'] },
  'cluster-name': {
    kind: 'text',
    summary: 'the name under which the cloud knows the cluster',
    default: DEFAULT_CLOUD_CONFIG.clusterName,
  },
  'configure-cloud-routes': { kind: 'switch', summary: 'make routes to the Pods of every node', default: true },
  'node-monitor-period': {
    kind: 'duration',
    summary: 'how often nodes are looked for in the cloud',
    default: DEFAULT_CLOUD_CONFIG.nodeMonitorPeriodMs,
  },
  'node-status-update-frequency': {
    kind: 'duration',
    summary: "how often nodes' addresses are updated",
    default: DEFAULT_CLOUD_CONFIG.nodeStatusUpdateFrequencyMs,
  },
  'route-reconciliation-period': {
    kind: 'duration',
    summary: 'how often routes are looked through',
    default: DEFAULT_CLOUD_CONFIG.routeReconciliationPeriodMs,
  },
  'concurrent-service-syncs': { kind: 'whole', summary: 'Services that are worked on at once', default: 1 },
  'leader-elect': { kind: 'switch', summary: 'act only while leader', default: true },
  'allocate-node-cidrs': { kind: 'switch', ignored: "the controller manager's node-ipam-controller does that" },
  'cluster-cidr': { kind: 'text', ignored: 'routes follow what the Nodes have' },
  'use-service-account-credentials': { kind: 'switch', ignored: 'there is one identity' },
} as const satisfies FlagTable;

export const cloudControllerManagerHelp = (): string =>
  flagsHelp(cloudControllerManagerFlags, {
    usage: 'cloud-controller-manager: nodes, routes and load balancers of a cloud',
  });

export interface ParsedCloudFlags {
  readonly help: boolean;
  readonly warnings: readonly string[];
  readonly verbosity: number;
  readonly kubeconfig: string | undefined;
  /** The provider's module, and its configuration file. */
  readonly provider: string | undefined;
  readonly cloudConfig: string | undefined;
  readonly config: CloudControllerManagerConfig;
}

export function parseCloudControllerManagerFlags(argv: readonly string[]): ParsedCloudFlags {
  const { values, help, warnings } = parseFlags(argv, cloudControllerManagerFlags);
  return {
    help,
    warnings,
    verbosity: values.v,
    kubeconfig: values.kubeconfig,
    provider: values['cloud-provider'],
    cloudConfig: values['cloud-config'],
    config: {
      controllers: values.controllers,
      clusterName: values['cluster-name'],
      configureCloudRoutes: values['configure-cloud-routes'],
      nodeMonitorPeriodMs: values['node-monitor-period'],
      nodeStatusUpdateFrequencyMs: values['node-status-update-frequency'],
      routeReconciliationPeriodMs: values['route-reconciliation-period'],
      concurrentServiceSyncs: values['concurrent-service-syncs'],
      leaderElect: values['leader-elect'],
    },
  };
}
