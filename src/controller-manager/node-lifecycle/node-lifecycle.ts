/**
 * node-lifecycle-controller: notices nodes that are silent, taints nodes by their condition, and lets those that are away
 * be emptied no faster than their zone allows.
 */
import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { isConflict, isNotFound, keyOf } from '../../client/index.ts';
import { formatTime } from '../../machinery/time/index.ts';
import { enqueueOnChange, keyedLoop, type ControllerDescriptor } from '../controller.ts';
import { PODS_BY_NODE, nodeOfPod } from './pods-by-node.ts';
import { recordNodeEvent } from './node-events.ts';
import { signOfLife, silentNode, type NodeHealth } from './node-health.ts';
import { changeTaints, hasTaint, NOT_READY, noScheduleChange, readyCondition, UNREACHABLE } from './taints.ts';
import { EvictionLimits, zoneOf, zoneState, type ZoneState } from './zones.ts';

const WORKERS = 8;
/** Labels that follow others under their older name. */
const FOLLOWING_LABELS = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
] as const;

export const nodeLifecycleController: ControllerDescriptor = {
  name: 'node-lifecycle-controller',
  aliases: ['nodelifecycle'],
  eventSource: 'node-controller',
  build(context) {
    const { client, clock, informers, recorder, config, signal, logger } = context;
    const nodes = informers.informer('v1/nodes');
    const leases = informers.informer('coordination.k8s.io/v1/leases', { namespace: 'kube-node-lease' });
    const pods = informers.informer('v1/pods', {}, { [PODS_BY_NODE]: nodeOfPod });
    const health = new Map<string, NodeHealth>();
    const limits = new EvictionLimits(clock, config.nodeEviction);
    /** Whether at the last look every node of the cluster was away. */
    let allAway = false;

    const reconcileNode = async (name: string): Promise<void> => {
      const node = nodes.get(name);
      if (!node) return;
      const change = noScheduleChange(node);
      if (change) await changeTaints(context, name, change);
      await alignLabels(node);
      if (readyCondition(node)?.status === 'True') await setNoExecute(node, undefined);
      else if (readyCondition(node)) await markPodsNotReady(node);
    };

    const alignLabels = async ({ metadata: { name = '', labels = {} } }: Node): Promise<void> => {
      const changes = FOLLOWING_LABELS.filter(([leader, follower]) => labels[leader] !== undefined && labels[follower] !== labels[leader]);
      if (changes.length === 0) return;
      const following = Object.fromEntries(changes.map(([leader, follower]) => [follower, labels[leader]]));
      await ignoringGone(client.resource('v1/nodes').patch({ name }, { metadata: { labels: following } }, { type: 'strategic', signal }));
    };

    /** The one NoExecute taint that the node shall have of the two. */
    const setNoExecute = async (node: Node, wanted: string | undefined): Promise<void> => {
      const remove = [NOT_READY, UNREACHABLE].filter((key) => key !== wanted && hasTaint(node, key, 'NoExecute'));
      const add = wanted !== undefined && !hasTaint(node, wanted, 'NoExecute') ? [wanted] : [];
      if (add.length + remove.length > 0) await changeTaints(context, node.metadata.name ?? '', { effect: 'NoExecute', add, remove });
    };

    const markPodsNotReady = async (node: Node): Promise<void> => {
      for (const pod of pods.indexer.byIndex(PODS_BY_NODE, keyOf(node))) {
        const conditions = notReady(pod, formatTime(clock.now()));
        if (!conditions) continue;
        try {
          await client.resource('v1/pods').updateStatus({ ...pod, status: { ...pod.status, conditions } }, { signal });
          recorder.event(pod, 'Warning', 'NodeNotReady', 'Node is not ready');
        } catch (error) {
          if (!isNotFound(error)) throw error;
        }
      }
    };

    const { queue, run } = keyedLoop(context, 'node_lifecycle_controller', WORKERS, reconcileNode);
    enqueueOnChange(nodes, queue);

    const monitor = async (): Promise<void> => {
      const all = nodes.list();
      for (const node of all) if (!heardOf(node)) await declareSilent(node);
      for (const name of health.keys()) {
        if (nodes.get(name)) continue;
        health.delete(name);
        recordNodeEvent(recorder, { name }, 'Normal', 'RemovingNode', `Removing Node ${name} from Controller`);
      }
      await evict(all);
    };

    /** Whether the node has shown that it lives within its grace period. */
    const heardOf = (node: Node): boolean => {
      const { name = '' } = node.metadata;
      const lease = leases.get(`kube-node-lease/${name}`);
      const known = health.get(name);
      if (!known) {
        recordNodeEvent(recorder, node.metadata, 'Normal', 'RegisteredNode', `Registered Node ${name} in Controller`);
        health.set(name, { probeAt: clock.monotonic(), sign: signOfLife(node, lease), node, lease });
        return true;
      }
      /** Objects of a cache never change: the same ones say the same. */
      if (known.node !== node || known.lease !== lease) {
        const sign = signOfLife(node, lease);
        if (known.sign !== sign) known.probeAt = clock.monotonic();
        Object.assign(known, { sign, node, lease });
      }
      const graceMs = (readyCondition(node) ? config.nodeMonitorGracePeriodSeconds : config.nodeStartupGracePeriodSeconds) * 1000;
      return clock.monotonic() <= known.probeAt + graceMs;
    };

    const declareSilent = async (node: Node): Promise<void> => {
      const { name = '' } = node.metadata;
      const silent = silentNode(node, clock.now());
      if (!silent) return;
      try {
        const updated = await client.resource('v1/nodes').updateStatus(silent, { signal });
        /** What we have written ourselves is no sign of life. */
        const known = health.get(name);
        if (known) known.sign = signOfLife(updated, known.lease);
        if (readyCondition(node)?.status === 'True') recordNodeEvent(recorder, node.metadata, 'Normal', 'NodeNotReady', `Node ${name} status is now: NodeNotReady`, { bare: true });
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) throw error;
      }
    };

    const evict = async (all: readonly Node[]): Promise<void> => {
      const zones = new Map<string, Node[]>();
      for (const node of all) {
        const zone = zoneOf(node);
        const members = zones.get(zone);
        if (members) members.push(node);
        else zones.set(zone, [node]);
      }
      const states = new Map<string, ZoneState>([...zones].map(([zone, members]) => [zone, zoneState(members, config.nodeEviction)]));
      const nowAllAway = all.length > 0 && [...states.values()].every((state) => state === 'FullDisruption');
      if (nowAllAway) {
        if (!allAway) logger.info('Every node is away; no pod will be moved');
        for (const node of all) await setNoExecute(node, undefined);
      } else {
        /** After a time in which nobody could be heard, every node gets its whole grace period again. */
        if (allAway) for (const known of health.values()) known.probeAt = clock.monotonic();
        for (const [zone, members] of zones) await evictZone(zone, members, states.get(zone) ?? 'Normal');
      }
      allAway = nowAllAway;
    };

    const evictZone = async (zone: string, members: readonly Node[], state: ZoneState): Promise<void> => {
      for (const node of members) {
        const status = readyCondition(node)?.status;
        if (status === undefined || status === 'True') continue;
        const [wanted, other] = status === 'False' ? [NOT_READY, UNREACHABLE] : [UNREACHABLE, NOT_READY];
        if (hasTaint(node, wanted, 'NoExecute')) continue;
        /** A node that is being emptied already only changes its reason. */
        if (hasTaint(node, other, 'NoExecute') || limits.tryTake(zone, state, members.length)) await setNoExecute(node, wanted);
      }
    };

    return async () => {
      const loop = async (): Promise<void> => {
        while (!signal.aborted) {
          await monitor().catch((error: unknown) => signal.aborted || logger.error(error, 'Failed to look after the nodes'));
          await clock.sleep(config.nodeMonitorPeriodSeconds * 1000, signal).catch(() => {});
        }
      };
      await Promise.all([run(), loop()]);
    };
  },
};

function notReady(pod: Pod, now: string): NonNullable<Pod['status']>['conditions'] | undefined {
  const conditions = pod.status?.conditions ?? [];
  if (!conditions.some(({ type, status }) => type === 'Ready' && status === 'True')) return undefined;
  return conditions.map((condition) => (condition.type === 'Ready' ? { ...condition, status: 'False', lastTransitionTime: now } : condition));
}

async function ignoringGone(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
