import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing/index.ts';
import { createObject, createNamespace, rejection } from './testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const claim = (spec: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'v' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const CLASSES = '/apis/storage.k8s.io/v1/storageclasses';
const storageClass = (name: string, isDefault: boolean, allowVolumeExpansion = false): object => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name, ...(isDefault ? { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } } : {}) },
  provisioner: 'example.com/p',
  allowVolumeExpansion,
});

describe('DefaultStorageClass', () => {
  it('uses the newest default class, and none when the claim names one', async () => {
    await createObject(server, CLASSES, storageClass('older', true));
    await server.ctx.clock.advance(5000);
    await createObject(server, CLASSES, storageClass('newer', true));
    const classOf = async (spec: object): Promise<unknown> =>
      (
        (await server.call('POST', `${CLAIMS}?dryRun=All`, { body: claim(spec) })).body['spec'] as Record<
          string,
          unknown
        >
      )['storageClassName'];
    expect(await classOf({})).toBe('newer');
    expect(await classOf({ storageClassName: '' })).toBe('');
    await server.call('DELETE', `${CLASSES}/newer`);
    expect(await classOf({})).toBe('older');
    await server.call('DELETE', `${CLASSES}/older`);
    expect(await classOf({})).toBeUndefined();
  });
});

it('StorageObjectInUseProtection adds the finalizer once', async () => {
  const finalizers = async (metadata: object): Promise<unknown> =>
    (await server.call('POST', `${CLAIMS}?dryRun=All`, { body: { ...claim(), metadata: { name: 'v', ...metadata } } }))
      .body.metadata.finalizers;
  expect(await finalizers({})).toEqual(['kubernetes.io/pvc-protection']);
  expect(await finalizers({ finalizers: ['a.example/f', 'kubernetes.io/pvc-protection'] })).toEqual([
    'a.example/f',
    'kubernetes.io/pvc-protection',
  ]);
});

it('PersistentVolumeClaimResize checks the class', async () => {
  await createObject(server, CLASSES, storageClass('fixed', false));
  await createObject(server, CLASSES, storageClass('elastic', false, true));
  for (const [name, expected] of [
    ['fixed', 403],
    ['elastic', 200],
  ] as const) {
    const created = await createObject(server, CLAIMS, { ...claim({ storageClassName: name }), metadata: { name } });
    await server.call('PUT', `${CLAIMS}/${name}/status`, {
      body: { ...created, status: { phase: 'Bound', capacity: { storage: '1Gi' } } },
    });
    const answer = await server.call('PATCH', `${CLAIMS}/${name}`, {
      body: { spec: { resources: { requests: { storage: '2Gi' } } } },
      contentType: 'application/merge-patch+json',
    });
    expect([name, answer.status]).toEqual([name, expected]);
    if (expected === 403)
      expect(answer.body['message']).toContain(
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      );
  }
});

it('TaintNodesByCondition keeps pods off new nodes', async () => {
  const { body } = await server.call('POST', '/api/v1/nodes?dryRun=All', {
    body: {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n' },
      spec: { taints: [{ key: 'a', effect: 'NoExecute' }] },
    },
  });
  expect((body['spec'] as { taints: unknown }).taints).toEqual([
    { key: 'a', effect: 'NoExecute' },
    { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
  ]);
});

it('DefaultIngressClass sets the default class on Ingresses without one', async () => {
  const path = '/apis/networking.k8s.io/v1/namespaces/default/ingresses?dryRun=All';
  const ingress = (metadata: object = {}): object => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'i', ...metadata },
    spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
  });
  await createObject(server, '/apis/networking.k8s.io/v1/ingressclasses', {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: { name: 'web', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
    spec: { controller: 'example.com/c' },
  });
  const classOf = async (metadata?: object): Promise<unknown> =>
    ((await server.call('POST', path, { body: ingress(metadata) })).body['spec'] as Record<string, unknown>)[
      'ingressClassName'
    ];
  expect(await classOf()).toBe('web');
  expect(await classOf({ annotations: { 'kubernetes.io/ingress.class': 'old' } })).toBeUndefined();
});

describe('NamespaceLifecycle', () => {
  it('refuses new objects in namespaces that are missing or terminating', async () => {
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
    expect(await rejection(server, '/api/v1/namespaces/absent/configmaps', configMap)).toBe(
      'namespaces "absent" not found',
    );
    await createNamespace(server, 'going');
    await server.call('DELETE', '/api/v1/namespaces/going');
    const answer = await server.call('POST', '/api/v1/namespaces/going/configmaps', { body: configMap });
    expect(answer.body['message']).toBe(
      'configmaps "c" is forbidden: unable to create new content in namespace going because it is being terminated',
    );
    expect(answer.body['details']).toMatchObject({
      causes: [
        { reason: 'NamespaceTerminating', field: 'metadata.namespace', message: 'namespace going is being terminated' },
      ],
    });
  });

  it.each(['default', 'kube-system', 'kube-public'])('never deletes %s', async (name) => {
    expect((await server.call('DELETE', `/api/v1/namespaces/${name}`)).body['message']).toBe(
      `namespaces "${name}" is forbidden: this namespace may not be deleted`,
    );
  });
});
