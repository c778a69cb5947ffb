/** The steps of scenarios: what is written, and what is seen once the cluster has settled. */
import type { Step } from '../../conversation.ts';
import type { Random } from '../../random.ts';

export type Scenario = (random: Random) => { readonly steps: readonly Step[]; readonly cleanup?: readonly Step[] };

export const CORE = '/api/v1/namespaces/$NS';
export const APPS = '/apis/apps/v1/namespaces/$NS';
export const BATCH = '/apis/batch/v1/namespaces/$NS';
export const MERGE = { 'content-type': 'application/merge-patch+json' };
export const STRATEGIC = { 'content-type': 'application/strategic-merge-patch+json' };

export const create = (path: string, body: unknown): Step => ({ method: 'POST', path, body, setup: true });
export const patch = (path: string, body: unknown, headers = MERGE): Step => ({
  method: 'PATCH',
  path,
  body,
  headers,
  setup: true,
});
export const remove = (path: string, body?: unknown): Step => ({
  method: 'DELETE',
  path,
  ...(body === undefined ? {} : { body }),
  setup: true,
});

/** The state that the controllers have reached. */
export const seen = (path: string, settleMs = 1500): Step => ({ method: 'GET', path, settleMs, only: state });
export const events = (settleMs = 500): Step => ({ method: 'GET', path: `${CORE}/events`, settleMs, only: eventTexts });

export const podSpec = (more: object = {}): object => ({
  containers: [{ name: 'c', image: 'registry.test/c', ...(more as { container?: object }).container }],
  terminationGracePeriodSeconds: 0,
  ...Object.fromEntries(Object.entries(more).filter(([key]) => key !== 'container')),
});
export const template = (more: object = {}): object => ({ metadata: { labels: { app: 'a' } }, spec: podSpec(more) });
export const SELECTOR = { matchLabels: { app: 'a' } };

/** A node of this conversation only: others do not select it. */
export function node(name: string, more: { readonly labels?: object; readonly allocatable?: object } = {}): Step[] {
  const path = `/api/v1/nodes/${name}`;
  const allocatable = { cpu: '4', memory: '8Gi', pods: '10', ...more.allocatable };
  const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready' }];
  return [
    create('/api/v1/nodes', { metadata: { name, labels: { own: '$RUN', ...more.labels } } }),
    patch(`${path}/status`, { status: { capacity: allocatable, allocatable, conditions } }),
    // The node controller removes the taint of nodes that are not ready.
    { method: 'GET', path, settleMs: 800, setup: true },
  ];
}
export const OWN_NODES = { nodeSelector: { own: '$RUN' } };

const SUFFIX = /-[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9])/g;

/** How many nodes there are depends on the other conversations. */
const OTHERS_NODES = /\d+ node\(s\) didn't match Pod's node affinity\/selector(?:, |\. ?)?/g;
const OF_NODES = /\d+\/\d+ nodes|\d+ (?=Preemption is not helpful)/g;

function masked(value: unknown): unknown {
  if (typeof value === 'string')
    return value
      .replace(SUFFIX, '-<suffix>')
      .replace(/\b10\.244\.\d+\.0\/24/, '<cidr>')
      .replace(OTHERS_NODES, '')
      .replace(OF_NODES, 'nodes');
  if (Array.isArray(value)) return value.map(masked);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [masked(key), masked(inner)]));
}

function sortedTexts(values: readonly unknown[]): unknown[] {
  return [...values].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

interface Item {
  readonly kind?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** Without what the order of two controllers decides: who wrote which field, and how often. */
function stateOf({ metadata = {}, ...rest }: Item): unknown {
  const { managedFields: _, generateName: __, ...own } = metadata;
  const status = rest['status'] as { conditions?: unknown[] } | undefined;
  const conditions = Array.isArray(status?.conditions) ? { conditions: sortedTexts(status.conditions) } : {};
  return masked({ metadata: own, ...rest, ...(status === undefined ? {} : { status: { ...status, ...conditions } }) });
}

function state(body: unknown): unknown {
  const { items } = (body ?? {}) as { items?: Item[] };
  return Array.isArray(items) ? sortedTexts(items.map(stateOf)) : stateOf((body ?? {}) as Item);
}

interface SeenEvent {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly action?: string;
  readonly reportingComponent?: string;
  readonly source?: { readonly component?: string };
  readonly involvedObject?: { readonly kind?: string; readonly name?: string; readonly fieldPath?: string };
}

function eventTexts(body: unknown): unknown {
  const { items = [] } = (body ?? {}) as { items?: SeenEvent[] };
  const texts = items.map(({ type, reason, message, action, reportingComponent, source, involvedObject }) => ({
    ...{ type, reason, message, action, reportingComponent, source: source?.component },
    about: `${involvedObject?.kind} ${involvedObject?.name} ${involvedObject?.fieldPath ?? ''}`,
  }));
  const all = sortedTexts(texts.map(masked));
  // The same event of another replica, or once more.
  return all.filter((one, i) => JSON.stringify(one) !== JSON.stringify(all[i - 1]));
}
