/** A trace over processes: complete with our components, and cut, which it says, at one of upstream's. */
import { afterEach, describe, expect, it } from 'vitest';
import { RemoteSpans, spansOf, traceOf, traceText } from '../../src/glass/index.ts';
import { until } from '../../src/kernel/testing/index.ts';
import { requires } from '../requires.ts';
import { ControlPlane, type Side } from './control-plane.ts';

const missing = requires('kube-scheduler');
const title = `a trace over processes${missing ? ` (skipped: ${missing})` : ''}`;

let plane: ControlPlane | undefined;
afterEach(async () => {
  await plane?.stop();
  plane = undefined;
});

describe.skipIf(missing)(title, { timeout: 180_000 }, () => {
  it.each<[Side, boolean]>([
    ['upstream', true],
    ['k8ts', false],
  ])('with the scheduler of %s', async (side, isCut) => {
    plane = await ControlPlane.start('k8ts', 'k8ts');
    const { client, ctx } = plane;
    await plane.run('kube-controller-manager', 'k8ts');
    await plane.run('kube-scheduler', side);
    await plane.addNodes(1);
    const spans = new RemoteSpans(client, ctx.signal);
    const from = await spans.next();
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } };
    await client.resource('apps/v1/deployments').create({
      metadata: { name: 'web', namespace: 'default' },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    });
    await until(
      'the pod is bound',
      async () =>
        (await client.resource('v1/pods').list({ namespace: 'default' })).items.some(({ spec }) => spec?.nodeName),
      { limitMs: 60_000 },
    );
    const recorded = await spans.since(from);
    const root = recorded.find(({ name, parent }) => name === 'create deployments' && parent === 0);
    const trace = traceOf(recorded, root!.id)!;
    const names = spansOf(trace.root).map(({ name }) => name);
    expect(names).toContain('create pods');
    expect(names.includes('create pods/binding')).toBe(!isCut);
    const users = trace.cuts.map(({ user }) => user);
    expect(users.includes('system:kube-scheduler')).toBe(isCut);
    if (isCut) expect(traceText(trace)).toContain('cut at system:kube-scheduler');
  });
});
