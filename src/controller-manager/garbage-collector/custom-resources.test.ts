/** Custom resources come and go: their objects own, are owned, and are removed with their namespace like any others. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineResource, type ApiObject } from '../../client/index.ts';
import { startFixture, type ControllerFixture } from '../testing/index.ts';

const WIDGETS = defineResource<ApiObject>({
  group: 'example.com',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
});

let fixture: ControllerFixture;
beforeAll(async () => {
  fixture = await startFixture({ controllers: ['garbage-collector-controller', 'namespace-controller'] });
  await fixture.start();
});
afterAll(() => fixture.stop());

const widgets = () => fixture.client.resource(WIDGETS);
const configMaps = () => fixture.client.resource('v1/configmaps');
const exists = async (name: string) =>
  (await configMaps().list({ namespace: 'default' })).items.some(({ metadata }) => metadata.name === name);

describe('custom resources', () => {
  it('are followed from the moment they are served', async () => {
    const ghost = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      name: 'ghost',
      uid: '00000000-0000-4000-8000-000000000009',
    };
    await configMaps().create({ metadata: { name: 'of-ghost', namespace: 'default', ownerReferences: [ghost] } });
    await fixture.advance(10_000);
    expect(await exists('of-ghost')).toBe(true);

    await fixture.client.resource('apiextensions.k8s.io/v1/customresourcedefinitions').create({
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    });
    await fixture.until(
      'the dependent of a widget that never was is gone',
      async () => !(await exists('of-ghost')),
      40_000,
    );

    const { metadata } = await widgets().create({ metadata: { name: 'w', namespace: 'default' } });
    const owner = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      name: 'w',
      uid: metadata.uid!,
      blockOwnerDeletion: true,
    };
    await configMaps().create({ metadata: { name: 'of-widget', namespace: 'default', ownerReferences: [owner] } });
    await fixture.advance(1_000);
    expect(await exists('of-widget')).toBe(true);
    await widgets().delete({ namespace: 'default', name: 'w' }, { propagationPolicy: 'Foreground' });
    await fixture.until(
      'both are gone',
      async () => !(await exists('of-widget')) && (await widgets().list({ namespace: 'default' })).items.length === 0,
      5_000,
    );
  });

  it('go with their namespace', async () => {
    const namespaces = fixture.client.resource('v1/namespaces');
    await namespaces.create({ metadata: { name: 'with-widgets' } });
    await fixture.advance(100);
    await widgets().create({ metadata: { name: 'w', namespace: 'with-widgets', finalizers: ['example.com/hold'] } });
    await namespaces.delete({ name: 'with-widgets' });
    await fixture.advance(1_000);
    const { status } = await namespaces.get({ name: 'with-widgets' });
    expect(status?.conditions?.find(({ type }) => type === 'NamespaceContentRemaining')?.message).toBe(
      'Some resources are remaining: widgets.example.com has 1 resource instances',
    );
    await widgets().patch(
      { namespace: 'with-widgets', name: 'w' },
      { metadata: { finalizers: null } },
      { type: 'merge' },
    );
    await fixture.until(
      'gone',
      async () => !(await namespaces.list()).items.some(({ metadata }) => metadata.name === 'with-widgets'),
      2_000,
    );
  });
});
