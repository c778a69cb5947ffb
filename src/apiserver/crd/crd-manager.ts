/**
 * Serves the kinds that CustomResourceDefinitions describe. It follows the definitions, accepts their names, puts their
 * versions into the registry before it calls them established, replaces them when a definition changes (what is being
 * watched stays connected: the objects' cache is kept), and on deletion removes the objects first.
 */
import type { CustomResourceDefinitionStatus } from '../../api/generated/apiextensions-v1.ts';
import { deepEqual, formatTime } from '../../base/index.ts';
import type { Context } from '../../kernel/index.ts';
import { isStatusError } from '../../machinery/errors/index.ts';
import { prevalidateStructure } from '../../machinery/validation/index.ts';
import { inSlices } from '../pipeline/in-slices.ts';
import type { Loopback } from '../pipeline/loopback.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { ResourceCache } from '../storage/resource-cache.ts';
import type { WatchCache } from '../storage/watch-cache.ts';
import type { WebhookClients } from '../webhook-client/index.ts';
import {
  acceptNames,
  approvalCondition,
  conditionOf,
  isTrue,
  nonStructuralCondition,
  withCondition,
  type Condition,
} from './conditions.ts';
import { ConversionWebhook } from './conversion-webhook.ts';
import { deleteInstances } from './delete-instances.ts';
import { storedKindOf, versionResources, type Definition } from './serve-definition.ts';

export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';
const RETRY_MS = 1000;
const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export interface CrdManagerOptions {
  readonly registry: Registry;
  readonly cache: WatchCache;
  readonly loopback: Loopback;
  /** For conversions between versions. */
  readonly webhooks: WebhookClients;
}

interface Serving {
  /** What of the definition was served; another one is served anew. */
  readonly key: string;
  readonly group: string;
  readonly prefix: string;
  readonly versions: readonly ServedResource[];
  readonly resources: readonly ServedResource[];
  readonly cache: ResourceCache;
  /** Ends the watch of the objects that are being deleted. */
  stopWatching?: () => void;
}

/** What was found out about the schemas of a definition as it was then. */
interface Structure {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  readonly condition: Condition | undefined;
}

export class CrdManager {
  readonly #serving = new Map<string, Serving>();
  readonly #structures = new Map<string, Structure>();
  readonly #pending = new Set<string>();
  #wake: (() => void) | undefined;
  #isCaughtUp: () => void = () => undefined;
  readonly #caughtUp = new Promise<void>((resolve) => (this.#isCaughtUp = resolve));

  constructor(
    private readonly ctx: Context,
    private readonly options: CrdManagerOptions,
  ) {}

  /** Resolves when what is established already is served, once `run` runs: until then, custom resources are not found. Or when all ends. */
  start(): Promise<void> {
    const { signal } = this.ctx;
    if (signal.aborted) this.#isCaughtUp();
    else signal.addEventListener('abort', () => this.#isCaughtUp(), { once: true });
    return this.#caughtUp;
  }

  async run(): Promise<void> {
    const { signal } = this.ctx;
    const unsubscribe = this.#cache().watch({ scope: '', deliver: ({ entry }) => this.#enqueue(entry.name) });
    const stop = (): void => this.#wake?.();
    signal.addEventListener('abort', stop, { once: true });
    for (const definition of this.#definitions()) this.#enqueue(definition.metadata.name!);
    try {
      while (!signal.aborted) {
        const next = this.#pending.values().next();
        if (next.done) {
          this.#isCaughtUp();
          await new Promise<void>((resolve) => (this.#wake = resolve));
        } else {
          this.#pending.delete(next.value);
          await this.#reconcileOrRetry(next.value);
        }
      }
    } finally {
      unsubscribe();
      this.#isCaughtUp();
      signal.removeEventListener('abort', stop);
      for (const serving of this.#serving.values()) serving.stopWatching?.();
    }
  }

  #enqueue(name: string): void {
    this.#pending.add(name);
    this.#wake?.();
  }

  async #reconcileOrRetry(name: string): Promise<void> {
    // A large definition takes its time: whoever waits meanwhile goes first.
    if (this.#definition(name)) await this.ctx.clock.yield();
    try {
      await this.#reconcile(name);
    } catch (error) {
      // Somebody else changed it: the event of that brings us back here.
      if (isStatusError(error, 'Conflict') || isStatusError(error, 'NotFound') || this.ctx.signal.aborted) return;
      this.#log(error, name);
      this.ctx.clock.after(RETRY_MS, () => this.#enqueue(name));
    }
  }

  async #reconcile(name: string): Promise<void> {
    const definition = this.#definition(name);
    if (!definition) {
      const group = this.#serving.get(name)?.group ?? name.slice(name.indexOf('.') + 1);
      this.#structures.delete(name);
      this.#unserve(name);
      this.#enqueueGroup(group, name);
      return;
    }
    if (definition.metadata.deletionTimestamp && definition.metadata.finalizers?.includes(CLEANUP_FINALIZER))
      return this.#finalize(definition);
    const status = this.#statusOf(definition, await this.#structureOf(definition));
    const accepted = { ...definition, status };
    if (isTrue(accepted, 'Established')) await this.#serve(accepted);
    if (deepEqual(status, definition.status)) return;
    await this.#writeStatus({ ...definition, status });
    this.#enqueueGroup(definition.spec.group, name);
  }

  /** What is to be said of the schemas of a definition, looked at once for each that it has had. */
  async #structureOf(definition: Definition): Promise<Condition | undefined> {
    const { uid, generation } = definition.metadata;
    const known = this.#structures.get(definition.metadata.name!);
    if (known && known.uid === uid && known.generation === generation) return known.condition;
    for (const { schema } of definition.spec.versions)
      if (schema?.openAPIV3Schema) await inSlices(this.ctx.clock, prevalidateStructure(schema.openAPIV3Schema));
    const condition = nonStructuralCondition(definition);
    this.#structures.set(definition.metadata.name!, { uid, generation, condition });
    return condition;
  }

  #statusOf(definition: Definition, nonStructural: Condition | undefined): CustomResourceDefinitionStatus {
    const now = formatTime(this.ctx.clock.now());
    const group = this.#definitions().filter(({ spec }) => spec.group === definition.spec.group);
    const old = definition.status ?? ({} as CustomResourceDefinitionStatus);
    let conditions = old.conditions ?? [];
    const set = (condition: Condition): void => void (conditions = withCondition(conditions, condition, now));
    const named =
      deepEqual(definition.spec.names, old.acceptedNames) && conditionOf(definition, 'NamesAccepted') !== undefined;
    const naming = named ? undefined : acceptNames(definition, group);
    if (naming) {
      set(naming.namesAccepted);
      set(naming.established);
    }
    if (nonStructural) set(nonStructural);
    else conditions = conditions.filter(({ type }) => type !== 'NonStructuralSchema');
    const approval = approvalCondition(definition);
    if (approval) set(approval);
    return { ...old, conditions, acceptedNames: naming?.names ?? old.acceptedNames! };
  }

  async #serve(definition: Definition): Promise<void> {
    const { registry, cache } = this.options;
    const name = definition.metadata.name!;
    const key = servingKey(definition);
    const before = this.#serving.get(name);
    if (before?.key === key) return;
    const stored = storedKindOf(definition);
    const objects = before?.cache ?? (await cache.add(stored));
    const versions = versionResources(definition, objects, this.#webhookOf(definition));
    const resources = versions.filter((_version, i) => definition.spec.versions[i]!.served);
    registry.replaceAll(before?.resources ?? [], resources);
    this.#serving.set(name, {
      key,
      group: definition.spec.group,
      prefix: stored.prefix,
      versions,
      resources,
      cache: objects,
    });
  }

  #webhookOf({ spec }: Definition): ConversionWebhook | undefined {
    const { strategy, webhook } = spec.conversion ?? {};
    if (strategy !== 'Webhook' || !webhook?.clientConfig) return undefined;
    return new ConversionWebhook(this.ctx, this.options.webhooks, {
      config: webhook.clientConfig,
      reviewVersions: webhook.conversionReviewVersions ?? [],
    });
  }

  #unserve(name: string): void {
    const serving = this.#serving.get(name);
    if (!serving) return;
    serving.stopWatching?.();
    this.#serving.delete(name);
    this.options.registry.replaceAll(serving.resources, []);
    this.options.cache.remove(serving.prefix);
  }

  async #finalize(definition: Definition): Promise<void> {
    const name = definition.metadata.name!;
    const inProgress: Condition = {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionInProgress',
      message: 'CustomResource deletion is in progress',
    };
    // What is served may have objects before its definition says so.
    if (!isTrue(definition, 'Established') && !this.#serving.has(name)) {
      return this.#release(definition, {
        type: 'Terminating',
        status: 'False',
        reason: 'NeverEstablished',
        message: 'resource was never established',
      });
    }
    if (conditionOf(definition, 'Terminating')?.reason !== inProgress.reason) {
      await this.#serve(definition);
      await this.#writeStatus(this.#withCondition(definition, inProgress));
      return;
    }
    await this.#serve(definition);
    const serving = this.#serving.get(name)!;
    serving.stopWatching ??= serving.cache.watch({ scope: '', deliver: () => this.#enqueue(name) });
    await deleteInstances(this.ctx, this.options.registry.objects, serving);
    if (serving.cache.size > 0) return;
    await this.#release(definition, {
      type: 'Terminating',
      status: 'False',
      reason: 'InstanceDeletionCompleted',
      message: 'removed all instances',
    });
  }

  /** Lets go of the definition, whose deletion then completes. */
  #release(definition: Definition, condition: Condition): Promise<void> {
    const finalizers = (definition.metadata.finalizers ?? []).filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
    const released = this.#withCondition(definition, condition);
    return this.#writeStatus({ ...released, metadata: { ...released.metadata, finalizers } });
  }

  #withCondition(definition: Definition, condition: Condition): Definition {
    const conditions = withCondition(definition.status?.conditions ?? [], condition, formatTime(this.ctx.clock.now()));
    return { ...definition, status: { ...definition.status!, conditions } };
  }

  async #writeStatus(definition: Definition): Promise<void> {
    await this.ctx.clock.yield();
    await this.options.loopback('PUT', `${PATH}/${definition.metadata.name!}/status`, definition);
  }

  #enqueueGroup(group: string, except: string): void {
    for (const { spec, metadata } of this.#definitions())
      if (spec.group === group && metadata.name !== except) this.#enqueue(metadata.name!);
  }

  #cache(): ResourceCache {
    return this.options.registry.require('apiextensions.k8s.io', 'v1', 'customresourcedefinitions').cache;
  }

  #definition(name: string): Definition | undefined {
    return this.#cache().get('', name)?.object as Definition | undefined;
  }

  #definitions(): Definition[] {
    return this.#cache()
      .list()
      .map((entry) => entry.object as Definition);
  }

  #log(error: unknown, definition: string): void {
    this.ctx.logger.error(error, 'A CustomResourceDefinition could not be served', { definition });
  }
}

function servingKey({ metadata, spec, status }: Definition): string {
  const terminating = (status?.conditions ?? []).some(
    (condition) => condition.type === 'Terminating' && condition.status === 'True',
  );
  return JSON.stringify([
    metadata.uid,
    metadata.generation,
    status?.acceptedNames,
    spec.versions.map(({ storage }) => storage),
    terminating,
  ]);
}
