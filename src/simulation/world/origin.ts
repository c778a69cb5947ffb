/** Makes the origin of worlds: a cluster as it is right after its first start, once for all worlds of a process. */
import { createPipeline, openPki } from '../../apiserver/index.ts';
import { Client } from '../../client/index.ts';
import { grantAccess, grantOwnAccess, inProcessTransport } from '../../cluster/index.ts';
import { STANDARD_CLASS } from '../../controller-manager/index.ts';
import { createMemoryStore } from '../../etcd/index.ts';
import { createTestContext } from '../../kernel/index.ts';
import { SERVERS } from '../faults/fault.ts';
import { adminUser } from './users.ts';
import type { Origin } from './world.ts';

const PORT = 6443;
const SETTLE_MS = 1_000;

export async function createOrigin(definitions: readonly object[]): Promise<Origin> {
  const ctx = createTestContext({ seed: 'origin' });
  const pki = await openPki(ctx, undefined, {
    dnsNames: ['localhost'],
    addresses: ['127.0.0.1'],
    signingKey: 'ec',
  });
  const store = createMemoryStore({ clock: ctx.clock });
  const startTime = ctx.clock.now() - ctx.clock.monotonic();
  const pipeline = await createPipeline(ctx, {
    store,
    pki,
    advertiseAddress: '192.0.2.1',
    identity: { hostname: SERVERS[0] },
    serviceClusterIpRange: '10.96.0.0/16',
  });
  const running = pipeline.run();
  await ctx.clock.drive(pipeline.bootstrap(PORT));
  const transport = inProcessTransport({ handle: pipeline.handle, user: adminUser, signal: ctx.signal });
  const client = new Client({ transport, clock: ctx.clock, userAgent: 'origin' });
  await ctx.clock.drive(
    Promise.all([
      grantOwnAccess(client),
      grantAccess(client, ['simulated-kubelet']),
      client.resource('storage.k8s.io/v1/storageclasses').create(STANDARD_CLASS),
      ...['team-0', 'team-1'].map((name) => client.resource('v1/namespaces').create({ metadata: { name } })),
      client.resource('scheduling.k8s.io/v1/priorityclasses').create({ metadata: { name: 'urgent' }, value: 1000 }),
      ...definitions.map((definition) =>
        client.resource('apiextensions.k8s.io/v1/customresourcedefinitions').create(definition as never),
      ),
    ]),
  );
  await ctx.clock.advance(SETTLE_MS);
  const state = store.state();
  const elapsedMs = ctx.clock.monotonic();
  ctx.stop();
  await running;
  await store.close();
  return { state, pki, startTime, elapsedMs };
}
