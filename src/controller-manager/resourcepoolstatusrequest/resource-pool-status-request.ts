/**
 * resourcepoolstatusrequest-controller: answers a ResourcePoolStatusRequest once, when all slices of its pools are there,
 * and deletes it an hour later. One that got no answer is deleted after a day.
 */
import type { ResourcePoolStatusRequest } from '../../api/generated/resource-v1alpha3.ts';
import { formatTime, parseTime } from '../../base/index.ts';
import { isNotFound, keyOf, type ApiObject, type Resource } from '../../client/index.ts';
import { keyedLoop, type ControllerDescriptor } from '../controller.ts';
import { poolStatuses } from './pool-status.ts';

const COMPLETED_TTL_MS = 3_600_000;
const PENDING_TTL_MS = 24 * 3_600_000;
const DEFAULT_LIMIT = 100;
/** Slices of a pool arrive one after another. */
const INCOMPLETE_RETRY_MS = 5000;

export const resourcePoolStatusRequestController: ControllerDescriptor = {
  name: 'resourcepoolstatusrequest-controller',
  build(context) {
    const { client, clock, informers, discovered, signal } = context;
    const slices = informers.informer('resource.k8s.io/v1/resourceslices');
    const claims = informers.informer('resource.k8s.io/v1/resourceclaims');
    const requests = client.resource('resource.k8s.io/v1alpha3/resourcepoolstatusrequests');

    /** Returns when to look at the request again, in milliseconds. */
    const answer = async (request: ResourcePoolStatusRequest): Promise<number> => {
      const pools = poolStatuses(request.spec, slices.list(), claims.list());
      if (pools.some(({ validationError }) => validationError !== undefined)) return INCOMPLETE_RETRY_MS;
      const shown = pools.slice(0, request.spec.limit ?? DEFAULT_LIMIT);
      const status = {
        poolCount: pools.length,
        ...(shown.length > 0 ? { pools: shown } : {}),
        conditions: [
          {
            type: 'Complete',
            status: 'True' as const,
            lastTransitionTime: formatTime(clock.now()),
            reason: 'CalculationComplete',
            message: `Calculated status for ${shown.length} pools`,
          },
        ],
      };
      await requests.updateStatus({ ...request, status }, { signal });
      return COMPLETED_TTL_MS;
    };

    const reconcile = async (name: string): Promise<void> => {
      const request = await requests.get({ name }, { signal }).catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
      if (!request || request.metadata.deletionTimestamp) return;
      const leftMs = expiryOf(request) - clock.now();
      if (leftMs > 0) return queue.addAfter(name, request.status ? leftMs : await answer(request));
      await requests
        .delete({ name }, { preconditions: { uid: request.metadata.uid }, signal })
        .catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
    };

    const { queue, run } = keyedLoop(context, 'resourcepoolstatusrequest', 1, reconcile);
    const enqueue = (resource: Resource, object: ApiObject): void => {
      if (isRequests(resource)) queue.add(keyOf(object));
    };
    discovered.use({ onAdd: enqueue, onUpdate: (resource, _, after) => enqueue(resource, after) });
    return run;
  },
};

const isRequests = ({ group, plural }: Resource): boolean =>
  group === 'resource.k8s.io' && plural === 'resourcepoolstatusrequests';

function expiryOf({ metadata, status }: ResourcePoolStatusRequest): number {
  const createdAt = parseTime(metadata?.creationTimestamp ?? '');
  if (!status) return createdAt + PENDING_TTL_MS;
  const answered = status.conditions?.find(({ type }) => type === 'Complete' || type === 'Failed');
  return (answered ? parseTime(answered.lastTransitionTime) : createdAt) + COMPLETED_TTL_MS;
}
