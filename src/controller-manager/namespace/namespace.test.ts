import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isNotFound } from '../../client/index.ts';
import { convergesWhenKilledAtEveryWrite, startFixture, type ControllerFixture } from '../testing/index.ts';

let fixture: ControllerFixture;

beforeAll(async () => {
  fixture = await startFixture({ controllers: ['namespace-controller'] });
});
afterAll(() => fixture.stop());

const namespaces = () => fixture.client.resource('v1/namespaces');
const configMaps = () => fixture.client.resource('v1/configmaps');

const isGone = async (name: string): Promise<boolean> => {
  try {
    await namespaces().get({ name });
    return false;
  } catch (error) {
    return isNotFound(error);
  }
};

async function makeNamespace(name: string): Promise<void> {
  await namespaces().create({ metadata: { name } });
  await configMaps().create({ metadata: { name: 'a', namespace: name } });
  await fixture.client.resource('v1/secrets').create({ metadata: { name: 'b', namespace: name } });
}

describe('namespace-controller', () => {
  it('removes an empty namespace within 100 ms', async () => {
    await fixture.start();
    await namespaces().create({ metadata: { name: 'empty' } });
    await namespaces().delete({ name: 'empty' });
    await fixture.until('gone', () => isGone('empty'), 100);
  });

  it('ignores a namespace that is not being deleted', async () => {
    await fixture.start();
    await makeNamespace('stays');
    await fixture.advance(60_000);
    expect(fixture.writes).toEqual([]);
    expect(await isGone('stays')).toBe(false);
  });

  it('reports the finalizers of the content once, and continues when they are removed', async () => {
    await fixture.start();
    await makeNamespace('held');
    await configMaps().create({ metadata: { name: 'c', namespace: 'held', finalizers: ['example.com/hold'] } });
    await namespaces().delete({ name: 'held' });
    await fixture.until(
      'conditions',
      async () => (await namespaces().get({ name: 'held' })).status?.conditions?.length === 5,
    );
    const { status } = await namespaces().get({ name: 'held' });
    expect(status?.conditions?.map(({ type, status: value, message }) => [type, value, message])).toEqual([
      ['NamespaceDeletionDiscoveryFailure', 'False', 'All resources successfully discovered'],
      ['NamespaceDeletionGroupVersionParsingFailure', 'False', 'All legacy kube types successfully parsed'],
      ['NamespaceDeletionContentFailure', 'False', 'All content successfully deleted, may be waiting on finalization'],
      ['NamespaceContentRemaining', 'True', 'Some resources are remaining: configmaps. has 1 resource instances'],
      [
        'NamespaceFinalizersRemaining',
        'True',
        'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
      ],
    ]);
    const statusWrites = () => fixture.writes.filter((w) => w.path.endsWith('/status')).length;
    const before = statusWrites();
    await fixture.advance(120_000);
    expect(statusWrites()).toBe(before);
    await configMaps().patch({ namespace: 'held', name: 'c' }, { metadata: { finalizers: null } }, { type: 'merge' });
    await fixture.until('gone', () => isGone('held'), 1_000);
  });

  it('deletes pods first and waits for their grace period', async () => {
    await fixture.start();
    await makeNamespace('pods');
    await fixture.client.resource('v1/pods').create({
      metadata: { name: 'p', namespace: 'pods' },
      spec: { nodeName: 'ghost', terminationGracePeriodSeconds: 30, containers: [{ name: 'c', image: 'i' }] },
    });
    await namespaces().delete({ name: 'pods' });
    await fixture.until(
      'conditions',
      async () => (await namespaces().get({ name: 'pods' })).status?.conditions?.length === 5,
    );
    expect((await configMaps().list({ namespace: 'pods' })).items).toHaveLength(1);
    await fixture.client.resource('v1/pods').delete({ namespace: 'pods', name: 'p' }, { gracePeriodSeconds: 0 });
    await fixture.until('gone', () => isGone('pods'), 1_000);
  });

  it('leaves finalizers in the metadata to their owners', async () => {
    await fixture.start();
    await namespaces().create({ metadata: { name: 'own', finalizers: ['example.com/hold'] } });
    await namespaces().delete({ name: 'own' });
    await fixture.until(
      'emptied',
      async () => (await namespaces().get({ name: 'own' })).spec?.finalizers === undefined,
    );
    const { length } = fixture.writes;
    await fixture.advance(60_000);
    expect(fixture.writes).toHaveLength(length);
    await namespaces().patch({ name: 'own' }, { metadata: { finalizers: null } }, { type: 'merge' });
    expect(await isGone('own')).toBe(true);
  });

  it('ends the same wherever it is killed', async () => {
    const kills = await convergesWhenKilledAtEveryWrite({
      fixture,
      async arrange(name) {
        await makeNamespace(name);
        await namespaces().delete({ name });
      },
      converged: isGone,
    });
    expect(kills).toBeGreaterThan(6);
  });
});
