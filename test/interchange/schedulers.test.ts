/** Each scheduler on each API server. */
import { afterEach, describe, expect, it } from 'vitest';
import { requires } from '../requires.ts';
import { ControlPlane, type Side } from './control-plane.ts';
import { createWorkloads, identities, NAMESPACE, scale, untilReady } from './workloads.ts';

const missing = requires('kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'etcd');
const title = `exchanging schedulers${missing ? ` (skipped: ${missing})` : ''}`;

let plane: ControlPlane | undefined;
afterEach(async () => {
  await plane?.stop();
  plane = undefined;
});

describe.skipIf(missing)(title, { timeout: 300_000 }, () => {
  it.each<[Side, Side, Side]>([
    ['k8ts', 'upstream', 'k8ts'],
    ['upstream', 'k8ts', 'upstream'],
  ])('on the API server of %s, first %s, then %s', async (apiServer, first, second) => {
    plane = await ControlPlane.start('upstream', apiServer);
    const { client } = plane;
    await plane.run('kube-controller-manager', apiServer);
    await plane.run('kube-scheduler', first);
    await plane.addNodes(2);
    await createWorkloads(client);
    const before = await identities(client);
    await plane.end('kube-scheduler');
    await plane.run('kube-scheduler', second);
    await scale(client, 6);
    await untilReady(client, { deployment: 6 });
    expect((await identities(client)).filter((identity) => before.includes(identity))).toEqual(before);
    const { items } = await client.resource('v1/pods').list({ namespace: NAMESPACE, labelSelector: 'app=deployment' });
    const onFirst = items.filter(({ spec }) => spec?.nodeName === items[0]?.spec?.nodeName);
    expect([onFirst.length, items.length]).toEqual([3, 6]);
  });
});
