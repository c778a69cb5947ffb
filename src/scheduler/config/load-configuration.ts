/** Reads a KubeSchedulerConfiguration: strictly, with upstream's defaults and messages. */
import { errorMessage } from '../../base/index.ts';
import { parseYaml } from '../../machinery/decode/index.ts';
import { mergePlugins } from '../framework/build-profile.ts';
import { DEFAULT_PLUGINS } from './default-plugins.ts';
import { DEFAULT_CONFIG, DEFAULT_SCHEDULER_NAME } from './defaults.ts';
import { CONFIGURATION_FIELDS, PLUGIN_ARGS } from './fields.ts';
import { readFields, SchedulerConfigurationError } from './strict-fields.ts';
import type {
  ExtenderConfiguration,
  PluginsConfiguration,
  ProfileConfiguration,
  SchedulerConfiguration,
} from './types.ts';
import { validateConfiguration } from './validate-configuration.ts';

const API_VERSION = 'kubescheduler.config.k8s.io/v1';
const KIND = 'KubeSchedulerConfiguration';

interface RawProfile {
  schedulerName?: string;
  percentageOfNodesToScore?: number;
  plugins?: PluginsConfiguration;
  pluginConfig?: { name: string; args?: unknown }[];
}

interface RawConfiguration extends Partial<
  Omit<SchedulerConfiguration, 'profiles' | 'extenders' | 'leaderElection' | 'clientConnection'>
> {
  apiVersion?: string;
  kind?: string;
  leaderElection?: {
    leaderElect?: boolean;
    leaseDuration?: number;
    renewDeadline?: number;
    retryPeriod?: number;
    resourceLock?: string;
    resourceName?: string;
    resourceNamespace?: string;
  };
  clientConnection?: Partial<SchedulerConfiguration['clientConnection']>;
  profiles?: RawProfile[];
  extenders?: (Partial<ExtenderConfiguration> & { httpTimeout?: number })[];
}

export function loadSchedulerConfiguration(yaml: string): SchedulerConfiguration {
  const { value, duplicateKeys } = parsed(yaml);
  const { apiVersion, kind } = (value ?? {}) as { apiVersion?: unknown; kind?: unknown };
  if (apiVersion === undefined || kind === undefined)
    throw new SchedulerConfigurationError(
      `couldn't get version/kind; json parse error: ${kind === undefined ? "Object 'Kind'" : "Object 'apiVersion'"} is missing in the configuration`,
    );
  if (apiVersion !== API_VERSION || kind !== KIND)
    throw new SchedulerConfigurationError(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}; this scheduler reads ${KIND} of ${API_VERSION}`,
    );
  const problems: string[] = duplicateKeys === undefined ? [] : [duplicateKeys];
  const raw = readFields(value, CONFIGURATION_FIELDS, '', problems) as RawConfiguration;
  const profiles = (raw.profiles ?? [{}]).map((profile) => readProfile(profile, problems));
  if (problems.length > 0) throw new SchedulerConfigurationError(`strict decoding error: ${problems.join(', ')}`);
  const config = withDefaults(raw, profiles);
  validateConfiguration(config);
  return config;
}

function parsed(yaml: string): ReturnType<typeof parseYaml> {
  try {
    return parseYaml(yaml);
  } catch (error) {
    throw new SchedulerConfigurationError(errorMessage(error));
  }
}

function readProfile(raw: RawProfile, problems: string[]): ProfileConfiguration {
  const pluginConfig = new Map<string, Readonly<Record<string, unknown>>>();
  for (const { name, args } of raw.pluginConfig ?? []) {
    const fields = Object.hasOwn(PLUGIN_ARGS, name) ? PLUGIN_ARGS[name] : undefined;
    const own: string[] = [];
    // Out-of-tree plugins check their own arguments.
    const read = fields === undefined ? ((args ?? {}) as Record<string, unknown>) : readFields(args, fields, '', own);
    problems.push(
      ...own.map((problem) => `decoding .profiles[].pluginConfig[${JSON.stringify(name)}].args: ${problem}`),
    );
    const { apiVersion: _version, kind, ...rest } = read;
    if (fields !== undefined && kind !== undefined && kind !== `${name}Args`)
      problems.push(
        `args for plugin ${name} were not of type ${name}Args.${API_VERSION.split('/')[0]}, got ${String(kind)}`,
      );
    pluginConfig.set(name, rest);
  }
  return {
    schedulerName: raw.schedulerName ?? DEFAULT_SCHEDULER_NAME,
    ...(raw.percentageOfNodesToScore === undefined ? {} : { percentageOfNodesToScore: raw.percentageOfNodesToScore }),
    plugins: mergePlugins(DEFAULT_PLUGINS, raw.plugins ?? {}),
    pluginConfig,
  };
}

function withDefaults(raw: RawConfiguration, profiles: readonly ProfileConfiguration[]): SchedulerConfiguration {
  const { leaderElection, clientConnection } = raw;
  const defaults = DEFAULT_CONFIG;
  return {
    ...defaults,
    leaderElect: leaderElection?.leaderElect ?? defaults.leaderElect,
    leaderElection: {
      leaseDurationMs: leaderElection?.leaseDuration ?? defaults.leaderElection.leaseDurationMs,
      renewDeadlineMs: leaderElection?.renewDeadline ?? defaults.leaderElection.renewDeadlineMs,
      retryPeriodMs: leaderElection?.retryPeriod ?? defaults.leaderElection.retryPeriodMs,
      resourceName: leaderElection?.resourceName ?? defaults.leaderElection.resourceName,
      resourceNamespace: leaderElection?.resourceNamespace ?? defaults.leaderElection.resourceNamespace,
    },
    parallelism: raw.parallelism ?? defaults.parallelism,
    percentageOfNodesToScore: raw.percentageOfNodesToScore ?? defaults.percentageOfNodesToScore,
    podInitialBackoffSeconds: raw.podInitialBackoffSeconds ?? defaults.podInitialBackoffSeconds,
    podMaxBackoffSeconds: raw.podMaxBackoffSeconds ?? defaults.podMaxBackoffSeconds,
    delayCacheUntilActive: raw.delayCacheUntilActive ?? defaults.delayCacheUntilActive,
    clientConnection: { ...defaults.clientConnection, ...clientConnection },
    profiles,
    extenders: (raw.extenders ?? []).map((extender) => ({
      urlPrefix: extender.urlPrefix ?? '',
      filterVerb: extender.filterVerb ?? '',
      prioritizeVerb: extender.prioritizeVerb ?? '',
      preemptVerb: extender.preemptVerb ?? '',
      bindVerb: extender.bindVerb ?? '',
      weight: extender.weight ?? 0,
      enableHTTPS: extender.enableHTTPS ?? false,
      httpTimeoutMs: extender.httpTimeout ?? 30_000,
      nodeCacheCapable: extender.nodeCacheCapable ?? false,
      ignorable: extender.ignorable ?? false,
      managedResources: (extender.managedResources ?? []).map(({ name, ignoredByScheduler }) => ({
        name,
        ignoredByScheduler: ignoredByScheduler ?? false,
      })),
      ...(extender.tlsConfig ? { tlsConfig: extender.tlsConfig } : {}),
    })),
  };
}
