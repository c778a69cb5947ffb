/** Upstream's control plane on `k8ts etcd`: watches, leases and transactions of its own client. */
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../src/kernel/testing/index.ts';
import { requires } from '../requires.ts';
import { ControlPlane } from './control-plane.ts';
import { createWorkloads, identities, scale, untilReady } from './workloads.ts';

const missing = requires('kube-apiserver', 'kube-controller-manager', 'kube-scheduler');
const title = `upstream on k8ts etcd${missing ? ` (skipped: ${missing})` : ''}`;

let plane: ControlPlane | undefined;
afterEach(async () => {
  await plane?.stop();
  plane = undefined;
});

describe.skipIf(missing)(title, { timeout: 300_000 }, () => {
  it('runs workloads, and goes on when the store was killed', async () => {
    plane = await ControlPlane.start('k8ts', 'upstream', ['--etcd-compaction-interval=2s']);
    const { client } = plane;
    await plane.run('kube-controller-manager', 'upstream');
    await plane.run('kube-scheduler', 'upstream');
    await plane.addNodes(2);
    await createWorkloads(client);
    const before = await identities(client);
    await plane.end('etcd', 'SIGKILL');
    await plane.run('etcd', 'k8ts');
    const answers = async (): Promise<boolean> =>
      identities(client).then(
        () => true,
        () => false,
      );
    await until('the API server answers again', answers, { intervalMs: 500 });
    expect(await identities(client)).toEqual(before);
    await scale(client, 4);
    await untilReady(client, { deployment: 4 });
  });
});
