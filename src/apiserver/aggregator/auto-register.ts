/** APIServices of custom resources: made when their group version comes, removed when it goes, put right when changed. */
import { deepEqual } from '../../base/index.ts';
import { ItemExponentialFailureRateLimiter, runWorkers, WorkQueue, type Context } from '../../kernel/index.ts';
import { isStatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Loopback } from '../pipeline/loopback.ts';
import type { Registry } from '../registry/registry.ts';
import type { Priority } from './aggregated-apis.ts';
import type { LocalApi } from './local-api.ts';
import type { APIServiceObject } from './remote-service.ts';

export const AUTOMANAGED = 'kube-aggregator.kubernetes.io/automanaged';
const PATH = '/apis/apiregistration.k8s.io/v1/apiservices';
/** Custom resources come after everything that is built in. */
export const CUSTOM_PRIORITY: Priority = { group: 1000, version: 100 };

/** What components of this process serve. */
export interface LocalApis {
  list(): readonly LocalApi[];
  onChange(listener: () => void): void;
}

interface Wanted {
  readonly group: string;
  readonly version: string;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
  /** Made once; whoever changes it then has their way. */
  readonly onStart?: true;
}

export class AutoRegistration {
  readonly #queue: WorkQueue<string>;
  readonly #ctx: Context;
  readonly #registry: Registry;
  readonly #loopback: Loopback;
  readonly #local: LocalApis;

  constructor(ctx: Context, registry: Registry, loopback: Loopback, local: LocalApis) {
    this.#ctx = ctx;
    this.#registry = registry;
    this.#loopback = loopback;
    this.#local = local;
    this.#queue = new WorkQueue({ clock: ctx.clock, rateLimiter: new ItemExponentialFailureRateLimiter(5, 30_000) });
  }

  async run(): Promise<void> {
    const { cache } = this.#registry.require('apiregistration.k8s.io', 'v1', 'apiservices');
    const compare = (): void => {
      for (const name of this.#wanted().keys()) this.#queue.add(name);
      for (const { object, name } of cache.list()) if (isAutomatic(object)) this.#queue.add(name);
    };
    const stops = [
      this.#registry.onChange(compare),
      cache.watch({ scope: '', deliver: ({ entry }) => this.#queue.add(entry.name) }),
    ];
    this.#local.onChange(compare);
    compare();
    try {
      await runWorkers({
        queue: this.#queue,
        workers: 1,
        handle: (name) => this.#sync(name),
        signal: this.#ctx.signal,
        logger: this.#ctx.logger,
      });
    } finally {
      for (const stop of stops) stop();
    }
  }

  #wanted(): Map<string, Wanted> {
    const wanted = new Map<string, Wanted>();
    for (const { custom, group, version } of this.#registry.all()) {
      if (custom)
        wanted.set(`${version}.${group}`, {
          group,
          version,
          groupPriorityMinimum: CUSTOM_PRIORITY.group,
          versionPriority: CUSTOM_PRIORITY.version,
        });
    }
    for (const { group, version, groupPriorityMinimum, versionPriority } of this.#local.list()) {
      wanted.set(`${version}.${group}`, { group, version, groupPriorityMinimum, versionPriority, onStart: true });
    }
    return wanted;
  }

  async #sync(name: string): Promise<void> {
    const wanted = this.#wanted().get(name);
    const current = this.#registry.lookup('apiregistration.k8s.io', 'v1', 'apiservices', '', name) as
      | APIServiceObject
      | undefined;
    try {
      if (!wanted) {
        if (current && isAutomatic(current)) await this.#loopback('DELETE', `${PATH}/${name}`);
        return;
      }
      const desired = apiServiceOf(name, wanted);
      if (!current) await this.#loopback('POST', PATH, desired);
      else if (isAutomatic(current) && !deepEqual(current.spec, desired['spec']))
        await this.#loopback('PUT', `${PATH}/${name}`, { ...current, spec: desired['spec'] });
    } catch (error) {
      // Somebody else was faster: its change comes as an event.
      if (
        !isStatusError(error, 'AlreadyExists') &&
        !isStatusError(error, 'NotFound') &&
        !isStatusError(error, 'Conflict')
      )
        throw error;
    }
  }
}

/** Others' own APIServices for a group version are theirs; those that are made once at the start are not followed. */
const isAutomatic = ({ metadata }: KubeObject): boolean => metadata.labels?.[AUTOMANAGED] === 'true';

const apiServiceOf = (name: string, { onStart, ...spec }: Wanted): KubeObject => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name, labels: { [AUTOMANAGED]: onStart ? 'onstart' : 'true' } },
  spec,
});
