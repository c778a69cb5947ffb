/** What the ResourceQuota controller watches: quotas, and deletions of the objects that they limit. */
import type { PersistentVolumeClaim, Pod, ResourceQuota, Service } from '../../api/generated/core-v1.ts';
import { deepEqual } from '../../base/index.ts';
import { keyOf, NAMESPACE_INDEX } from '../../client/index.ts';
import { attributesClassesOf, isCountedPod, trackedNames } from '../../machinery/quota/index.ts';
import { watch, type ControllerContext, type Keyed, type Watch } from '../controller.ts';
import { RECOUNT_AFTER_MS, type ResourceQuotaParts } from './reconcile.ts';

export function resourceQuotaWatches(
  { clock, discovered }: ControllerContext,
  { quotas, measured }: ResourceQuotaParts,
): readonly Watch[] {
  const itself = (quota: ResourceQuota): string[] => [keyOf(quota)];
  /** The quotas of the namespace that limit the resource. */
  const recount = (group: string, plural: string, namespace = ''): Keyed[] =>
    quotas.indexer
      .byIndex(NAMESPACE_INDEX, namespace)
      .filter(({ spec }) => trackedNames(group, plural, Object.keys(spec?.hard ?? {})).length > 0)
      .map((quota) => ({ key: keyOf(quota), afterMs: RECOUNT_AFTER_MS }));
  return [
    watch(quotas, {
      added: itself,
      updated: (before, after) => (deepEqual(before.spec, after.spec) ? [] : itself(after)),
    }),
    (add) =>
      discovered.use({
        onDelete: ({ group, plural }, { metadata }) => recount(group, plural, metadata.namespace).forEach(add),
      }),
    watch(measured['/pods'], {
      updated: (before, after) => {
        const mayFree = quotas.indexer.size > 0 && podFrees(before, after, clock.now());
        return mayFree ? recount('', 'pods', after.metadata.namespace) : [];
      },
    }),
    watch(measured['/services'], {
      updated: (before, after) =>
        serviceFrees(before, after) ? recount('', 'services', after.metadata.namespace) : [],
    }),
    watch(measured['/persistentvolumeclaims'], {
      updated: (before, after) =>
        claimFrees(before, after) ? recount('', 'persistentvolumeclaims', after.metadata.namespace) : [],
    }),
  ];
}

function podFrees(before: Pod, after: Pod, now: number): boolean {
  if (isCountedPod(before, now) && !isCountedPod(after, now)) return true;
  // It moves from the scope NotTerminating to Terminating, or back.
  if (hasDeadline(before) !== hasDeadline(after)) return true;
  const resources = ({ spec, status }: Pod) =>
    [spec?.containers, status?.containerStatuses, status?.initContainerStatuses].map((containers) =>
      containers?.map((container) => container.resources),
    );
  return !deepEqual(resources(before), resources(after));
}

const hasDeadline = ({ spec }: Pod): boolean => (spec?.activeDeadlineSeconds ?? -1) >= 0;

const serviceFrees = ({ spec: before }: Service, { spec: after }: Service): boolean =>
  before?.type !== after?.type || before?.ports?.length !== after?.ports?.length;

const claimFrees = (before: PersistentVolumeClaim, after: PersistentVolumeClaim): boolean =>
  !deepEqual(before.spec?.resources, after.spec?.resources) ||
  !deepEqual(before.status?.allocatedResources, after.status?.allocatedResources) ||
  !deepEqual(attributesClassesOf(before), attributesClassesOf(after));
