import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cluster } from '../../index.ts';

const API = '/apis/glass.k8ts.dev/v1alpha1';
let cluster: Cluster;

beforeAll(async () => {
  cluster = await Cluster.start({ nodes: 0 });
  for (const namespace of ['a', 'b']) {
    await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await cluster.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `of-${namespace}`, namespace } });
  }
  await cluster.apply({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'glass', namespace: 'a' },
    rules: [{ apiGroups: ['glass.k8ts.dev'], resources: ['spans', 'traces'], verbs: ['get', 'list'] }],
  });
  await cluster.apply({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'glass', namespace: 'a' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'glass' },
    subjects: [{ kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' }],
  });
});
afterAll(() => cluster.stop());

interface Spans {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly { readonly span: { readonly id: number; readonly attributes: Record<string, unknown> } }[];
}

const read = async <T>(path: string, user?: string): Promise<T> => {
  const client = user === undefined ? cluster.client : cluster.clientAs(user);
  const [plain = '', query = ''] = path.split('?');
  const parameters = Object.fromEntries(new URLSearchParams(query));
  return (await client.request({ method: 'GET', path: `${API}${plain}`, query: parameters })).body as T;
};

/** All pages. */
async function readAll(path: string, user?: string): Promise<Spans> {
  const items: Spans['items'][number][] = [];
  for (let since = '0'; ;) {
    const page = await read<Spans>(`${path}?since=${since}`, user);
    items.push(...page.items);
    if (page.metadata.continue === undefined) return { metadata: page.metadata, items };
    since = page.metadata.continue;
  }
}

describe('the API group glass.k8ts.dev', () => {
  it('is in discovery', async () => {
    const { resources } = await read<{ resources: { name: string }[] }>('');
    expect(resources.map(({ name }) => name)).toEqual([
      'spans',
      'traces',
      'explanations',
      'histories',
      'decisions',
      'requests',
      'accessexplanations',
    ]);
    const { body } = await cluster.client.request({ method: 'GET', path: '/apis' });
    expect((body as { groups: { name: string }[] }).groups.map(({ name }) => name)).toContain('glass.k8ts.dev');
  });

  it('shows everything to those who may see everything', async () => {
    const { items, metadata } = await readAll('/spans');
    const names = items.map(({ span }) => span.attributes['k8s.object.name']);
    expect(names).toEqual(expect.arrayContaining(['of-a', 'of-b']));
    expect(await read<Spans>(`/spans?since=${metadata.resourceVersion}`)).toMatchObject({ items: [] });
    const request = items.find(({ span }) => span.attributes['k8s.verb'] === 'patch')!;
    expect(await read(`/traces/${request.span.id}`)).toMatchObject({
      kind: 'Trace',
      trace: { root: { span: { id: request.span.id } } },
    });
  });

  it('shows a namespace to those who may see it, and nothing else', async () => {
    const { items } = await readAll('/namespaces/a/spans', 'alice');
    expect(items.length).toBeGreaterThan(0);
    expect(items.map(({ span }) => span.attributes['k8s.object.name'])).toContain('of-a');
    expect(JSON.stringify(items)).not.toContain('of-b');
    await expect(read('/spans', 'alice')).rejects.toThrow('User "alice" cannot list resource "spans"');
    await expect(read('/namespaces/b/spans', 'alice')).rejects.toThrow('in the namespace "b"');
    const other = (await readAll('/spans')).items.find(({ span }) => span.attributes['k8s.object.name'] === 'of-b')!;
    await expect(read(`/namespaces/a/spans/${other.span.id}`, 'alice')).rejects.toThrow('not found');
    await expect(read(`/namespaces/a/traces/${other.span.id}`, 'alice')).rejects.toThrow('not found');
  });

  it('shows no more at once than other requests can wait for', async () => {
    const configMaps = cluster.client.resource('v1/configmaps');
    for (let i = 0; i < 600; i++) await configMaps.create({ metadata: { name: `many-${i}`, namespace: 'b' } });
    expect((await read<Spans>('/spans')).items).toHaveLength(500);
    const { items } = await read<Spans>('/traces');
    expect(items).toHaveLength(500);
    expect(items.at(-1)!.span.id).toBeGreaterThan(items[0]!.span.id);
  });

  it('tells only what is new, and leaves out components', async () => {
    const { metadata } = await read<Spans & { metadata: { resourceVersion: string } }>('/traces');
    await cluster.client.resource('v1/configmaps').create({ metadata: { name: 'newer', namespace: 'b' } });
    const named = async (query: string): Promise<unknown[]> =>
      (await read<Spans>(`/traces?${query}`)).items.map(({ span }) => span.attributes['k8s.object.name']);
    expect(await named(`since=${metadata.resourceVersion}&components=false`)).toEqual(['newer']);
    const users = (await read<Spans>('/traces?components=false')).items.map(({ span }) => span.attributes['user.name']);
    expect(users.filter((user) => String(user).startsWith('system:'))).toEqual([]);
    expect(users.length).toBeGreaterThan(0);
  });

  it.each([
    ['/spans?since=x', 400],
    ['/traces?since=x', 400],
    ['/spans/x', 404],
    ['/traces/99999999', 404],
    ['/constructor', 404],
  ])('%s is refused', async (path, code) => {
    await expect(read(path)).rejects.toMatchObject({ code });
  });
});

describe('what the glass shows is read as the user who asks', () => {
  const RBAC = 'rbac.authorization.k8s.io';
  const permit = async (user: string, rules: object[], namespace = 'b'): Promise<void> => {
    await cluster.apply([
      { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: { name: user, namespace }, rules },
      {
        apiVersion: `${RBAC}/v1`,
        kind: 'RoleBinding',
        metadata: { name: user, namespace },
        roleRef: { apiGroup: RBAC, kind: 'Role', name: user },
        subjects: [{ kind: 'User', name: user, apiGroup: RBAC }],
      },
    ]);
  };
  const rule = (verbs: string[], resources: string[]): object => ({ apiGroups: [''], verbs, resources });

  beforeAll(async () => {
    await cluster.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'key', namespace: 'b' },
      stringData: { p: 'hunter2' },
    });
    await cluster.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'key', namespace: 'b' },
      stringData: { p: 'hunter3' },
    });
    await cluster.addNodes(1, {
      prefix: 'hidden',
      node: { taints: [{ key: 'only', effect: 'NoSchedule' }] } as object,
    });
    await cluster.waitFor('node/hidden-0', 'Ready');
    await cluster.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'stuck', namespace: 'b' },
      spec: { containers: [{ name: 'main', image: 'web:1', envFrom: [{ secretRef: { name: 'key' } }] }] },
    });
    await cluster.waitFor('pod/stuck', 'PodScheduled=False', { namespace: 'b' });
    await permit('pods', [rule(['get', 'list'], ['pods'])]);
    await permit('lister', [rule(['list'], ['secrets'])]);
    await permit('secrets', [rule(['get', 'list'], ['secrets'])]);
  });

  it.each([
    ['an explanation', '/namespaces/b/explanations/pods:stuck'],
    ['a history', '/namespaces/b/histories/pods:stuck'],
    ['a decision', '/namespaces/b/decisions/stuck'],
    ['all decisions', '/namespaces/b/decisions'],
    ['a history of a Secret', '/namespaces/b/histories/secrets:key'],
  ])('%s needs the right to read the object', async (_, path) => {
    await expect(read(path, 'stranger')).rejects.toMatchObject({ code: 403 });
    await expect(read('/spans', 'stranger')).rejects.toMatchObject({ code: 403 });
  });

  it('is open to every authenticated user, without a role that other clusters lack', async () => {
    const may = async (verb: string, resource: string, user: string, groups = ['system:authenticated']) => {
      const review = await cluster.client.resource('authorization.k8s.io/v1/subjectaccessreviews').create({
        metadata: {},
        spec: { user, groups, resourceAttributes: { verb, group: 'glass.k8ts.dev', resource, namespace: 'b' } },
      });
      return review.status?.allowed;
    };
    expect(await may('get', 'explanations', 'stranger')).toBe(true);
    expect(await may('create', 'accessexplanations', 'stranger')).toBe(true);
    expect(await may('get', 'explanations', 'system:anonymous', ['system:unauthenticated'])).toBe(false);
    for (const [verb, resource] of [
      ['list', 'requests'],
      ['get', 'spans'],
      ['delete', 'explanations'],
      ['get', 'constructor'],
      ['*', '*'],
    ] as const)
      expect(await may(verb, resource, 'stranger'), `${verb} ${resource}`).toBe(false);
    const rules = await cluster
      .clientAs('stranger')
      .resource('authorization.k8s.io/v1/selfsubjectrulesreviews')
      .create({ metadata: {}, spec: { namespace: 'b' } });
    expect(JSON.stringify(rules)).not.toContain('glass');
    const { items } = await cluster.client.resource(`${RBAC}/v1/clusterroles`).list();
    expect(items.filter(({ metadata }) => metadata.name?.includes('glass'))).toEqual([]);
  });

  it('a list of explanations has what the asker may list', async () => {
    interface Explanations {
      readonly items: readonly { readonly metadata: object; readonly status: { readonly healthy: boolean } }[];
    }
    expect((await read<Explanations>('/namespaces/b/explanations', 'stranger')).items).toEqual([]);
    const { items } = await read<Explanations>('/namespaces/b/explanations', 'pods');
    expect(items).toMatchObject([{ metadata: { name: 'pods:stuck', namespace: 'b' }, status: { healthy: false } }]);
  });

  it('names of nodes are for those who may list nodes', async () => {
    for (const path of ['/namespaces/b/explanations/pods:stuck', '/namespaces/b/decisions/stuck']) {
      expect(JSON.stringify(await read(path))).toContain('hidden-');
      const shown = JSON.stringify(await read(path, 'pods'));
      expect(shown).not.toContain('hidden-');
      expect(shown).toContain('0/1 nodes are available');
    }
  });

  it('who wrote an object is for those who may get spans', async () => {
    const path = '/namespaces/b/histories/pods:stuck';
    expect(JSON.stringify(await read(path))).toContain('kubernetes-admin');
    expect(JSON.stringify(await read(path, 'pods'))).not.toContain('kubernetes-admin');
  });

  it('values of Secrets are for those who may get the Secret', async () => {
    const path = '/namespaces/b/histories/secrets:key?includeObject=Object';
    const [old, now] = ['hunter2', 'hunter3'].map((text) => Buffer.from(text).toString('base64'));
    const listed = JSON.stringify(await read(path, 'lister'));
    expect(listed).not.toContain(old);
    expect(listed).not.toContain(now);
    expect(JSON.stringify(await read(path, 'secrets'))).toContain(now);
    expect(JSON.stringify(await read('/namespaces/b/histories/secrets:key'))).not.toContain(now);
    await expect(read('/namespaces/b/histories/secrets:key', 'pods')).rejects.toMatchObject({ code: 403 });
  });

  it.each([
    ['/namespaces/b/explanations/pods', 400],
    ['/namespaces/b/explanations/:x', 400],
    ['/namespaces/b/explanations/nodes:x', 400],
    ['/explanations/pods:stuck', 400],
    ['/namespaces/b/explanations/constructor:x', 404],
    ['/namespaces/b/explanations/pods:gone', 404],
    ['/namespaces/b/histories/pods:stuck?limit=x', 400],
    ['/namespaces/b/decisions/gone', 404],
    ['/requests/gone', 404],
    ['/accessexplanations', 405],
    ['/namespaces/b/histories', 405],
    ['/explanations?watch=true', 405],
  ])('%s is refused', async (path, code) => {
    await expect(read(path)).rejects.toMatchObject({ code });
  });

  it('is in OpenAPI, and has Tables', async () => {
    const get = async (path: string, headers = {}): Promise<unknown> =>
      (await cluster.client.request({ method: 'GET', path, headers })).body;
    const { paths, definitions } = (await get('/openapi/v2')) as { paths: object; definitions: Record<string, object> };
    expect(paths).toHaveProperty([`${API}/namespaces/{namespace}/explanations/{name}`]);
    expect(definitions['dev.k8ts.glass.v1alpha1.Explanation']).toMatchObject({
      properties: { status: { type: 'object' } },
    });
    const index = (await get('/openapi/v3')) as { paths: Record<string, { serverRelativeURL: string }> };
    const document = await get(index.paths['apis/glass.k8ts.dev/v1alpha1']!.serverRelativeURL.split('?')[0]!);
    expect(document).toHaveProperty([
      'components',
      'schemas',
      'dev.k8ts.glass.v1alpha1.Request',
      'properties',
      'status',
    ]);
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
    expect(await get(`${API}/namespaces/b/explanations`, { accept })).toMatchObject({
      kind: 'Table',
      columnDefinitions: [
        { name: 'Name' },
        { name: 'Healthy' },
        { name: 'State' },
        { name: 'Reason' },
        { name: 'Message' },
      ],
      rows: [{ cells: ['pods:stuck', false, 'Pending', 'Unschedulable', expect.stringContaining('0/')] }],
    });
  });
});
