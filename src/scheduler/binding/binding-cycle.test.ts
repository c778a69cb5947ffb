import { afterEach, expect, test } from 'vitest';
import { DEFAULT_PROFILE } from '../config/defaults.ts';
import { mergePlugins, type PluginRegistry } from '../framework/build-profile.ts';
import { errorStatus, skip } from '../framework/status.ts';
import { makeNode, makePod, startSchedulerFixture, type SchedulerFixture } from '../testing/index.ts';

let fixture: SchedulerFixture;
afterEach(() => fixture.stop());

/** A binder before the real one, that fails as often as it is told. */
function flaky(failures: number): { plugins: PluginRegistry; config: { profiles: [typeof DEFAULT_PROFILE] } } {
  let left = failures;
  const plugins: PluginRegistry = {
    Flaky: () => ({
      name: 'Flaky',
      bind: () => Promise.resolve(left-- > 0 ? errorStatus(new Error('the wire is cut')) : skip()),
    }),
  };
  const profile = {
    ...DEFAULT_PROFILE,
    plugins: mergePlugins(DEFAULT_PROFILE.plugins, {
      bind: { enabled: [{ name: 'Flaky' }, { name: 'DefaultBinder' }] },
    }),
  };
  return { plugins, config: { profiles: [profile] } };
}

test('a failed binding releases the node, and the pod is retried', async () => {
  fixture = await startSchedulerFixture(flaky(3));
  await fixture.start();
  await fixture.createNode(makeNode('n').allocatable({ cpu: '2' }));
  for (const name of ['a', 'b']) await fixture.createPod(makePod(name).requests({ cpu: '1' }));
  for (const name of ['a', 'b']) expect(await fixture.placed(name)).toBe('n');
});

test('a restart loses no pod and binds none twice', async () => {
  fixture = await startSchedulerFixture();
  for (const name of ['n', 'm']) await fixture.createNode(makeNode(name).allocatable({ cpu: '5' }));
  for (let i = 0; i < 10; i++) {
    await fixture.createPod(makePod(`p${i}`).requests({ cpu: '1' }));
    if (i % 3 === 0) await fixture.start();
  }
  const pods = fixture.client.resource('v1/pods');
  await fixture.until('all have a node', async () => (await pods.list()).items.every((p) => p.spec?.nodeName));
  const counts = (await pods.list()).items.reduce<Record<string, number>>(
    (sum, p) => ({ ...sum, [p.spec!.nodeName!]: (sum[p.spec!.nodeName!] ?? 0) + 1 }),
    {},
  );
  expect(counts).toEqual({ n: 5, m: 5 });
});

test('a pod that is deleted while it is bound releases its resources', async () => {
  fixture = await startSchedulerFixture(flaky(1));
  await fixture.start();
  await fixture.createPod(makePod('a').requests({ cpu: '2' }));
  await fixture.createPod(makePod('b').requests({ cpu: '2' }));
  await fixture.createNode(makeNode('n').allocatable({ cpu: '2' }));
  await fixture.client.resource('v1/pods').delete({ namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 });
  expect(await fixture.placed('b')).toBe('n');
});
