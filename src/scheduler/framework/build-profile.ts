/** Builds a profile from its configuration: the list of plugins that each extension point calls. */
import {
  EXTENSION_POINTS,
  type EnabledPlugin,
  type ExtensionPoint,
  type PluginSet,
  type PluginsConfiguration,
  type ProfileConfiguration,
} from '../config/types.ts';
import { FrameworkMetrics } from './framework-metrics.ts';
import type { Handle } from './handle.ts';
import type { Plugin } from './plugin.ts';
import { Profile } from './profile.ts';

export type PluginFactory = (args: Readonly<Record<string, unknown>>, handle: Handle) => Plugin;
export type PluginRegistry = Readonly<Record<string, PluginFactory>>;

export class ProfileError extends Error {
  readonly code = 'profile';
}

const IMPLEMENTS: Readonly<Record<ExtensionPoint, (plugin: Plugin) => boolean>> = {
  preEnqueue: (p) => p.preEnqueue !== undefined,
  queueSort: (p) => p.less !== undefined,
  preFilter: (p) => p.preFilter !== undefined,
  filter: (p) => p.filter !== undefined || p.bindFilter !== undefined,
  postFilter: (p) => p.postFilter !== undefined,
  preScore: (p) => p.preScore !== undefined,
  score: (p) => p.score !== undefined || p.bindScore !== undefined || p.scoreAll !== undefined,
  reserve: (p) => p.reserve !== undefined || p.unreserve !== undefined,
  permit: (p) => p.permit !== undefined,
  preBind: (p) => p.preBind !== undefined,
  bind: (p) => p.bind !== undefined,
  postBind: (p) => p.postBind !== undefined,
};

export function buildProfile(config: ProfileConfiguration, registry: PluginRegistry, handle: Handle): Profile {
  const names = new Set<string>();
  for (const set of Object.values(config.plugins)) for (const { name } of set?.enabled ?? []) names.add(name);
  const instances = new Map<string, Plugin>();
  for (const name of names) {
    const factory = Object.hasOwn(registry, name) ? registry[name] : undefined;
    if (factory === undefined)
      throw new ProfileError(
        `initializing profiles: creating profile for scheduler name ${config.schedulerName}: plugin ${JSON.stringify(name)} does not exist`,
      );
    instances.set(name, factory(config.pluginConfig.get(name) ?? {}, handle));
  }
  const at = (point: ExtensionPoint): { plugin: Plugin; weight: number }[] =>
    pluginsAt(point, config.plugins, instances);
  const only = (point: ExtensionPoint): Plugin[] => at(point).map((p) => p.plugin);
  const queueSort = only('queueSort');
  if (queueSort.length !== 1)
    throw new ProfileError(
      `creating profile for scheduler name ${config.schedulerName}: ${queueSort.length === 0 ? 'no queue sort plugin is enabled' : 'only one queue sort plugin can be enabled'}`,
    );
  if (at('bind').length === 0)
    throw new ProfileError(
      `creating profile for scheduler name ${config.schedulerName}: at least one bind plugin is needed`,
    );
  const pointPlugins = {
    preEnqueue: only('preEnqueue'),
    queueSort: queueSort[0]!,
    preFilter: only('preFilter'),
    filter: only('filter'),
    postFilter: only('postFilter'),
    preScore: only('preScore'),
    score: at('score'),
    reserve: only('reserve'),
    permit: only('permit'),
    preBind: only('preBind'),
    bind: only('bind'),
    postBind: only('postBind'),
  };
  return new Profile(
    config.schedulerName,
    pointPlugins,
    new FrameworkMetrics(handle.metrics, config.schedulerName, handle.clock),
  );
}

/**
 * The order of upstream: first plugins that are enabled both for the point and in multiPoint, in the order of the point;
 * then those of multiPoint; then those of the point only.
 */
function pluginsAt(
  point: ExtensionPoint,
  config: PluginsConfiguration,
  instances: ReadonlyMap<string, Plugin>,
): { plugin: Plugin; weight: number }[] {
  const own: PluginSet = config[point] ?? {};
  const multiPoint = config.multiPoint?.enabled ?? [];
  const disabled = new Set((own.disabled ?? []).map((p) => p.name));
  const named = new Set((own.enabled ?? []).map((p) => p.name));
  const inBoth = new Set(multiPoint.map((p) => p.name).filter((name) => named.has(name)));
  const fromMultiPoint = disabled.has('*')
    ? []
    : multiPoint.filter(
        ({ name }) => !named.has(name) && !disabled.has(name) && IMPLEMENTS[point](instances.get(name)!),
      );
  const chosen: EnabledPlugin[] = [
    ...(own.enabled ?? []).filter((p) => inBoth.has(p.name)),
    ...fromMultiPoint,
    ...(own.enabled ?? []).filter((p) => !inBoth.has(p.name)),
  ];
  return chosen.map(({ name, weight }) => {
    const plugin = instances.get(name)!;
    if (!IMPLEMENTS[point](plugin))
      throw new ProfileError(`plugin ${JSON.stringify(name)} does not extend ${point} plugin`);
    return { plugin, weight: weight || 1 };
  });
}

/** The default plugins with the changes of a configuration. */
export function mergePlugins(defaults: PluginsConfiguration, custom: PluginsConfiguration): PluginsConfiguration {
  const merged: PluginsConfiguration = {};
  for (const point of ['multiPoint', ...EXTENSION_POINTS] as const) {
    const set = mergeSet(defaults[point] ?? {}, custom[point] ?? {});
    if ((set.enabled?.length ?? 0) + (set.disabled?.length ?? 0) > 0) merged[point] = set;
  }
  return merged;
}

function mergeSet(defaults: PluginSet, custom: PluginSet): PluginSet {
  const disabled = new Set((custom.disabled ?? []).map((p) => p.name));
  const replacing = new Map((custom.enabled ?? []).map((p) => [p.name, p]));
  const remaining = disabled.has('*')
    ? []
    : (defaults.enabled ?? []).filter((p) => !disabled.has(p.name)).map((p) => replacing.get(p.name) ?? p);
  const remainingNames = new Set(remaining.map((p) => p.name));
  const enabled = [...remaining, ...(custom.enabled ?? []).filter((p) => !remainingNames.has(p.name))];
  const allDisabled = [...(defaults.disabled ?? []), ...(custom.disabled ?? [])];
  return { ...(enabled.length > 0 ? { enabled } : {}), ...(allDisabled.length > 0 ? { disabled: allDisabled } : {}) };
}
