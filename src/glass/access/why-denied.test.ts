import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cluster } from '../../index.ts';
import { accessText } from './access-answer.ts';
import { whyDenied } from './why-denied.ts';

const RBAC = 'rbac.authorization.k8s.io';
const PODS = { group: '', plural: 'pods', namespaced: true };
let ours: Cluster;
/** Records nothing, and so answers as an API server of upstream: without the group. */
let other: Cluster;

beforeAll(async () => {
  [ours, other] = await Promise.all([Cluster.start({ nodes: 0 }), Cluster.start({ nodes: 0, tracing: false })]);
  for (const cluster of [ours, other]) {
    for (const namespace of ['a', 'b'])
      await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await cluster.apply({
      apiVersion: `${RBAC}/v1`,
      kind: 'Role',
      metadata: { name: 'reader', namespace: 'a' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }],
    });
    await cluster.apply({
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { name: 'devs', namespace: 'a' },
      roleRef: { apiGroup: RBAC, kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'Group', name: 'dev', apiGroup: RBAC }],
    });
  }
});
afterAll(() => Promise.all([ours.stop(), other.stop()]));

const GRANT = 'RoleBinding "devs/a" of Role "reader" to Group "dev"';

describe.each([
  ['an API server of ours', () => ours],
  ['any API server', () => other],
])('why denied, asked of %s', (name, cluster) => {
  const ask = (verb: string, namespace: string, more = {}) =>
    whyDenied({
      client: cluster().client,
      as: 'jane',
      asGroups: ['dev'],
      verb,
      resource: PODS,
      namespace,
      name: 'web',
      ...more,
    });

  it('names the binding and the rule that allow it', async () => {
    const { allowed, authorizers } = await ask('get', 'a');
    expect(allowed).toBe(true);
    expect(authorizers.find(({ authorizer }) => authorizer === 'RBAC')).toMatchObject({
      decision: 'allow',
      allowedBy: { grant: GRANT, rule: { verbs: ['get', 'list'] } },
    });
  });

  it.each([
    ['the verb', 'delete', 'a', 'lacks the verb delete'],
    ['the namespace', 'get', 'b', 'lacks the namespace b: it is for a'],
  ])('names the nearest rule, which lacks %s', async (_, verb, namespace, text) => {
    const answer = await ask(verb, namespace);
    expect(answer.allowed).toBe(false);
    expect(accessText(answer)).toContain(`${GRANT}: its rule [get, list of pods] ${text}`);
    if (verb === 'delete') expect(answer.remedy).toBe(`add the verb delete to that rule (${GRANT})`);
  });

  it('says that nothing is bound to a stranger', async () => {
    const answer = await ask('get', 'a', { as: 'system:anonymous', asGroups: [] });
    expect(answer.allowed).toBe(false);
  });

  it('answers for administrators and for paths', async () => {
    expect(await ask('delete', 'a', { asGroups: ['system:masters'] })).toMatchObject({ allowed: true });
    expect(await ask('get', '', { resource: '/metrics' })).toMatchObject({ allowed: false });
    expect(await ask('get', '', { resource: '/healthz' })).toMatchObject({ allowed: true });
  });

  it('says what it cannot know', async () => {
    const { unknown } = await ask('delete', 'a');
    if (name === 'any API server') expect(unknown.join()).toContain('other authorizers than RBAC');
    else expect(unknown).toEqual([]);
  });
});

describe('why denied shows no more than the asker may read', () => {
  const self = (more = {}) =>
    whyDenied({ client: ours.clientAs('jane', ['dev']), verb: 'delete', resource: PODS, namespace: 'a', ...more });

  it('tells a user about their own rules, without the names of bindings', async () => {
    const answer = await self();
    expect(answer.question).toMatchObject({ user: 'jane', groups: ['dev', 'system:authenticated'] });
    const text = JSON.stringify(answer);
    expect(text).toContain('lacks the verb delete');
    expect(text).not.toContain('devs');
    expect(text).not.toContain('reader');
  });

  it('refuses to tell about others', async () => {
    await expect(self({ as: 'paul' })).rejects.toMatchObject({ code: 403 });
    await expect(self({ as: 'jane', asGroups: ['system:masters'] })).rejects.toMatchObject({ code: 403 });
  });

  it('tells those who may create SubjectAccessReviews whether others may, without their rules', async () => {
    await ours.apply({
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'reviewers' },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'system:auth-delegator' },
      subjects: [{ kind: 'User', name: 'reviewer', apiGroup: RBAC }],
    });
    const options = {
      client: ours.clientAs('reviewer'),
      as: 'jane',
      asGroups: ['dev'],
      resource: PODS,
      namespace: 'a',
    };
    const answer = await whyDenied({ ...options, verb: 'delete' });
    expect(answer.allowed).toBe(false);
    expect(JSON.stringify(answer)).not.toMatch(/devs|reader|"list"/);
    expect((await whyDenied({ ...options, verb: 'list' })).allowed).toBe(true);
  });

  it.each([{}, { spec: 1 }, { spec: { user: {} } }, { spec: { user: 'x', groups: ['y', 1] } }, { spec: {} }])(
    'refuses the body %j',
    async (body) => {
      const path = '/apis/glass.k8ts.dev/v1alpha1/accessexplanations';
      await expect(ours.client.request({ method: 'POST', path, body })).rejects.toMatchObject({ code: 400 });
    },
  );
});
