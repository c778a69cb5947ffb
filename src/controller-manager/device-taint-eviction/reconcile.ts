/** Deletes the pods of one ResourceClaim when a device of it has a NoExecute taint that the claim does not tolerate. */
import type { Pod } from '../../api/generated/core-v1.ts';
import type {
  DeviceRequestAllocationResult,
  DeviceTaint,
  ResourceClaim,
  ResourceSlice,
} from '../../api/generated/resource-v1.ts';
import { parseTime } from '../../base/index.ts';
import type { SharedInformer } from '../../client/index.ts';
import { toleratesTaint } from '../../component-helpers/index.ts';
import type { ControllerContext, Reconciler, Requeue } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { markDisrupted } from '../pod-garbage-collector/disruption-target.ts';
import type { TaintEvictionMetrics } from '../taint-eviction/metrics.ts';

export const SLICES_BY_POOL = 'pool';
export const CLAIMS_BY_POOL = 'allocatedPool';

const DISRUPTION = {
  reason: 'DeletionByDeviceTaintManager',
  message: 'Device Taint manager: deleting due to NoExecute taint',
};

/** What the reconciler and the watches share. */
export interface DeviceTaintEvictionParts {
  /** With the index SLICES_BY_POOL. */
  readonly slices: SharedInformer<ResourceSlice>;
  /** With the index CLAIMS_BY_POOL. */
  readonly claims: SharedInformer<ResourceClaim>;
  readonly pods: SharedInformer<Pod>;
  readonly metrics: TaintEvictionMetrics;
}

export class DeviceTaintEvictionReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #parts: DeviceTaintEvictionParts;

  constructor(context: ControllerContext, parts: DeviceTaintEvictionParts) {
    this.#context = context;
    this.#parts = parts;
  }

  async reconcile(key: string): Promise<Requeue | void> {
    const { claims, pods } = this.#parts;
    const claim = claims.get(key);
    const at = claim && this.#evictionTime(claim);
    if (!claim || at === undefined) return;
    const left = at - this.#context.clock.now();
    if (left > 0) return { afterMs: left };
    for (const consumer of claim.status?.reservedFor ?? []) {
      const pod = pods.get(`${claim.metadata.namespace ?? ''}/${consumer.name}`);
      if (pod && pod.metadata.uid === consumer.uid && !pod.metadata.deletionTimestamp) await this.#evict(pod, at);
    }
  }

  /** When the first taint is no longer tolerated; undefined when that is never. */
  #evictionTime(claim: ResourceClaim): number | undefined {
    const times = resultsOf(claim).flatMap((result) =>
      this.#taintsOf(result).flatMap((taint) => {
        const matching = (result.tolerations ?? []).filter((toleration) => toleratesTaint(toleration, taint));
        const since = taint.timeAdded ? parseTime(taint.timeAdded) : this.#context.clock.now();
        if (matching.length === 0) return [since];
        return matching.flatMap(({ tolerationSeconds }) =>
          tolerationSeconds === undefined ? [] : [since + Math.max(0, Number(tolerationSeconds)) * 1000],
        );
      }),
    );
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #taintsOf({ driver, pool, device }: DeviceRequestAllocationResult): DeviceTaint[] {
    return this.#parts.slices.indexer
      .byIndex(SLICES_BY_POOL, poolKey(driver, pool))
      .flatMap((slice) => slice.spec.devices ?? [])
      .filter(({ name }) => name === device)
      .flatMap(({ taints = [] }) => taints.filter(({ effect }) => effect === 'NoExecute'));
  }

  async #evict(pod: Pod, at: number): Promise<void> {
    const { client, clock, recorder, signal } = this.#context;
    const { namespace, name = '', uid } = pod.metadata;
    recorder.event(pod, 'Normal', 'DeviceTaintManagerEviction', 'Marking for deletion');
    await ignoreNotFound(async () => {
      await markDisrupted(this.#context, pod, DISRUPTION);
      await client.resource('v1/pods').delete({ namespace, name }, { preconditions: { uid }, signal });
      this.#parts.metrics.deleted(Math.max(0, clock.now() - at));
    });
  }
}

export const poolKey = (driver: string, pool: string): string => `${driver}/${pool}`;

export const resultsOf = (claim: ResourceClaim): readonly DeviceRequestAllocationResult[] =>
  claim.status?.allocation?.devices?.results ?? [];
