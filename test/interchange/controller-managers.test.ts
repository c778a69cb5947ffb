/** Each controller manager on each API server, and one after the other while workloads run. */
import { afterEach, describe, expect, it } from 'vitest';
import { requires } from '../requires.ts';
import { ControlPlane, type Side } from './control-plane.ts';
import { createWorkloads, identities, scale, untilReady } from './workloads.ts';

const missing = requires('kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'etcd');
const title = `exchanging controller managers${missing ? ` (skipped: ${missing})` : ''}`;

/** Long enough for every controller's first round. */
const SETTLED_MS = 10_000;

let plane: ControlPlane | undefined;
afterEach(async () => {
  await plane?.stop();
  plane = undefined;
});

describe.skipIf(missing)(title, { timeout: 300_000 }, () => {
  it.each<[Side, Side, Side]>([
    ['k8ts', 'upstream', 'k8ts'],
    ['k8ts', 'k8ts', 'upstream'],
    ['upstream', 'k8ts', 'upstream'],
    ['upstream', 'upstream', 'k8ts'],
  ])('on the API server of %s, first %s, then %s', async (apiServer, first, second) => {
    plane = await ControlPlane.start('upstream', apiServer);
    const { client } = plane;
    await plane.run('kube-scheduler', apiServer);
    await plane.run('kube-controller-manager', first);
    await plane.addNodes(2);
    await createWorkloads(client);
    const before = await identities(client);
    await plane.end('kube-controller-manager');
    await plane.run('kube-controller-manager', second);
    await plane.ctx.clock.sleep(SETTLED_MS);
    expect(await identities(client)).toEqual(before);
    await scale(client, 5);
    await untilReady(client, { deployment: 5 });
    expect((await identities(client)).filter((identity) => before.includes(identity))).toEqual(before);
  });
});
