/** Recalculates the usage of one ResourceQuota, and writes its status. */
import type { PersistentVolumeClaim, Pod, ResourceQuota, Service } from '../../api/generated/core-v1.ts';
import type { ResourceClaim } from '../../api/generated/resource-v1.ts';
import { deepEqual, parseQuantity, Quantity } from '../../base/index.ts';
import {
  byNamespace,
  isConflict,
  isNotFound,
  NAMESPACE_INDEX,
  type ApiObject,
  type SharedInformer,
} from '../../client/index.ts';
import { addUsage, matchesScopes, scopesOf, trackedNames, usageOf, type Usage } from '../../machinery/quota/index.ts';
import type { ControllerContext, Reconciler, Requeue } from '../controller.ts';

/** The delay after a deletion, so that a burst causes one recalculation. */
export const RECOUNT_AFTER_MS = 50;

/** What the reconciler and the watches of quotas share; all informers have the index NAMESPACE_INDEX. */
export interface ResourceQuotaParts {
  readonly quotas: SharedInformer<ResourceQuota>;
  /** Informers of the resources that need whole objects, by group and plural. */
  readonly measured: {
    readonly '/pods': SharedInformer<Pod>;
    readonly '/services': SharedInformer<Service>;
    readonly '/persistentvolumeclaims': SharedInformer<PersistentVolumeClaim>;
    readonly 'resource.k8s.io/resourceclaims': SharedInformer<ResourceClaim>;
  };
}

interface CountedResource {
  readonly group: string;
  readonly plural: string;
}

export class ResourceQuotaReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #parts: ResourceQuotaParts;

  constructor(context: ControllerContext, parts: ResourceQuotaParts) {
    this.#context = context;
    this.#parts = parts;
  }

  async reconcile(key: string): Promise<Requeue | void> {
    await this.#context.discovered.settled();
    const quota = this.#parts.quotas.get(key);
    if (!quota) return;
    const hard = quota.spec?.hard ?? {};
    const before = quota.status?.used ?? {};
    const counted = this.#count(quota);
    const used: Record<string, string> = {};
    for (const name of Object.keys(hard)) {
      const value = counted.get(name)?.toString() ?? before[name];
      if (value !== undefined) used[name] = value;
    }
    const isKnown = quota.status?.used !== undefined && sameQuantities(used, before);
    if (isKnown && deepEqual(hard, quota.status?.hard ?? {})) return;
    return this.#writeStatus(key, { ...quota, status: { hard, used } });
  }

  async #writeStatus(key: string, quota: ResourceQuota): Promise<Requeue | undefined> {
    const { client, signal, logger } = this.#context;
    try {
      await client.resource('v1/resourcequotas').updateStatus(quota, { signal });
      return undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      // Admission has changed the usage, and the informer does not show that yet.
      if (!isConflict(error)) throw error;
      logger.v(4).info('The quota changed while its usage was calculated', { quota: key });
      return { afterMs: RECOUNT_AFTER_MS };
    }
  }

  #count(quota: ResourceQuota): Usage {
    const hard = Object.keys(quota.spec?.hard ?? {});
    const scopes = scopesOf(quota);
    const total: Usage = new Map();
    const now = this.#context.clock.now();
    for (const { group, plural } of this.#countable()) {
      const names = trackedNames(group, plural, hard);
      if (names.length === 0) continue;
      for (const name of names) total.set(name, Quantity.zero());
      for (const object of this.#objectsOf(group, plural, quota.metadata.namespace ?? '')) {
        if (matchesScopes(group, plural, object, scopes)) addUsage(total, usageOf(group, plural, object, now));
      }
    }
    return total;
  }

  /** The resources with an informer, one version of each. */
  #countable(): CountedResource[] {
    const { discovered } = this.#context;
    const seen = new Map<string, CountedResource>();
    for (const { group, plural, namespaced } of discovered.resources) {
      if (namespaced && discovered.informer(group, plural)) seen.set(`${group}/${plural}`, { group, plural });
    }
    return [...seen.values()];
  }

  #objectsOf(group: string, plural: string, namespace: string): readonly ApiObject[] {
    const { measured } = this.#parts;
    const known = measured[`${group}/${plural}` as keyof typeof measured];
    if (known) return known.indexer.byIndex(NAMESPACE_INDEX, namespace);
    const informer = this.#context.discovered.informer(group, plural);
    if (!informer) return [];
    if (!informer.indexer.hasIndex(NAMESPACE_INDEX)) informer.indexer.addIndex(NAMESPACE_INDEX, byNamespace);
    return informer.indexer.byIndex(NAMESPACE_INDEX, namespace);
  }
}

function sameQuantities(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => b[name] !== undefined && parseQuantity(a[name]!).equals(parseQuantity(b[name])));
}
