/** The taints that follow from a node's conditions, and how they are written. */
import type { Node, Taint } from '../../api/generated/core-v1.ts';
import { formatTime } from '../../base/index.ts';
import { isNotFound, retryOnConflict } from '../../client/index.ts';
import type { ControllerContext } from '../controller.ts';

export const NOT_READY = 'node.kubernetes.io/not-ready';
export const UNREACHABLE = 'node.kubernetes.io/unreachable';
export const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';

/** The NoSchedule taint of each condition status. */
const TAINT_OF_CONDITION: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map(
  Object.entries<Readonly<Record<string, string>>>({
    Ready: { False: NOT_READY, Unknown: UNREACHABLE },
    MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
    DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
    NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
    PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
  }),
);

const CONDITION_TAINTS = new Set([
  UNSCHEDULABLE,
  ...[...TAINT_OF_CONDITION.values()].flatMap((byStatus) => Object.values(byStatus)),
]);

export const readyCondition = (node: Node) => node.status?.conditions?.find(({ type }) => type === 'Ready');

export const hasTaint = (node: Node, key: string, effect: string): boolean =>
  (node.spec?.taints ?? []).some((taint) => taint.key === key && taint.effect === effect);

/** The NoSchedule taints that a node should have. */
function noScheduleTaints(node: Node): string[] {
  const keys = (node.status?.conditions ?? []).flatMap(
    ({ type, status }) => TAINT_OF_CONDITION.get(type)?.[status] ?? [],
  );
  return node.spec?.unschedulable ? [...keys, UNSCHEDULABLE] : keys;
}

/** The changes of a node's NoSchedule taints; undefined when there are none. */
export function noScheduleChange(node: Node): TaintChange | undefined {
  const wanted = noScheduleTaints(node);
  const has = (node.spec?.taints ?? [])
    .filter(({ key, effect }) => effect === 'NoSchedule' && CONDITION_TAINTS.has(key))
    .map(({ key }) => key);
  const add = wanted.filter((key) => !has.includes(key));
  const remove = has.filter((key) => !wanted.includes(key));
  return add.length + remove.length === 0 ? undefined : { effect: 'NoSchedule', add, remove };
}

interface TaintChange {
  readonly effect: 'NoSchedule' | 'NoExecute';
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** Applies the change to the live node; writes nothing when it has been made already. */
export async function changeTaints(
  { client, clock, random, signal }: ControllerContext,
  name: string,
  change: TaintChange,
): Promise<void> {
  const nodes = client.resource('v1/nodes');
  try {
    await retryOnConflict({ clock, random, signal }, async () => {
      const node = await nodes.get({ name }, { signal });
      const old = node.spec?.taints ?? [];
      const remaining = old.filter((taint) => taint.effect !== change.effect || !change.remove.includes(taint.key));
      const missing = change.add.filter(
        (key) => !remaining.some((taint) => taint.key === key && taint.effect === change.effect),
      );
      if (missing.length === 0 && remaining.length === old.length) return;
      const added = missing.map((key): Taint => ({ key, effect: change.effect, timeAdded: formatTime(clock.now()) }));
      const taints = [...remaining, ...added];
      await nodes.patch(
        { name },
        {
          metadata: { resourceVersion: node.metadata.resourceVersion },
          spec: { taints: taints.length > 0 ? taints : null },
        },
        { type: 'merge', signal },
      );
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Sets one of the NoExecute taints not-ready and unreachable, or neither. */
export async function setNoExecute(context: ControllerContext, node: Node, wanted: string | undefined): Promise<void> {
  const remove = [NOT_READY, UNREACHABLE].filter((key) => key !== wanted && hasTaint(node, key, 'NoExecute'));
  const add = wanted !== undefined && !hasTaint(node, wanted, 'NoExecute') ? [wanted] : [];
  if (add.length + remove.length === 0) return;
  await changeTaints(context, node.metadata.name ?? '', { effect: 'NoExecute', add, remove });
}
