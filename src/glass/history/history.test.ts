import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cluster, historyText } from '../../index.ts';
import { changesBetween, withoutSecrets } from './changes.ts';
import { clusterRevisionAt, revisionAt } from './history.ts';

let cluster: Cluster;
const labels = { app: 'web' };
const web = (image: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } },
  },
});

beforeAll(async () => {
  cluster = await Cluster.start({ clock: { startTime: '2026-01-01T00:00:00Z' }, seed: 1 });
  await cluster.apply(web('web:1'));
  await cluster.waitFor('deployment/web', 'Available');
  await cluster.clock.advance('10m');
  await cluster.apply(web('web:2'));
  await cluster.waitFor('deployment/web', 'Available');
});
afterAll(() => cluster.stop());

describe('the history of an object', () => {
  it('says who changed what, when and why', async () => {
    const { revisions } = await cluster.history('deployment/web');
    expect(revisions.at(-1)).toMatchObject({ event: 'created', user: 'kubernetes-admin', manager: 'k8ts' });
    const image = revisions.find(({ changes }) => changes.some(({ path }) => path.endsWith('.image')))!;
    expect(image).toMatchObject({ event: 'updated', user: 'kubernetes-admin', time: '2026-01-01T00:10:00Z' });
    expect(image.changes).toContainEqual({
      path: '.spec.template.spec.containers[0].image',
      before: 'web:1',
      after: 'web:2',
    });
    const status = revisions.find(({ user }) => user?.endsWith(':deployment-controller'))!;
    expect(status).toMatchObject({ cause: 'reconcile deployment default/web' });
    expect(revisions.map(({ revision }) => revision)).toEqual(
      revisions.map(({ revision }) => revision).toSorted((a, b) => b - a),
    );
    const text = historyText(await cluster.history('deployment/web'));
    expect(text).toContain('~ .spec.template.spec.containers[0].image: "web:1" -> "web:2"');
  });

  it('has the object as it was', async () => {
    const history = await cluster.history('deployment/web');
    const then = revisionAt(history, Date.parse('2026-01-01T00:05:00Z'));
    expect(JSON.stringify(then?.object)).toContain('web:1');
    expect(revisionAt(history, Date.parse('2025-01-01T00:00:00Z'))).toBeUndefined();
  });

  it('goes on after its deletion', async () => {
    const maps = cluster.client.resource('v1/configmaps');
    await maps.create({ metadata: { name: 'gone', namespace: 'default' }, data: { a: '1' } });
    await maps.delete({ namespace: 'default', name: 'gone' });
    await maps.create({ metadata: { name: 'gone', namespace: 'default' }, data: { a: '2' } });
    await maps.delete({ namespace: 'default', name: 'gone' });
    const { revisions } = await cluster.history('configmap/gone');
    expect(revisions.map(({ event }) => event)).toEqual(['deleted', 'created']);
    expect(revisions[1]?.object).toMatchObject({ data: { a: '2' } });
    expect((await cluster.history('configmap/never')).revisions).toEqual([]);
  });

  it('ends where the store has dropped older revisions', async () => {
    const own = await Cluster.start({ clock: 'virtual', nodes: 0, controllers: [], history: '10m' });
    const maps = own.client.resource('v1/configmaps');
    const place = { name: 'kept', namespace: 'default' };
    await maps.create({ metadata: place, data: { n: '0' } });
    await maps.update({ metadata: place, data: { n: '1' } });
    const eventsOf = async () => (await own.history('configmap/kept')).revisions.map(({ event }) => event);
    await own.clock.advance('9m');
    expect(await eventsOf()).toEqual(['updated', 'created']);
    await own.clock.advance('11m');
    expect(await eventsOf()).toEqual(['oldest']);
    await own.stop();
  });

  it('is bounded', async () => {
    expect((await cluster.history('deployment/web', { limit: 2 })).revisions).toHaveLength(2);
  });
});

describe('the cluster as it was', () => {
  it('reads objects, lists and tables of that revision, and refuses the rest', async () => {
    const maps = cluster.client.resource('v1/configmaps');
    const place = { name: 'past', namespace: 'default' };
    const first = await maps.create({ metadata: place, data: { n: '0' } });
    await maps.update({ metadata: place, data: { n: '1' } });
    await maps.create({ metadata: { name: 'later', namespace: 'default' } });
    const past = cluster.at(Number(first.metadata.resourceVersion));
    const then = past.resource('v1/configmaps');
    expect(await then.get(place)).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { n: '0' } });
    const { items } = await then.list({ namespace: 'default' });
    expect(items.map(({ metadata }) => metadata.name)).not.toContain('later');
    await expect(then.get({ ...place, name: 'later' })).rejects.toThrow('configmaps "later" not found');
    await expect(then.delete(place)).rejects.toThrow('it cannot be changed');
    await expect(then.watch()[Symbol.asyncIterator]().next()).rejects.toThrow('there is nothing to watch');
    expect(await past.resource('v1/namespaces').get({ name: 'default' })).toMatchObject({ kind: 'Namespace' });
    await expect(past.request({ method: 'GET', path: '/api/v1/namespaces/default/pods/x/log' })).rejects.toThrow(
      'the past has objects only',
    );
    expect((await past.request({ method: 'GET', path: '/version' })).status).toBe(200);
  });

  it('is refused to those who may not read it now', async () => {
    await expect(cluster.clientAs('bob').resource('v1/configmaps').list({ namespace: 'default' })).rejects.toThrow(
      'User "bob" cannot list',
    );
  });
});

describe('changes', () => {
  it.each([
    ['a field that was added', {}, { a: 1 }, [{ path: '.a', after: 1 }]],
    ['a field that was removed', { a: 1 }, {}, [{ path: '.a', before: 1 }]],
    [
      'a list',
      { a: [1, 2] },
      { a: [1, 3, 4] },
      [
        { path: '.a[1]', before: 2, after: 3 },
        { path: '.a[2]', after: 4 },
      ],
    ],
    ['a key with dots', { a: { 'x.y/z': 1 } }, { a: { 'x.y/z': 2 } }, [{ path: '.a["x.y/z"]', before: 1, after: 2 }]],
    ['nothing but the version', { metadata: { resourceVersion: '1' } }, { metadata: { resourceVersion: '2' } }, []],
  ])('of %s', (_, before, after, expected) => {
    expect(changesBetween(before, after)).toEqual(expected);
  });

  it('hide the values of Secrets', () => {
    const changes = changesBetween({ data: { a: 'x' }, type: 'Opaque' }, { data: { a: 'y', b: 'z' }, type: 'Other' });
    expect(withoutSecrets('Secret', changes)).toEqual([
      { path: '.data.a', before: '(hidden)', after: '(hidden)' },
      { path: '.data.b', after: '(hidden)' },
      { path: '.type', before: 'Opaque', after: 'Other' },
    ]);
    expect(withoutSecrets('ConfigMap', changes)).toEqual(changes);
  });
});

it('finds the revision of a time', () => {
  const commit = (revision: number, endedAt: number) => ({
    ...{ id: revision, name: 'commit', startedAt: endedAt, endedAt, parent: 0, causes: [], traceId: '', spanId: '' },
    attributes: { 'etcd.revision': revision },
  });
  const spans = [commit(5, 1000), commit(6, 2000)];
  expect([999, 1000, 1999, 5000].map((time) => clusterRevisionAt(spans, time))).toEqual([undefined, 5, 5, 6]);
});
