/** Generated roles and bindings, and what generated users may do with them. */
import type { Area, AreaOptions, Conversation, Step } from '../conversation.ts';
import { Random } from '../random.ts';

const GROUP = '/apis/rbac.authorization.k8s.io/v1';
const RESOURCES = [
  'pods',
  'configmaps',
  'secrets',
  'pods/status',
  'pods/*',
  '*',
  'deployments',
  'services',
  'nodes',
  '*/scale',
  'pods/log',
  'serviceaccounts/token',
];
const VERBS = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
  '*',
  'impersonate',
  'escalate',
  'bind',
  'nope',
];
const GROUPS = ['', 'apps', '*', 'nope.example.com'];
const USERS = [
  'alice',
  'bob',
  'system:serviceaccount:$NS:default',
  'system:anonymous',
  'system:node:n',
  'system:kube-scheduler',
];

export const rbac: Area = { weight: 5, conversations };

function* conversations({ seed, kinds }: AreaOptions): Generator<Conversation> {
  if (kinds.length > 0 && !kinds.includes('roles')) return;
  for (let round = 0; ; round++) yield conversation(new Random(`${seed}/${round}`));
}

function policyRule(random: Random): object {
  if (random.chance(0.1)) return { nonResourceURLs: [random.pick(['/metrics', '/logs/*', '*', '/'])], verbs: ['get'] };
  const named = random.chance(0.2) ? { resourceNames: random.pick([['c'], ['c', 'd'], ['']]) } : {};
  return {
    apiGroups: random.some(GROUPS, 0.5),
    resources: random.some(RESOURCES, 0.3),
    verbs: random.some(VERBS, 0.3),
    ...named,
  };
}

function subject(random: Random): object {
  return random.pick([
    { kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' },
    { kind: 'Group', name: 'devs', apiGroup: 'rbac.authorization.k8s.io' },
    { kind: 'ServiceAccount', name: 'default', namespace: '$NS' },
    { kind: 'User', name: 'ünï' },
    { kind: 'Nope', name: 'x' },
    { kind: 'User', name: '' },
    { kind: 'ServiceAccount', name: 'default' },
    { kind: 'Group', name: 'devs', namespace: 'x' },
  ]);
}

function as(random: Random, user = random.pick(USERS)): Record<string, string> {
  const group: string = random.pick(['', '', 'devs', 'system:authenticated', 'system:serviceaccounts']);
  return { 'impersonate-user': user, 'impersonate-group': group };
}

function conversation(random: Random): Conversation {
  const role = {
    metadata: { name: 'r-$RUN' },
    rules: Array.from({ length: random.pick([1, 2, 3]) }, () => policyRule(random)),
  };
  const subjects = Array.from({ length: random.pick([1, 2]) }, () => subject(random));
  const cluster = random.chance(0.4);
  const reference = { apiGroup: 'rbac.authorization.k8s.io', kind: cluster ? 'ClusterRole' : 'Role', name: 'r-$RUN' };
  const namespaced = `${GROUP}/namespaces/$NS`;
  const steps: Step[] = [
    { method: 'POST', path: '/api/v1/namespaces/$NS/configmaps', body: { metadata: { name: 'c' } }, setup: true },
    { method: 'POST', path: cluster ? `${GROUP}/clusterroles` : `${namespaced}/roles`, body: role },
    {
      method: 'POST',
      path: `${namespaced}/rolebindings`,
      body: { metadata: { name: 'b' }, roleRef: reference, subjects },
    },
    // Always there, and made last: it shows when the server has seen the others.
    {
      method: 'POST',
      path: `${namespaced}/roles`,
      body: { metadata: { name: 'canary' }, rules: [{ apiGroups: [''], resources: ['limitranges'], verbs: ['list'] }] },
      setup: true,
    },
    {
      method: 'POST',
      path: `${namespaced}/rolebindings`,
      body: {
        metadata: { name: 'canary' },
        roleRef: { ...reference, kind: 'Role', name: 'canary' },
        subjects: [{ kind: 'User', name: 'canary', apiGroup: 'rbac.authorization.k8s.io' }],
      },
      setup: true,
    },
    {
      method: 'GET',
      path: '/api/v1/namespaces/$NS/limitranges',
      headers: { 'impersonate-user': 'canary', 'impersonate-group': '' },
      until: 200,
      setup: true,
    },
    ...Array.from({ length: 10 }, () => attempt(random)),
    ...Array.from({ length: 3 }, () => escalation(random)),
    ...Array.from({ length: 3 }, () => review(random)),
    ...Array.from({ length: 3 }, (): Step => ({
      method: 'GET',
      path: random.pick(['/metrics', '/logs/x', '/version', '/healthz', '/apis', '/openapi/v2', '/nope', '/']),
      headers: as(random),
      about: 'not a resource',
      only: (body) => ((body as { kind?: string } | undefined)?.kind === 'Status' ? body : typeof body),
    })),
    ...random.some(ODD_CALLERS, 0.4).map((headers): Step => ({
      method: 'GET',
      path: '/api/v1/namespaces/$NS/configmaps/c',
      headers,
      about: 'who calls',
    })),
  ];
  return {
    topic: 'rbac',
    namespace: true,
    steps,
    cleanup: [{ method: 'DELETE', path: `${GROUP}/clusterroles/r-$RUN` }],
  };
}

const ODD_CALLERS: readonly Record<string, string>[] = [
  { 'impersonate-user': '', 'impersonate-group': 'devs' },
  { 'impersonate-user': 'alice', 'impersonate-group': '', 'impersonate-uid': 'u' },
  { 'impersonate-user': 'alice', 'impersonate-group': '', 'impersonate-extra-scopes': 'view' },
  { 'impersonate-user': '', 'impersonate-group': '', 'impersonate-uid': 'u' },
  { 'impersonate-user': 'system:serviceaccount:x', 'impersonate-group': '' },
  { 'impersonate-user': 'system:anonymous', 'impersonate-group': '' },
  // A header has the bytes of UTF-8.
  { 'impersonate-user': Buffer.from('ünï').toString('latin1'), 'impersonate-group': '' },
  { authorization: 'Bearer nope' },
  { authorization: 'Basic eDp5' },
  { authorization: 'Nope' },
];

function attempt(random: Random): Step {
  const [collection, body] = random.pick([
    ['/api/v1/namespaces/$NS/configmaps', { metadata: { name: 'd' } }],
    ['/api/v1/namespaces/$NS/secrets', { metadata: { name: 'd' } }],
    ['/api/v1/namespaces/$NS/pods', { metadata: { name: 'd' }, spec: { containers: [{ name: 'c', image: 'i' }] } }],
    ['/apis/apps/v1/namespaces/$NS/deployments', {}],
    ['/api/v1/nodes', {}],
    ['/api/v1/namespaces', { metadata: { name: 'd-$RUN' } }],
    ['/apis/nope.example.com/v1/namespaces/$NS/nopes', {}],
  ] as const);
  const headers = as(random);
  return random.pick<() => Step>([
    () => ({ method: 'GET', path: collection, headers, about: 'list', only: itemsLeftOut }),
    () => ({ method: 'GET', path: `${collection}/c`, headers, about: 'get' }),
    () => ({ method: 'POST', path: `${collection}?dryRun=All`, body, headers, about: 'create' }),
    () => ({ method: 'DELETE', path: `${collection}/c?dryRun=All`, headers, about: 'delete' }),
    () => ({
      method: 'DELETE',
      path: `${collection}?dryRun=All&labelSelector=nope`,
      headers,
      about: 'deletecollection',
    }),
    () => ({
      method: 'PATCH',
      path: `${collection}/c?dryRun=All`,
      body: {},
      headers: { ...headers, 'content-type': 'application/merge-patch+json' },
      about: 'patch',
    }),
    () => ({ method: 'GET', path: `${collection}/c/status`, headers, about: 'status' }),
    () => ({
      method: 'GET',
      path: `${collection}?watch=true&timeoutSeconds=1&labelSelector=nope`,
      headers,
      watch: true,
      about: 'watch',
    }),
  ])();
}

function itemsLeftOut(body: unknown): unknown {
  const { kind, items } = (body ?? {}) as { kind?: string; items?: unknown };
  return Array.isArray(items) ? { kind } : body;
}

function escalation(random: Random): Step {
  const rules = [policyRule(random)];
  const headers = as(random, 'alice');
  return random.pick<() => Step>([
    () => ({
      method: 'POST',
      path: `${GROUP}/namespaces/$NS/roles?dryRun=All`,
      body: { metadata: { name: 'e' }, rules },
      headers,
      about: 'escalation',
    }),
    () => ({
      method: 'POST',
      path: `${GROUP}/namespaces/$NS/rolebindings?dryRun=All`,
      body: {
        metadata: { name: 'e' },
        roleRef: {
          apiGroup: 'rbac.authorization.k8s.io',
          kind: 'ClusterRole',
          name: random.pick(['view', 'cluster-admin', 'nope']),
        },
        subjects: [],
      },
      headers,
      about: 'escalation',
    }),
    () => ({
      method: 'PATCH',
      path: `${GROUP}/namespaces/$NS/rolebindings/b?dryRun=All`,
      body: { roleRef: { name: 'other' } },
      headers: { 'content-type': 'application/merge-patch+json' },
      about: 'another roleRef',
    }),
  ])();
}

function review(random: Random): Step {
  const attributes = {
    verb: random.pick(VERBS),
    resource: random.pick(RESOURCES).split('/')[0],
    group: random.pick(GROUPS),
    namespace: random.pick(['$NS', '', 'default']),
    ...(random.chance(0.2) ? { subresource: 'status' } : {}),
    ...(random.chance(0.2) ? { fieldSelector: { rawSelector: random.pick(['a=b', '!', 'metadata.name=x']) } } : {}),
    ...(random.chance(0.2)
      ? {
          labelSelector: {
            requirements: [{ key: 'a', operator: random.pick(['In', 'Exists', 'Nope']), values: ['b'] }],
          },
        }
      : {}),
  };
  const spec = {
    ...(random.chance(0.8) ? { resourceAttributes: attributes } : {}),
    ...(random.chance(0.2) ? { nonResourceAttributes: { path: '/metrics', verb: 'get' } } : {}),
  };
  const base = '/apis/authorization.k8s.io/v1';
  return random.pick<() => Step>([
    () => ({
      method: 'POST',
      path: `${base}/subjectaccessreviews`,
      body: { spec: { ...spec, user: random.pick([...USERS, '']), groups: random.pick([[], ['devs']]) } },
      about: 'review',
    }),
    () => ({
      method: 'POST',
      path: `${base}/selfsubjectaccessreviews`,
      body: { spec },
      headers: as(random),
      about: 'review',
    }),
    () => ({
      method: 'POST',
      path: `${base}/namespaces/$NS/localsubjectaccessreviews`,
      body: { metadata: { namespace: random.pick(['$NS', 'other']) }, spec: { ...spec, user: 'alice' } },
      about: 'review',
    }),
    () => ({
      method: 'POST',
      path: `${base}/selfsubjectrulesreviews`,
      body: { spec: { namespace: random.pick(['$NS', '', 'default']) } },
      headers: as(random),
      about: 'rules',
    }),
    () => ({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      body: {},
      headers: as(random),
      about: 'who am I',
    }),
    () => ({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/tokenreviews',
      body: { spec: { token: random.pick(['', 'nope', 'a.b.c']), audiences: random.pick([[], ['x']]) } },
      about: 'token',
    }),
  ])();
}
