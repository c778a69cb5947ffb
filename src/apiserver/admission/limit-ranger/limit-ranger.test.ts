import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LimitRangeItem, Pod, PodSpec, ResourceRequirements } from '../../../api/generated/core-v1.ts';
import { startTestServer, type TestServer } from '../../testing/index.ts';
import { container, createObject, createNamespace, pod, podsPath, rejection } from '../testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

let count = 0;
async function namespaceWith(...items: LimitRangeItem[]): Promise<string> {
  const namespace = await createNamespace(server, `lr-${++count}`);
  await createObject(server, `/api/v1/namespaces/${namespace}/limitranges`, {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'range' },
    spec: { limits: items },
  });
  return namespace;
}

const using = (resources: ResourceRequirements, more: Partial<PodSpec> = {}): Partial<PodSpec> => ({
  containers: [container({ resources })],
  ...more,
});

it('sets defaults for containers, and records them in an annotation', async () => {
  const namespace = await namespaceWith({
    type: 'Container',
    default: { cpu: '500m', memory: '256Mi' },
    defaultRequest: { cpu: '250m', memory: '128Mi' },
  });
  const { body } = await server.call('POST', `${podsPath(namespace)}?dryRun=All`, {
    body: pod('p', using({ limits: { cpu: '400m' } }, { initContainers: [container({ name: 'i' })] })),
  });
  const { spec, metadata } = body as unknown as Pod;
  expect(spec!.containers![0]!.resources).toEqual({
    limits: { cpu: '400m', memory: '256Mi' },
    requests: { cpu: '400m', memory: '128Mi' },
  });
  expect(spec!.initContainers![0]!.resources).toEqual({
    limits: { cpu: '500m', memory: '256Mi' },
    requests: { cpu: '250m', memory: '128Mi' },
  });
  expect(metadata.annotations).toEqual({
    'kubernetes.io/limit-ranger':
      'LimitRanger plugin set: memory request for container c; memory limit for container c; cpu, memory request for init container i; cpu, memory limit for init container i',
  });
});

describe('bounds', () => {
  const both = (cpu: string): ResourceRequirements => ({ requests: { cpu }, limits: { cpu } });
  it.each<[string, LimitRangeItem, Partial<PodSpec>, string | undefined]>([
    [
      'a request below the minimum',
      { type: 'Container', min: { cpu: '100m' } },
      using({ requests: { cpu: '50m' }, limits: { cpu: '1' } }),
      'minimum cpu usage per Container is 100m, but request is 50m',
    ],
    [
      'no request',
      { type: 'Container', min: { cpu: '100m' }, max: { cpu: '1' }, default: { cpu: '1' } },
      using(both('200m')),
      undefined,
    ],
    [
      'a limit above the maximum',
      { type: 'Container', max: { cpu: '1' } },
      using(both('2')),
      'maximum cpu usage per Container is 1, but limit is 2',
    ],
    [
      'an init container below the minimum',
      { type: 'Container', min: { cpu: '100m' } },
      using(both('1'), { initContainers: [container({ name: 'i', resources: both('10m') })] }),
      'minimum cpu usage per Container is 100m, but request is 10m',
    ],
    [
      'a ratio that is too high',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      using({ requests: { cpu: '100m' }, limits: { cpu: '300m' } }),
      'cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000',
    ],
    [
      'no limit for a ratio',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      using({ requests: { cpu: '100m' } }),
      'cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0',
    ],
    [
      'containers that are too large together',
      { type: 'Pod', max: { cpu: '1' } },
      { containers: [container({ resources: both('600m') }), container({ name: 'd', resources: both('600m') })] },
      'maximum cpu usage per Pod is 1, but limit is 1200m',
    ],
    [
      'containers that are too small together',
      { type: 'Pod', min: { memory: '1Gi' } },
      using({ requests: { memory: '512Mi' }, limits: { memory: '2Gi' } }),
      'minimum memory usage per Pod is 1Gi, but request is 512Mi',
    ],
    [
      'a pod that says nothing of the minimum',
      { type: 'Pod', min: { memory: '1Gi' } },
      using(both('1')),
      'minimum memory usage per Pod is 1Gi.  No request is specified',
    ],
    [
      'a pod that says nothing of the maximum',
      { type: 'Pod', max: { memory: '1Gi' } },
      using(both('1')),
      'maximum memory usage per Pod is 1Gi.  No limit is specified',
    ],
    [
      'several at once',
      { type: 'Container', min: { cpu: '100m' }, max: { cpu: '1', memory: '1Gi' } },
      using({ requests: { cpu: '50m' }, limits: { cpu: '1', memory: '2Gi' } }),
      '[minimum cpu usage per Container is 100m, but request is 50m, maximum memory usage per Container is 1Gi, but limit is 2Gi]',
    ],
  ])('on pods: %s', async (_name, item, spec, message) => {
    const found = await rejection(server, podsPath(await namespaceWith(item)), pod('p', spec));
    expect(found).toBe(message && `pods "p" is forbidden: ${message}`);
  });

  it.each<[string, string, string | undefined]>([
    ['too little', '500Mi', 'minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 500Mi'],
    ['enough', '2Gi', undefined],
    ['too much', '6Gi', 'maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 6Gi'],
  ])('on claims: %s', async (_name, storage, message) => {
    const namespace = await namespaceWith({
      type: 'PersistentVolumeClaim',
      min: { storage: '1Gi' },
      max: { storage: '5Gi' },
    });
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'v' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
    };
    expect(await rejection(server, `/api/v1/namespaces/${namespace}/persistentvolumeclaims`, claim)).toBe(
      message && `persistentvolumeclaims "v" is forbidden: ${message}`,
    );
  });
});

it('validates resizes, and ignores other updates', async () => {
  const namespace = await createNamespace(server, 'lr-updates');
  await createObject(server, podsPath(namespace), pod('old', using({ requests: { cpu: '2' }, limits: { cpu: '2' } })));
  await createObject(server, `/api/v1/namespaces/${namespace}/limitranges`, {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'range' },
    spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] },
  });
  const patch = (subresource: string, body: object): ReturnType<TestServer['call']> =>
    server.call('PATCH', `${podsPath(namespace)}/old${subresource}`, {
      body,
      contentType: 'application/strategic-merge-patch+json',
    });
  expect((await patch('', { metadata: { labels: { a: 'b' } } })).status).toBe(200);
  const resized = await patch('/resize', {
    spec: { containers: [{ name: 'c', resources: { requests: { cpu: '3' }, limits: { cpu: '3' } } }] },
  });
  expect(resized.body['message']).toBe('pods "old" is forbidden: maximum cpu usage per Container is 1, but limit is 3');
});
