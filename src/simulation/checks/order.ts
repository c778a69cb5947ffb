/** Checks of how controllers come to their goal: no more pods than asked for, and one after the other where that is asked for. */
import type { ReplicaSet, StatefulSet } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { isPodActive, isPodReady } from '../../component-helpers/index.ts';
import { MANAGERS } from '../faults/fault.ts';
import type { StoreLog } from '../world/store-log.ts';
import type { Check, Verdict } from './check.ts';
import { ownedBy } from './workloads.ts';

/** So long after a manager was changed or did not learn what became of a request, it may act on what it does not know. */
const UNSURE_MS = 60_000;
const MANAGER_LEASE = 'kube-system/kube-controller-manager';

/** When a manager last did not learn that, by world. */
const lastTrouble = new WeakMap<StoreLog, number>();

function isSure(log: StoreLog, at: number): boolean {
  if (at - (lastTrouble.get(log) ?? 0) < UNSURE_MS) return false;
  const holders = log.history('Lease', MANAGER_LEASE).filter((change) => at - change.at < UNSURE_MS);
  const names = new Set(
    holders.map(({ after }) => (after as { spec?: { holderIdentity?: string } })?.spec?.holderIdentity),
  );
  return names.size === 1;
}

const ownerOf = (pod: Pod, kind: string) =>
  pod.metadata.ownerReferences?.find((owner) => owner.controller && owner.kind === kind);

/** The most that the set has asked for lately. */
function mostReplicas(log: StoreLog, id: string, at: number): number {
  const history = log.history('ReplicaSet', id);
  let most = 0;
  for (let i = history.length - 1; i >= 0; i--) {
    most = Math.max(most, (history[i]!.after as unknown as ReplicaSet | undefined)?.spec?.replicas ?? 1);
    if (at - history[i]!.at > UNSURE_MS) break;
  }
  return most;
}

function overshoots(log: StoreLog, pod: Pod, at: number): Verdict {
  const owner = ownerOf(pod, 'ReplicaSet')!;
  const id = `${pod.metadata.namespace}/${owner.name}`;
  const active = ownedBy(log, owner.uid).filter(isPodActive).length;
  const most = mostReplicas(log, id, at);
  return active > most ? `ReplicaSet ${id} asks for ${most} pods and has ${active}` : undefined;
}

function isOutOfOrder(log: StoreLog, pod: Pod): Verdict {
  const owner = ownerOf(pod, 'StatefulSet')!;
  const { namespace, name = '' } = pod.metadata;
  const set = log.object('StatefulSet', `${namespace}/${owner.name}`) as unknown as StatefulSet | undefined;
  const ordinal = Number(name.slice(name.lastIndexOf('-') + 1));
  if (!set || set.spec?.podManagementPolicy === 'Parallel' || ordinal === 0) return undefined;
  const before = `${namespace}/${owner.name}-${ordinal - 1}`;
  const wasReady = log
    .history('Pod', before)
    .some(({ after }) => after !== undefined && isPodReady(after as unknown as Pod));
  return wasReady ? undefined : `pod ${namespace}/${name} was created, and ${before} was never ready`;
}

export const orderChecks = {
  'replicasets-do-not-overshoot': {
    because: 'a controller that knows what it has done does not create more pods than it is asked for',
    heard({ process, status, answeredAt }, { log }) {
      // An error of the server does not say whether it has acted.
      const isUnsure = status === undefined || status >= 500;
      if (isUnsure && MANAGERS.some((name) => name === process)) lastTrouble.set(log, answeredAt);
    },
    committed({ kind, at, before, after }, { log, looked }) {
      if (kind !== 'Pod' || before || !after || !ownerOf(after as unknown as Pod, 'ReplicaSet')) return undefined;
      if (!isSure(log, at)) return undefined;
      looked();
      return overshoots(log, after as unknown as Pod, at);
    },
  },
  'statefulset-pods-start-in-order': {
    because: 'a pod of an ordered StatefulSet is created when the one before it has been ready',
    committed({ kind, before, after }, { log, looked }) {
      if (kind !== 'Pod' || before || !after || !ownerOf(after as unknown as Pod, 'StatefulSet')) return undefined;
      looked();
      return isOutOfOrder(log, after as unknown as Pod);
    },
  },
} satisfies Record<string, Check>;
