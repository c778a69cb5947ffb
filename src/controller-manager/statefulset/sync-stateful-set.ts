/**
 * One sync of one StatefulSet: pods are created in the order of their ordinals, and deleted and updated in reverse order.
 * With OrderedReady each step waits until the pod before is ready.
 */
import type { ControllerRevision, StatefulSet } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { getScaledValue } from '../../base/index.ts';
import { slowStartBatch, SlowStartError } from '../../client/index.ts';
import { isPodAvailable, isPodTerminal } from '../../component-helpers/index.ts';
import type { StatefulClaims } from './claims.ts';
import { hasIdentity, ordinalOf, revisionNameOf, startOrdinal } from './identity.ts';
import type { StatefulPods } from './stateful-pods.ts';
import { isHealthy, isRunningAndReady } from './stateful-status.ts';

interface StatefulSyncOptions {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
  readonly control: StatefulPods;
  readonly claims: StatefulClaims;
  readonly now: number;
}

export async function syncStatefulSet(options: StatefulSyncOptions): Promise<void> {
  const { set, pods } = options;
  if (set.metadata.deletionTimestamp !== undefined) return;
  const start = startOrdinal(set);
  const end = start + (set.spec?.replicas ?? 1);
  const inOrder = set.spec?.podManagementPolicy !== 'Parallel';
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod]));
  const ordinals = Array.from({ length: end - start }, (_, i) => start + i);
  const condemned = pods
    .filter((pod) => ordinalOf(pod) < start || ordinalOf(pod) >= end)
    .sort((a, b) => ordinalOf(b) - ordinalOf(a));
  const mayGoOn = inOrder
    ? await oneByOne(ordinals, (ordinal) => syncReplica(options, ordinal, byOrdinal.get(ordinal), inOrder))
    : await allAtOnce(ordinals, (ordinal) => syncReplica(options, ordinal, byOrdinal.get(ordinal), inOrder));
  if (!mayGoOn) return;
  for (const pod of condemned) await options.claims.followPolicy(set, pod);
  if (
    !(await removeCondemned(
      options,
      condemned,
      ordinals.map((ordinal) => byOrdinal.get(ordinal)),
      inOrder,
    ))
  )
    return;
  if (set.spec?.updateStrategy?.type !== 'OnDelete')
    await replaceOld(
      options,
      ordinals.map((ordinal) => byOrdinal.get(ordinal)),
    );
}

/** Stops at the first pod that has to be waited for. */
async function oneByOne(ordinals: readonly number[], sync: (ordinal: number) => Promise<boolean>): Promise<boolean> {
  for (const ordinal of ordinals) if (!(await sync(ordinal))) return false;
  return true;
}

async function allAtOnce(ordinals: readonly number[], sync: (ordinal: number) => Promise<boolean>): Promise<boolean> {
  let mayGoOn = true;
  try {
    await slowStartBatch(ordinals.length, async (i) => {
      if (!(await sync(ordinals[i] ?? 0))) mayGoOn = false;
    });
  } catch (error) {
    throw error instanceof SlowStartError ? error.cause : error;
  }
  return mayGoOn;
}

/** Whether the next step may follow. */
async function syncReplica(
  options: StatefulSyncOptions,
  ordinal: number,
  pod: Pod | undefined,
  inOrder: boolean,
): Promise<boolean> {
  const { set, control, claims, now } = options;
  if (!pod) {
    if (claims.hasStale(set, ordinal)) return false;
    await control.create(set, ordinal, revisionFor(options, ordinal));
    return !inOrder;
  }
  if (isPodTerminal(pod)) {
    if (pod.metadata.deletionTimestamp === undefined) await control.delete(set, pod);
    // Its successor has the same name, so it is created when the pod is gone.
    return false;
  }
  if (pod.status?.phase === 'Pending' && pod.metadata.deletionTimestamp === undefined)
    await claims.createMissing(set, ordinal);
  if (
    inOrder &&
    (pod.metadata.deletionTimestamp !== undefined ||
      !isRunningAndReady(pod) ||
      !isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, now))
  )
    return false;
  await claims.followPolicy(set, pod);
  if (!hasIdentity(pod, set)) await control.correct(set, pod);
  return true;
}

/** Pods below the partition are created with the current revision. */
function revisionFor({ set, current, update }: StatefulSyncOptions, ordinal: number): ControllerRevision {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (type !== 'RollingUpdate') return update;
  const below = rollingUpdate === undefined ? (set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0);
  return ordinal < startOrdinal(set) + below ? current : update;
}

async function removeCondemned(
  { set, control, now }: StatefulSyncOptions,
  condemned: readonly Pod[],
  replicas: readonly (Pod | undefined)[],
  inOrder: boolean,
): Promise<boolean> {
  const firstUnhealthy = [...replicas.filter((pod) => pod !== undefined), ...[...condemned].reverse()].find(
    (pod) => !isHealthy(pod),
  );
  for (const pod of condemned) {
    if (pod.metadata.deletionTimestamp !== undefined) {
      if (inOrder) return false;
      continue;
    }
    const isFit = isRunningAndReady(pod) && isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, now);
    if (inOrder && !isFit && pod !== firstUnhealthy) return false;
    await control.delete(set, pod);
    if (inOrder) return false;
  }
  return true;
}

/** Rolling update from the highest ordinal down to the partition, with at most maxUnavailable pods at once. */
async function replaceOld(
  { set, update, control, now }: StatefulSyncOptions,
  replicas: readonly (Pod | undefined)[],
): Promise<void> {
  const { partition = 0, maxUnavailable = 1 } = set.spec?.updateStrategy?.rollingUpdate ?? {};
  const most = Math.max(1, getScaledValue(maxUnavailable, set.spec?.replicas ?? 1, 'up'));
  const isFit = (pod: Pod | undefined): boolean =>
    pod !== undefined && isHealthy(pod) && isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, now);
  let unavailable = most > 1 ? replicas.filter((pod) => !isFit(pod)).length : 0;
  for (let i = replicas.length - 1; i >= partition; i--) {
    const pod = replicas[i];
    if (pod && revisionNameOf(pod) !== update.metadata.name && pod.metadata.deletionTimestamp === undefined) {
      if (most > 1 && unavailable >= most && isFit(pod)) return;
      await control.delete(set, pod);
      if (most === 1) return;
      if (isFit(pod)) unavailable++;
    } else if (most === 1 && !(pod && isHealthy(pod))) return;
  }
}
