/** The scheduler's configuration: what a KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1 says, with defaults. */
import type { LeaderElectionConfiguration } from '../../client/index.ts';

export interface SchedulerConfiguration {
  /** Off when the cluster has only one scheduler. */
  readonly leaderElect: boolean;
  readonly leaderElection: LeaderElectionConfiguration;
  readonly parallelism: number;
  /** Accepted for compatibility. All nodes are scored, because shared evaluations make that cheap. */
  readonly percentageOfNodesToScore: number;
  readonly podInitialBackoffSeconds: number;
  readonly podMaxBackoffSeconds: number;
  /** `--pod-max-in-unschedulable-pods-duration`. */
  readonly podMaxInUnschedulableSeconds: number;
  readonly delayCacheUntilActive: boolean;
  readonly profiles: readonly ProfileConfiguration[];
  readonly extenders: readonly ExtenderConfiguration[];
  readonly clientConnection: ClientConnectionConfiguration;
  /** Paths of modules with out-of-tree plugins. */
  readonly pluginModules: readonly string[];
  /** `--feature-gates`: gates that are not named have upstream's defaults. */
  readonly featureGates: Readonly<Record<string, boolean>>;
}

interface ClientConnectionConfiguration {
  readonly kubeconfig: string;
  readonly acceptContentTypes: string;
  readonly contentType: string;
  readonly qps: number;
  readonly burst: number;
}

export const EXTENSION_POINTS = [
  'preEnqueue',
  'queueSort',
  'preFilter',
  'filter',
  'postFilter',
  'preScore',
  'score',
  'reserve',
  'permit',
  'preBind',
  'bind',
  'postBind',
] as const;

export type ExtensionPoint = (typeof EXTENSION_POINTS)[number];

export interface EnabledPlugin {
  readonly name: string;
  readonly weight?: number;
}

export interface PluginSet {
  readonly enabled?: readonly EnabledPlugin[];
  readonly disabled?: readonly { readonly name: string }[];
}

export type PluginsConfiguration = Partial<Record<ExtensionPoint | 'multiPoint', PluginSet>>;

export interface ProfileConfiguration {
  readonly schedulerName: string;
  readonly percentageOfNodesToScore?: number;
  readonly plugins: PluginsConfiguration;
  /** By plugin. */
  readonly pluginConfig: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

export interface ExtenderConfiguration {
  readonly urlPrefix: string;
  readonly filterVerb: string;
  readonly prioritizeVerb: string;
  readonly preemptVerb: string;
  readonly bindVerb: string;
  readonly weight: number;
  readonly enableHTTPS: boolean;
  readonly httpTimeoutMs: number;
  readonly nodeCacheCapable: boolean;
  readonly ignorable: boolean;
  readonly managedResources: readonly { readonly name: string; readonly ignoredByScheduler: boolean }[];
  readonly tlsConfig?: Readonly<Record<string, unknown>>;
}
