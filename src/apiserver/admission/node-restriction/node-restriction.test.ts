import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PodSpec } from '../../../api/generated/core-v1.ts';
import type { UserInfo } from '../../request/request.ts';
import { startTestServer, type TestServer } from '../../testing/index.ts';
import { container, createObject, createNamespace, pod, podsPath, rejection } from '../testing/index.ts';

/** In system:masters as well, so that only admission is in the way. */
const NODE: UserInfo = { name: 'system:node:n', groups: ['system:nodes', 'system:masters', 'system:authenticated'] };

let server: TestServer;
let nodeUid = '';
beforeAll(async () => {
  server = await startTestServer();
  await createNamespace(server, 'a');
  const node = await createObject(server, '/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', labels: { 'kubernetes.io/os': 'linux' } },
  });
  nodeUid = (node['metadata'] as { uid: string }).uid;
  await createObject(
    server,
    podsPath('a'),
    pod('mine', {
      nodeName: 'n',
      volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't', audience: 'vault' } }] } }],
    }),
  );
  await createObject(server, podsPath('a'), pod('other', { nodeName: 'o' }));
});
afterAll(() => server.stop());

const mirror = (spec: Partial<PodSpec> = {}, owner: object = {}): object =>
  pod(
    'm',
    { nodeName: 'n', ...spec },
    {
      annotations: { 'kubernetes.io/config.mirror': 'x' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: nodeUid, controller: true, ...owner }],
    },
  );

describe('mirror pods', () => {
  it('are accepted', async () => expect(await rejection(server, podsPath('a'), mirror(), NODE)).toBeUndefined());

  it.each<[string, () => object, string]>([
    [
      'a pod that is none',
      () => pod('m', { nodeName: 'n' }),
      'pod does not have "kubernetes.io/config.mirror" annotation, node "n" can only create mirror pods',
    ],
    [
      'one on another node',
      () => mirror({ nodeName: 'o' }),
      'node "n" can only create pods with spec.nodeName set to itself',
    ],
    [
      'one of another owner',
      () => mirror({}, { name: 'o' }),
      'node "n" can only create pods with an owner reference set to itself',
    ],
    [
      'one without controller',
      () => mirror({}, { controller: false }),
      'node "n" can only create pods with a controller owner reference set to itself',
    ],
    [
      'one that holds its owner',
      () => mirror({}, { blockOwnerDeletion: true }),
      'node "n" must not set blockOwnerDeletion on an owner reference',
    ],
    ['one of an earlier node', () => mirror({}, { uid: 'nope' }), 'node n UID mismatch: expected nope got $NODE'],
    [
      'one with a ConfigMap',
      () => mirror({ containers: [container({ envFrom: [{ configMapRef: { name: 'c' } }] })] }),
      'node "n" can not create pods that reference configmaps',
    ],
    [
      'one with a claim',
      () => mirror({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'p' } }] }),
      'node "n" can not create pods that reference persistentvolumeclaims',
    ],
    [
      'one with devices',
      () => mirror({ resourceClaims: [{ name: 'd', resourceClaimName: 'd' }] }),
      'node "n" can not create pods that reference resourceclaims',
    ],
  ])('not %s', async (_name, body, message) => {
    expect(await rejection(server, podsPath('a'), body(), NODE)).toBe(
      `pods "m" is forbidden: ${message.replace('$NODE', nodeUid)}`,
    );
  });
});

const patch = (target: string, body: object): ReturnType<TestServer['call']> =>
  server.call('PATCH', target, { body, contentType: 'application/merge-patch+json', user: NODE });

describe("other nodes' pods", () => {
  it.each<[string, () => ReturnType<TestServer['call']>, string]>([
    [
      'their status',
      () => patch(`${podsPath('a')}/other/status`, { status: { reason: 'x' } }),
      'node "n" can only update pod status for pods with spec.nodeName set to itself',
    ],
    [
      'their deletion',
      () => server.call('DELETE', `${podsPath('a')}/other`, { user: NODE }),
      'node "n" can only delete pods with spec.nodeName set to itself',
    ],
    [
      'their eviction',
      () =>
        server.call('POST', `${podsPath('a')}/other/eviction`, {
          body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'other' } },
          user: NODE,
        }),
      'node n can only evict pods with spec.nodeName set to itself',
    ],
    [
      'their spec',
      () => patch(`${podsPath('a')}/other`, { metadata: { labels: { a: 'b' } } }),
      'unexpected operation "UPDATE", node "n" can only create and delete mirror pods',
    ],
    [
      'their containers',
      () => patch(`${podsPath('a')}/other/ephemeralcontainers`, { spec: { ephemeralContainers: [] } }),
      `unexpected pod subresource "ephemeralcontainers", only 'status' and 'eviction' are allowed`,
    ],
  ])('%s', async (_name, act, message) =>
    expect((await act()).body['message']).toBe(`pods "other" is forbidden: ${message}`),
  );

  it('its own labels through the status', async () => {
    expect((await patch(`${podsPath('a')}/mine/status`, { metadata: { labels: { a: 'b' } } })).body['message']).toBe(
      'pods "mine" is forbidden: node "n" cannot update labels through pod status',
    );
    expect((await patch(`${podsPath('a')}/mine/status`, { status: { reason: 'x' } })).status).toBe(200);
  });
});

describe('its Node', () => {
  it.each<[string, object, string | undefined]>([
    [
      'a label of its own',
      {
        metadata: {
          labels: { 'example.com/a': '1', 'topology.kubernetes.io/zone': 'z', 'a.kubelet.kubernetes.io/x': '1' },
        },
      },
      undefined,
    ],
    [
      'restricted labels',
      { metadata: { labels: { 'node-restriction.kubernetes.io/b': '1', 'x.k8s.io/a': '1' } } },
      'is not allowed to modify labels: node-restriction.kubernetes.io/b, x.k8s.io/a',
    ],
    ['taints', { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }, 'node "n" is not allowed to modify taints'],
    [
      'owners',
      { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'u' }] } },
      'node "n" is not allowed to modify ownerReferences',
    ],
  ])('%s', async (_name, body, message) => {
    const answer = await patch('/api/v1/nodes/n', body);
    expect(answer.status === 200 ? undefined : answer.body['message']).toBe(
      message && `nodes "n" is forbidden: ${message}`,
    );
  });

  it('not another node', async () => {
    const body = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'o' } };
    expect(await rejection(server, '/api/v1/nodes', body, NODE)).toBe(
      'nodes "o" is forbidden: node "n" is not allowed to modify node "o"',
    );
  });

  it('must have a name', async () => {
    const nobody = { ...NODE, name: 'system:node:' };
    expect(
      await rejection(server, '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'o' } }, nobody),
    ).toBe('nodes "o" is forbidden: could not determine node from user "system:node:"');
  });
});

describe('other objects of its own', () => {
  it.each<[string, string, object, string | undefined]>([
    [
      'its lease',
      '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
      { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'n' } },
      undefined,
    ],
    [
      'a lease of another',
      '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
      { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'o' } },
      'leases.coordination.k8s.io "o" is forbidden: can only access node lease with the same name as the requesting node',
    ],
    [
      'a lease elsewhere',
      '/apis/coordination.k8s.io/v1/namespaces/a/leases',
      { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'n' } },
      'leases.coordination.k8s.io "n" is forbidden: can only access leases in the "kube-node-lease" system namespace',
    ],
    [
      'a CSINode of another',
      '/apis/storage.k8s.io/v1/csinodes',
      { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name: 'o' }, spec: { drivers: [] } },
      'csinodes.storage.k8s.io "o" is forbidden: can only access CSINode with the same name as the requesting node',
    ],
    [
      'a slice of another',
      '/apis/resource.k8s.io/v1/resourceslices',
      {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceSlice',
        metadata: { name: 's' },
        spec: { driver: 'd.example', nodeName: 'o', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } },
      },
      'resourceslices.resource.k8s.io "s" is forbidden: can only create ResourceSlice with the same NodeName as the requesting node',
    ],
    [
      'a claim',
      '/api/v1/namespaces/a/persistentvolumeclaims',
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'v' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
      'persistentvolumeclaims "v" is forbidden: may only update PVC status',
    ],
    [
      'something that has no rule',
      '/api/v1/namespaces/a/configmaps',
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } },
      undefined,
    ],
  ])('%s', async (_name, path, body, message) => expect(await rejection(server, path, body, NODE)).toBe(message));
});

describe('the status of a claim', () => {
  const claim = '/api/v1/namespaces/a/persistentvolumeclaims/grows';
  beforeAll(async () => {
    await createObject(server, '/api/v1/namespaces/a/persistentvolumeclaims', {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'grows' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
  });

  it.each<[string, string, object, string | undefined]>([
    [
      'what growing it takes',
      '/status',
      {
        status: {
          capacity: { storage: '1Gi' },
          conditions: [{ type: 'NodeResizeError', status: 'True' }],
          allocatedResources: { storage: '1Gi' },
          allocatedResourceStatuses: { storage: 'NodeResizeInProgress' },
        },
      },
      undefined,
    ],
    [
      'not its phase',
      '/status',
      { status: { phase: 'Lost' } },
      'node "n" is not allowed to update fields other than status.quantity and status.conditions',
    ],
    [
      'not its labels',
      '/status',
      { metadata: { labels: { a: 'b' } } },
      'node "n" is not allowed to update fields other than status.quantity and status.conditions',
    ],
    ['not its spec', '', { metadata: { labels: { a: 'b' } } }, 'may only update PVC status'],
  ])('%s', async (_name, subresource, body, message) => {
    const answer = await patch(`${claim}${subresource}`, body);
    expect(answer.status === 200 ? undefined : answer.body['message']).toBe(
      message && `persistentvolumeclaims "grows" is forbidden: ${message}`,
    );
  });
});

describe('tokens', () => {
  const uidOf = async (name: string): Promise<string> =>
    (await server.call('GET', `${podsPath('a')}/${name}`)).body.metadata.uid!;
  const request = async (pod: string | undefined, fields: object = {}): Promise<string | undefined> => {
    const uid = pod === undefined ? undefined : await uidOf(pod);
    const spec = { ...(pod ? { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: pod, uid } } : {}), ...fields };
    return rejection(
      server,
      '/api/v1/namespaces/a/serviceaccounts/default/token',
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec },
      NODE_ONLY,
    );
  };
  /** Whoever is in system:masters may request any audience. */
  const NODE_ONLY: UserInfo = { name: 'system:node:n', groups: ['system:nodes', 'system:authenticated'] };

  it.each<[string, string | undefined, object, string | undefined]>([
    ['for its own pod', 'mine', {}, undefined],
    ['for an audience that the pod asks for', 'mine', { audiences: ['vault'] }, undefined],
    [
      'for another audience',
      'mine',
      { audiences: ['bank'] },
      'audience "bank" not found in pod spec volume, system:node:n is not authorized to request tokens for this audience',
    ],
    ['for two audiences', 'mine', { audiences: ['a', 'b'] }, 'node may only request 0 or 1 audiences'],
    ['for no pod', undefined, {}, 'node requested token not bound to a pod'],
    ['for a pod elsewhere', 'other', {}, 'node requested token bound to a pod scheduled on a different node'],
    [
      'for a pod of the past',
      'mine',
      { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'mine', uid: 'nope' } },
      'the UID in the bound object reference (nope) does not match the UID in record. The object might have been deleted and then recreated',
    ],
  ])('%s', async (_name, name, fields, message) => {
    expect(await request(name, fields)).toBe(message && `serviceaccounts "default" is forbidden: ${message}`);
  });
});
