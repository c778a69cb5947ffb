import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestAnswer, type TestServer } from '../../testing/index.ts';

let api: TestServer;

beforeAll(async () => {
  api = await startTestServer();
});
afterAll(() => api.stop());

const ROOT = '/apis/admissionregistration.k8s.io/v1';
const MAPS = '/api/v1/namespaces/default/configmaps';
const KINDS = [
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
];

beforeEach(async () => {
  for (const kind of KINDS) await api.call('DELETE', `${ROOT}/${kind}`);
  await api.call('DELETE', MAPS);
});

type Spec = Record<string, unknown>;

const RULES = {
  resourceRules: [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE', 'DELETE'], resources: ['configmaps'] },
  ],
};

async function make(plural: string, kind: string, name: string, spec: Spec): Promise<TestAnswer> {
  return api.call('POST', `${ROOT}/${plural}`, {
    body: { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name }, spec },
  });
}

async function validating(spec: Spec, binding: Spec = {}, name = 'p'): Promise<void> {
  const policy = await make('validatingadmissionpolicies', 'ValidatingAdmissionPolicy', name, {
    matchConstraints: RULES,
    ...spec,
  });
  expect(policy.status, policy.text).toBe(201);
  const bound = await make('validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding', `${name}-b`, {
    policyName: name,
    validationActions: ['Deny'],
    ...binding,
  });
  expect(bound.status, bound.text).toBe(201);
}

async function mutating(spec: Spec, binding: Spec = {}, name = 'm'): Promise<void> {
  const [rule] = RULES.resourceRules;
  const policy = await make('mutatingadmissionpolicies', 'MutatingAdmissionPolicy', name, {
    // Nothing can be mutated in what is deleted: upstream refuses DELETE here.
    matchConstraints: { resourceRules: [{ ...rule, operations: ['CREATE', 'UPDATE'] }] },
    reinvocationPolicy: 'Never',
    ...spec,
  });
  expect(policy.status, policy.text).toBe(201);
  const bound = await make('mutatingadmissionpolicybindings', 'MutatingAdmissionPolicyBinding', `${name}-b`, {
    policyName: name,
    ...binding,
  });
  expect(bound.status, bound.text).toBe(201);
}

const create = (
  name: string,
  data: Record<string, string> = {},
  more: Record<string, unknown> = {},
): Promise<TestAnswer> =>
  api.call('POST', MAPS, { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...more }, data } });

const apply = (expression: string): Spec => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const jsonPatch = (expression: string): Spec => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

describe('ValidatingAdmissionPolicy', () => {
  const denials: [name: string, validation: Spec, code: number, reason: string, message: string][] = [
    ['its message', { expression: 'false', message: 'no' }, 422, 'Invalid', 'no'],
    [
      'its expression',
      { expression: 'size(object.data) > 5' },
      422,
      'Invalid',
      'failed expression: size(object.data) > 5',
    ],
    [
      'a computed message',
      { expression: 'false', messageExpression: "'not ' + object.metadata.name" },
      422,
      'Invalid',
      'not x',
    ],
    [
      'its message when the computed one fails',
      { expression: 'false', message: 'plain', messageExpression: 'string(object.nothing.at.all)' },
      422,
      'Invalid',
      'plain',
    ],
    [
      'its message when the computed one has several lines',
      { expression: 'false', message: 'plain', messageExpression: "'a\\nb'" },
      422,
      'Invalid',
      'plain',
    ],
    ['a reason', { expression: 'false', message: 'no', reason: 'Forbidden' }, 403, 'Forbidden', 'no'],
    [
      'an error',
      { expression: "object.data.missing == 'x'" },
      422,
      'Invalid',
      "expression 'object.data.missing == 'x'' resulted in error: no such key: missing",
    ],
    [
      'too high a cost',
      { expression: "lists.range(1000).all(a, lists.range(1000).all(b, a != b || 'x' == 'y' || true))" },
      422,
      'Invalid',
      'operation cancelled: actual cost limit exceeded',
    ],
  ];
  it.each(denials)('denies with %s', async (_, validation, code, reason, message) => {
    await validating({ validations: [validation] });
    const refused = await create('x', { a: '1' });
    expect([refused.status, refused.body['reason']]).toEqual([code, reason]);
    expect(refused.body['message']).toContain(
      `configmaps "x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p-b' denied request: `,
    );
    expect(refused.body['message']).toContain(message);
    expect(refused.body['details']).toMatchObject({
      name: 'x',
      kind: 'configmaps',
      causes: [{ message: expect.stringContaining(message) as string }],
    });
    expect((await api.call('GET', `${MAPS}/x`)).status).toBe(404);
  });

  it('admits objects that satisfy it', async () => {
    await validating({
      validations: [
        {
          expression:
            "object.metadata.name.startsWith('x') && request.operation == 'CREATE' && namespaceObject.metadata.name == 'default' && oldObject == null",
        },
      ],
    });
    expect((await create('x')).status).toBe(201);
  });

  it('has no effect without a binding, nor after its binding is deleted', async () => {
    await validating({ validations: [{ expression: 'false' }] });
    expect((await create('x')).status).toBe(422);
    await api.call('DELETE', `${ROOT}/validatingadmissionpolicybindings/p-b`);
    expect((await create('x')).status).toBe(201);
  });

  it('takes effect again after every change', async () => {
    await validating({ validations: [{ expression: 'false', message: 'one' }] });
    expect((await create('x')).body['message']).toContain('one');
    await api.call('PATCH', `${ROOT}/validatingadmissionpolicies/p`, {
      body: { spec: { validations: [{ expression: 'false', message: 'two' }] } },
      contentType: 'application/merge-patch+json',
    });
    expect((await create('x')).body['message']).toContain('two');
  });

  it('warns and audits instead', async () => {
    await validating(
      { validations: [{ expression: 'false', message: 'careful' }] },
      { validationActions: ['Warn', 'Audit'] },
    );
    const created = await create('x');
    expect([created.status, created.warnings]).toEqual([
      201,
      [`299 - "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p-b': careful"`],
    ]);
  });

  it('ignores its failures with failurePolicy Ignore, but not its denials', async () => {
    await validating({ failurePolicy: 'Ignore', validations: [{ expression: "object.data.missing == 'x'" }] });
    expect((await create('x')).status).toBe(201);
    await validating({ failurePolicy: 'Ignore', validations: [{ expression: 'false' }] }, {}, 'q');
    expect((await create('y')).status).toBe(422);
  });

  it('computes variables once, also from each other', async () => {
    await validating({
      variables: [
        { name: 'size', expression: 'size(object.data)' },
        { name: 'double', expression: 'variables.size * 2' },
        { name: 'bad', expression: "object.data['nope']" },
      ],
      validations: [{ expression: 'variables.double < 4', messageExpression: "'double ' + string(variables.double)" }],
    });
    expect((await create('x', { a: '1' })).status).toBe(201);
    expect((await create('y', { a: '1', b: '2' })).body['message']).toContain('double 4');
    await validating(
      {
        variables: [{ name: 'bad', expression: "object.data['nope']" }],
        validations: [{ expression: "variables.bad == ''" }],
      },
      {},
      'q',
    );
    expect((await create('z', { a: '1' })).body['message']).toContain(
      'composited variable "bad" fails to evaluate: no such key: nope',
    );
  });

  const conditions: [name: string, expressions: string[], status: number][] = [
    ['all true', ['true', 'true'], 422],
    ['one false', ['true', 'false'], 201],
    ['one false, one erring', ["object.data.none == ''", 'false'], 201],
    ['one erring', ["object.data.none == ''"], 422],
  ];
  it.each(conditions)('with match conditions of which %s', async (_, expressions, status) => {
    await validating({
      matchConditions: expressions.map((expression, index) => ({ name: `c${index}`, expression })),
      validations: [{ expression: 'false', message: 'matched' }],
    });
    expect((await create('x', { a: '1' })).status).toBe(status);
  });

  const matches: [name: string, constraints: Spec, binding: Spec, matched: boolean][] = [
    ['everything of the rules', {}, {}, true],
    ['named objects', { resourceRules: [{ ...RULES.resourceRules[0], resourceNames: ['x'] }] }, {}, true],
    ['objects of other names', { resourceRules: [{ ...RULES.resourceRules[0], resourceNames: ['y'] }] }, {}, false],
    ['excluded resources', { excludeResourceRules: RULES.resourceRules }, {}, false],
    ['labels', { objectSelector: { matchLabels: { tier: 'gold' } } }, {}, true],
    ['other labels', { objectSelector: { matchLabels: { tier: 'silver' } } }, {}, false],
    [
      'namespaces of the binding',
      {},
      { matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } } },
      false,
    ],
    [
      'operations of the binding',
      {},
      { matchResources: { resourceRules: [{ ...RULES.resourceRules[0], operations: ['DELETE'] }] } },
      false,
    ],
  ];
  it.each(matches)('matches %s', async (_, constraints, binding, matched) => {
    await validating(
      { matchConstraints: { ...RULES, ...constraints }, validations: [{ expression: 'false' }] },
      binding,
    );
    expect((await create('x', {}, { labels: { tier: 'gold' } })).status).toBe(matched ? 422 : 201);
  });

  it('never concerns policies themselves', async () => {
    await validating({
      matchConstraints: {
        resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }],
      },
      validations: [{ expression: 'false' }],
    });
    expect((await api.call('DELETE', `${ROOT}/validatingadmissionpolicies/p`)).status).toBe(200);
  });

  it('calls the authorizer for the user', async () => {
    await validating({
      validations: [
        {
          expression:
            "authorizer.group('').resource('pods').namespace('default').check('delete').allowed() && authorizer.requestResource.check('create').allowed()",
        },
      ],
    });
    expect((await create('x')).status).toBe(201);
    await validating(
      {
        validations: [
          {
            expression: "authorizer.serviceAccount('default', 'nobody').path('/metrics').check('get').allowed()",
            message: 'nobody may not',
          },
        ],
      },
      {},
      'q',
    );
    expect((await create('y')).body['message']).toContain('nobody may not');
  });

  it('sees objects of equivalent versions', async () => {
    const rules = {
      resourceRules: [
        {
          apiGroups: ['autoscaling'],
          apiVersions: ['v1'],
          operations: ['CREATE'],
          resources: ['horizontalpodautoscalers'],
        },
      ],
    };
    await validating({
      matchConstraints: rules,
      validations: [
        { expression: 'false', messageExpression: "object.apiVersion + ' ' + request.requestKind.version" },
      ],
    });
    const body = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'h' },
      spec: { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } },
    };
    expect(
      (await api.call('POST', '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers', { body })).body[
        'message'
      ],
    ).toContain('autoscaling/v1 v2');
  });

  it('refuses expressions that do not compile', async () => {
    const refused = await make('validatingadmissionpolicies', 'ValidatingAdmissionPolicy', 'bad', {
      matchConstraints: RULES,
      validations: [{ expression: 'object.x ==' }, { expression: '1' }],
    });
    expect(refused.status).toBe(422);
    expect(refused.body['message']).toContain(
      'spec.validations[0].expression: Invalid value: "object.x ==": compilation failed: ERROR: <input>:1:12: Syntax error: ',
    );
    expect(refused.body['message']).toContain(
      'spec.validations[1].expression: Invalid value: "1": must evaluate to bool but got int',
    );
  });
});

describe('parameters', () => {
  const PARAM_KIND = { apiVersion: 'v1', kind: 'Secret' };
  const limit = {
    paramKind: PARAM_KIND,
    validations: [
      {
        expression: 'params == null || size(object.data) <= int(params.metadata.labels.max)',
        messageExpression: "'by ' + params.metadata.name",
      },
    ],
  };
  const secret = (name: string, max: string): Promise<TestAnswer> =>
    api.call('POST', '/api/v1/namespaces/default/secrets', {
      body: { apiVersion: 'v1', kind: 'Secret', metadata: { name, labels: { max, role: 'limit' } } },
    });

  beforeEach(async () => {
    await api.call('DELETE', '/api/v1/namespaces/default/secrets');
  });

  it('are found by name for each request', async () => {
    await secret('limits', '1');
    await validating(limit, { paramRef: { name: 'limits', namespace: 'default', parameterNotFoundAction: 'Deny' } });
    expect((await create('x', { a: '1' })).status).toBe(201);
    expect((await create('y', { a: '1', b: '2' })).body['message']).toContain('by limits');
    await api.call('DELETE', '/api/v1/namespaces/default/secrets/limits');
    expect((await create('y', { a: '1' })).body['message']).toContain(
      'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
    );
  });

  it('are found by labels, all of them', async () => {
    await secret('wide', '5');
    await secret('narrow', '1');
    await validating(limit, {
      paramRef: { selector: { matchLabels: { role: 'limit' } }, parameterNotFoundAction: 'Allow' },
    });
    expect((await create('x', { a: '1', b: '2' })).body['message']).toContain('by narrow');
  });

  it('may be missing when the binding allows it', async () => {
    await validating(limit, { paramRef: { name: 'limits', namespace: 'default', parameterNotFoundAction: 'Allow' } });
    expect((await create('x', { a: '1', b: '2' })).status).toBe(201);
  });

  it('are null without a reference', async () => {
    await validating(limit);
    expect((await create('x', { a: '1', b: '2' })).status).toBe(201);
  });

  it('of an unknown kind fail the policy', async () => {
    await validating({
      paramKind: { apiVersion: 'ghost.example/v1', kind: 'Ghost' },
      validations: [{ expression: 'true' }],
    });
    expect((await create('x')).body['message']).toBe(
      `configmaps "x" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'ghost.example/v1, Kind=Ghost'`,
    );
  });
});

describe('MutatingAdmissionPolicy', () => {
  it('merges a configuration', async () => {
    await mutating({
      mutations: [
        apply(
          "Object{metadata: Object.metadata{labels: {'added': request.userInfo.username}}, data: {'n': string(size(object.data))}}",
        ),
      ],
    });
    const created = await create('x', { a: '1' });
    expect(created.status, created.text).toBe(201);
    expect([created.body.metadata.labels, created.body['data']]).toEqual([{ added: 'admin' }, { a: '1', n: '1' }]);
  });

  it('runs mutations one after the other, and other policies after it', async () => {
    await mutating(
      { mutations: [apply("Object{data: {'b': '2'}}"), apply("Object{data: {'c': object.data.b + '3'}}")] },
      {},
      'a',
    );
    await mutating(
      { mutations: [jsonPatch("[JSONPatch{op: 'add', path: '/data/d', value: object.data.c + '4'}]")] },
      {},
      'b',
    );
    expect((await create('x')).body['data']).toEqual({ b: '2', c: '23', d: '234' });
  });

  it('merges lists by their keys', async () => {
    await mutating({
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      },
      mutations: [
        apply(
          "Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, env: [Object.spec.containers.env{name: 'ADDED', value: c.image}]})}}",
        ),
      ],
    });
    const body = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: {
        containers: [
          { name: 'a', image: 'one' },
          { name: 'b', image: 'two', env: [{ name: 'OWN', value: '1' }] },
        ],
      },
    };
    const created = await api.call('POST', '/api/v1/namespaces/default/pods?dryRun=All', { body });
    expect(created.status, created.text).toBe(201);
    const containers = (created.body['spec'] as { containers: { env: unknown }[] }).containers.map(({ env }) => env);
    expect(containers).toEqual([
      [{ name: 'ADDED', value: 'one' }],
      [
        { name: 'OWN', value: '1' },
        { name: 'ADDED', value: 'two' },
      ],
    ]);
  });

  const failures: [name: string, mutation: Spec, message: string][] = [
    [
      'a configuration of what it is not',
      apply("Object{data: ['a']}"),
      'error applying patch: failed to convert patch object to typed object: ',
    ],
    ['a field that is none', apply("Object{nope: 'a'}"), '.nope: field not declared in schema'],
    [
      'a misplaced type',
      apply('Object{metadata: Object.wrong{}}'),
      'type mismatch: unexpected type name "Object.wrong", expected "Object.metadata", which matches field name path from root Object type',
    ],
    [
      'a patch that does not fit',
      jsonPatch("[JSONPatch{op: 'remove', path: '/data/none'}]"),
      "JSON Patch: error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value",
    ],
    ['an error', apply("Object{data: {'a': object.data.none}}"), 'resulted in error: no such key: none'],
  ];
  it.each(failures)('fails the request with %s', async (_, mutation, message) => {
    await mutating({ mutations: [mutation] });
    const refused = await create('x', { a: '1' });
    expect([refused.status, refused.body['reason']]).toEqual([403, 'Invalid']);
    expect(refused.body['message']).toContain(`policy 'm' with binding 'm-b' denied request: `);
    expect(refused.body['message']).toContain(message);
  });

  it('ignores its failures with failurePolicy Ignore', async () => {
    await mutating({
      failurePolicy: 'Ignore',
      mutations: [apply("Object{data: {'a': object.data.none}}"), apply("Object{data: {'b': '2'}}")],
    });
    expect((await create('x', { a: '1' })).body['data']).toEqual({ a: '1', b: '2' });
  });

  it('does not change atomic fields', async () => {
    await mutating({
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      },
      mutations: [apply("Object{spec: Object.spec{nodeSelector: {'pool': 'a'}}}")],
    });
    const body = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'a', image: 'one' }] },
    };
    expect((await api.call('POST', '/api/v1/namespaces/default/pods', { body })).body['message']).toBe(
      "policy 'm' with binding 'm-b' denied request: error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.nodeSelector",
    );
  });

  it('leaves the object when a test in a patch fails', async () => {
    await mutating({
      mutations: [
        jsonPatch(
          "[JSONPatch{op: 'test', path: '/data/a', value: '2'}, JSONPatch{op: 'add', path: '/data/b', value: 'x'}]",
        ),
      ],
    });
    expect((await create('x', { a: '1' })).body['data']).toEqual({ a: '1' });
  });

  it('refuses the object when the path of a test operation does not exist', async () => {
    await mutating({ mutations: [jsonPatch("[JSONPatch{op: 'test', path: '/nope/a', value: '2'}]")] });
    expect((await create('x', { a: '1' })).body['message']).toContain(
      'JSON Patch: test operation does not apply: is missing path: /nope/a: missing value',
    );
  });

  it('runs again when a later policy changed the object and reinvocationPolicy allows it', async () => {
    await mutating(
      { reinvocationPolicy: 'IfNeeded', mutations: [apply("Object{data: {'counted': string(size(object.data))}}")] },
      {},
      'a',
    );
    await mutating({ mutations: [apply("Object{data: {'late': 'yes'}}")] }, {}, 'b');
    expect((await create('x', { a: '1' })).body['data']).toEqual({ a: '1', counted: '3', late: 'yes' });
  });
});
