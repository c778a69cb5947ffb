import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../testing/index.ts';
import type { AuthorizationAttributes } from '../authorizer.ts';

let server: TestServer;
const NODE = { name: 'system:node:here', groups: ['system:nodes', 'system:authenticated'] };

beforeAll(async () => {
  server = await startTestServer();
  const { call } = server;
  for (const name of ['worker', 'other'])
    await call('POST', '/api/v1/namespaces/default/serviceaccounts', {
      body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } },
    });
  const pod = async (name: string, nodeName: string, spec: object = {}): Promise<void> => {
    const body = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { nodeName, serviceAccountName: 'worker', automountServiceAccountToken: false, ...spec },
    };
    const { status, text } = await call('POST', '/api/v1/namespaces/default/pods', { body });
    if (status !== 201) throw new Error(text);
  };
  const container = {
    name: 'c',
    image: 'i',
    env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'from-env', key: 'k' } } }],
    envFrom: [{ configMapRef: { name: 'env-from' } }],
  };
  const volumes = [
    { name: 's', secret: { secretName: 'volume' } },
    { name: 'p', projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'projected' } }] } },
    { name: 'c', persistentVolumeClaim: { claimName: 'claim' } },
    {
      name: 'e',
      ephemeral: {
        volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
      },
    },
  ];
  await pod('mine', 'here', { containers: [container], volumes, imagePullSecrets: [{ name: 'pull' }] });
  await pod('theirs', 'there', {
    containers: [{ name: 'c', image: 'i', envFrom: [{ secretRef: { name: 'theirs' } }] }],
  });
  const volume = {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    claimRef: { namespace: 'default', name: 'claim' },
    csi: {
      driver: 'd',
      volumeHandle: 'h',
      nodeStageSecretRef: { namespace: 'storage', name: 'stage' },
      controllerExpandSecretRef: { namespace: 'storage', name: 'controller' },
    },
  };
  await call('POST', '/api/v1/persistentvolumes', {
    body: { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'pv' }, spec: volume },
  });
});
afterAll(() => server.stop());

function ask(
  verb: string,
  path: string,
  more: Partial<AuthorizationAttributes> = {},
): { allowed: boolean; reason: string } {
  const [resourceAndSub = '', name = ''] = path.split(' ');
  const [resource = '', subresource = ''] = resourceAndSub.split('/');
  const attributes = {
    user: NODE,
    verb,
    isResourceRequest: true,
    apiGroup: '',
    apiVersion: 'v1',
    namespace: 'default',
    resource,
    subresource,
    name,
    path: '',
    ...more,
  };
  const { decision, reason } = server.pipeline.chain.backend.authorizer.authorize(attributes) as {
    decision: string;
    reason: string;
  };
  return { allowed: decision === 'allow', reason };
}

const UNRELATED = "no relationship found between node 'here' and this object";
const cluster = { namespace: '' };

describe('a node may read objects that its pods reference', () => {
  const rows: { verb: string; path: string; more?: Partial<AuthorizationAttributes>; reason?: string }[] = [
    { verb: 'get', path: 'secrets from-env' },
    { verb: 'watch', path: 'secrets volume' },
    { verb: 'get', path: 'secrets projected' },
    { verb: 'get', path: 'secrets pull' },
    { verb: 'get', path: 'secrets theirs', reason: UNRELATED },
    { verb: 'get', path: 'secrets volume', more: { namespace: 'other' }, reason: UNRELATED },
    { verb: 'list', path: 'secrets', reason: 'No Object name found' },
    { verb: 'delete', path: 'secrets volume', reason: 'can only read resources of this type' },
    { verb: 'get', path: 'configmaps env-from' },
    { verb: 'get', path: 'configmaps projected' },
    { verb: 'get', path: 'persistentvolumeclaims claim' },
    { verb: 'get', path: 'persistentvolumeclaims mine-e' },
    { verb: 'patch', path: 'persistentvolumeclaims/status claim' },
    { verb: 'list', path: 'persistentvolumeclaims', reason: 'can only get individual resources of this type' },
    { verb: 'get', path: 'persistentvolumes pv', more: cluster },
    { verb: 'get', path: 'secrets stage', more: { namespace: 'storage' } },
    { verb: 'get', path: 'secrets controller', more: { namespace: 'storage' }, reason: UNRELATED },
    { verb: 'create', path: 'serviceaccounts/token worker' },
    { verb: 'create', path: 'serviceaccounts/token other', reason: UNRELATED },
    { verb: 'get', path: 'pods mine' },
    { verb: 'get', path: 'pods theirs', reason: UNRELATED },
    { verb: 'list', path: 'pods', more: { fieldSelector: [{ field: 'spec.nodeName', operator: '=', value: 'here' }] } },
    {
      verb: 'list',
      path: 'pods',
      more: { fieldSelector: [{ field: 'spec.nodeName', operator: '!=', value: 'here' }] },
      reason: 'can only list/watch pods with spec.nodeName field selector',
    },
    { verb: 'get', path: 'nodes here', more: cluster },
    {
      verb: 'get',
      path: 'nodes there',
      more: cluster,
      reason: "node 'here' cannot read 'there', only its own Node object",
    },
    { verb: 'update', path: 'leases here', more: { apiGroup: 'coordination.k8s.io', namespace: 'kube-node-lease' } },
    {
      verb: 'update',
      path: 'leases there',
      more: { apiGroup: 'coordination.k8s.io', namespace: 'kube-node-lease' },
      reason: 'can only access node lease with the same name as the requesting node',
    },
    {
      verb: 'get',
      path: 'csinodes there',
      more: { apiGroup: 'storage.k8s.io', namespace: '' },
      reason: 'can only access CSINode with the same name as the requesting node',
    },
    { verb: 'list', path: 'services', more: cluster },
    { verb: 'create', path: 'deployments', more: { apiGroup: 'apps' }, reason: '' },
  ];
  it.each(rows)('$verb $path', ({ verb, path, more, reason }) => {
    expect(ask(verb, path, more)).toEqual({ allowed: reason === undefined, reason: reason ?? '' });
  });

  it('until the pods are deleted', async () => {
    expect(ask('get', 'secrets volume').allowed).toBe(true);
    await server.call('DELETE', '/api/v1/namespaces/default/pods/mine?gracePeriodSeconds=0');
    expect(ask('get', 'secrets volume')).toEqual({ allowed: false, reason: UNRELATED });
    expect(ask('get', 'persistentvolumes pv', cluster).allowed).toBe(false);
  });
});
