import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Node, NodeCondition } from '../../api/generated/core-v1.ts';
import { formatMicroTime } from '../../base/index.ts';
import { startFixture, type ControllerFixture } from '../testing/index.ts';

let fixture: ControllerFixture;
const fixtures: ControllerFixture[] = [];

beforeEach(async () => {
  fixture = await startFixture({ controllers: ['node-lifecycle-controller'] });
  fixtures.push(fixture);
  await fixture.start();
});
afterAll(async () => {
  for (const one of fixtures) await one.stop();
});

const nodes = () => fixture.client.resource('v1/nodes');
const condition = (type: string, status: string): NodeCondition => ({
  type,
  status,
  lastHeartbeatTime: '2020-01-01T00:00:00Z',
  lastTransitionTime: '2020-01-01T00:00:00Z',
});

async function makeNode(
  name: string,
  conditions: NodeCondition[] = [condition('Ready', 'True')],
  labels: Record<string, string> = {},
): Promise<void> {
  await nodes().create({ metadata: { name, labels }, status: { conditions } });
}

/** What its kubelet does every ten seconds. */
async function renew(name: string): Promise<void> {
  const leases = fixture.client.resource('coordination.k8s.io/v1/leases');
  const lease = {
    metadata: { name, namespace: 'kube-node-lease' },
    spec: { holderIdentity: name, renewTime: formatMicroTime(fixture.clock.now()) },
  };
  await leases
    .patch({ namespace: 'kube-node-lease', name }, lease, { type: 'merge' })
    .catch(() => leases.create(lease));
}

async function pass(seconds: number, alive: readonly string[]): Promise<void> {
  for (let i = 0; i < seconds; i += 10) {
    for (const name of alive) await renew(name);
    await fixture.advance(10_000);
  }
}

const taintsOf = async (name: string) =>
  ((await nodes().get({ name })).spec?.taints ?? [])
    .map(({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`)
    .sort();
const ready = ({ status }: Node) => status?.conditions?.find(({ type }) => type === 'Ready');

describe('node-lifecycle-controller', () => {
  it('turns conditions and cordons into taints, and back', async () => {
    await makeNode('n', [
      condition('Ready', 'True'),
      condition('MemoryPressure', 'True'),
      condition('DiskPressure', 'True'),
    ]);
    await fixture.advance(100);
    expect(await taintsOf('n')).toEqual(['disk-pressure:NoSchedule', 'memory-pressure:NoSchedule']);
    await nodes().patch({ name: 'n' }, { spec: { unschedulable: true } }, { type: 'merge' });
    await nodes().patch(
      { name: 'n' },
      { status: { conditions: [condition('DiskPressure', 'False'), condition('MemoryPressure', 'Unknown')] } },
      { type: 'strategic', subresource: 'status' },
    );
    await fixture.advance(100);
    expect(await taintsOf('n')).toEqual(['unschedulable:NoSchedule']);
  });

  it('keeps deprecated labels in sync with the new ones', async () => {
    await makeNode('n', undefined, {
      'kubernetes.io/os': 'linux',
      'beta.kubernetes.io/os': 'windows',
      'kubernetes.io/arch': 'arm64',
    });
    await fixture.advance(100);
    expect((await nodes().get({ name: 'n' })).metadata.labels).toMatchObject({
      'beta.kubernetes.io/os': 'linux',
      'beta.kubernetes.io/arch': 'arm64',
    });
  });

  it('ignores a node that renews its lease', async () => {
    await makeNode('n');
    await pass(20, ['n']);
    const { length } = fixture.writes;
    await pass(300, ['n']);
    expect(fixture.writes).toHaveLength(length);
    expect(await taintsOf('n')).toEqual([]);
  });

  it('detects an unresponsive node, marks its pods, and taints it; all is undone when it reports again', async () => {
    await makeNode('alive');
    await makeNode('silent');
    await fixture.client.resource('v1/pods').create({
      metadata: { name: 'p', namespace: 'default' },
      spec: { nodeName: 'silent', containers: [{ name: 'c', image: 'i' }] },
    });
    await fixture.client
      .resource('v1/pods')
      .patch(
        { namespace: 'default', name: 'p' },
        { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
        { type: 'strategic', subresource: 'status' },
      );
    await pass(30, ['alive', 'silent']);
    await pass(40, ['alive']);
    expect(ready(await nodes().get({ name: 'silent' }))?.status).toBe('True');
    await pass(30, ['alive']);
    expect(ready(await nodes().get({ name: 'silent' }))).toMatchObject({
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
    });
    expect(await taintsOf('silent')).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
    expect(await taintsOf('alive')).toEqual([]);
    const pod = await fixture.client.resource('v1/pods').get({ namespace: 'default', name: 'p' });
    expect(pod.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('False');

    await nodes().patch(
      { name: 'silent' },
      { status: { conditions: [condition('Ready', 'True')] } },
      { type: 'strategic', subresource: 'status' },
    );
    await pass(10, ['alive', 'silent']);
    expect(await taintsOf('silent')).toEqual([]);
  });

  it('evicts no pods while every node is unresponsive', async () => {
    await makeNode('a');
    await makeNode('b');
    await pass(10, ['a', 'b']);
    await pass(120, []);
    expect(await taintsOf('a')).toEqual(['unreachable:NoSchedule']);
    expect(await taintsOf('b')).toEqual(['unreachable:NoSchedule']);
  });

  it('taints one node of a zone in ten seconds, and none when most of a small zone is unresponsive', async () => {
    const names = Array.from({ length: 10 }, (_, i) => `n${i}`);
    for (const name of names) await makeNode(name);
    await pass(10, names);
    const down = (name: string) =>
      nodes().patch(
        { name },
        { status: { conditions: [condition('Ready', 'False')] } },
        { type: 'strategic', subresource: 'status' },
      );
    const emptied = async () =>
      (await Promise.all(names.map(taintsOf))).filter((taints) => taints.includes('not-ready:NoExecute')).length;
    for (const name of names.slice(0, 3)) await down(name);
    await pass(10, names);
    expect(await emptied()).toBeLessThanOrEqual(2);
    await pass(30, names);
    expect(await emptied()).toBe(3);
    for (const name of names.slice(3, 8)) await down(name);
    await pass(60, names);
    expect(await emptied()).toBe(3);
  });

  it('records events when nodes are added and removed', async () => {
    await makeNode('n');
    await pass(10, ['n']);
    await nodes().delete({ name: 'n' });
    await pass(10, []);
    const { items } = await fixture.client
      .resource('v1/events')
      .list({ namespace: 'default', fieldSelector: 'involvedObject.name=n' });
    expect(items.map(({ message, source }) => `${source?.component}: ${message}`).sort()).toEqual([
      'node-controller: Node n event: Registered Node n in Controller',
      'node-controller: Node n event: Removing Node n from Controller',
    ]);
  });
});
