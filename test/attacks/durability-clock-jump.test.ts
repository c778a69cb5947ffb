import { describe, expect, it } from 'vitest';
import { Cluster } from '../../src/index.ts';
import type { VirtualClock } from '../../src/kernel/index.ts';
import { everything } from '../requires.ts';

const DAY_MS = 24 * 3600_000;
const JUMPS: readonly [name: string, ms: number][] = [
  ['back by a day', -DAY_MS],
  ['forward by a day', DAY_MS],
  ['forward by ten years', 3653 * DAY_MS],
];

/**
 * The wall clock is set while a cluster runs. What is counted from one moment of a process to another (leases, grace
 * periods, back-offs, node health) goes by the monotonic clock, as Go's time.Time does it; only times that stand in
 * objects, tokens and certificates go by the wall clock.
 */
describe('a cluster whose wall clock jumps', () => {
  it.each(JUMPS)('%s moves no pod, loses no node, keeps its events and continues to schedule', async (_name, jump) => {
    const cluster = await Cluster.start({ clock: 'virtual', nodes: 2, seed: 'clock-jump' });
    const clock = cluster.clock as VirtualClock;
    try {
      await cluster.apply([deployment, stuckPod]);
      await cluster.waitFor('deployment/web', 'Available');
      // The second attempt of the stuck pod puts it into back-off.
      await clock.advance(2000);
      const before = await observe(cluster);
      expect(before.readyNodes).toBe(2);
      expect(before.events.length).toBeGreaterThan(0);

      clock.jump(jump);
      for (let step = 0; step < 24; step++) {
        await clock.advance(5000);
        const now = await observe(cluster);
        expect(now.readyNodes, `${step * 5} s after the jump`).toBe(2);
        expect(now.pods).toEqual(before.pods);
        expect(now.events).toEqual(expect.arrayContaining(before.events));
      }

      const [node = ''] = cluster.nodes;
      await cluster.client
        .resource('v1/nodes')
        .patch({ name: node }, { metadata: { labels: { wanted: 'yes' } } }, { type: 'merge' });
      await cluster.waitFor(
        'pod/stuck',
        (pod) => pod !== undefined && 'spec' in pod && (pod.spec as { nodeName?: string }).nodeName === node,
        { timeout: 30_000 },
      );

      if (jump > 0 && !everything) return;
      // Events get leases of the store, which end by its own clock: those granted before the jump are over in an hour.
      for (let quarter = 0; quarter < 5; quarter++) {
        await clock.advance('15m' as unknown as number);
        await cluster.client.resource('v1/events').create(event(`after-${quarter}`));
      }
      const after = await observe(cluster);
      expect(after.readyNodes).toBe(2);
      expect(after.events).toContain('after-4');
      for (const name of before.events) expect(after.events, 'an event lives for an hour').not.toContain(name);
    } finally {
      await cluster.stop();
    }
  });
});

async function observe({ client }: Cluster): Promise<{ readyNodes: number; pods: string[]; events: string[] }> {
  const nodes = await client.resource('v1/nodes').list();
  const pods = await client.resource('v1/pods').list({ namespace: 'default' });
  const events = await client.resource('v1/events').list({ namespace: 'default' });
  return {
    readyNodes: nodes.items.filter((node) =>
      node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'),
    ).length,
    pods: pods.items.map(({ metadata }) => metadata.uid ?? '').toSorted(),
    events: events.items.map(({ metadata }) => metadata.name ?? ''),
  };
}

const container = { name: 'main', image: 'example.com/none:1' };
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } },
  },
};
const stuckPod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'stuck', namespace: 'default' },
  spec: { nodeSelector: { wanted: 'yes' }, containers: [container] },
};
const event = (name: string) => ({
  apiVersion: 'v1' as const,
  kind: 'Event' as const,
  metadata: { name, namespace: 'default' },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'stuck' },
  reason: 'Jumped',
  type: 'Normal',
  source: { component: 'test' },
});
