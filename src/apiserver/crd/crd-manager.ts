/**
 * The controller of CustomResourceDefinitions: accepts names, registers the served versions before it sets Established,
 * replaces them when a definition changes (watches stay open, because the cache of the objects stays), and deletes the
 * custom resources before the definition.
 */
import type {
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
} from '../../api/generated/apiextensions-v1.ts';
import { deepEqual, formatTime } from '../../base/index.ts';
import { hasFinalizer } from '../../component-helpers/index.ts';
import type { Context } from '../../kernel/index.ts';
import { isStatusError } from '../../machinery/errors/index.ts';
import { prevalidateStructure } from '../../machinery/validation/index.ts';
import { convertsByWebhook } from '../custom-kind/custom-kinds.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { inSlices } from '../request/in-slices.ts';
import type { Loopback } from '../request/loopback.ts';
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
import { RuleTimings } from './rule-timings.ts';
import { storedKindOf, versionResources, type Definition } from './serve-definition.ts';

const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';
const RETRY_MS = 1000;
const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface CrdManagerOptions {
  readonly registry: Registry;
  readonly cache: WatchCache;
  readonly loopback: Loopback;
  /** For conversion webhooks. */
  readonly webhooks: WebhookClients;
  /** Called with the spec that is no longer served: its definition has changed or is gone. */
  forget(spec: CustomResourceDefinitionSpec): void;
}

interface Serving {
  /** Identifies the served state of the definition; a different key means that it has to be registered again. */
  readonly key: string;
  readonly spec: CustomResourceDefinitionSpec;
  readonly prefix: string;
  readonly versions: readonly ServedResource[];
  readonly resources: readonly ServedResource[];
  readonly cache: ResourceCache;
  /** Stops the watch that waits for the deletion of the objects. */
  stopWatching?: () => void;
}

/** The cached NonStructuralSchema condition of a generation of a definition. */
interface SchemaCheck {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  readonly condition: Condition | undefined;
}

export class CrdManager {
  readonly #serving = new Map<string, Serving>();
  readonly #schemaChecks = new Map<string, SchemaCheck>();
  readonly #pending = new Set<string>();
  #wake: (() => void) | undefined;
  #resolveSynced: () => void = () => undefined;
  readonly #synced = new Promise<void>((resolve) => (this.#resolveSynced = resolve));
  readonly #ctx: Context;
  readonly #options: CrdManagerOptions;
  readonly #timings: RuleTimings;

  constructor(ctx: Context, options: CrdManagerOptions) {
    this.#ctx = ctx;
    this.#timings = new RuleTimings(ctx);
    this.#options = options;
  }

  /** Resolves when `run` has registered all established definitions (before that, custom resources are 404), or when the server stops. */
  start(): Promise<void> {
    const { signal } = this.#ctx;
    if (signal.aborted) this.#resolveSynced();
    else signal.addEventListener('abort', () => this.#resolveSynced(), { once: true });
    return this.#synced;
  }

  async run(): Promise<void> {
    const { signal } = this.#ctx;
    const unsubscribe = this.#cache().watch({ scope: '', deliver: ({ entry }) => this.#enqueue(entry.name) });
    const stop = (): void => this.#wake?.();
    signal.addEventListener('abort', stop, { once: true });
    for (const definition of this.#definitions()) this.#enqueue(definition.metadata.name!);
    try {
      while (!signal.aborted) {
        const next = this.#pending.values().next();
        if (next.done) {
          this.#resolveSynced();
          await new Promise<void>((resolve) => (this.#wake = resolve));
        } else {
          this.#pending.delete(next.value);
          await this.#reconcileOrRetry(next.value);
        }
      }
    } finally {
      unsubscribe();
      this.#resolveSynced();
      signal.removeEventListener('abort', stop);
      for (const serving of this.#serving.values()) serving.stopWatching?.();
    }
  }

  #enqueue(name: string): void {
    this.#pending.add(name);
    this.#wake?.();
  }

  async #reconcileOrRetry(name: string): Promise<void> {
    // Large definitions take long: let pending requests run first.
    if (this.#definition(name)) await this.#ctx.clock.yield();
    try {
      await this.#reconcile(name);
    } catch (error) {
      // The definition has changed: its event enqueues it again.
      if (isStatusError(error, 'Conflict') || isStatusError(error, 'NotFound') || this.#ctx.signal.aborted) return;
      this.#log(error, name);
      this.#ctx.clock.after(RETRY_MS, () => this.#enqueue(name));
    }
  }

  async #reconcile(name: string): Promise<void> {
    const definition = this.#definition(name);
    if (!definition) {
      const group = this.#serving.get(name)?.spec.group ?? name.slice(name.indexOf('.') + 1);
      this.#schemaChecks.delete(name);
      this.#unserve(name);
      this.#enqueueGroup(group, name);
      return;
    }
    if (definition.metadata.deletionTimestamp && hasFinalizer(definition, CLEANUP_FINALIZER))
      return this.#finalize(definition);
    const status = this.#statusOf(definition, await this.#nonStructuralCondition(definition));
    const accepted = { ...definition, status };
    if (isTrue(accepted, 'Established')) await this.#serve(accepted);
    if (deepEqual(status, definition.status)) return;
    await this.#writeStatus({ ...definition, status });
    this.#enqueueGroup(definition.spec.group, name);
  }

  /** Computed once per generation. */
  async #nonStructuralCondition(definition: Definition): Promise<Condition | undefined> {
    const { uid, generation } = definition.metadata;
    const known = this.#schemaChecks.get(definition.metadata.name!);
    if (known && known.uid === uid && known.generation === generation) return known.condition;
    for (const { schema } of definition.spec.versions)
      if (schema?.openAPIV3Schema) await inSlices(this.#ctx.clock, prevalidateStructure(schema.openAPIV3Schema));
    const condition = nonStructuralCondition(definition);
    this.#schemaChecks.set(definition.metadata.name!, { uid, generation, condition });
    return condition;
  }

  #statusOf(definition: Definition, nonStructural: Condition | undefined): CustomResourceDefinitionStatus {
    const now = formatTime(this.#ctx.clock.now());
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
    const { registry, cache } = this.#options;
    const name = definition.metadata.name!;
    const key = servingKey(definition);
    const before = this.#serving.get(name);
    if (before?.key === key) return;
    const stored = storedKindOf(definition);
    const objects = before?.cache ?? (await cache.add(stored));
    const versions = versionResources(definition, {
      cache: objects,
      webhook: this.#webhookOf(definition),
      compileRules: (compile) => this.#timings.measured(compile),
    });
    const resources = versions.filter((_version, i) => definition.spec.versions[i]!.served);
    registry.replaceAll(before?.resources ?? [], resources);
    // A write of its status keeps the spec.
    if (before && before.spec !== definition.spec) this.#options.forget(before.spec);
    this.#serving.set(name, {
      key,
      spec: definition.spec,
      prefix: stored.prefix,
      versions,
      resources,
      cache: objects,
    });
  }

  #webhookOf({ spec }: Definition): ConversionWebhook | undefined {
    const { webhook } = spec.conversion ?? {};
    if (!convertsByWebhook(spec) || !webhook?.clientConfig) return undefined;
    return new ConversionWebhook(this.#ctx, this.#options.webhooks, {
      config: webhook.clientConfig,
      reviewVersions: webhook.conversionReviewVersions ?? [],
    });
  }

  #unserve(name: string): void {
    const serving = this.#serving.get(name);
    if (!serving) return;
    serving.stopWatching?.();
    this.#serving.delete(name);
    this.#options.registry.replaceAll(serving.resources, []);
    this.#options.forget(serving.spec);
    this.#options.cache.remove(serving.prefix);
  }

  async #finalize(definition: Definition): Promise<void> {
    const name = definition.metadata.name!;
    const inProgress: Condition = {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionInProgress',
      message: 'CustomResource deletion is in progress',
    };
    // A served definition can have objects before its status says Established.
    if (!isTrue(definition, 'Established') && !this.#serving.has(name)) {
      return this.#removeFinalizer(definition, {
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
    await deleteInstances(this.#ctx, this.#options.registry.objects, serving);
    if (serving.cache.size > 0) return;
    await this.#removeFinalizer(definition, {
      type: 'Terminating',
      status: 'False',
      reason: 'InstanceDeletionCompleted',
      message: 'removed all instances',
    });
  }

  /** Removes the finalizer, so that the deletion completes. */
  #removeFinalizer(definition: Definition, condition: Condition): Promise<void> {
    const finalizers = (definition.metadata.finalizers ?? []).filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
    const released = this.#withCondition(definition, condition);
    return this.#writeStatus({ ...released, metadata: { ...released.metadata, finalizers } });
  }

  #withCondition(definition: Definition, condition: Condition): Definition {
    const conditions = withCondition(definition.status?.conditions ?? [], condition, formatTime(this.#ctx.clock.now()));
    return { ...definition, status: { ...definition.status!, conditions } };
  }

  async #writeStatus(definition: Definition): Promise<void> {
    await this.#ctx.clock.yield();
    await this.#options.loopback('PUT', `${PATH}/${definition.metadata.name!}/status`, definition);
  }

  #enqueueGroup(group: string, except: string): void {
    for (const { spec, metadata } of this.#definitions())
      if (spec.group === group && metadata.name !== except) this.#enqueue(metadata.name!);
  }

  #cache(): ResourceCache {
    return this.#options.registry.require('apiextensions.k8s.io', 'v1', 'customresourcedefinitions').cache;
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
    this.#ctx.logger.error(error, 'Failed to sync CustomResourceDefinition', { definition });
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
