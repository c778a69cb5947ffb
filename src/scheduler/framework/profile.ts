/** The plugins of one scheduler name, in the order in which each extension point calls them. */
import type { PodInfo } from '../cache/pod-info.ts';
import { Action } from './cluster-event.ts';
import type { EventInterest, Plugin } from './plugin.ts';
import type { PointMeter } from './point-meter.ts';

/** Turns pods down when there is no node at all. */
export const NO_NODES_REJECTOR = 'NoNodes';

type Having<K extends keyof Plugin> = Plugin & Required<Pick<Plugin, K>>;

export interface ProfilePlugins {
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
  readonly meter: PointMeter;
  readonly interests: ReadonlyMap<string, readonly EventInterest[] | undefined>;
  /** Everyone whose answers decide where a pod goes. */
  readonly #deciding: readonly Plugin[];
  readonly #shareable: boolean;

  constructor(schedulerName: string, plugins: ProfilePlugins, meter: PointMeter) {
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
    this.#deciding = [...deciding].filter((p) => p.signature?.name !== alwaysShared.name);
  }

  /**
   * What besides its shape decides where a pod may go; pods with equal shapes and signatures share their evaluation.
   * Undefined: this pod must be looked at on its own.
   */
  signatureOf(pod: PodInfo): string | undefined {
    if (!this.#shareable) return undefined;
    let signature = '';
    for (const plugin of this.#deciding) {
      const part = (plugin as Having<'signature'>).signature(pod);
      if (part === undefined) return undefined;
      if (part !== '') signature += `${plugin.name}=${part};`;
    }
    return signature;
  }
}

/** The signature of plugins that look at nothing but the pod's shape and the node. */
export function alwaysShared(): string {
  return '';
}
