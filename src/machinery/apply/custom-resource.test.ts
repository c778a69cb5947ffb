import { expect, it } from 'vitest';
import { schema } from '../../api/index.ts';
import type { Field, ListType, Message, ScalarType, Type } from '../../api/schema.ts';
import type { KubeObject } from '../object.ts';
import { applyPatch } from './apply-patch.ts';
import { updateManagedFields } from './update-managed-fields.ts';

const STRING: ScalarType = { kind: 'scalar', scalar: 'string', goType: 'string', values: [] };
const ANY: ScalarType = { kind: 'scalar', scalar: 'JSON', goType: 'interface {}', values: [] };

const field = (name: string, type: Type): Field => ({
  name,
  number: 0,
  type,
  description: '',
  pointer: true,
  keep: false,
  omitZero: false,
  required: false,
  default: undefined,
  patchStrategy: [],
  mergeKey: undefined,
  inline: false,
  distinguishesEmpty: false,
  gate: undefined,
});

function message(fields: Field[], more: Partial<Message> = {}): Message {
  const byName = new Map(fields.map((f) => [f.name, f]));
  return {
    kind: 'message',
    name: '',
    fullName: '',
    goType: '',
    description: '',
    object: false,
    atomic: false,
    fields,
    byName,
    wireFields: fields,
    ...more,
  };
}

const list = (listType: ListType['listType'], element: Type, keys: string[] = []): ListType => ({
  kind: 'list',
  element,
  listType,
  keys,
  wrapped: false,
  goType: '',
});

const metadata = field('metadata', schema.message('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'));
const widget = (spec: Type): Message => message([metadata, field('spec', spec)], { object: true });
const KIND = { group: 'example.com', version: 'v1', kind: 'Widget' };
const object = (spec: unknown): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w' },
  spec,
});

const open = widget(message([field('colour', STRING), field('zones', list('set', STRING))], { unknownFields: ANY }));

const fieldsOf = (o: KubeObject): string => JSON.stringify(o.metadata.managedFields?.at(-1)?.fieldsV1);
const write = (schemaMessage: Message, live: KubeObject | undefined, updated: KubeObject): KubeObject =>
  updateManagedFields({
    live,
    updated,
    manager: 'm',
    apiVersion: 'example.com/v1',
    schemaMessage,
    now: '2026-01-01T00:00:00Z',
  });
const apply = (schemaMessage: Message, live: KubeObject | undefined, applied: KubeObject): KubeObject =>
  applyPatch({
    live,
    applied: { ...applied },
    manager: 'a',
    force: false,
    kind: KIND,
    schemaMessage,
    now: '2026-01-01T00:00:00Z',
  }).object;

it('tracks fields that are not declared, where they are preserved', () => {
  expect(
    fieldsOf(write(open, undefined, object({ zones: ['b', 'a'], any: { x: [1], y: { z: 1 } }, colour: 'red' }))),
  ).toBe(
    '{"f:spec":{".":{},"f:any":{".":{},"f:x":{},"f:y":{".":{},"f:z":{}}},"f:colour":{},"f:zones":{".":{},"v:\\"a\\"":{},"v:\\"b\\"":{}}}}',
  );
});

it('applies fields that are not declared, where they are preserved', () => {
  const applied = apply(open, undefined, object({ colour: 'red', any: { x: 1, y: 2 } }));
  expect(fieldsOf(applied)).toBe('{"f:spec":{"f:any":{".":{},"f:x":{},"f:y":{}},"f:colour":{}}}');
  expect(apply(open, applied, object({ colour: 'red', any: { y: 2 } }))['spec']).toEqual({
    colour: 'red',
    any: { y: 2 },
  });
});

it('refuses them where they are not', () => {
  const closed = widget(message([field('colour', STRING)]));
  expect(() => apply(closed, undefined, object({ any: 1 }))).toThrow(
    'failed to create typed patch object (/w; example.com/v1, Kind=Widget): .spec.any: field not declared in schema',
  );
});

it('a field that became atomic is owned as a whole', () => {
  const item = message([field('name', STRING), field('size', STRING)]);
  const granular = widget(message([field('parts', list('map', item, ['name']))]));
  const atomic = widget(message([field('parts', list('atomic', item))]));
  const before = apply(granular, undefined, object({ parts: [{ name: 'a', size: '1' }] }));
  const after = apply(
    atomic,
    { ...before, metadata: { ...before.metadata, uid: 'u' } },
    object({ parts: [{ name: 'b' }] }),
  );
  expect(after['spec']).toEqual({ parts: [{ name: 'b' }] });
  expect(fieldsOf(after)).toBe('{"f:spec":{"f:parts":{}}}');
});

it('untracked when an item has no identity', () => {
  const parts = widget(message([field('parts', list('map', message([field('name', STRING)]), ['name']))]));
  expect(write(parts, undefined, object({ parts: [{}] })).metadata.managedFields).toBeUndefined();
});

it('does not track an object that the changed schema does not describe, and refuses to apply to it', () => {
  const schemaMessage = widget(message([field('a', STRING)]));
  const live = object({ a: { b: 'c' } });
  const common = { schemaMessage, now: '2026-01-01T00:00:00Z', mayBeMistyped: true };
  const updated = { ...live, metadata: { name: 'w', managedFields: [{ manager: 'x' }] } };
  expect(
    updateManagedFields({ ...common, live, updated, manager: 'me', apiVersion: 'example.com/v1' }).metadata,
  ).toEqual({ name: 'w' });
  const apply = (): unknown =>
    applyPatch({ ...common, live, applied: object({ a: 'x' }), manager: 'me', force: false, kind: KIND });
  expect(apply).toThrow(
    'failed to create manager for existing fields: failed to convert new object (/w; example.com/v1, Kind=Widget) to smd typed: .spec.a: expected string',
  );
});
