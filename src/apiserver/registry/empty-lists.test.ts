import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';

it.each([
  { name: 'an empty list is owned though it is stored as none', rules: '[]', owned: true },
  { name: 'an empty list with white space too', rules: '[ ]', owned: true },
  { name: 'no list at all is not', rules: 'null', owned: false },
])('$name', async ({ rules, owned }) => {
  const body = `{"metadata":{"name":"empty"},"rules":${rules}}`;
  const { status, body: role } = await server.call('POST', `${ROLES}?dryRun=All`, { body });
  expect(status).toBe(201);
  expect(role['rules']).toBeNull();
  expect(role.metadata.managedFields?.map((entry) => entry.fieldsV1) ?? []).toEqual(owned ? [{ 'f:rules': {} }] : []);
});

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

it.each([
  {
    name: 'a merge patch to null',
    method: 'PATCH',
    contentType: 'application/merge-patch+json',
    body: { metadata: { managedFields: null } },
  },
  {
    name: 'a merge patch to an empty list',
    method: 'PATCH',
    contentType: 'application/merge-patch+json',
    body: { metadata: { managedFields: [] } },
  },
  {
    name: 'an update with an empty list',
    method: 'PUT',
    contentType: 'application/json',
    body: { metadata: { name: 'owned', managedFields: [] }, data: { a: '1' } },
  },
])('$name clears the managedFields', async ({ method, contentType, body }) => {
  const created = await server.call('POST', CONFIG_MAPS, { body: { metadata: { name: 'owned' }, data: { a: '1' } } });
  expect(created.body.metadata.managedFields).toHaveLength(1);
  const cleared = await server.call(method, `${CONFIG_MAPS}/owned`, { contentType, body });
  expect(cleared.status).toBe(200);
  expect(cleared.body.metadata.managedFields).toBeUndefined();
  await server.call('DELETE', `${CONFIG_MAPS}/owned`);
});
