/** Why a workload does not have the pods that it asks for: Deployments, ReplicaSets, StatefulSets, DaemonSets and Jobs. */
import type { Pod } from '../../api/generated/core-v1.ts';
import type { LabelSelector } from '../../api/generated/meta-v1.ts';
import { controllerOf, type ApiObject } from '../../client/index.ts';
import { isPodReady } from '../../component-helpers/index.ts';
import { formatLabelSelector, labelSelectorAsSelector } from '../../machinery/selectors/index.ts';
import type { Cause, Explanation, Subject } from '../answers.ts';
import { healthy, unhealthy } from './explanation.ts';
import { explainPod } from './pod.ts';
import type { Reader } from './reader.ts';
import { explainResourceQuota } from './resource-quota.ts';
import { finalizerCauses } from './terminating.ts';

/** What the workload kinds have in common. */
interface Workload extends ApiObject {
  readonly spec?: {
    readonly selector?: LabelSelector;
    readonly paused?: boolean;
    readonly suspend?: boolean;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
}

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** How many pods a workload has, and how many it should have. */
export interface PodCount {
  readonly available: number;
  readonly wanted: number;
  /** Those of the newest template, while they are rolled out. */
  readonly updated?: number | undefined;
}

/** Pods that fail for different reasons are explained; of many, the first ones. */
const MAX_EXPLAINED_PODS = 3;

export async function explainWorkload(
  reader: Reader,
  workload: Workload,
  { kind, count: { available, wanted, updated = wanted } }: { kind: string; count: PodCount },
): Promise<Explanation> {
  const { metadata, spec } = workload;
  const subject: Subject = { kind, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
  if (metadata.deletionTimestamp) return unhealthy(subject, 'Terminating', finalizerCauses(workload));
  // Pods of the old template are there, too.
  const rollout = updated < wanted && updated < available ? `, ${updated} of them of the newest template` : '';
  const state = `${available} of ${wanted} pods are ${kind === 'Job' ? 'complete' : 'available'}${rollout}`;
  const causes = conditionCauses(workload);
  if (available >= wanted && updated >= wanted && causes.length === 0) return healthy(subject, state);
  const failed = await reader.warning(workload, 'FailedCreate', 'ReplicaSetCreateError');
  if (failed && !causes.some(({ message }) => failed.includes(message)))
    causes.push({
      reason: 'FailedCreate',
      message: failed,
      ...(await quotaBehind(reader, metadata.namespace ?? '', failed)),
    });
  if (spec?.selector) causes.push(...(await podCauses(reader, workload, spec.selector)));
  if (causes.length === 0)
    causes.push({
      reason: 'Progressing',
      message: 'its controller has not created its pods yet',
      remedy: 'see that kube-controller-manager runs and holds its lease',
    });
  return unhealthy(subject, state, causes);
}

/** The ResourceQuota that a refusal names. */
async function quotaBehind(reader: Reader, namespace: string, refusal: string): Promise<Pick<Cause, 'because'>> {
  const name = /exceeded quota: ([a-z0-9.-]{1,253})/.exec(refusal)?.[1];
  if (name === undefined) return {};
  const { object: quota } = await reader.get('v1/resourcequotas', { namespace, name });
  return quota
    ? {
        because: await reader.because(`resourcequotas/${namespace}/${name}`, () => explainResourceQuota(reader, quota)),
      }
    : {};
}

function conditionCauses({ metadata, spec, status }: Workload): Cause[] {
  const causes: Cause[] = [];
  if ((metadata.generation ?? 0) > (status?.observedGeneration ?? metadata.generation ?? 0))
    causes.push({
      reason: 'NotObserved',
      message: 'its controller has not seen the newest spec yet',
      remedy: 'see that kube-controller-manager runs and holds its lease',
    });
  if (spec?.paused) causes.push({ reason: 'Paused', message: 'it is paused', remedy: 'kubectl rollout resume' });
  if (spec?.suspend)
    causes.push({ reason: 'Suspended', message: 'it is suspended', remedy: 'set spec.suspend to false' });
  for (const { type = '', status: is, reason, message = '' } of status?.conditions ?? []) {
    const bad = FAILURES.has(type) ? is === 'True' : type === 'Progressing' && is === 'False';
    if (bad) causes.push({ reason: reason ?? type, message });
  }
  return causes;
}

/** Conditions that say that something is wrong when they are True. */
const FAILURES = new Set(['ReplicaFailure', 'Failed', 'FailureTarget']);

async function podCauses(reader: Reader, { metadata }: Workload, selector: LabelSelector): Promise<Cause[]> {
  const namespace = metadata.namespace ?? '';
  const matcher = labelSelectorAsSelector(selector);
  const pods = await reader.list('v1/pods', { namespace, labelSelector: formatLabelSelector(selector) });
  const bad = pods.filter(
    (pod) => matcher.matches(pod.metadata.labels ?? {}) && !isPodReady(pod) && pod.status?.phase !== 'Succeeded',
  );
  if (bad.length === 0) return [];
  const explained: Explanation[] = [];
  for (const pod of differing(bad))
    explained.push(...(await reader.because(`pods/${namespace}/${pod.metadata.name}`, () => explainPod(reader, pod))));
  const reasons = [...new Set(explained.map(({ causes }) => causes[0]?.reason).filter(Boolean))].join(', ');
  return [
    {
      reason: 'PodsNotReady',
      message: `${bad.length} of its ${pods.length} pods ${bad.length === 1 ? 'is' : 'are'} not ready${reasons ? `: ${reasons}` : ''}`,
      because: explained,
    },
  ];
}

/** Pods of different owners or phases first: pods of one template mostly fail for one reason. */
function differing(pods: readonly Pod[]): Pod[] {
  const kinds = new Map<string, Pod>();
  for (const pod of pods) {
    const waiting = pod.status?.containerStatuses?.map(({ state }) => state?.waiting?.reason ?? '').join();
    const key = `${controllerOf(pod)?.uid} ${pod.status?.phase} ${pod.spec?.nodeName === undefined} ${waiting}`;
    if (!kinds.has(key)) kinds.set(key, pod);
  }
  return [...kinds.values()].slice(0, MAX_EXPLAINED_PODS);
}
