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
    expect(resources.map(({ name }) => name)).toEqual(['spans', 'traces']);
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

  it.each([
    ['/spans?since=x', 400],
    ['/spans/x', 404],
    ['/traces/99999999', 404],
    ['/constructor', 404],
  ])('%s is refused', async (path, code) => {
    await expect(read(path)).rejects.toMatchObject({ code });
  });
});
