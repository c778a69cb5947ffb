/** Checks of what is limited: quotas, budgets, volumes, and who may end a pod by force. */
import type { Pod, ResourceQuota } from '../../api/generated/core-v1.ts';
import type { PodDisruptionBudget } from '../../api/generated/policy-v1.ts';
import { ownValue } from '../../base/index.ts';
import { isPodReady, isPodTerminal } from '../../component-helpers/index.ts';
import { isCountedPod } from '../../machinery/quota/index.ts';
import type { Exchange } from '../world/network.ts';
import type { StoreLog } from '../world/store-log.ts';
import { FORBIDDEN_KEY } from '../world/webhook.ts';
import { firstWrong, RECOVERED_MS, type Check } from './check.ts';
import { all, isDeleted, pods } from './workloads.ts';

/** By then every API server knows of a quota, whatever strikes. */
const QUOTA_KNOWN_MS = 90_000;
/** And where nothing strikes. */
const QUOTA_KNOWN_IN_CALM_MS = 10_000;
const POD_COLLECTOR = 'system:serviceaccount:kube-system:pod-garbage-collector';

const claimsOf = ({ spec }: Pod): string[] =>
  (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
const isRunning = (pod: Pod): boolean => pod.status?.startTime !== undefined && !isPodTerminal(pod);

/** The pod of a path, as it was when the request was sent. */
function podBefore(log: StoreLog, { request, sentAt }: Exchange): { id: string; pod: Pod | undefined } | undefined {
  const parts = /\/namespaces\/([^/]+)\/pods\/([^/]+)/.exec(request.path);
  if (!parts) return undefined;
  const id = `${parts[1]}/${parts[2]}`;
  const before = log.history('Pod', id).findLast(({ at }) => at < sentAt);
  return { id, pod: before?.after as Pod | undefined };
}

/** Whether the object was there all the time between request and answer. */
function existedThroughout(log: StoreLog, kind: string, id: string, { sentAt, answeredAt }: Exchange): boolean {
  const history = log.history(kind, id);
  const before = history.findLast(({ at }) => at < sentAt);
  if (!before?.after) return false;
  return !history.some(({ at, after }) => at >= sentAt && at <= answeredAt && after === undefined);
}

function budgetsOf(log: StoreLog, { metadata }: Pod): PodDisruptionBudget[] {
  return all<PodDisruptionBudget>(log, 'PodDisruptionBudget').filter(
    (budget) =>
      budget.metadata.namespace === metadata.namespace &&
      Object.entries(budget.spec?.selector?.matchLabels ?? {}).every(
        ([name, value]) => ownValue(metadata.labels, name) === value,
      ),
  );
}

const disrupted = (budget: unknown): string[] =>
  Object.keys((budget as PodDisruptionBudget | undefined)?.status?.disruptedPods ?? {});

export const limitChecks = {
  'quotas-are-kept': {
    because: 'no pod is created beyond the quota of its namespace',
    committed({ kind, at, before, after }, { log, clock, processes, looked, calmSince }) {
      if (kind !== 'Pod' || before || !after) return undefined;
      const { namespace = '' } = after.metadata;
      const isCalm = at - calmSince() >= RECOVERED_MS;
      // A pod that outlives its grace period is not counted, and the clock of who counts may be ahead.
      const latest = clock.now() + Math.max(0, ...[...processes.values()].map((process) => process.clock.mostAheadMs));
      return firstWrong(all<ResourceQuota>(log, 'ResourceQuota'), ({ metadata, spec }) => {
        if (metadata.namespace !== namespace || spec?.hard?.['pods'] === undefined) return undefined;
        const created = log
          .history('ResourceQuota', `${namespace}/${metadata.name}`)
          .findLast((change) => !change.before);
        if (!created || at - created.at < (isCalm ? QUOTA_KNOWN_IN_CALM_MS : QUOTA_KNOWN_MS)) return undefined;
        looked();
        const count = pods(log).filter(
          (pod) => pod.metadata.namespace === namespace && isCountedPod(pod, latest),
        ).length;
        return count > Number(spec.hard['pods'])
          ? `namespace ${namespace} has ${count} pods, and its quota allows ${spec.hard['pods']}`
          : undefined;
      });
    },
  },
  'evictions-use-budgets': {
    because: 'an eviction of a healthy pod is written into its budget first, which must allow one',
    committed({ kind, id, before, after }, { looked }) {
      if (kind !== 'PodDisruptionBudget' || !before || !after) return undefined;
      const known = disrupted(before);
      const more = disrupted(after).filter((name) => !known.includes(name));
      if (more.length === 0) return undefined;
      looked();
      const [was, is] = [before, after].map(
        (budget) => (budget as unknown as PodDisruptionBudget).status?.disruptionsAllowed ?? 0,
      );
      return was! >= more.length && is === was! - more.length
        ? undefined
        : `budget ${id} allowed ${was} disruptions, and ${is} after the eviction of ${more.join(', ')}`;
    },
    answered(exchange, { log, looked }) {
      const { request, status, sentAt, answeredAt } = exchange;
      if (request.method !== 'POST' || status !== 201 || !request.path.endsWith('/eviction')) return undefined;
      const { id, pod } = podBefore(log, exchange) ?? {};
      if (!pod || !isPodReady(pod) || isPodTerminal(pod) || isDeleted(pod)) return undefined;
      return firstWrong(budgetsOf(log, pod), ({ metadata }) => {
        const budget = `${metadata.namespace}/${metadata.name}`;
        if (!existedThroughout(log, 'PodDisruptionBudget', budget, exchange)) return undefined;
        const changes = log.history('Pod', id!).filter(({ at }) => at >= sentAt && at <= answeredAt);
        // It has become unhealthy, or was deleted by others meanwhile.
        if (changes.some(({ before }) => !before || !isPodReady(before as unknown as Pod))) return undefined;
        looked();
        const noted = log
          .history('PodDisruptionBudget', budget)
          .some(
            ({ at, after }) => at >= sentAt && at <= answeredAt && disrupted(after).includes(pod.metadata.name ?? ''),
          );
        return noted ? undefined : `pod ${id} was evicted, and its budget ${budget} was not asked`;
      });
    },
  },
  'claims-are-used-on-one-node': {
    because: 'a volume that one node may mount is not used by pods on two',
    committed({ kind, id, after }, { log, looked }) {
      if (kind !== 'Pod' || !after) return undefined;
      const pod = after as unknown as Pod;
      const claims = claimsOf(pod);
      if (claims.length === 0 || !isRunning(pod)) return undefined;
      looked();
      const other = pods(log).find(
        (one) =>
          one.metadata.namespace === pod.metadata.namespace &&
          one.spec?.nodeName !== pod.spec?.nodeName &&
          isRunning(one) &&
          claimsOf(one).some((claim) => claims.includes(claim)),
      );
      return other && `pods ${id} and ${other.metadata.name} use one claim on two nodes`;
    },
  },
  'pods-are-ended-by-their-kubelet': {
    because: 'a pod that may run is deleted by force only when its node does not exist any more',
    answered(exchange, { log, looked }) {
      const { request, status, user } = exchange;
      if (user !== POD_COLLECTOR || request.method !== 'DELETE' || status !== 200) return undefined;
      const { id, pod } = podBefore(log, exchange) ?? {};
      const node = pod?.spec?.nodeName;
      if (!pod || isPodTerminal(pod) || !node) return undefined;
      looked();
      return existedThroughout(log, 'Node', node, exchange)
        ? `pod ${id} was deleted by force, and its node ${node} exists`
        : undefined;
    },
  },
  'refused-objects-are-not-stored': {
    because: 'what an admission webhook has refused is not written',
    committed({ kind, id, after }, { webhook, looked }) {
      const value = (after as { data?: Record<string, string> } | undefined)?.data?.[FORBIDDEN_KEY];
      if (kind !== 'ConfigMap' || value === undefined) return undefined;
      looked();
      return webhook.refused.has(value) ? `ConfigMap ${id} was refused, and is in the store` : undefined;
    },
  },
} satisfies Record<string, Check>;
