/** What --min-compatibility-version changes: servers of that version must be able to read and compile what is stored. */
import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { EffectiveVersion } from '../../api/kubernetes-version.ts';
import { createMemoryStore, type Store } from '../../etcd/index.ts';
import { createTestContext } from '../../kernel/index.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';

let servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers) await server.stop();
  servers = [];
});

const newStore = (): Store => createMemoryStore({ clock: createTestContext().clock });

async function start(effectiveVersion?: EffectiveVersion, store = newStore()): Promise<TestServer['call']> {
  const server = await startTestServer({
    store,
    ...(effectiveVersion ? { effectiveVersion } : {}),
    storageMediaType: store === protobuf ? 'application/vnd.kubernetes.protobuf' : 'application/json',
  });
  servers.push(server);
  return server.call;
}
let protobuf: Store | undefined;

const EMULATED_134: EffectiveVersion = { emulation: 34, minCompatibility: 33 };
const POLICIES = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies';
const DEVICE_CLASSES = '/apis/resource.k8s.io/v1/deviceclasses';
const VALIDATING = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';

const mutatingPolicy = {
  metadata: { name: 'm' },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
    },
    reinvocationPolicy: 'Never',
    mutations: [
      {
        patchType: 'JSONPatch',
        jsonPatch: { expression: '[JSONPatch{op: "add", path: "/metadata/labels/a", value: "b"}]' },
      },
    ],
  },
};

const policy = (expression: string) => ({
  metadata: { name: 'p' },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
    },
    validations: [{ expression }],
  },
});

const storedVersion = async (store: Store, key: string): Promise<unknown> =>
  (JSON.parse(Buffer.from((await store.range({ key })).kvs[0]!.value).toString()) as { apiVersion: unknown })
    .apiVersion;

const hashOf = async (call: TestServer['call'], path: string, name: string): Promise<unknown> =>
  (
    (await call('GET', path)).body as unknown as { resources: { name: string; storageVersionHash?: string }[] }
  ).resources.find((resource) => resource.name === name)?.storageVersionHash;
const hash = (text: string): string => createHash('sha256').update(text).digest().subarray(0, 8).toString('base64');

describe('the storage version', () => {
  it.each([
    ['a kind that became stable in this release', undefined, POLICIES, mutatingPolicy, 'v1beta1'],
    ['a kind that every compatible release has', undefined, DEVICE_CLASSES, { metadata: { name: 'd' } }, 'v1'],
    ['a version that came after the oldest', EMULATED_134, DEVICE_CLASSES, { metadata: { name: 'd' } }, 'v1beta2'],
  ])('of %s', async (_case, version, path, object, stored) => {
    const store = newStore();
    const call = await start(version, store);
    const { status, body } = await call('POST', path, { body: object });
    expect([status, (body as { apiVersion: string }).apiVersion]).toEqual([201, path.split('/').slice(2, 4).join('/')]);
    const [, , group, , plural] = path.split('/');
    const { name } = object.metadata;
    expect(await storedVersion(store, `/registry/${plural}/${name}`)).toBe(`${group}/${stored}`);
    const kind = (body as { kind: string }).kind;
    expect(await hashOf(call, path.slice(0, path.lastIndexOf('/')), plural!)).toBe(hash(`${group}/${stored}/${kind}`));

    // A server that starts on the store has the same object, and can change it.
    const next = await start(undefined, store);
    const read = await next('GET', `${path}/${name}`);
    expect(read.body).toEqual((await call('GET', `${path}/${name}`)).body);
    const labelled = { metadata: { labels: { a: 'b' } } };
    const patch = { headers: { 'content-type': 'application/merge-patch+json' }, body: labelled };
    expect((await next('PATCH', `${path}/${name}`, patch)).status).toBe(200);
  });

  it('is also that of protobuf', async () => {
    const store = (protobuf = newStore());
    const call = await start(undefined, store);
    expect((await call('POST', POLICIES, { body: mutatingPolicy })).status).toBe(201);
    const bytes = Buffer.from((await store.range({ key: '/registry/mutatingadmissionpolicies/m' })).kvs[0]!.value);
    expect(bytes.toString('latin1')).toContain('admissionregistration.k8s.io/v1beta1');
    const next = await start(undefined, store);
    expect((await next('GET', `${POLICIES}/m`)).body).toEqual((await call('GET', `${POLICIES}/m`)).body);
  });
});

describe('new expressions', () => {
  const NEW = 'object.spec.containers.map(c, c.name).distinct().size() > 0';
  const SORTED = 'object.spec.containers.sortBy(c, c.name).size() > 0';

  it('may use every function without emulation', async () => {
    const call = await start();
    expect((await call('POST', VALIDATING, { body: policy(NEW) })).status).toBe(201);
  });

  it.each([
    [NEW, "undeclared reference to 'distinct' (in container '')"],
    [SORTED, "undeclared reference to 'sortBy' (in container '')"],
  ])('may not use what the oldest compatible release does not know: %s', async (expression, problem) => {
    const call = await start(EMULATED_134);
    const { status, body } = await call('POST', VALIDATING, { body: policy(expression) });
    expect(status).toBe(422);
    expect(body['message']).toContain(problem);
  });

  it('of schemas and device selectors have the same limit', async () => {
    const call = await start(EMULATED_134);
    const selectors = [{ cel: { expression: '[1].distinct().size() == 1' } }];
    const refused = await call('POST', DEVICE_CLASSES, { body: { metadata: { name: 'd' }, spec: { selectors } } });
    expect(refused.status).toBe(422);
    const schema = {
      type: 'object',
      properties: { spec: { type: 'array', maxItems: 2, items: { type: 'integer' } } },
      'x-kubernetes-validations': [{ rule: 'self.spec.distinct().size() == 1' }],
    };
    const definition = {
      metadata: { name: 'things.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    };
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const answer = await call('POST', definitions, { body: definition });
    expect([answer.status, answer.body['message']]).toEqual([
      422,
      expect.stringContaining("undeclared reference to 'distinct'"),
    ]);
  });

  it('stay valid where a newer server stored them', async () => {
    const store = newStore();
    const newer = await start(undefined, store);
    expect((await newer('POST', VALIDATING, { body: policy(NEW) })).status).toBe(201);
    const older = await start(EMULATED_134, store);
    const { body } = await older('GET', `${VALIDATING}/p`);
    const stored = body as unknown as { metadata: object; spec: { validations: object[] } };
    const labelled = { ...stored, metadata: { ...stored.metadata, labels: { a: 'b' } } };
    const updated = await older('PUT', `${VALIDATING}/p`, { body: labelled });
    expect(updated.status).toBe(200);
    const changed = { ...updated.body, spec: { ...stored.spec, validations: [{ expression: SORTED }] } };
    expect((await older('PUT', `${VALIDATING}/p`, { body: changed })).status).toBe(422);
  });
});

describe('the format of a name, new in v1.34', () => {
  const name = { type: 'string', format: 'k8s-short-name' };
  const definition = {
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'array', items: name } } } },
        },
      ],
    },
  };
  const thing = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 't' }, spec: ['a.b'] };

  it.each([
    [
      'is unknown where servers of v1.33 know nothing of it',
      33,
      ['299 - "unrecognized format \\"k8s-short-name\\""'],
      201,
    ],
    ['is validated where servers of v1.34 validate it', 34, [], 422],
  ])('%s', async (_case, minCompatibility, warnings, status) => {
    const call = await start({ emulation: 36, minCompatibility });
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const defined = await call('POST', definitions, { body: definition });
    expect([defined.status, defined.warnings]).toEqual([201, warnings]);
    const things = '/apis/example.com/v1/namespaces/default/things';
    await expect.poll(async () => (await call('GET', things)).status).toBe(200);
    expect((await call('POST', things, { body: thing })).status).toBe(status);
  });
});

it('device selectors may use the fields of a feature gate that is on, or stay as they were stored', async () => {
  const classOf = (name: string) => ({
    metadata: { name },
    spec: { selectors: [{ cel: { expression: 'device.allowMultipleAllocations' } }] },
  });
  const store = newStore();
  const on = await start(undefined, store);
  expect((await on('POST', DEVICE_CLASSES, { body: classOf('d') })).status).toBe(201);
  const server = await startTestServer({ store, featureGates: { DRAConsumableCapacity: false } });
  servers.push(server);
  const refused = await server.call('POST', DEVICE_CLASSES, { body: classOf('e') });
  expect([refused.status, refused.body['message']]).toEqual([
    422,
    expect.stringContaining("undefined field 'allowMultipleAllocations'"),
  ]);
  const { body } = await server.call('GET', `${DEVICE_CLASSES}/d`);
  const labelled = { ...body, metadata: { ...body.metadata, labels: { a: 'b' } } };
  expect((await server.call('PUT', `${DEVICE_CLASSES}/d`, { body: labelled })).status).toBe(200);
});
