/** Checks of pods and of what controls them. */
import type { Deployment, ReplicaSet, StatefulSet } from '../../api/generated/apps-v1.ts';
import type { DaemonSet } from '../../api/generated/apps-v1.ts';
import type { Job } from '../../api/generated/batch-v1.ts';
import type { Node, PersistentVolume, Pod } from '../../api/generated/core-v1.ts';
import { getScaledValue, parseQuantity } from '../../base/index.ts';
import { isPodActive, isPodTerminal, podRequests } from '../../component-helpers/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { StoreLog } from '../world/store-log.ts';
import { firstWrong, type Check, type Verdict } from './check.ts';

export const pods = (log: StoreLog): readonly Pod[] => log.objects('Pod') as readonly KubeObject[] as readonly Pod[];
export const all = <T>(log: StoreLog, kind: string): readonly T[] =>
  log.objects(kind) as readonly unknown[] as readonly T[];
export const isDeleted = ({ metadata }: { metadata: { deletionTimestamp?: string } }): boolean =>
  metadata.deletionTimestamp !== undefined;
const byText = (a = '', b = ''): number => (a < b ? -1 : a > b ? 1 : 0);
const label = ({ metadata }: { metadata: { namespace?: string; name?: string } }): string =>
  `${metadata.namespace}/${metadata.name}`;
export const ownedBy = (log: StoreLog, uid: string | undefined): Pod[] =>
  pods(log).filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.controller && owner.uid === uid));
const activeOf = (log: StoreLog, uid: string | undefined): number => ownedBy(log, uid).filter(isPodActive).length;

/** Pods that hold resources of their node: the kubelet has admitted them, and they have not ended. */
const isRunningOn = (pod: Pod, node: string): boolean =>
  pod.spec?.nodeName === node && pod.status?.startTime !== undefined && !isPodTerminal(pod);

/** Of a node's CPU in thousandths, unless the node is gone. */
function cpuOf(log: StoreLog, name: string): { used: number; limit: number } | undefined {
  const node = log.object('Node', name) as Node | undefined;
  const allocatable = node?.status?.allocatable?.['cpu'];
  if (allocatable === undefined) return undefined;
  let used = 0;
  for (const pod of pods(log)) if (isRunningOn(pod, name)) used += requestedCpu(pod);
  return { used, limit: milli(allocatable) };
}

function overcommitted(log: StoreLog, name: string): Verdict {
  const cpu = cpuOf(log, name);
  if (cpu === undefined) return undefined;
  const { used, limit } = cpu;
  return used > limit ? `the pods of node ${name} request ${used}m of its ${limit}m cpu` : undefined;
}

const milli = (quantity: string): number => parseQuantity(quantity).milliValue();
const requestedCpu = ({ spec, status }: Pod): number =>
  (spec && podRequests(spec, { status, withOverhead: true }).get('cpu')?.milliValue()) ?? 0;

export const workloadChecks = {
  'pods-are-bound-once': {
    because: 'a pod that has a node keeps it',
    committed({ kind, id, before, after }, { looked }) {
      if (kind !== 'Pod' || !before || !after) return undefined;
      const [was, is] = [before, after].map((object) => (object as unknown as Pod).spec?.nodeName);
      if (!was) return undefined;
      looked();
      return was === is ? undefined : `pod ${id} was on ${was} and is on ${is ?? 'no node'}`;
    },
  },
  'nodes-are-not-overcommitted': {
    because: 'the pods that run on a node request no more than it has',
    committed({ kind, after }, { log, looked }) {
      if (kind !== 'Pod' || !after) return undefined;
      const { spec, status } = after as unknown as Pod;
      if (!spec?.nodeName || status?.startTime === undefined) return undefined;
      looked();
      return overcommitted(log, spec.nodeName);
    },
  },
  'terminal-pods-stay-so': {
    because: 'a pod that has succeeded or failed does not run again',
    committed({ kind, id, before, after }, { looked }) {
      if (kind !== 'Pod' || !before || !after) return undefined;
      const [was, is] = [before, after].map((object) => (object as unknown as Pod).status?.phase);
      if (was !== 'Succeeded' && was !== 'Failed') return undefined;
      looked();
      return was === is ? undefined : `pod ${id} was ${was} and is ${is}`;
    },
  },
  'deployments-converge': {
    because: 'a Deployment has as many available pods of its newest template as it asks for',
    settled: ({ log, looked }) =>
      firstWrong(all<Deployment>(log, 'Deployment'), (deployment) => {
        const { metadata, spec, status } = deployment;
        if (isDeleted(deployment)) return `Deployment ${label(deployment)} is still being deleted`;
        if (spec?.paused || isLimited(log, metadata.namespace)) return undefined;
        looked();
        const wanted = spec?.replicas ?? 1;
        if (status?.observedGeneration !== metadata.generation)
          return `Deployment ${label(deployment)}: generation ${metadata.generation} has not been observed`;
        const sets = all<ReplicaSet>(log, 'ReplicaSet').filter((set) =>
          set.metadata.ownerReferences?.some((owner) => owner.uid === metadata.uid),
        );
        const active = sets.reduce((sum, set) => sum + activeOf(log, set.metadata.uid), 0);
        // A rollout whose new pods nothing can take stays within its limits.
        const isStuck = cannotRun(log);
        if (active < wanted || active > wanted + (isStuck ? surgeOf(deployment) : 0))
          return `Deployment ${label(deployment)} has ${active} pods instead of ${wanted}`;
        if (isStuck) return undefined;
        if ((status?.updatedReplicas ?? 0) !== wanted || (status?.availableReplicas ?? 0) !== wanted)
          return `Deployment ${label(deployment)}: ${status?.updatedReplicas ?? 0} updated and ${status?.availableReplicas ?? 0} available instead of ${wanted}`;
        return undefined;
      }),
  },
  'replicasets-converge': {
    because: 'a ReplicaSet controls as many active pods as it asks for, and says so in its status',
    settled: ({ log, looked }) =>
      firstWrong(all<ReplicaSet>(log, 'ReplicaSet'), (set) => {
        if (isDeleted(set)) return `ReplicaSet ${label(set)} is still being deleted`;
        if (isLimited(log, set.metadata.namespace)) return undefined;
        looked();
        const active = activeOf(log, set.metadata.uid);
        const wanted = set.spec?.replicas ?? 1;
        if (active !== wanted) return `ReplicaSet ${label(set)} has ${active} pods instead of ${wanted}`;
        return (set.status?.replicas ?? 0) === wanted
          ? undefined
          : `the status of ReplicaSet ${label(set)} says ${set.status?.replicas ?? 0} instead of ${wanted}`;
      }),
  },
  'statefulsets-converge': {
    because: 'a StatefulSet has the pods 0 to n-1, each with its claim bound',
    settled: ({ log, looked }) =>
      firstWrong(all<StatefulSet>(log, 'StatefulSet'), (set) => {
        if (isDeleted(set)) return `StatefulSet ${label(set)} is still being deleted`;
        if (isLimited(log, set.metadata.namespace) || cannotRun(log)) return undefined;
        looked();
        const names = ownedBy(log, set.metadata.uid)
          .filter(isPodActive)
          .map(({ metadata }) => metadata.name)
          .sort(byText);
        const wanted = Array.from({ length: set.spec?.replicas ?? 1 }, (_, i) => `${set.metadata.name}-${i}`).sort(
          byText,
        );
        return names.join() === wanted.join()
          ? undefined
          : `StatefulSet ${label(set)} has the pods [${names.join()}] instead of [${wanted.join()}]`;
      }),
  },
  'statefulset-identities-are-unique': {
    because: 'no two pods of one StatefulSet identity exist, and none appears before its predecessor is gone',
    committed({ kind, id, before, after }, { looked }) {
      if (kind !== 'Pod' || before || !after) return undefined;
      if (!after.metadata.labels?.['statefulset.kubernetes.io/pod-name']) return undefined;
      looked();
      return after.metadata.name === after.metadata.labels['statefulset.kubernetes.io/pod-name']
        ? undefined
        : `pod ${id} has another pod's identity`;
    },
  },
  'daemonsets-converge': {
    because: 'a DaemonSet has one active pod on every node, or one that waits because the node is full',
    settled: ({ log, looked }) =>
      firstWrong(all<DaemonSet>(log, 'DaemonSet'), (set) => {
        if (isDeleted(set)) return `DaemonSet ${label(set)} is still being deleted`;
        if (isLimited(log, set.metadata.namespace)) return undefined;
        looked();
        const active = ownedBy(log, set.metadata.uid).filter(isPodActive);
        const isFull = (node: string): boolean => {
          const cpu = cpuOf(log, node);
          return cpu !== undefined && active.some((pod) => requestedCpu(pod) > cpu.limit - cpu.used);
        };
        const nodes = all<Node>(log, 'Node')
          .map(({ metadata }) => metadata.name ?? '')
          .map((node) => (isFull(node) && !active.some(({ spec }) => spec?.nodeName === node) ? '' : node))
          .sort(byText);
        const on = active.map(({ spec }) => spec?.nodeName ?? '').sort(byText);
        return nodes.join() === on.join()
          ? undefined
          : `DaemonSet ${label(set)} has pods on [${on.join()}] instead of [${nodes.join()}]`;
      }),
  },
  'jobs-converge': {
    because: 'a Job that is not suspended completes, and its pods have no finalizers left',
    settled: ({ log, looked }) =>
      firstWrong(all<Job>(log, 'Job'), (job) => {
        if (isDeleted(job)) return `Job ${label(job)} is still being deleted`;
        if (isLimited(log, job.metadata.namespace) || cannotRun(log)) return undefined;
        if (job.metadata.ownerReferences?.length) return undefined;
        looked();
        if (job.spec?.suspend) {
          const active = activeOf(log, job.metadata.uid);
          return active === 0 ? undefined : `Job ${label(job)} is suspended and has ${active} active pods`;
        }
        const finished = job.status?.conditions?.some(
          ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
        );
        return finished ? undefined : `Job ${label(job)} has not finished`;
      }),
  },
  'pods-come-to-rest': {
    because: 'every pod has a node and runs or has ended, unless nothing can take it, and none terminates for ever',
    settled: ({ log, looked }) =>
      firstWrong(pods(log), (pod) => {
        looked();
        if (isDeleted(pod)) return `pod ${label(pod)} is still being deleted`;
        const { phase } = pod.status ?? {};
        if (pod.spec?.nodeName && phase === 'Pending') return `pod ${label(pod)} has a node and is Pending`;
        const node = pod.spec?.nodeName;
        return node && !log.object('Node', node)
          ? `pod ${label(pod)} is on node ${node}, which does not exist`
          : undefined;
      }),
  },
  'volumes-are-bound-once': {
    because: 'a PersistentVolume is bound to one claim, and the claim to it',
    settled: ({ log, looked }) =>
      firstWrong(all<PersistentVolume>(log, 'PersistentVolume'), (volume) => {
        const { claimRef } = volume.spec ?? {};
        if (!claimRef || volume.status?.phase !== 'Bound') return undefined;
        looked();
        const claim = log.object('PersistentVolumeClaim', `${claimRef.namespace}/${claimRef.name}`);
        const bound = (claim as unknown as { spec?: { volumeName?: string } } | undefined)?.spec?.volumeName;
        return bound === volume.metadata.name
          ? undefined
          : `volume ${volume.metadata.name} is bound to a claim that has ${bound ?? 'no volume'}`;
      }),
  },
} satisfies Record<string, Check>;

/** Namespaces with quotas or that are going away may lack pods. */
function isLimited(log: StoreLog, namespace = ''): boolean {
  const object = log.object('Namespace', namespace);
  if (!object || object.metadata.deletionTimestamp !== undefined) return true;
  return all<{ metadata: { namespace?: string } }>(log, 'ResourceQuota').some(
    ({ metadata }) => metadata.namespace === namespace,
  );
}

function surgeOf({ spec }: Deployment): number {
  const { type, rollingUpdate } = spec?.strategy ?? {};
  return type === 'RollingUpdate' ? getScaledValue(rollingUpdate?.maxSurge, spec?.replicas ?? 1, 'up') : 0;
}

/** Cordoned nodes, and pods that are too large, may leave pods Pending. */
function cannotRun(log: StoreLog): boolean {
  if (all<Node>(log, 'Node').some(({ spec }) => spec?.unschedulable)) return true;
  return pods(log).some(({ spec, status }) => !spec?.nodeName && status?.phase === 'Pending');
}
