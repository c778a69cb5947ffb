import { expect, expectTypeOf, it } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { Client, type ApiObject, type ResourceClient, type TransportRequest, type UntypedObject } from './index.ts';

interface Widget extends ApiObject {
  spec: { speed: number };
}

const requests: TransportRequest[] = [];
const client = new Client({
  transport: {
    request: (request: TransportRequest) => {
      requests.push(request);
      return Promise.resolve({ status: 200, headers: {}, body: { items: [{ metadata: { name: 'a' } }] } });
    },
  } as never,
  clock: { monotonic: () => 0, now: () => 0, after: () => ({ cancel: () => {} }) } as never,
});

it('a custom resource by its name, with or without a namespace, and with a type', async () => {
  const widgets = client.resource<Widget>('example.com/v1/widgets');
  expectTypeOf(widgets).toEqualTypeOf<ResourceClient<Widget>>();
  expectTypeOf(client.resource('example.com/v1/widgets')).toEqualTypeOf<ResourceClient<UntypedObject>>();
  expectTypeOf(client.resource('v1/pods')).toEqualTypeOf<ResourceClient<Pod>>();
  await widgets.create({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec: { speed: 1 } });
  await widgets.list({ namespace: 'n' });
  expect(requests.map(({ path }) => path)).toEqual([
    '/apis/example.com/v1/widgets',
    '/apis/example.com/v1/namespaces/n/widgets',
  ]);
});

it.each(['widgets', 'v1/widgets', 'example.com/v1', 'example.com/v1/widgets/status'])('%s is refused', (name) => {
  expect(() => client.resource(name as 'example.com/v1/widgets')).toThrow('is neither a built-in resource');
});
