import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing.ts';

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
