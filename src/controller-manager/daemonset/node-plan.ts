/** Plans the pods of a DaemonSet: nodes that need one, surplus pods, and the next pods of a rolling update. Pure. */
import type { DaemonSet } from '../../api/generated/apps-v1.ts';
import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { getScaledValue } from '../../base/index.ts';
import { isPodAvailable, isPodReady, isPodTerminal } from '../../component-helpers/index.ts';
import { HASH_LABEL, isUpdated, templateGeneration, verdictFor } from './daemon-pod.ts';

export interface DaemonState {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  readonly podsOn: ReadonlyMap<string, readonly Pod[]>;
  /** The hash of the newest revision. */
  readonly hash: string;
  readonly now: number;
}

interface NodePlan {
  readonly create: string[];
  readonly remove: Pod[];
  /** Failed and succeeded pods, which have to be replaced. */
  readonly ended: Pod[];
}

const minReady = (set: DaemonSet): number => set.spec?.minReadySeconds ?? 0;
const isLeaving = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined;

/** Assigned pods come first, then older ones. */
export function byAge(a: Pod, b: Pod): number {
  const placed = Number(Boolean(b.spec?.nodeName)) - Number(Boolean(a.spec?.nodeName));
  if (placed !== 0) return placed;
  const [left, right] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  return left < right ? -1 : left > right ? 1 : (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}

/** One pod on each node that should have one, none elsewhere. */
export function planNodes(state: DaemonState): NodePlan {
  const { set, nodes, podsOn } = state;
  const plan: NodePlan = { create: [], remove: [], ended: [] };
  const known = new Set(nodes.map((node) => node.metadata.name));
  for (const node of nodes) {
    const name = node.metadata.name ?? '';
    const pods = podsOn.get(name) ?? [];
    const { shouldRun, mayStay } = verdictFor(set, node);
    if (!mayStay) plan.remove.push(...pods.filter((pod) => !isLeaving(pod)));
    else if (shouldRun && pods.length === 0) plan.create.push(name);
    else
      planNode(
        state,
        pods.filter((pod) => !isLeaving(pod)),
        plan,
      );
  }
  // Pods for nodes that do not exist are never scheduled.
  for (const [name, pods] of podsOn)
    if (!known.has(name)) plan.remove.push(...pods.filter((pod) => !pod.spec?.nodeName && !isLeaving(pod)));
  return plan;
}

function planNode(state: DaemonState, pods: readonly Pod[], plan: NodePlan): void {
  const { set, hash, now } = state;
  plan.ended.push(...pods.filter(isPodTerminal));
  const running = pods.filter((pod) => !isPodTerminal(pod)).sort(byAge);
  if (running.length <= 1) return;
  if (limits(state).surge === 0) return void plan.remove.push(...running.slice(1));
  const [newest, ...moreNew] = running.filter((pod) => pod.metadata.labels?.[HASH_LABEL] === hash);
  const [oldest, ...moreOld] = running.filter((pod) => pod.metadata.labels?.[HASH_LABEL] !== hash);
  plan.remove.push(...moreNew, ...moreOld);
  if (newest && oldest && (!isPodReady(oldest) || isPodAvailable(newest, minReady(set), now))) plan.remove.push(oldest);
}

function limits({ set, nodes }: DaemonState): { surge: number; unavailable: number } {
  const desired = nodes.filter((node) => verdictFor(set, node).shouldRun).length;
  const { maxSurge = 0, maxUnavailable = 1 } = set.spec?.updateStrategy?.rollingUpdate ?? {};
  const surge = getScaledValue(maxSurge, desired, 'up');
  const unavailable = getScaledValue(maxUnavailable, desired, 'up');
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}

/** The next pods to replace in a rolling update. */
export function planRollingUpdate(state: DaemonState): Pick<NodePlan, 'create' | 'remove'> {
  const { set, nodes, podsOn, now } = state;
  const { surge, unavailable } = limits(state);
  const names = new Set([
    ...podsOn.keys(),
    ...nodes.filter((node) => verdictFor(set, node).shouldRun).map((node) => node.metadata.name ?? ''),
  ]);
  const available = (pod: Pod): boolean => isPodAvailable(pod, minReady(set), now);
  let busy = 0;
  const replaceNow: { node: string; pod: Pod }[] = [];
  const candidates: { node: string; pod: Pod }[] = [];
  const remove: Pod[] = [];
  for (const node of names) {
    const pair = newAndOld(state, podsOn.get(node) ?? []);
    if (!pair) busy++;
    else if (surge === 0) {
      if (pair.old && !pair.new) {
        if (available(pair.old)) candidates.push({ node, pod: pair.old });
        else {
          replaceNow.push({ node, pod: pair.old });
          busy++;
        }
      } else if (!pair.new || pair.old || !available(pair.new)) busy++;
    } else if (pair.old && pair.new) {
      if (available(pair.new)) remove.push(pair.old);
      else busy++;
    } else if (pair.old) (available(pair.old) ? candidates : replaceNow).push({ node, pod: pair.old });
  }
  const chosen = [...replaceNow, ...candidates.slice(0, Math.max(0, (surge === 0 ? unavailable : surge) - busy))];
  return surge === 0
    ? { create: [], remove: chosen.map(({ pod }) => pod) }
    : { create: chosen.map(({ node }) => node), remove };
}

/** The pod of the newest revision on a node and the one of an older; undefined when there are too many of either. */
function newAndOld({ set, hash }: DaemonState, pods: readonly Pod[]): { new?: Pod; old?: Pod } | undefined {
  const staying = pods.filter((pod) => !isLeaving(pod));
  const fresh = staying.filter((pod) => isUpdated(pod, hash, templateGeneration(set)));
  const stale = staying.filter((pod) => !fresh.includes(pod));
  return fresh.length > 1 || stale.length > 1 ? undefined : { new: fresh[0], old: stale[0] };
}
