/** Who may change objects and not make them makes none: not by PUT, not by apply, not through a subresource. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserInfo } from '../../src/apiserver/request/request.ts';
import { startTestServer, type TestAnswer, type TestServer } from '../../src/apiserver/testing/index.ts';
import { setFeatureGates as featureGates } from '../../src/machinery/index.ts';
import { allSampleObjects, type SampleObject } from './sample-objects.ts';

const APPLY = 'application/apply-patch+yaml';
const CHANGER: UserInfo = { name: 'changer', groups: ['system:authenticated'] };
/** Every verb that there is, but create. */
const VERBS = [
  'get',
  'list',
  'watch',
  'update',
  'patch',
  'delete',
  'deletecollection',
  'bind',
  'escalate',
  'approve',
  'sign',
  'use',
];

/** The kinds of which upstream's strategies say AllowCreateOnUpdate; for all others a PUT of a new name is 404. */
const PUT_CREATES: ReadonlySet<string> = new Set([
  '/endpoints',
  '/events',
  '/limitranges',
  '/services',
  'events.k8s.io/events',
  'coordination.k8s.io/leasecandidates',
  'coordination.k8s.io/leases',
  'node.k8s.io/runtimeclasses',
  'rbac.authorization.k8s.io/clusterrolebindings',
  'rbac.authorization.k8s.io/clusterroles',
  'rbac.authorization.k8s.io/rolebindings',
  'rbac.authorization.k8s.io/roles',
]);

const CUSTOM: SampleObject = {
  resource: {
    group: 'example.com',
    version: 'v1',
    plural: 'things',
    kind: 'Thing',
    namespaced: true,
  } as SampleObject['resource'],
  collection: '/apis/example.com/v1/namespaces/default/things',
  path: '/apis/example.com/v1/namespaces/default/things/sample',
  object: {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: { name: 'sample', namespace: 'default' },
    spec: { a: 1 },
  },
};

const KINDS = [...allSampleObjects(), CUSTOM];
const named = KINDS.map(
  (sample) => [`${sample.resource.group}/${sample.resource.version} ${sample.resource.plural}`, sample] as const,
);

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({
    servesVersion: () => true,
    featureGates: featureGates({ AllAlpha: 'true', AllBeta: 'true' }),
  });
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'changer' } };
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: VERBS }];
  await made('/apis/rbac.authorization.k8s.io/v1/clusterroles', { ...rbac, kind: 'ClusterRole', rules });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'changer' };
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'changer' }];
  await made('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    ...rbac,
    kind: 'ClusterRoleBinding',
    roleRef,
    subjects,
  });
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const versions = [
    { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, subresources: { status: {} } },
  ];
  await made('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' }, versions },
  });
  for (let i = 0; i < 200 && (await server.call('GET', CUSTOM.collection)).status !== 200; i++)
    await new Promise((resolve) => setImmediate(resolve));
});
afterAll(() => server.stop());

async function made(collection: string, body: object): Promise<void> {
  const { status, text } = await server.call('POST', collection, { body });
  if (status !== 201) throw new Error(text);
}

const put = ({ path, object }: SampleObject, user?: UserInfo): Promise<TestAnswer> =>
  server.call('PUT', path, { body: object, ...(user ? { user } : {}) });
const apply = ({ path, object }: SampleObject, user?: UserInfo): Promise<TestAnswer> =>
  server.call('PATCH', `${path}?fieldManager=m`, { body: object, contentType: APPLY, ...(user ? { user } : {}) });

const exists = async ({ path }: SampleObject): Promise<boolean> => (await server.call('GET', path)).status !== 404;
const remove = ({ path }: SampleObject): Promise<TestAnswer> =>
  server.call('DELETE', path, { body: { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 } });

function forbiddenCreate({ resource: { group, plural, namespaced }, object: { metadata } }: SampleObject): object {
  const where = namespaced ? 'in the namespace "default"' : 'at the cluster scope';
  const qualified = group === '' ? plural : `${plural}.${group}`;
  return {
    code: 403,
    reason: 'Forbidden',
    message: `${qualified} "${metadata.name}" is forbidden: User "changer" cannot create resource "${plural}" in API group "${group}" ${where}`,
    details: { name: metadata.name, ...(group === '' ? {} : { group }), kind: plural },
  };
}

describe.each(named)('%s', (_name, sample) => {
  const { group, plural } = sample.resource;
  const putCreates = PUT_CREATES.has(`${group}/${plural}`);

  it('is not created by a PUT', async () => {
    const { body } = await put(sample, CHANGER);
    expect(body).toMatchObject(putCreates ? forbiddenCreate(sample) : { code: 404, reason: 'NotFound' });
    expect(await exists(sample)).toBe(false);
  });

  it('is not created by an apply', async () => {
    const { body } = await apply(sample, CHANGER);
    expect(body).toMatchObject(forbiddenCreate(sample));
    expect(await exists(sample)).toBe(false);
  });

  it('is not created by a dry run', async () => {
    const { status } = await server.call('PATCH', `${sample.path}?fieldManager=m&dryRun=All`, {
      body: sample.object,
      contentType: APPLY,
      user: CHANGER,
    });
    expect(status).toBe(403);
  });

  it('is created by users with create permission, in the same ways', async () => {
    expect((await put(sample)).status).toBe(putCreates ? 201 : 404);
    if (putCreates) await remove(sample);
    expect((await apply(sample)).status).toBe(201);
    expect((await apply(sample, CHANGER)).status).toBe(200);
    await remove(sample);
  });
});

const subresources = KINDS.flatMap((sample) =>
  Object.entries(sample.resource.subresources ?? { status: { verbs: ['update', 'patch'] } })
    .filter(([, { verbs }]) => verbs.includes('update') || verbs.includes('patch'))
    .map(
      ([name, { verbs }]) =>
        [
          `${sample.resource.group}/${sample.resource.version} ${sample.resource.plural}/${name}`,
          name,
          { ...sample, verbs },
        ] as const,
    ),
).filter(([, name]) => name !== 'proxy');

describe.each(subresources)('%s', (_name, subresource, { collection, object, resource, verbs }) => {
  it('creates no object', async () => {
    const metadata = { ...object.metadata, name: 'absent' };
    const path = `${collection}/absent`;
    const body =
      subresource === 'scale'
        ? {
            apiVersion: 'autoscaling/v1',
            kind: 'Scale',
            metadata,
            spec: { replicas: 1 },
          }
        : { ...object, metadata };
    expect((await server.call('PUT', `${path}/${subresource}`, { body })).status).toBe(404);
    const { status } = await server.call('PATCH', `${path}/${subresource}?fieldManager=m`, {
      body,
      contentType: APPLY,
    });
    expect(status).toBe(verbs.includes('patch') ? 404 : 405);
    expect((await server.call('GET', path)).body).toMatchObject({ code: 404, details: { kind: resource.plural } });
  });
});

describe('a PUT that creates', () => {
  const lease = KINDS.find(({ resource }) => resource.plural === 'leases')!;
  const withMetadata = (metadata: object): SampleObject => ({
    ...lease,
    object: { ...lease.object, metadata: { ...lease.object.metadata, ...metadata } },
  });

  it('does not recreate an object with the uid of a deleted one', async () => {
    const { body } = await put(withMetadata({ uid: 'gone' }));
    expect(body).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(body['message']).toContain('Precondition failed: UID in precondition: gone, UID in object meta: ');
    expect(await exists(lease)).toBe(false);
  });

  it('refuses an invalid resourceVersion', async () => {
    expect((await put(withMetadata({ resourceVersion: 'abc' }))).body).toMatchObject({
      code: 500,
      message: 'strconv.ParseUint: parsing "abc": invalid syntax',
    });
    expect((await put(withMetadata({ resourceVersion: '5' }))).status).toBe(201);
    await remove(lease);
  });

  it('is admitted as a CREATE', async () => {
    const { body } = await put({
      ...lease,
      path: lease.path.replace('/default/', '/absent/'),
      object: { ...lease.object, metadata: { name: 'sample', namespace: 'absent' } },
    });
    expect(body).toMatchObject({ code: 404, message: 'namespaces "absent" not found' });
  });
});
