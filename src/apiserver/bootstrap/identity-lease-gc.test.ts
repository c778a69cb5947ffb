import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatMicroTime } from '../../base/index.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';
import { IDENTITY_LABEL } from './index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const PATH = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';

it('deletes the identity Leases of dead servers, and no other Lease', async () => {
  const renewTime = formatMicroTime(server.ctx.clock.now());
  const create = (name: string, labels: Record<string, string>, spec: object): Promise<unknown> =>
    server.call('POST', PATH, { body: { metadata: { name, labels }, spec } });
  const ofServer = { [IDENTITY_LABEL]: 'kube-apiserver' };
  await create('gone', ofServer, { renewTime, leaseDurationSeconds: 60 });
  await create('never', ofServer, { leaseDurationSeconds: 60 });
  await create('alive', ofServer, { renewTime, leaseDurationSeconds: 100_000 });
  await create('other', {}, { renewTime, leaseDurationSeconds: 60 });
  const names = async (): Promise<string[]> =>
    ((await server.call('GET', PATH)).body['items'] as { metadata: { name: string } }[])
      .map(({ metadata }) => metadata.name)
      .filter((name) => !name.startsWith('apiserver-'));
  expect(await names()).toEqual(['alive', 'gone', 'never', 'other']);
  await server.ctx.clock.advance(3_600_000);
  expect(await names()).toEqual(['alive', 'other']);
  expect((await server.call('GET', PATH)).text).toContain('apiserver-');
});
