/** Which pods of a trace are not ready yet, and what they wait for. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { isNotFound, type Client } from '../../client/index.ts';
import { isPodReady, isPodTerminal } from '../../component-helpers/index.ts';
import type { RecordedSpan } from '../../kernel/index.ts';
import { isCommit } from './trace.ts';

/** Of more pods than this, the newest are looked at. */
const MAX_PODS = 100;

interface WaitingPod {
  readonly text: string;
  /** It will go on by itself: the trace is not complete yet. */
  readonly moves: boolean;
}

/** The pods that the commits wrote last, and did not delete. */
export async function waitingPods(client: Client, commits: readonly RecordedSpan[]): Promise<WaitingPod[]> {
  const names = new Map<string, boolean>();
  for (const span of commits) {
    const { attributes } = span;
    if (!isCommit(span) || attributes['k8s.resource'] !== 'pods') continue;
    const key = `${attributes['k8s.namespace.name']}/${attributes['k8s.object.name']}`;
    names.set(key, attributes['etcd.operation'] === 'put');
  }
  const present = [...names].filter(([, exists]) => exists).map(([key]) => key);
  const waiting = await Promise.all(present.slice(-MAX_PODS).map((key) => waitingPod(client, key)));
  return waiting.filter((pod) => pod !== undefined);
}

async function waitingPod(client: Client, key: string): Promise<WaitingPod | undefined> {
  const [namespace, name = ''] = key.split('/');
  try {
    return stateOf(key, await client.resource('v1/pods').get({ namespace, name }));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function stateOf(key: string, pod: Pod): WaitingPod | undefined {
  const { metadata, spec, status } = pod;
  const waits = (reason: string, moves: boolean): WaitingPod => ({ text: `pod ${key} (${reason})`, moves });
  if (metadata.deletionTimestamp !== undefined) {
    const finalizers = metadata.finalizers ?? [];
    return finalizers.length > 0
      ? waits(`finalizers ${finalizers.join(', ')}`, false)
      : waits(`terminates within ${metadata.deletionGracePeriodSeconds ?? 0} s`, true);
  }
  if (isPodTerminal(pod) || isPodReady(pod)) return undefined;
  if (!spec?.nodeName) {
    const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled');
    return condition?.status === 'False'
      ? waits(condition.message ?? condition.reason ?? 'not scheduled', false)
      : waits('not scheduled yet', true);
  }
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const reason = containers.find(({ state }) => state?.waiting)?.state?.waiting?.reason;
  if (reason === undefined) return waits('not ready', true);
  return waits(reason, reason === 'ContainerCreating' || reason === 'PodInitializing');
}
