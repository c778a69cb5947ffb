import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing/index.ts';

const CLAIMS = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const DRIVER = { name: 'driver', groups: ['system:authenticated'] };

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  const body = {
    metadata: { name: 'c' },
    spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } },
  };
  await server.call('POST', CLAIMS, { body });
  await allow('status', [{ apiGroups: ['resource.k8s.io'], resources: ['resourceclaims/status'], verbs: ['patch'] }]);
});
afterAll(() => server.stop());

async function allow(name: string, rules: object[]): Promise<void> {
  await server.call('POST', `${RBAC}/clusterroles`, { body: { metadata: { name }, rules } });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
  const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: DRIVER.name }];
  await server.call('POST', `${RBAC}/clusterrolebindings`, { body: { metadata: { name }, roleRef, subjects } });
}

const patch = (status: object, user?: typeof DRIVER) =>
  server.call('PATCH', `${CLAIMS}/c/status`, {
    contentType: 'application/merge-patch+json',
    body: { status },
    ...(user ? { user } : {}),
  });

const device = { driver: 'd.io', pool: 'p', device: 'x' };
const allocation = { devices: { results: [{ request: 'r', ...device }] } };

describe('the status of a claim', () => {
  it('is allocated with the permission to bind', async () => {
    const { status, body } = await patch({ allocation }, DRIVER);
    expect([status, body['message']]).toEqual([
      422,
      'ResourceClaim.resource.k8s.io "c" is invalid: status.allocation: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="patch" permission: resourceclaims.resource.k8s.io is forbidden: User "driver" cannot patch resource "resourceclaims/binding" in API group "resource.k8s.io" at the cluster scope',
    ]);
    await allow('bind', [{ apiGroups: ['resource.k8s.io'], resources: ['resourceclaims/binding'], verbs: ['patch'] }]);
    expect((await patch({ allocation }, DRIVER)).status).toBe(200);
  });

  it('has devices that their driver reports', async () => {
    const refused = await patch({ devices: [device] }, DRIVER);
    expect(refused.body['message']).toContain(
      'status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[arbitrary-node:patch]" permission: resourceclaims.resource.k8s.io "d.io" is forbidden',
    );
    await allow('report', [
      {
        apiGroups: ['resource.k8s.io'],
        resources: ['resourceclaims/driver'],
        resourceNames: ['d.io'],
        verbs: ['arbitrary-node:patch'],
      },
    ]);
    expect((await patch({ devices: [device] }, DRIVER)).status).toBe(200);
  });
});
