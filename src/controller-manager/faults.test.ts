/** Many controllers at once, on random work, while a third of their writes fail: the end state is right all the same. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeededRandom } from '../kernel/index.ts';
import { startFixture, type ControllerFixture } from './testing/index.ts';

let fixture: ControllerFixture;
beforeAll(async () => {
  fixture = await startFixture({ controllers: ['*'], config: { rootCa: 'ca' } });
});
afterAll(() => fixture.stop());

describe('controllers under faults', () => {
  it.each([1, 2, 3, 4])('converge with seed %i', async (seed) => {
    const { client } = fixture;
    const random = new SeededRandom(seed);
    const namespace = `faults-${seed}`;
    await fixture.start({ rate: 0.33, random });
    await client.resource('v1/namespaces').create({ metadata: { name: namespace } });
    await fixture.advance(1_000);
    const bound = 1 + random.integer(4);
    for (let i = 0; i < bound; i++) {
      const storageClassName = `${namespace}-${i}`;
      await client.resource('v1/persistentvolumes').create({
        metadata: { name: storageClassName },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          storageClassName,
          hostPath: { path: '/x' },
        },
      });
      await client.resource('v1/persistentvolumeclaims').create({
        metadata: { name: `c${i}`, namespace },
        spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage: '1Gi' } } },
      });
    }
    const owner = await client.resource('v1/configmaps').create({ metadata: { name: 'owner', namespace } });
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid!, blockOwnerDeletion: true },
    ];
    for (let i = 0; i < 10; i++)
      await client.resource('v1/secrets').create({ metadata: { name: `s${i}`, namespace, ownerReferences } });
    await client.resource('v1/nodes').create({
      metadata: { name: namespace },
      spec: { unschedulable: true },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
    await client
      .resource('v1/resourcequotas')
      .create({ metadata: { name: 'q', namespace }, spec: { hard: { persistentvolumeclaims: '9' } } });
    await client
      .resource('v1/configmaps')
      .delete({ namespace, name: 'owner' }, { propagationPolicy: random.next() < 0.5 ? 'Foreground' : 'Background' });

    const claims = async () => (await client.resource('v1/persistentvolumeclaims').list({ namespace })).items;
    await fixture.until(
      'claims are bound',
      async () => (await claims()).every(({ status }) => status?.phase === 'Bound'),
      300_000,
    );
    await fixture.until(
      'dependents are gone',
      async () => (await client.resource('v1/secrets').list({ namespace })).items.length === 0,
      300_000,
    );
    await fixture.until(
      'the quota is counted',
      async () =>
        (await client.resource('v1/resourcequotas').get({ namespace, name: 'q' })).status?.used?.[
          'persistentvolumeclaims'
        ] === String(bound),
      600_000,
    );
    await fixture.until(
      'the node has its range, its taint and no other',
      async () => {
        const { spec } = await client.resource('v1/nodes').get({ name: namespace });
        return (
          spec?.podCIDR !== undefined &&
          spec.taints?.map(({ key }) => key).join() === 'node.kubernetes.io/unschedulable'
        );
      },
      40_000,
    );
    await client.resource('v1/namespaces').delete({ name: namespace });
    await fixture.until(
      'the namespace is gone',
      async () =>
        !(await client.resource('v1/namespaces').list()).items.some(({ metadata }) => metadata.name === namespace),
      300_000,
    );
    const volumes = (await client.resource('v1/persistentvolumes').list()).items.filter(({ metadata }) =>
      metadata.name?.startsWith(`${namespace}-`),
    );
    await fixture.advance(5_000);
    expect(volumes).toHaveLength(bound);
  });
});
