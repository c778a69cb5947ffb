import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OwnerReference } from '../../api/generated/meta-v1.ts';
import { isNotFound } from '../../client/index.ts';
import { SeededRandom } from '../../kernel/index.ts';
import { convergesWhenKilledAtEveryWrite, startFixture, type ControllerFixture } from '../testing/index.ts';

let fixture: ControllerFixture;

beforeAll(async () => {
  fixture = await startFixture({ controllers: ['garbage-collector-controller'] });
});
afterAll(() => fixture.stop());

const configMaps = () => fixture.client.resource('v1/configmaps');

interface Place {
  namespace?: string;
  owners?: OwnerReference[];
  finalizers?: string[];
}

async function make(
  name: string,
  { namespace = 'default', owners = [], finalizers = [] }: Place = {},
): Promise<OwnerReference> {
  const { metadata } = await configMaps().create({
    metadata: { name, namespace, ownerReferences: owners, finalizers },
  });
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid: metadata.uid! };
}

const read = async (name: string, namespace = 'default') => {
  try {
    return await configMaps().get({ namespace, name });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

const areGone = (names: readonly string[]) => async (): Promise<boolean> =>
  (await Promise.all(names.map((name) => read(name)))).every((object) => object === undefined);

const remove = (name: string, propagationPolicy: 'Background' | 'Foreground' | 'Orphan') =>
  configMaps().delete({ namespace: 'default', name }, { propagationPolicy });

describe('garbage-collector-controller', () => {
  it('removes dependents after their owner, over several generations', async () => {
    await fixture.start();
    const owner = await make('bg');
    const child = await make('bg-child', { owners: [owner] });
    await make('bg-grandchild', { owners: [child] });
    await fixture.advance(1_000);
    expect(fixture.writes).toEqual([]);
    await remove('bg', 'Background');
    await fixture.until('gone', areGone(['bg', 'bg-child', 'bg-grandchild']), 1_000);
  });

  it('keeps a dependent while one owner exists, and removes the reference to the other', async () => {
    await fixture.start();
    const one = await make('one');
    const two = await make('two');
    await make('of-both', { owners: [one, two] });
    await remove('one', 'Background');
    await fixture.until(
      'one reference',
      async () => (await read('of-both'))?.metadata.ownerReferences?.length === 1,
      1_000,
    );
    await remove('two', 'Background');
    await fixture.until('gone', areGone(['of-both']), 1_000);
  });

  it.each([
    [
      'an owner that never was',
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'ghost', uid: '00000000-0000-4000-8000-000000000001' },
    ],
    [
      'an owner of another uid',
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'kube-root-ca.crt', uid: '00000000-0000-4000-8000-000000000002' },
    ],
  ])('collects dependents of %s', async (_, owner) => {
    await fixture.start();
    await make('dangling', { owners: [owner] });
    await fixture.until('gone', areGone(['dangling']), 1_000);
  });

  it('ignores dependents of an unknown kind', async () => {
    await fixture.start();
    await make('mystery', {
      owners: [
        { apiVersion: 'example.com/v1', kind: 'Nothing', name: 'x', uid: '00000000-0000-4000-8000-000000000003' },
      ],
    });
    await fixture.advance(120_000);
    expect(await read('mystery')).toBeDefined();
    expect(fixture.writes).toEqual([]);
  });

  it('treats an owner in another namespace as absent, and records an event', async () => {
    await fixture.start();
    const owner = await make('elsewhere', { namespace: 'kube-public' });
    await fixture.advance(1_000);
    await make('abroad', { owners: [owner] });
    await fixture.until('gone', areGone(['abroad']), 1_000);
    const { items } = await fixture.client
      .resource('v1/events')
      .list({ namespace: 'default', fieldSelector: 'involvedObject.name=abroad' });
    expect(items.map(({ reason, message }) => [reason, message])).toEqual([
      [
        'OwnerRefInvalidNamespace',
        `ownerRef [v1/ConfigMap, namespace: default, name: elsewhere, uid: ${owner.uid}] does not exist in namespace "default"`,
      ],
    ]);
    expect(await read('elsewhere', 'kube-public')).toBeDefined();
  });

  it('collects dependents that it sees only after their owner is deleted', async () => {
    await fixture.stopControllers();
    const owner = await make('before');
    await make('left', { owners: [owner] });
    await remove('before', 'Background');
    await fixture.start();
    await fixture.until('gone', areGone(['left']), 1_000);
  });

  it('keeps a foreground owner until blocking dependents are gone', async () => {
    await fixture.start();
    const owner = await make('fg');
    await make('fg-blocks', { owners: [{ ...owner, blockOwnerDeletion: true }], finalizers: ['example.com/hold'] });
    await make('fg-free', { owners: [owner] });
    await fixture.advance(100);
    await remove('fg', 'Foreground');
    await fixture.until('free one gone', areGone(['fg-free']), 1_000);
    expect((await read('fg'))?.metadata.finalizers).toEqual(['foregroundDeletion']);
    await configMaps().patch(
      { namespace: 'default', name: 'fg-blocks' },
      { metadata: { finalizers: null } },
      { type: 'merge' },
    );
    await fixture.until('gone', areGone(['fg', 'fg-blocks']), 1_000);
  });

  it('opens a circle of objects that wait for each other', async () => {
    await fixture.start();
    const a = await make('circle-a');
    const b = await make('circle-b', { owners: [{ ...a, blockOwnerDeletion: true }] });
    await configMaps().patch(
      { namespace: 'default', name: 'circle-a' },
      { metadata: { ownerReferences: [{ ...b, blockOwnerDeletion: true }] } },
      { type: 'merge' },
    );
    await fixture.advance(100);
    await remove('circle-a', 'Foreground');
    await fixture.until('gone', areGone(['circle-a', 'circle-b']), 5_000);
  });

  it('orphans', async () => {
    await fixture.start();
    const owner = await make('parent');
    await make('orphan', { owners: [owner] });
    await fixture.advance(100);
    await remove('parent', 'Orphan');
    await fixture.until('gone', areGone(['parent']), 1_000);
    expect((await read('orphan'))?.metadata.ownerReferences).toBeUndefined();
  });

  it('reaches the correct state from random graphs and deletions', async () => {
    for (const seed of [1, 2, 3]) {
      const random = new SeededRandom(seed);
      await fixture.stopControllers();
      const references: OwnerReference[] = [];
      const owners = new Map<string, string[]>();
      for (let i = 0; i < 40; i++) {
        const mine = references.filter(() => random.next() < 1.5 / (references.length + 1)).slice(0, 3);
        const name = `forest-${seed}-${i}`;
        references.push(
          await make(name, { owners: mine.map((o) => ({ ...o, blockOwnerDeletion: random.next() < 0.5 })) }),
        );
        owners.set(
          name,
          mine.map((o) => o.name),
        );
      }
      await fixture.start();
      await fixture.advance(100);
      const doomed = references.filter(() => random.next() < 0.3);
      for (const { name } of doomed)
        await remove(name, random.next() < 0.5 ? 'Background' : 'Foreground').catch((error: unknown) =>
          expect(isNotFound(error)).toBe(true),
        );
      await fixture.advance(10_000);
      const dead = new Set(doomed.map(({ name }) => name));
      for (const [name, mine] of owners) if (mine.length > 0 && mine.every((owner) => dead.has(owner))) dead.add(name);
      for (const name of owners.keys())
        expect([name, (await read(name)) === undefined]).toEqual([name, dead.has(name)]);
      const { length } = fixture.writes;
      await fixture.advance(60_000);
      expect(fixture.writes).toHaveLength(length);
    }
  });

  it('ends the same wherever it is killed', async () => {
    const kills = await convergesWhenKilledAtEveryWrite({
      fixture,
      async arrange(name) {
        const fg = await make(`${name}-fg`);
        await make(`${name}-blocks`, { owners: [{ ...fg, blockOwnerDeletion: true }] });
        const parent = await make(`${name}-parent`);
        await make(`${name}-orphan`, { owners: [parent] });
        await remove(`${name}-fg`, 'Foreground');
        await remove(`${name}-parent`, 'Orphan');
      },
      converged: async (name) =>
        (await areGone([`${name}-fg`, `${name}-blocks`, `${name}-parent`])()) &&
        (await read(`${name}-orphan`))?.metadata.ownerReferences === undefined &&
        (await read(`${name}-orphan`)) !== undefined,
    });
    expect(kills).toBeGreaterThanOrEqual(8);
  });
});
