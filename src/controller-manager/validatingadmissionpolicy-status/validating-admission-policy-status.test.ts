import { afterAll, beforeAll, expect, it } from 'vitest';
import { startFixture, type ControllerFixture } from '../testing/index.ts';

let fixture: ControllerFixture;
beforeAll(async () => {
  fixture = await startFixture({ controllers: ['validatingadmissionpolicy-status-controller'] });
  await fixture.start();
});
afterAll(() => fixture.stop());

const policies = () => fixture.client.resource('admissionregistration.k8s.io/v1/validatingadmissionpolicies');

async function warningsOf(name: string, resource: [string, string], expression: string): Promise<string[]> {
  const [group, plural] = resource;
  const rule = { apiGroups: [group], apiVersions: ['v1'], resources: [plural], operations: ['*'] };
  await policies().create({
    metadata: { name },
    spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression }] },
  });
  await fixture.until('checked', async () => (await policies().get({ name })).status?.observedGeneration === 1);
  const { status } = await policies().get({ name });
  return (status?.typeChecking?.expressionWarnings ?? []).map(({ warning }) => warning);
}

it('checks expressions about custom resources by their schemas', async () => {
  const spec = { type: 'object', properties: { size: { type: 'integer' } } };
  await fixture.client.resource('apiextensions.k8s.io/v1/customresourcedefinitions').create({
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        },
      ],
    },
  });
  await fixture.advance(1000);
  const widgets: [string, string] = ['example.com', 'widgets'];
  expect(await warningsOf('fits', widgets, "object.spec.size > 1 && object.metadata.labels['a'] == 'b'")).toEqual([]);
  expect(await warningsOf('odd', widgets, 'object.spec.length > 1')).toEqual([
    expect.stringMatching(/^example\.com\/v1, Kind=Widget: ERROR: .*undefined field 'length'/),
  ]);
  expect(await warningsOf('unknown', ['example.com', 'gadgets'], 'object.spec.length > 1')).toEqual([]);
});
