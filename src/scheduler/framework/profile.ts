/** A profile: the plugins of one scheduler name, in the order in which each extension point calls them. */
import type { PodInfo } from '../cache/pod-info.ts';
import { Action } from './cluster-event.ts';
import type { FrameworkMetrics } from './framework-metrics.ts';
import type { ClusterEventWithHint, Plugin } from './plugin.ts';

/** The pseudo-plugin that rejects pods when there is no node. */
export const NO_NODES_REJECTOR = 'NoNodes';

type Having<K extends keyof Plugin> = Plugin & Required<Pick<Plugin, K>>;

interface ProfilePlugins {
  readonly preEnqueue: readonly Plugin[];
  readonly queueSort: Plugin;
  readonly preFilter: readonly Plugin[];
  readonly filter: readonly Plugin[];
  readonly postFilter: readonly Plugin[];
  readonly preScore: readonly Plugin[];
  readonly score: readonly { readonly plugin: Plugin; readonly weight: number }[];
  readonly reserve: readonly Plugin[];
  readonly permit: readonly Plugin[];
  readonly preBind: readonly Plugin[];
  readonly bind: readonly Plugin[];
  readonly postBind: readonly Plugin[];
}

export class Profile {
  readonly schedulerName: string;
  readonly plugins: ProfilePlugins;
  readonly meter: FrameworkMetrics;
  readonly interests: ReadonlyMap<string, readonly ClusterEventWithHint[] | undefined>;
  /** The plugins that filter or score, and have a signature to compare. */
  readonly #signing: readonly Plugin[];
  readonly #shareable: boolean;

  constructor(schedulerName: string, plugins: ProfilePlugins, meter: FrameworkMetrics) {
    this.schedulerName = schedulerName;
    this.meter = meter;
    this.plugins = plugins;
    const all = new Map<string, Plugin>();
    for (const list of [
      plugins.preEnqueue,
      plugins.preFilter,
      plugins.filter,
      plugins.reserve,
      plugins.permit,
      plugins.preBind,
    ])
      for (const p of list) all.set(p.name, p);
    const interests = new Map(Array.from(all.values(), (p) => [p.name, p.eventsToRegister?.()]));
    interests.set(NO_NODES_REJECTOR, [{ resource: 'Node', action: Action.Add }]);
    this.interests = interests;
    const deciding = new Set<Plugin>([
      ...plugins.preFilter,
      ...plugins.filter,
      ...plugins.preScore,
      ...plugins.score.map((s) => s.plugin),
    ]);
    this.#shareable = [...deciding].every((p) => p.signature !== undefined);
    this.#signing = [...deciding].filter((p) => p.signature?.name !== alwaysShared.name);
  }

  /**
   * What decides where a pod may be scheduled besides its shape. Pods with equal shapes and signatures share an evaluation.
   * Undefined when the pod needs an evaluation of its own.
   */
  signatureOf(pod: PodInfo): string | undefined {
    if (!this.#shareable) return undefined;
    let signature = '';
    for (const plugin of this.#signing) {
      const part = (plugin as Having<'signature'>).signature(pod);
      if (part === undefined) return undefined;
      if (part !== '') signature += `${plugin.name}=${part};`;
    }
    return signature;
  }
}

/** The signature of plugins that depend on nothing but the pod's shape and the node. */
export function alwaysShared(): string {
  return '';
}
