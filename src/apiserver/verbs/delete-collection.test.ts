import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing/index.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const names = async (): Promise<string[]> => {
  const { body } = await server.call('GET', CONFIG_MAPS);
  return (body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
};

it('deletes what the selector matches', async () => {
  for (let i = 0; i < 40; i++)
    await server.call('POST', CONFIG_MAPS, {
      body: { metadata: { name: `c-${i}`, labels: { gone: String(i < 35) } } },
    });
  const { status, body } = await server.call('DELETE', `${CONFIG_MAPS}?labelSelector=gone%3Dtrue`);
  expect([status, (body['items'] as unknown[]).length]).toEqual([200, 35]);
  expect(await names()).toEqual(['c-35', 'c-36', 'c-37', 'c-38', 'c-39']);
});

it('refuses a bad list before it warns of anything', async () => {
  const answer = await server.call(
    'DELETE',
    '/apis/batch/v1/namespaces/default/jobs?resourceVersionMatch=Exact&labelSelector=a',
  );
  expect([answer.status, answer.warnings]).toEqual([422, []]);
});

it('needs a namespace, and reads its options first', async () => {
  const path = '/api/v1/namespaces//configmaps';
  const { body } = await server.call('DELETE', path);
  expect(body).toMatchObject({ code: 400, message: 'Namespace parameter required.' });
  const other = await server.call('DELETE', path, { body: { apiVersion: 'v1', kind: 'ConfigMap' } });
  expect(other.body['message']).toMatch(/^no kind "ConfigMap" is registered for version "v1" in scheme/);
  expect(await names()).toHaveLength(5);
});
