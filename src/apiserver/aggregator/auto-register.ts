/** The autoregister controller: creates, repairs and deletes the APIServices of custom resources and local APIs. */
import type { CustomResourceDefinition } from '../../api/generated/apiextensions-v1.ts';
import { deepEqual } from '../../base/index.ts';
import { ItemExponentialFailureRateLimiter, runWorkers, WorkQueue, type Context } from '../../kernel/index.ts';
import { isStatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { Loopback } from '../request/loopback.ts';
import type { Priority } from './aggregated-apis.ts';
import type { LocalApi } from './local-api.ts';
import type { APIServiceObject } from './remote-service.ts';

const AUTOMANAGED = 'kube-aggregator.kubernetes.io/automanaged';
const PATH = '/apis/apiregistration.k8s.io/v1/apiservices';
/** Custom resources are listed after all built-in groups. */
export const CUSTOM_PRIORITY: Priority = { group: 1000, version: 100 };

/** The APIs that components of this process serve. */
interface LocalApis {
  list(): readonly LocalApi[];
  onChange(listener: () => void): void;
}

interface DesiredApiService {
  readonly group: string;
  readonly version: string;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
  /** Create the APIService once, and do not reconcile it later. */
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
    const enqueueAll = (): void => {
      for (const name of this.#desired().keys()) this.#queue.add(name);
      for (const { object, name } of cache.list()) if (isAutomanaged(object)) this.#queue.add(name);
    };
    const stops = [
      this.#registry.onChange(enqueueAll),
      cache.watch({ scope: '', deliver: ({ entry }) => this.#queue.add(entry.name) }),
    ];
    this.#local.onChange(enqueueAll);
    enqueueAll();
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

  #desired(): Map<string, DesiredApiService> {
    const desired = new Map<string, DesiredApiService>();
    for (const { custom, group, version } of this.#registry.all()) {
      if (custom)
        desired.set(`${version}.${group}`, {
          group,
          version,
          groupPriorityMinimum: CUSTOM_PRIORITY.group,
          versionPriority: CUSTOM_PRIORITY.version,
        });
    }
    for (const { group, version, groupPriorityMinimum, versionPriority } of this.#local.list()) {
      desired.set(`${version}.${group}`, { group, version, groupPriorityMinimum, versionPriority, onStart: true });
    }
    return desired;
  }

  /** At the start, or after another server created a definition, its resource may not be served here yet. */
  #isDefined({ spec }: APIServiceObject): boolean {
    const definitions = this.#registry.require('apiextensions.k8s.io', 'v1', 'customresourcedefinitions').cache;
    return definitions.list().some(({ object }) => {
      const { group, versions } = (object as unknown as CustomResourceDefinition).spec;
      return group === spec?.group && versions.some(({ name, served }) => served && name === spec?.version);
    });
  }

  async #sync(name: string): Promise<void> {
    const desired = this.#desired().get(name);
    const current = this.#registry.lookup('apiregistration.k8s.io', 'v1', 'apiservices', '', name) as
      | APIServiceObject
      | undefined;
    try {
      if (!desired) {
        if (current && isAutomanaged(current) && !this.#isDefined(current))
          await this.#loopback('DELETE', `${PATH}/${name}`);
        return;
      }
      const apiService = apiServiceOf(name, desired);
      if (!current) await this.#loopback('POST', PATH, apiService);
      else if (isAutomanaged(current) && !deepEqual(current.spec, apiService['spec']))
        await this.#loopback('PUT', `${PATH}/${name}`, { ...current, spec: apiService['spec'] });
    } catch (error) {
      // Another server was faster. Its change arrives as an event.
      if (
        !isStatusError(error, 'AlreadyExists') &&
        !isStatusError(error, 'NotFound') &&
        !isStatusError(error, 'Conflict')
      )
        throw error;
    }
  }
}

/** The controller does not touch APIServices of users, nor those with the value `onstart`. */
const isAutomanaged = ({ metadata }: KubeObject): boolean => metadata.labels?.[AUTOMANAGED] === 'true';

const apiServiceOf = (name: string, { onStart, ...spec }: DesiredApiService): KubeObject => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name, labels: { [AUTOMANAGED]: onStart ? 'onstart' : 'true' } },
  spec,
});
