/** Admission policies: their own validation, and what they do to requests. */
import type { Area, AreaOptions, Conversation, Step } from '../conversation.ts';
import { someExpression, type Roots } from '../expressions.ts';
import { Random } from '../random.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const ROOTS: Roots = {
  ints: ['size(object.data)', 'object.metadata.generation', 'size(request.name)'],
  strings: [
    'object.metadata.name',
    'request.operation',
    'object.data["color"]',
    'request.userInfo.username',
    'namespaceObject.metadata.name',
  ],
  bools: [
    'object.immutable',
    'request.dryRun',
    'has(object.data)',
    'oldObject == null',
    'authorizer.group("").resource("pods").check("get").allowed()',
  ],
  lists: ['request.userInfo.groups', 'object.metadata.finalizers'],
  maps: ['object.data', 'object.metadata.labels'],
};
const OWN = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': '$NS' } } };
const RULE = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] };
/** A server looks for new mutating policies once a second, apart from the validating ones. */
const MUTATING_SEEN_AFTER_MS = 1500;
const TRIES = 12;

export const policies: Area = { weight: 5, conversations };

function* conversations({ seed, kinds }: AreaOptions): Generator<Conversation> {
  if (kinds.length > 0 && !kinds.includes('validatingadmissionpolicies')) return;
  for (let round = 0; ; round++) {
    const random = new Random(`${seed}/${round}`);
    yield random.pick([definitions, validating, mutating])(random);
  }
}

function maybe(random: Random, value: object, probability = 0.25): object {
  return random.chance(probability) ? value : {};
}

function validation(random: Random): object {
  return {
    expression: someExpression(random, ROOTS),
    ...maybe(random, { message: random.pick(['no', '', 'a\nb']) }),
    ...maybe(random, {
      messageExpression: random.pick([
        '"said " + object.metadata.name',
        '1',
        'nope',
        '""',
        'string(size(object.data))',
      ]),
    }),
    ...maybe(random, {
      reason: random.pick(['Forbidden', 'Invalid', 'Unauthorized', 'RequestEntityTooLarge', 'Nope']),
    }),
  };
}

function policySpec(random: Random): object {
  return {
    matchConstraints: {
      ...OWN,
      resourceRules: [
        {
          ...RULE,
          ...maybe(random, { operations: [random.pick(['*', 'Nope', 'DELETE', 'CONNECT'])] }, 0.1),
          ...maybe(random, { scope: random.pick(['*', 'Namespaced', 'Cluster', 'Nope']) }, 0.2),
        },
      ],
      ...maybe(random, { matchPolicy: random.pick(['Exact', 'Equivalent', 'Nope']) }, 0.2),
    },
    validations: Array.from({ length: random.pick([0, 1, 1, 2]) }, () => validation(random)),
    ...maybe(random, { failurePolicy: random.pick(['Fail', 'Ignore', 'Nope']) }, 0.4),
    ...maybe(random, {
      matchConditions: [{ name: random.pick(['a', 'B C', '']), expression: someExpression(random, ROOTS) }],
    }),
    ...maybe(random, {
      variables: [{ name: random.pick(['x', '1x', '', 'x-y']), expression: someExpression(random, ROOTS) }],
    }),
    ...maybe(random, {
      auditAnnotations: [
        {
          key: random.pick(['k', 'a b', '']),
          valueExpression: random.pick(['"v"', '1', 'nope', 'string(size(object.data))']),
        },
      ],
    }),
    ...maybe(
      random,
      {
        paramKind: random.pick([
          { apiVersion: 'v1', kind: 'ConfigMap' },
          { kind: 'X' },
          { apiVersion: 'nope/v1', kind: 'Nope' },
        ]),
      },
      0.1,
    ),
  };
}

function mutation(random: Random): object {
  return random.pick([
    () => ({
      patchType: 'ApplyConfiguration',
      applyConfiguration: {
        expression: random.pick([
          'Object{metadata: Object.metadata{labels: Object.metadata.labels{added: "yes"}}}',
          'Object{data: {"a": "b"}}',
          'Object{nope: 1}',
          '1',
          'Object{metadata: Object.metadata{name: "x"}}',
          'Object{',
        ]),
      },
    }),
    () => ({
      patchType: 'JSONPatch',
      jsonPatch: {
        expression: random.pick([
          '[JSONPatch{op: "add", path: "/data/added", value: "yes"}]',
          '[JSONPatch{op: "remove", path: "/nope"}]',
          '[JSONPatch{op: "nope", path: "/data/a"}]',
          '[]',
          '[1]',
          'JSONPatch{}',
          '[JSONPatch{op: "add", path: "/metadata/labels", value: {"a": "b"}}]',
          '[JSONPatch{op: "test", path: "/data/color", value: "red"}, ' +
            'JSONPatch{op: "add", path: "/data/" + jsonpatch.escapeKey("a/b"), value: "c"}]',
        ]),
      },
    }),
    () => ({ patchType: random.pick(['Nope', '']), applyConfiguration: { expression: 'Object{}' } }),
    () => ({ patchType: 'JSONPatch' }),
  ])();
}

function mutatingSpec(random: Random): object {
  const { validations: _, auditAnnotations: __, ...spec } = policySpec(random) as Record<string, unknown>;
  return {
    ...spec,
    reinvocationPolicy: random.pick(['Never', 'IfNeeded', 'Never', 'Nope']),
    mutations: Array.from({ length: random.pick([0, 1, 1, 2]) }, () => mutation(random)),
  };
}

function definitions(random: Random): Conversation {
  const steps = Array.from({ length: 10 }, (): Step => {
    const [plural, spec] = random.chance(0.6)
      ? ['validatingadmissionpolicies', policySpec(random)]
      : ['mutatingadmissionpolicies', mutatingSpec(random)];
    return {
      method: 'POST',
      path: `${GROUP}/${plural}?dryRun=All`,
      body: { metadata: { name: 'p-$RUN' }, spec },
      about: JSON.stringify(spec).slice(0, 200),
    };
  });
  const bindings = Array.from({ length: 4 }, (): Step => {
    const spec = {
      ...maybe(random, { policyName: random.pick(['p', 'BAD!', '']) }, 0.9),
      ...maybe(
        random,
        {
          validationActions: random.pick([
            ['Deny'],
            ['Audit', 'Warn'],
            ['Deny', 'Warn'],
            [],
            ['Nope'],
            ['Deny', 'Deny'],
          ]),
        },
        0.9,
      ),
      ...maybe(random, {
        paramRef: random.pick([
          { name: 'x' },
          { name: 'x', parameterNotFoundAction: 'Deny' },
          { selector: {}, name: 'x' },
          { parameterNotFoundAction: 'Nope', name: 'x' },
        ]),
      }),
      ...maybe(random, { matchResources: OWN }),
    };
    const plural = random.pick(['validatingadmissionpolicybindings', 'mutatingadmissionpolicybindings']);
    return {
      method: 'POST',
      path: `${GROUP}/${plural}?dryRun=All`,
      body: { metadata: { name: 'b-$RUN' }, spec },
      about: 'binding',
    };
  });
  return { topic: 'definitions', namespace: true, steps: [...steps, ...bindings] };
}

const config = (random: Random, name: string): object => ({
  metadata: {
    name,
    ...maybe(random, { labels: { a: random.pick(['b', 'red']) } }),
    ...maybe(random, { finalizers: ['example.com/x'] }, 0.1),
  },
  ...maybe(random, { data: random.pick([{ color: 'red' }, { color: 'a', size: '3' }, {}, { a: 'b' }]) }, 0.8),
  ...maybe(random, { immutable: random.chance(0.5) }, 0.2),
});

/** Requests while the policy is in force: it is when a request that the canary refuses is refused, on both servers. */
function inForce(random: Random, kind: 'Validating' | 'Mutating', spec: object, bindingSpec: object): Conversation {
  const plural = `${kind.toLowerCase()}admissionpolicies`;
  const bindings = `${kind.toLowerCase()}admissionpolicybindings`;
  const collection = '/api/v1/namespaces/$NS/configmaps';
  const canary = {
    matchConstraints: { ...OWN, resourceRules: [{ ...RULE, resources: ['secrets'] }] },
    validations: [{ expression: 'false' }],
  };
  const post = (at: string, name: string, content: object, more: Partial<Step> = {}): Step => ({
    method: 'POST',
    path: `${GROUP}/${at}`,
    body: { metadata: { name }, spec: content },
    ...more,
  });
  const tries = Array.from({ length: TRIES }, (_, i): Step => ({
    method: 'POST',
    path: `${collection}${random.pick(['?dryRun=All', ''])}`,
    body: config(random, `c${i}`),
    about: JSON.stringify(spec),
  }));
  return {
    topic: kind.toLowerCase(),
    namespace: true,
    steps: [
      { method: 'POST', path: collection, body: { metadata: { name: 'params' }, data: { limit: '3' } }, setup: true },
      post(plural, 'p-$RUN', spec, { only: withoutStatus }),
      post(bindings, 'b-$RUN', bindingSpec),
      // Made last, and therefore seen last.
      post('validatingadmissionpolicies', 'canary-$RUN', canary, { setup: true }),
      post(
        'validatingadmissionpolicybindings',
        'canary-$RUN',
        { policyName: 'canary-$RUN', validationActions: ['Deny'] },
        { setup: true },
      ),
      {
        method: 'POST',
        path: '/api/v1/namespaces/$NS/secrets?dryRun=All',
        body: { metadata: { name: 's' } },
        until: 422,
        setup: true,
        ...(kind === 'Mutating' ? { pauseMs: MUTATING_SEEN_AFTER_MS } : {}),
      },
      ...tries,
    ],
    cleanup: [
      `${plural}/p-$RUN`,
      `${bindings}/b-$RUN`,
      'validatingadmissionpolicies/canary-$RUN',
      'validatingadmissionpolicybindings/canary-$RUN',
    ].map((path) => ({ method: 'DELETE', path: `${GROUP}/${path}` })),
  };
}

function validating(random: Random): Conversation {
  const spec = {
    matchConstraints: { ...OWN, resourceRules: [RULE] },
    validations: [validation(random), validation(random)],
    ...maybe(random, { failurePolicy: 'Ignore' }, 0.3),
    ...maybe(random, { matchConditions: [{ name: 'a', expression: someExpression(random, ROOTS) }] }, 0.3),
    ...maybe(random, { variables: [{ name: 'x', expression: someExpression(random, ROOTS) }] }),
  };
  const actions = random.pick([['Deny'], ['Warn'], ['Audit'], ['Deny', 'Audit'], ['Warn', 'Audit']]);
  return inForce(random, 'Validating', spec, { policyName: 'p-$RUN', validationActions: actions });
}

function mutating(random: Random): Conversation {
  const spec = {
    matchConstraints: { ...OWN, resourceRules: [RULE] },
    reinvocationPolicy: random.pick(['Never', 'IfNeeded']),
    mutations: [mutation(random)],
    ...maybe(random, { failurePolicy: 'Ignore' }, 0.3),
  };
  return inForce(random, 'Mutating', spec, { policyName: 'p-$RUN' });
}

/** Type checking is a controller's. */
function withoutStatus(body: unknown): unknown {
  const { status: _, ...rest } = (body ?? {}) as { status?: unknown; kind?: string };
  return rest.kind === 'Status' ? body : rest;
}
