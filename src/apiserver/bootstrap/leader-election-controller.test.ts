import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LeaseSpec } from '../../api/generated/coordination-v1.ts';
import { formatMicroTime } from '../../base/index.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';

const CANDIDATES = '/apis/coordination.k8s.io/v1beta1/namespaces/kube-system/leasecandidates';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/component';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer({
    featureGates: { CoordinatedLeaderElection: true },
    servesVersion: (_group, version) => !version.includes('alpha'),
  });
});
afterEach(() => server.stop());

const now = (): string => formatMicroTime(server.ctx.clock.now());
const stand = (name: string, emulated: string): Promise<unknown> =>
  server.call('POST', CANDIDATES, {
    body: {
      metadata: { name },
      spec: {
        leaseName: 'component',
        binaryVersion: '1.36.4',
        emulationVersion: emulated,
        strategy: 'OldestEmulationVersion',
        renewTime: now(),
      },
    },
  });
const patch = (path: string, spec: object): Promise<unknown> =>
  server.call('PATCH', path, { body: { spec }, contentType: 'application/merge-patch+json' });
const lease = async (): Promise<LeaseSpec> => (await server.call('GET', LEASE)).body['spec'] as LeaseSpec;

/** What a holder does: it renews its lease, and answers when it is asked. */
async function holdFor(seconds: number, holder: string, candidates: readonly string[]): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    if ((await lease()).holderIdentity === holder) await patch(LEASE, { renewTime: now(), leaseDurationSeconds: 15 });
    for (const name of candidates) {
      const { spec } = (await server.call('GET', `${CANDIDATES}/${name}`)).body as unknown as {
        spec: { pingTime?: string; renewTime: string };
      };
      if (spec.pingTime && spec.pingTime > spec.renewTime) await patch(`${CANDIDATES}/${name}`, { renewTime: now() });
    }
    await server.ctx.clock.advance(1000);
  }
}

it('gives a lease to the candidate of the oldest emulated version', async () => {
  await stand('new', '1.36.0');
  await stand('old', '1.35.0');
  await server.ctx.clock.advance(1000);
  expect(await lease()).toMatchObject({
    holderIdentity: 'old',
    strategy: 'OldestEmulationVersion',
    leaseDurationSeconds: 5,
  });
});

it('asks a holder to step down for a better one, and gives the expired lease to that', async () => {
  await stand('new', '1.36.0');
  await server.ctx.clock.advance(1000);
  expect((await lease()).holderIdentity).toBe('new');
  await holdFor(10, 'new', ['new']);
  await stand('old', '1.35.0');
  await holdFor(12, 'new', ['new', 'old']);
  expect(await lease()).toMatchObject({ holderIdentity: 'new', preferredHolder: 'old' });
  // It stops renewing.
  await holdFor(30, 'old', ['new', 'old']);
  const after = await lease();
  expect(after.holderIdentity).toBe('old');
  expect(after.preferredHolder).toBeUndefined();
});

it('passes over a candidate that does not answer, and deletes it in the end', async () => {
  await stand('gone', '1.34.0');
  await server.ctx.clock.advance(1000);
  expect((await lease()).holderIdentity).toBe('gone');
  await server.ctx.clock.advance(20_000);
  await stand('there', '1.36.0');
  await holdFor(30, 'there', ['there']);
  expect((await lease()).holderIdentity).toBe('there');
  await server.ctx.clock.advance(3_700_000);
  expect((await server.call('GET', `${CANDIDATES}/gone`)).status).toBe(404);
});
