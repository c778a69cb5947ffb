/** What a ResourceQuota leaves, and who uses it. */
import type { ResourceQuota } from '../../api/generated/core-v1.ts';
import { ownValue, parseQuantity } from '../../base/index.ts';
import { isPodTerminal, podRequests } from '../../component-helpers/index.ts';
import type { Cause, Explanation, Subject } from '../answers.ts';
import { healthy, unhealthy } from './explanation.ts';
import type { Reader } from './reader.ts';

const MAX_PODS = 5;

export async function explainResourceQuota(reader: Reader, quota: ResourceQuota): Promise<Explanation> {
  const { metadata, status } = quota;
  const subject: Subject = { kind: 'ResourceQuota', namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
  const rows = Object.entries(status?.hard ?? {}).map(([name, hard]) => ({
    name,
    hard: String(hard),
    used: String(ownValue(status?.used, name) ?? '0'),
  }));
  const full = rows.filter(({ hard, used }) => parseQuantity(used).cmp(parseQuantity(hard)) >= 0);
  const state = rows.map(({ name, hard, used }) => `${name} ${used} of ${hard}`).join(', ') || 'not counted yet';
  if (full.length === 0) return healthy(subject, state);
  const causes: Cause[] = [];
  for (const { name, hard, used } of full)
    causes.push({
      reason: 'QuotaFull',
      message: `${name} is used up: ${used} of ${hard}`,
      evidence: await users(reader, metadata.namespace ?? '', name),
      remedy: `raise ${name} in the ResourceQuota ${metadata.name}, or delete what uses it`,
    });
  return unhealthy(subject, state, causes);
}

/** The pods that request the most of a resource. */
async function users(reader: Reader, namespace: string, name: string): Promise<string[]> {
  const resource = name.replace(/^requests\./, '');
  if (resource !== 'cpu' && resource !== 'memory') return [];
  const pods = (await reader.list('v1/pods', { namespace })).filter((pod) => !isPodTerminal(pod));
  return pods
    .map((pod) => ({
      pod,
      request: podRequests(pod.spec ?? { containers: [] }, { status: pod.status, withOverhead: true }).get(resource),
    }))
    .filter(({ request }) => request !== undefined)
    .sort((a, b) => b.request!.cmp(a.request!))
    .slice(0, MAX_PODS)
    .map(({ pod, request }) => `pod ${pod.metadata.name} requests ${String(request)}`);
}
