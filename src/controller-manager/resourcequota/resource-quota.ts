/**
 * resourcequota-controller: keeps `status.used` of quotas equal to what is there. Admission counts what comes; here is
 * counted what goes, what a new or changed quota finds, and from time to time everything.
 */
import type { PersistentVolumeClaim, Pod, ResourceQuota, Service } from '../../api/generated/core-v1.ts';
import { byNamespace, isConflict, isNotFound, keyOf, NAMESPACE_INDEX, type ApiObject } from '../../client/index.ts';
import { deepEqual } from '../../machinery/deep-equal.ts';
import { parseQuantity, Quantity } from '../../machinery/quantity/index.ts';
import { addUsage, isCountedPod, matchesScopes, scopesOf, trackedNames, usageOf, type Usage } from '../../machinery/quota/index.ts';
import { keyedLoop, type ControllerDescriptor } from '../controller.ts';

const WORKERS = 5;
/** A burst of deletions is counted once. */
const RECOUNT_AFTER_MS = 50;

export const resourceQuotaController: ControllerDescriptor = {
  name: 'resourcequota-controller',
  aliases: ['resourcequota'],
  build(context) {
    const { client, clock, informers, discovered, signal, logger } = context;
    const byPlace = { [NAMESPACE_INDEX]: byNamespace };
    const quotas = informers.informer('v1/resourcequotas', {}, byPlace);
    /** Kinds of which more than their number counts. */
    const whole = {
      '/pods': informers.informer('v1/pods', {}, byPlace),
      '/services': informers.informer('v1/services', {}, byPlace),
      '/persistentvolumeclaims': informers.informer('v1/persistentvolumeclaims', {}, byPlace),
      'resource.k8s.io/resourceclaims': informers.informer('resource.k8s.io/v1/resourceclaims', {}, byPlace),
    } as const;

    const objectsOf = (group: string, plural: string, namespace: string): readonly ApiObject[] => {
      const known = whole[`${group}/${plural}` as keyof typeof whole];
      if (known) return known.indexer.byIndex(NAMESPACE_INDEX, namespace);
      const informer = discovered.informer(group, plural);
      if (!informer) return [];
      if (!informer.indexer.hasIndex(NAMESPACE_INDEX)) informer.indexer.addIndex(NAMESPACE_INDEX, byNamespace);
      return informer.indexer.byIndex(NAMESPACE_INDEX, namespace);
    };

    /** Resources that can be counted: those with an informer, under their group and plural. */
    const countable = (): { group: string; plural: string }[] => {
      const seen = new Map<string, { group: string; plural: string }>();
      for (const { group, plural, namespaced } of discovered.resources) if (namespaced && discovered.informer(group, plural)) seen.set(`${group}/${plural}`, { group, plural });
      return [...seen.values()];
    };

    const count = (quota: ResourceQuota): Usage => {
      const hard = Object.keys(quota.spec?.hard ?? {});
      const scopes = scopesOf(quota);
      const total: Usage = new Map();
      const now = clock.now();
      for (const { group, plural } of countable()) {
        const names = trackedNames(group, plural, hard);
        if (names.length === 0) continue;
        for (const name of names) total.set(name, Quantity.zero());
        for (const object of objectsOf(group, plural, quota.metadata.namespace ?? '')) {
          if (matchesScopes(group, plural, object, scopes)) addUsage(total, usageOf(group, plural, object, now));
        }
      }
      return total;
    };

    const reconcile = async (key: string): Promise<void> => {
      await discovered.settled();
      const quota = quotas.get(key);
      if (!quota) return;
      const hard = quota.spec?.hard ?? {};
      const before = quota.status?.used ?? {};
      const counted = count(quota);
      const used: Record<string, string> = {};
      for (const name of Object.keys(hard)) {
        const value = counted.get(name)?.toString() ?? before[name];
        if (value !== undefined) used[name] = value;
      }
      if (quota.status?.used !== undefined && sameQuantities(used, before) && deepEqual(hard, quota.status.hard ?? {})) return;
      try {
        await client.resource('v1/resourcequotas').updateStatus({ ...quota, status: { hard, used } }, { signal });
      } catch (error) {
        if (isNotFound(error)) return;
        /** Admission has counted meanwhile; what it wrote is on its way to the cache. */
        if (!isConflict(error)) throw error;
        logger.v(4).info('A quota changed while it was counted', { quota: key });
        queue.addAfter(key, RECOUNT_AFTER_MS);
      }
    };

    const { queue, run } = keyedLoop(context, 'resourcequota_primary', WORKERS, reconcile);
    const recount = (group: string, plural: string, namespace: string | undefined): void => {
      for (const quota of quotas.indexer.byIndex(NAMESPACE_INDEX, namespace ?? '')) {
        if (trackedNames(group, plural, Object.keys(quota.spec?.hard ?? {})).length > 0) queue.addAfter(keyOf(quota), RECOUNT_AFTER_MS);
      }
    };

    quotas.addHandler({
      onAdd: (quota) => queue.add(keyOf(quota)),
      onUpdate: (before, after) => deepEqual(before.spec, after.spec) || queue.add(keyOf(after)),
    });
    discovered.use({ onDelete: ({ group, plural }, { metadata }) => recount(group, plural, metadata.namespace) });
    whole['/pods'].addHandler({ onUpdate: (before, after) => quotas.indexer.size > 0 && podFrees(before, after, clock.now()) && recount('', 'pods', after.metadata.namespace) });
    whole['/services'].addHandler({ onUpdate: (before, after) => serviceFrees(before, after) && recount('', 'services', after.metadata.namespace) });
    whole['/persistentvolumeclaims'].addHandler({ onUpdate: (before, after) => claimFrees(before, after) && recount('', 'persistentvolumeclaims', after.metadata.namespace) });

    return async () => {
      const resync = clock.every(context.config.resourceQuotaSyncPeriodMs, () => quotas.list().forEach((quota) => queue.add(keyOf(quota))));
      try {
        await run();
      } finally {
        resync.cancel();
      }
    };
  },
};

const podFrees = (before: Pod, after: Pod, now: number): boolean =>
  (isCountedPod(before, now) && !isCountedPod(after, now)) || !deepEqual(before.spec?.containers.map((c) => c.resources), after.spec?.containers.map((c) => c.resources));

const serviceFrees = (before: Service, after: Service): boolean => before.spec?.type !== after.spec?.type || before.spec?.ports?.length !== after.spec?.ports?.length;

const claimFrees = (before: PersistentVolumeClaim, after: PersistentVolumeClaim): boolean =>
  !deepEqual(before.spec?.resources, after.spec?.resources) || !deepEqual(before.status?.allocatedResources, after.status?.allocatedResources);

function sameQuantities(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => b[name] !== undefined && parseQuantity(a[name]!).equals(parseQuantity(b[name])));
}
