/** Kinds and versions that are off by default, on a server that serves everything. */
import { createSign, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setFeatureGates as featureGates } from '../../machinery/index.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';

const NAMESPACE = '/namespaces/default';
const DEVICES = '/apis/resource.k8s.io';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    servesVersion: () => true,
    featureGates: featureGates({ AllAlpha: 'true', AllBeta: 'true' }),
  });
});
afterAll(() => server.stop());

const post = (collection: string, apiVersion: string, kind: string, object: object) =>
  server.call('POST', collection, { body: { apiVersion, kind, ...object } });

it('a validating admission policy of v1beta1 is one of v1, with a warning', async () => {
  const path = (version: string): string => `/apis/admissionregistration.k8s.io/${version}/validatingadmissionpolicies`;
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] };
  const spec = { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'true' }] };
  const { status, body, warnings } = await post(
    path('v1beta1'),
    'admissionregistration.k8s.io/v1beta1',
    'ValidatingAdmissionPolicy',
    { metadata: { name: 'beta' }, spec },
  );
  expect([status, body['apiVersion'], body['spec']]).toEqual([
    201,
    'admissionregistration.k8s.io/v1beta1',
    expect.objectContaining({ failurePolicy: 'Fail' }),
  ]);
  expect(warnings).toEqual([
    '299 - "admissionregistration.k8s.io/v1beta1 ValidatingAdmissionPolicy is deprecated in v1.31+, unavailable in v1.34+"',
  ]);
  const stored = await server.call('GET', `${path('v1')}/beta`);
  expect(stored.body).toMatchObject({ apiVersion: 'admissionregistration.k8s.io/v1', spec: body['spec'] });
  expect(stored.warnings).toEqual([]);
  await server.call('DELETE', `${path('v1beta1')}/beta`);
});

describe('a claim of v1beta1', () => {
  it('has the fields of its request in the request, and in `exactly` in v1', async () => {
    const { status, body, warnings } = await post(
      `${DEVICES}/v1beta1${NAMESPACE}/resourceclaims`,
      'resource.k8s.io/v1beta1',
      'ResourceClaim',
      { metadata: { name: 'beta' }, spec: { devices: { requests: [{ name: 'r', deviceClassName: 'c' }] } } },
    );
    expect(status).toBe(201);
    expect(warnings).toEqual([
      '299 - "resource.k8s.io/v1beta1 ResourceClaim is deprecated in v1.35+, unavailable in v1.38+"',
    ]);
    const request = { name: 'r', deviceClassName: 'c', allocationMode: 'ExactCount', count: 1 };
    expect(body['spec']).toEqual({ devices: { requests: [request] } });
    const { name, ...exactly } = request;
    for (const version of ['v1', 'v1beta2']) {
      const stored = (await server.call('GET', `${DEVICES}/${version}${NAMESPACE}/resourceclaims/beta`)).body;
      expect(stored).toMatchObject({
        apiVersion: `resource.k8s.io/${version}`,
        spec: { devices: { requests: [{ name, exactly }] } },
      });
    }
  });

  it('is refused in the words of v1', async () => {
    const { body } = await post(
      `${DEVICES}/v1beta1${NAMESPACE}/resourceclaims`,
      'resource.k8s.io/v1beta1',
      'ResourceClaim',
      { metadata: { name: 'bad' }, spec: { devices: { requests: [{ name: 'r', count: 2 }] } } },
    );
    expect(body['message']).toContain('spec.devices.requests[0].exactly.deviceClassName: Required value');
  });

  it('keeps the owners of its fields when another version is applied', async () => {
    const apply = (version: string, manager: string, requests?: object) =>
      server.call('PATCH', `${DEVICES}/${version}${NAMESPACE}/resourceclaimtemplates/t?fieldManager=${manager}`, {
        contentType: 'application/apply-patch+yaml',
        body: {
          apiVersion: `resource.k8s.io/${version}`,
          kind: 'ResourceClaimTemplate',
          metadata: { name: 't', labels: { [manager]: 'yes' } },
          ...(requests ? { spec: { spec: { devices: { requests } } } } : {}),
        },
      });
    await apply('v1beta1', 'one', [{ name: 'r', deviceClassName: 'c' }]);
    const { body } = await apply('v1', 'two');
    const owners = body.metadata.managedFields!.map(({ manager, apiVersion }) => `${manager} ${apiVersion}`);
    expect(owners.sort()).toEqual(['one resource.k8s.io/v1beta1', 'two resource.k8s.io/v1']);
  });
});

it('a slice of v1beta1 has what describes a device in `basic`', async () => {
  const spec = { driver: 'd.io', pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, nodeName: 'n' };
  const basic = { attributes: { a: { int: 1 } } };
  await post(`${DEVICES}/v1beta1/resourceslices`, 'resource.k8s.io/v1beta1', 'ResourceSlice', {
    metadata: { name: 's' },
    spec: { ...spec, devices: [{ name: 'd', basic }] },
  });
  const { body } = await server.call('GET', `${DEVICES}/v1/resourceslices/s`);
  expect(body['spec']).toEqual({ ...spec, devices: [{ name: 'd', ...basic }] });
  const back = await server.call('GET', `${DEVICES}/v1beta1/resourceslices/s`);
  expect(back.body['spec']).toEqual({ ...spec, devices: [{ name: 'd', basic }] });
});

describe('a PodGroup', () => {
  const SCHEDULING = '/apis/scheduling.k8s.io/v1alpha2';
  const create = (name: string, spec: object) =>
    post(`${SCHEDULING}${NAMESPACE}/podgroups`, 'scheduling.k8s.io/v1alpha2', 'PodGroup', { metadata: { name }, spec });

  it('gets a finalizer and a priority', async () => {
    const { body } = await create('plain', { schedulingPolicy: { gang: { minCount: 2 } } });
    expect(body.metadata.finalizers).toEqual(['scheduling.k8s.io/podgroup-protection']);
    expect(body['spec']).toMatchObject({ disruptionMode: 'Pod', priority: 0 });
  });

  it('needs the template that it names', async () => {
    const workload = (workloadName: string, podGroupTemplateName: string) =>
      create('of-workload', {
        schedulingPolicy: { basic: {} },
        podGroupTemplateRef: { workload: { workloadName, podGroupTemplateName } },
      });
    expect((await workload('w', 't')).body['message']).toBe(
      'podgroups.scheduling.k8s.io "of-workload" is forbidden: PodGroup rejected: Workload "w" not found',
    );
    await post(`${SCHEDULING}${NAMESPACE}/workloads`, 'scheduling.k8s.io/v1alpha2', 'Workload', {
      metadata: { name: 'w' },
      spec: { podGroupTemplates: [{ name: 't', schedulingPolicy: { basic: {} } }] },
    });
    expect((await workload('w', 'u')).body['message']).toContain('PodGroupTemplate "u" not found in Workload "w"');
    expect((await workload('w', 't')).status).toBe(201);
  });

  it('has the priority of its class', async () => {
    const { body } = await create('other', { schedulingPolicy: { basic: {} }, priorityClassName: 'nope' });
    expect(body['message']).toContain('no PriorityClass with name nope was found');
  });
});

describe('a PodCertificateRequest', () => {
  const COLLECTION = `/apis/certificates.k8s.io/v1beta1${NAMESPACE}/podcertificaterequests`;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const SPEC = {
    ...{ signerName: 'example.com/s', podName: 'p', podUID: 'u', serviceAccountName: 'a', serviceAccountUID: 'v' },
    ...{ nodeName: 'n', nodeUID: 'w' },
    pkixPublicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    proofOfPossession: createSign('sha256').update('u').sign(privateKey).toString('base64'),
  };
  const create = (name: string, change: object = {}) =>
    post(COLLECTION, 'certificates.k8s.io/v1beta1', 'PodCertificateRequest', {
      metadata: { name },
      spec: { ...SPEC, ...change },
    });

  it('proves that the pod has the key', async () => {
    expect((await create('right')).body['spec']).toMatchObject({ maxExpirationSeconds: 86_400 });
    const { body } = await create('wrong', { podUID: 'other' });
    expect(body['message']).toContain('spec.proofOfPossession: Invalid value: could not verify');
  });

  it('is denied by those who may sign only', async () => {
    const denial = { type: 'Denied', status: 'True', reason: 'No', message: '' };
    const deny = (user?: { name: string; groups: string[] }) =>
      server.call('PATCH', `${COLLECTION}/right/status`, {
        contentType: 'application/merge-patch+json',
        body: { status: { conditions: [{ ...denial, lastTransitionTime: '2026-01-01T00:00:00Z' }] } },
        ...(user ? { user } : {}),
      });
    await post('/apis/rbac.authorization.k8s.io/v1/clusterroles', 'rbac.authorization.k8s.io/v1', 'ClusterRole', {
      metadata: { name: 'pcr' },
      rules: [{ apiGroups: ['certificates.k8s.io'], resources: ['podcertificaterequests/status'], verbs: ['patch'] }],
    });
    await post(
      '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
      'rbac.authorization.k8s.io/v1',
      'ClusterRoleBinding',
      {
        metadata: { name: 'pcr' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'pcr' },
        subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'nobody' }],
      },
    );
    const { status, body } = await deny({ name: 'nobody', groups: ['system:authenticated'] });
    expect([status, body['message']]).toEqual([
      422,
      'PodCertificateRequest.certificates.k8s.io "right" is invalid: spec.signerName: Forbidden: User "nobody" is not permitted to "sign" for signer "example.com/s"',
    ]);
    expect((await deny()).status).toBe(200);
  });
});

it('a trust bundle is named after its signer and has CA certificates', async () => {
  const create = (name: string, spec: object) =>
    post(
      '/apis/certificates.k8s.io/v1alpha1/clustertrustbundles',
      'certificates.k8s.io/v1alpha1',
      'ClusterTrustBundle',
      {
        metadata: { name },
        spec,
      },
    );
  const { body } = await create('a', { signerName: 'example.com/s', trustBundle: 'no PEM' });
  expect(body['message']).toContain('must be named with prefix example.com:s:');
  expect(body['message']).toContain('spec.trustBundle: Invalid value: "<value omitted>": at least one trust anchor');
});
