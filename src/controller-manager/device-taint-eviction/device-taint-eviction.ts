/** device-taint-eviction-controller: deletes pods that hold devices whose NoExecute taints their claims do not tolerate. */
import type { Pod } from '../../api/generated/core-v1.ts';
import type { DeviceTaint, ResourceClaim, ResourceSlice } from '../../api/generated/resource-v1.ts';
import { toleratesTaint } from '../../component-helpers/index.ts';
import { isNotFound, keyOf } from '../../client/index.ts';
import { parseTime } from '../../machinery/time/index.ts';
import { keyedLoop, type ControllerDescriptor } from '../controller.ts';
import { markDisrupted } from '../pod-garbage-collector/disruption-target.ts';

const BY_POOL = 'pool';
const BY_DEVICE_POOL = 'allocatedPool';

export const deviceTaintEvictionController: ControllerDescriptor = {
  name: 'device-taint-eviction-controller',
  build(context) {
    const { client, clock, informers, recorder, signal } = context;
    const slices = informers.informer('resource.k8s.io/v1/resourceslices', {}, { [BY_POOL]: (slice) => [poolKey(slice.spec.driver, slice.spec.pool.name)] });
    const claims = informers.informer('resource.k8s.io/v1/resourceclaims', {}, { [BY_DEVICE_POOL]: (claim) => resultsOf(claim).map((result) => poolKey(result.driver, result.pool)) });
    const pods = informers.informer('v1/pods');

    const reconcile = async (key: string): Promise<void> => {
      const claim = claims.get(key);
      const at = claim && evictionTime(claim);
      if (!claim || at === undefined) return;
      if (at > clock.now()) return queue.addAfter(key, at - clock.now());
      for (const consumer of claim.status?.reservedFor ?? []) {
        const pod = pods.get(`${claim.metadata.namespace ?? ''}/${consumer.name}`);
        if (pod && pod.metadata.uid === consumer.uid && !pod.metadata.deletionTimestamp) await evict(pod);
      }
    };

    /** When the first taint is no longer tolerated; undefined when that is never. */
    const evictionTime = (claim: ResourceClaim): number | undefined => {
      const times = resultsOf(claim).flatMap((result) =>
        taintsOf(result).flatMap((taint) => {
          const matching = (result.tolerations ?? []).filter((toleration) => toleratesTaint(toleration, taint));
          const since = taint.timeAdded ? parseTime(taint.timeAdded) : clock.now();
          if (matching.length === 0) return [since];
          return matching.flatMap(({ tolerationSeconds }) => (tolerationSeconds === undefined ? [] : [since + Math.max(0, Number(tolerationSeconds)) * 1000]));
        }),
      );
      return times.length === 0 ? undefined : Math.min(...times);
    };

    const taintsOf = ({ driver, pool, device }: { driver: string; pool: string; device: string }): DeviceTaint[] =>
      slices.indexer
        .byIndex(BY_POOL, poolKey(driver, pool))
        .flatMap((slice) => slice.spec.devices ?? [])
        .filter(({ name }) => name === device)
        .flatMap(({ taints = [] }) => taints.filter(({ effect }) => effect === 'NoExecute'));

    const evict = async (pod: Pod): Promise<void> => {
      recorder.event(pod, 'Normal', 'DeviceTaintManagerEviction', 'Marking for deletion');
      try {
        await markDisrupted(context, pod, { reason: 'DeletionByDeviceTaintManager', message: 'Device Taint manager: deleting due to NoExecute taint' });
        await client.resource('v1/pods').delete({ namespace: pod.metadata.namespace, name: pod.metadata.name ?? '' }, { preconditions: { uid: pod.metadata.uid }, signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    };

    const { queue, run } = keyedLoop(context, 'device_taint_eviction', 8, reconcile);
    const sliceChanged = (slice: ResourceSlice): void => claims.indexer.keysByIndex(BY_DEVICE_POOL, poolKey(slice.spec.driver, slice.spec.pool.name)).forEach((key) => queue.add(key));
    slices.addHandler({ onAdd: sliceChanged, onUpdate: (_, after) => sliceChanged(after), onDelete: sliceChanged });
    const claimChanged = (claim: ResourceClaim): void => {
      if (claim.status?.allocation && claim.status.reservedFor?.length) queue.add(keyOf(claim));
    };
    claims.addHandler({ onAdd: claimChanged, onUpdate: (_, after) => claimChanged(after) });
    /** A claim may be told of before the pod that holds it. */
    const podCame = (pod: Pod): void => {
      for (const { name, resourceClaimName } of pod.spec?.resourceClaims ?? []) {
        const claim = resourceClaimName ?? pod.status?.resourceClaimStatuses?.find((status) => status.name === name)?.resourceClaimName;
        if (claim !== undefined) queue.add(`${pod.metadata.namespace ?? ''}/${claim}`);
      }
    };
    pods.addHandler({ onAdd: podCame, onUpdate: (_, after) => podCame(after) });
    return run;
  },
};

const poolKey = (driver: string, pool: string): string => `${driver}/${pool}`;
const resultsOf = (claim: ResourceClaim) => claim.status?.allocation?.devices?.results ?? [];
