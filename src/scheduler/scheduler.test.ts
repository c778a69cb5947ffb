import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeNode, makePod, startSchedulerFixture, type SchedulerFixture } from './testing/index.ts';

let fixture: SchedulerFixture;

beforeEach(async () => {
  fixture = await startSchedulerFixture();
  await fixture.start();
});

afterEach(() => fixture.stop());

test('a pod is scheduled to the only node with room, with an event', async () => {
  await fixture.createNode(makeNode('small').allocatable({ cpu: '1' }));
  await fixture.createNode(makeNode('large').allocatable({ cpu: '8' }));
  await fixture.createPod(makePod('p').requests({ cpu: '2' }));
  expect(await fixture.placed('p')).toBe('large');
  let notes: string[] = [];
  await fixture.until('the event is there', async () => {
    const events = await fixture.client.resource('events.k8s.io/v1/events').list({ namespace: 'default' });
    notes = events.items.map((e) => `${e.reason} ${e.action} ${e.reportingController}: ${e.note}`);
    return notes.length > 0;
  });
  expect(notes).toEqual(['Scheduled Binding default-scheduler: Successfully assigned default/p to large']);
  const explanation = fixture.explanations.explanationOf('default/p');
  expect(explanation).toMatchObject({ outcome: 'scheduled', node: 'large', feasibleNodes: 1, totalNodes: 2 });
});

test('without any node the pod waits for the first', async () => {
  await fixture.createPod(makePod('p'));
  expect(await fixture.turnedDown('p')).toBe('no nodes available to schedule pods');
  await fixture.createNode(makeNode('n'));
  expect(await fixture.placed('p')).toBe('n');
});

test('pods that do not fit are placed when a node grows', async () => {
  await fixture.createNode(makeNode('n').allocatable({ cpu: '1' }));
  await fixture.createPod(makePod('p').requests({ cpu: '2' }));
  expect(await fixture.turnedDown('p')).toContain('0/1 nodes are available: 1 Insufficient cpu.');
  await fixture.client
    .resource('v1/nodes')
    .patch({ name: 'n' }, { status: { allocatable: { cpu: '4' } } }, { type: 'merge', subresource: 'status' });
  expect(await fixture.placed('p')).toBe('n');
});

test('a burst of equal pods fills the nodes evenly and within their capacity', async () => {
  for (const name of ['a', 'b', 'c']) await fixture.createNode(makeNode(name).allocatable({ cpu: '4' }));
  for (let i = 0; i < 13; i++) await fixture.createPod(makePod(`p${i}`).requests({ cpu: '1' }));
  const pods = fixture.client.resource('v1/pods');
  await fixture.until(
    'twelve have a node',
    async () => (await pods.list()).items.filter((p) => p.spec?.nodeName).length === 12,
  );
  await fixture.advance(5_000);
  const counts: Record<string, number> = {};
  for (const pod of (await pods.list()).items)
    counts[pod.spec?.nodeName ?? 'none'] = (counts[pod.spec?.nodeName ?? 'none'] ?? 0) + 1;
  expect(counts).toEqual({ a: 4, b: 4, c: 4, none: 1 });
});
