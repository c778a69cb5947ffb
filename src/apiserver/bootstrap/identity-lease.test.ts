import { afterEach, expect, it } from 'vitest';
import type { Lease } from '../../api/generated/coordination-v1.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';

const PATH = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';

let server: TestServer;
afterEach(() => server.stop());

const identityLease = async (): Promise<Lease> => {
  const { items } = (await server.call('GET', PATH)).body as unknown as { items: Lease[] };
  return items.find(({ metadata }) => metadata.name!.startsWith('apiserver-'))!;
};

it('renews the identity Lease of the server well before it expires', async () => {
  server = await startTestServer();
  const renewals = new Set<string>();
  const { metadata, spec } = await identityLease();
  const startedAt = server.ctx.clock.now();
  for (let minutes = 0; minutes <= 180; minutes += 10) {
    const lease = await identityLease();
    expect(lease.metadata.uid).toBe(metadata.uid);
    expect(lease.spec!.holderIdentity).toBe(spec!.holderIdentity);
    const age = server.ctx.clock.now() - Date.parse(lease.spec!.renewTime!);
    expect(age).toBeLessThan((lease.spec!.leaseDurationSeconds! * 1000) / 2);
    renewals.add(lease.spec!.renewTime!);
    await server.ctx.clock.advance(600_000);
  }
  expect(server.ctx.clock.now() - startedAt).toBeGreaterThan(2 * 3_600_000);
  expect(renewals.size).toBeGreaterThan(5);
});
