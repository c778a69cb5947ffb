/** `cloud-controller-manager` as a program of its own, with upstream's flags. */
import { contextOptions, flagsHelp, type FlagTable, loggingFlags, parseFlags, processFlags } from '../flags/index.ts';
import { DEFAULT_CLOUD_CONFIG, type CloudControllerManagerConfig } from './config.ts';

export const cloudControllerManagerFlags = {
  ...loggingFlags,
  ...processFlags,
  kubeconfig: { kind: 'text', summary: 'how to reach the API server' },
  'cloud-provider': { kind: 'text', summary: 'a module whose default export creates the provider' },
  'cloud-config': { kind: 'text', summary: 'a file for the provider' },
  controllers: { kind: 'texts', summary: 'controllers to run: * for all, -name leaves one out', default: ['*'] },
  'cluster-name': {
    kind: 'text',
    summary: 'the name under which the cloud knows the cluster',
    default: DEFAULT_CLOUD_CONFIG.clusterName,
  },
  'configure-cloud-routes': { kind: 'switch', summary: 'create routes to the pods of every node', default: true },
  'node-monitor-period': {
    kind: 'duration',
    summary: 'how often to check nodes in the cloud provider',
    default: DEFAULT_CLOUD_CONFIG.nodeMonitorPeriodMs,
  },
  'node-status-update-frequency': {
    kind: 'duration',
    summary: "how often nodes' addresses are updated",
    default: DEFAULT_CLOUD_CONFIG.nodeStatusUpdateFrequencyMs,
  },
  'route-reconciliation-period': {
    kind: 'duration',
    summary: 'how often to reconcile routes',
    default: DEFAULT_CLOUD_CONFIG.routeReconciliationPeriodMs,
  },
  'concurrent-service-syncs': { kind: 'whole', summary: 'Services that are synced at the same time', default: 1 },
  'leader-elect': { kind: 'switch', summary: 'run the controllers only as the elected leader', default: true },
  'allocate-node-cidrs': { kind: 'switch', ignored: "the controller manager's node-ipam-controller does that" },
  'cluster-cidr': { kind: 'text', ignored: 'routes follow the pod CIDRs of the Nodes' },
  'use-service-account-credentials': { kind: 'switch', ignored: 'all controllers act as one user' },
} as const satisfies FlagTable;

export const cloudControllerManagerHelp = (): string =>
  flagsHelp(cloudControllerManagerFlags, {
    usage: 'cloud-controller-manager: nodes, routes and load balancers of a cloud',
  });

interface ParsedCloudFlags {
  readonly help: boolean;
  readonly warnings: readonly string[];
  readonly context: ReturnType<typeof contextOptions>;
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
    context: contextOptions(values),
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
