import { describe, expect, it } from 'vitest';
import { schema } from '../../api/index.ts';
import type { GroupVersionKind } from '../../api/schema.ts';
import { StatusError } from '../errors/status.ts';
import type { KubeObject } from '../object.ts';
import { applyPatch, type ApplyRequest } from './apply-patch.ts';
import { extractApplied } from './testing/extract-applied.ts';
import { updateManagedFields } from './update-managed-fields.ts';

type JsonRecord = Record<string, unknown>;

const CONFIG_MAP: GroupVersionKind = { group: '', version: 'v1', kind: 'ConfigMap' };
const POD_TEMPLATE: GroupVersionKind = { group: '', version: 'v1', kind: 'PodTemplate' };
const SERVICE: GroupVersionKind = { group: '', version: 'v1', kind: 'Service' };

const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`;

function apply(
  live: KubeObject | undefined,
  manager: string,
  applied: JsonRecord,
  more: Partial<ApplyRequest> = {},
): KubeObject {
  const kind = more.kind ?? CONFIG_MAP;
  return applyPatch({
    live,
    applied: { apiVersion: 'v1', kind: kind.kind, metadata: { name: 'x' }, ...applied },
    manager,
    force: false,
    kind,
    schemaMessage: schema.kind(kind)!,
    now: at(0),
    ...more,
  }).object;
}

const update = (live: KubeObject, manager: string, change: JsonRecord, second = 0): KubeObject =>
  updateManagedFields({
    live,
    updated: { ...live, ...change },
    manager,
    apiVersion: 'v1',
    schemaMessage: schema.kind(CONFIG_MAP)!,
    now: at(second),
  });

const owners = (result: KubeObject): string[] =>
  (result.metadata.managedFields ?? []).map(
    (e) => `${e.manager} ${e.operation} ${e.time?.slice(17, 19) ?? '-'}: ${JSON.stringify(e.fieldsV1)}`,
  );

function statusOf(work: () => unknown): StatusError {
  try {
    work();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('ownership', () => {
  const created = apply(undefined, 'a', { data: { one: '1', two: '2' } });

  it('of a created object', () => {
    expect(created['data']).toEqual({ one: '1', two: '2' });
    expect(owners(created)).toEqual(['a Apply 00: {"f:data":{"f:one":{},"f:two":{}}}']);
  });

  it('is shared by managers that apply the same, without a new time', () => {
    const shared = apply(created, 'b', { data: { two: '2' } }, { now: at(1) });
    expect(owners(shared)).toEqual([
      'b Apply -: {"f:data":{"f:two":{}}}',
      'a Apply 00: {"f:data":{"f:one":{},"f:two":{}}}',
    ]);
    const dropped = apply(shared, 'a', {}, { now: at(2) });
    expect(dropped['data']).toEqual({ two: '2' });
    expect(owners(dropped)).toEqual(['b Apply -: {"f:data":{"f:two":{}}}']);
  });

  it('ends with the field', () => {
    const dropped = apply(created, 'a', { data: { one: '1' } }, { now: at(1) });
    expect(dropped['data']).toEqual({ one: '1' });
    expect(owners(dropped)).toEqual(['a Apply 01: {"f:data":{"f:one":{}}}']);
  });

  it('of all other metadata ends without the object losing its name', () => {
    const labelled = apply(undefined, 'a', { metadata: { name: 'x', labels: { l: '1' } }, data: { one: '1' } });
    const { managedFields: _, ...metadata } = apply(
      { ...labelled, metadata: { ...labelled.metadata, uid: 'u' } },
      'a',
      { data: { one: '1' } },
    ).metadata;
    expect(metadata).toEqual({ name: 'x', uid: 'u' });
  });

  it('of an updater keeps the field', () => {
    const patched = update(created, 'p', { data: { one: '1', two: '2', three: '3' } });
    const dropped = apply(patched, 'a', {}, { now: at(1) });
    expect(dropped['data']).toEqual({ three: '3' });
    expect(owners(dropped)).toEqual(['p Update 00: {"f:data":{"f:three":{}}}']);
  });

  it('before the first apply belongs to before-first-apply', () => {
    const untracked = { ...created, metadata: { name: 'x', uid: 'u' } };
    expect(owners(apply(untracked, 'c', { data: { one: '1' } }))).toEqual([
      'c Apply -: {"f:data":{"f:one":{}}}',
      'before-first-apply Update 00: {"f:data":{".":{},"f:one":{},"f:two":{}}}',
    ]);
  });

  it('without an applied change nothing changes', () => {
    const request = {
      live: created,
      applied: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { one: '1', two: '2' } },
      manager: 'a',
      force: false,
      kind: CONFIG_MAP,
      schemaMessage: schema.kind(CONFIG_MAP)!,
      now: at(9),
    };
    const result = applyPatch(request);
    expect(result.changed).toBe(false);
    expect(result.object).toEqual(created);
  });

  it('of an empty map', () => {
    expect(owners(apply(undefined, 'a', { data: {} }))).toEqual(['a Apply 00: {"f:data":{}}']);
  });

  it('reset fields are not owned', () => {
    const kind = { group: '', version: 'v1', kind: 'Pod' };
    const pod = apply(
      undefined,
      'a',
      { metadata: { name: 'x', labels: { a: 'b' } }, status: { message: 'm' } },
      { kind, resetFields: [['status']] },
    );
    expect(owners(pod)).toEqual(['a Apply 00: {"f:metadata":{"f:labels":{"f:a":{}}}}']);
  });
});

describe('conflicts', () => {
  const live = apply(apply(undefined, 'a', { data: { one: '1' } }), 'b', { data: { two: '2', three: '3' } });

  it('with one manager', () => {
    expect(statusOf(() => apply(live, 'c', { data: { one: 'x' } })).status).toEqual({
      apiVersion: 'v1',
      kind: 'Status',
      metadata: {},
      status: 'Failure',
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "a": .data.one',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "a"', field: '.data.one' }] },
    });
  });

  it('with several', () => {
    expect(statusOf(() => apply(live, 'c', { data: { one: 'x', two: 'x', three: 'x' } })).message).toBe(
      'Apply failed with 3 conflicts: conflicts with "a":\n- .data.one\nconflicts with "b":\n- .data.three\n- .data.two',
    );
  });

  it('with an updater name its version', () => {
    const updated = update(live, 'kubectl', { data: { one: '1', two: '2', three: '3', four: '4' } });
    expect(statusOf(() => apply(updated, 'c', { data: { four: 'x' } })).message).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl" using v1: .data.four',
    );
  });

  it('force takes ownership', () => {
    const forced = apply(live, 'c', { data: { one: 'x' } }, { force: true, now: at(1) });
    expect(forced['data']).toEqual({ one: 'x', two: '2', three: '3' });
    expect(owners(forced)).toEqual([
      'b Apply 00: {"f:data":{"f:three":{},"f:two":{}}}',
      'c Apply 01: {"f:data":{"f:one":{}}}',
    ]);
  });
});

describe('lists', () => {
  const template = (spec: JsonRecord): JsonRecord => ({ template: { spec } });
  const specOf = (object: KubeObject): JsonRecord => (object['template'] as { spec: JsonRecord }).spec;
  const applyTo = (live: KubeObject | undefined, manager: string, spec: JsonRecord, more: Partial<ApplyRequest> = {}) =>
    apply(live, manager, template(spec), { kind: POD_TEMPLATE, ...more });

  it('with keys merge by item, in the order that was applied', () => {
    let live = applyTo(undefined, 'a', {
      containers: [
        { name: 'one', image: '1' },
        { name: 'two', image: '2' },
      ],
    });
    live = applyTo(live, 'b', {
      containers: [
        { name: 'zero', image: '0' },
        { name: 'two', image: '2' },
        { name: 'three', image: '3' },
      ],
    });
    expect((specOf(live)['containers'] as { name: string }[]).map((c) => c.name)).toEqual([
      'one',
      'zero',
      'two',
      'three',
    ]);
    live = applyTo(live, 'b', { containers: [{ name: 'three', image: '3' }] });
    expect((specOf(live)['containers'] as { name: string }[]).map((c) => c.name)).toEqual(['one', 'two', 'three']);
    live = applyTo(live, 'a', {
      containers: [
        { name: 'two', image: '2' },
        { name: 'one', image: '1' },
      ],
    });
    expect((specOf(live)['containers'] as { name: string }[]).map((c) => c.name)).toEqual(['two', 'three', 'one']);
  });

  it('an item is removed with all fields without an owner', () => {
    let live = applyTo(undefined, 'a', {
      containers: [
        { name: 'one', image: '1' },
        { name: 'two', image: '2' },
      ],
    });
    live = {
      ...live,
      template: {
        spec: {
          containers: (specOf(live)['containers'] as JsonRecord[]).map((c) => ({ ...c, imagePullPolicy: 'Always' })),
        },
      },
    };
    live = applyTo(live, 'a', { containers: [{ name: 'two', image: '2' }] });
    expect(specOf(live)).toEqual({ containers: [{ name: 'two', image: '2', imagePullPolicy: 'Always' }] });
  });

  it('atomic ones are owned whole', () => {
    const live = applyTo(undefined, 'a', {
      containers: [{ name: 'one', args: ['x', 'y'] }],
      nodeSelector: { disk: 'ssd' },
    });
    expect(statusOf(() => applyTo(live, 'b', { containers: [{ name: 'one', args: ['x'] }] })).message).toBe(
      'Apply failed with 1 conflict: conflict with "a": .template.spec.containers[name="one"].args',
    );
    expect(statusOf(() => applyTo(live, 'b', { nodeSelector: { zone: 'eu' } })).message).toBe(
      'Apply failed with 1 conflict: conflict with "a": .template.spec.nodeSelector',
    );
    expect(specOf(applyTo(live, 'b', { nodeSelector: { zone: 'eu' } }, { force: true }))['nodeSelector']).toEqual({
      zone: 'eu',
    });
  });

  it('sets merge by value', () => {
    let live = apply(undefined, 'a', { metadata: { name: 'x', finalizers: ['x.io/one', 'x.io/two'] } });
    live = apply(live, 'b', { metadata: { name: 'x', finalizers: ['x.io/two', 'x.io/three'] } });
    expect(live.metadata.finalizers).toEqual(['x.io/one', 'x.io/two', 'x.io/three']);
    live = apply(live, 'a', {});
    expect(live.metadata.finalizers).toEqual(['x.io/two', 'x.io/three']);
  });

  it('keys have defaults', () => {
    const live = apply(undefined, 'a', { spec: { ports: [{ name: 'http', port: 80 }] } }, { kind: SERVICE });
    expect(owners(live)[0]).toContain('"k:{\\"port\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:name":{},"f:port":{}}');
  });
});

describe('configurations that do not fit', () => {
  it.each<[string, JsonRecord, Partial<ApplyRequest>, number, string]>([
    ['another kind', { kind: 'Secret' }, {}, 400, 'invalid object type: /v1, Kind=Secret'],
    ['another version', { apiVersion: 'apps/v2' }, {}, 400, 'invalid object type: apps/v2, Kind=ConfigMap'],
    ['no version', { apiVersion: undefined }, {}, 400, 'invalid object type: /, Kind=ConfigMap'],
    ['managedFields', { metadata: { name: 'x', managedFields: [] } }, {}, 400, 'metadata.managedFields must be nil'],
    [
      'managedFields of no time',
      { metadata: { name: 'x', managedFields: [{ time: '2020-02-30T00:00:00Z' }] } },
      {},
      500,
      'failed to convert new object (/x; /v1, Kind=ConfigMap) to proper version: unable to convert unstructured object to /v1, Kind=ConfigMap: parsing time "2020-02-30T00:00:00Z": day out of range',
    ],
    [
      'managedFields with unknown fields',
      { metadata: { name: 'x', managedFields: [{ nosuch: 1 }] } },
      {},
      400,
      'metadata.managedFields must be nil',
    ],
    [
      'unknown field',
      { nosuch: 1 },
      {},
      500,
      'failed to create typed patch object (/x; /v1, Kind=ConfigMap): .nosuch: field not declared in schema',
    ],
    [
      'number for a string',
      { data: { a: 5 } },
      {},
      500,
      'failed to create typed patch object (/x; /v1, Kind=ConfigMap): .data.a: expected string, got &value.valueUnstructured{Value:5}',
    ],
    [
      'map for a string',
      { data: { a: { deep: [true, null] } } },
      {},
      500,
      'failed to create typed patch object (/x; /v1, Kind=ConfigMap): .data.a: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"deep":[]interface {}{true, interface {}(nil)}}}',
    ],
    [
      'boolean name',
      { metadata: { name: true } },
      {},
      500,
      'failed to create typed patch object (/; /v1, Kind=ConfigMap): .metadata.name: expected string, got &value.valueUnstructured{Value:true}',
    ],
    [
      'string for a list',
      { template: { spec: { containers: 'a' } } },
      { kind: POD_TEMPLATE },
      500,
      'failed to create typed patch object (/x; /v1, Kind=PodTemplate): .template.spec.containers: expected list, got &{a}',
    ],
    [
      'string for a number',
      { template: { spec: { priority: 'a' } } },
      { kind: POD_TEMPLATE },
      500,
      'failed to create typed patch object (/x; /v1, Kind=PodTemplate): .template.spec.priority: expected numeric (int or float), got string',
    ],
    [
      'repeated keys',
      { template: { spec: { containers: [{ name: 'a' }, { name: 'a' }] } } },
      { kind: POD_TEMPLATE },
      500,
      'failed to create typed patch object (/x; /v1, Kind=PodTemplate): .template.spec.containers: duplicate entries for key [name="a"]',
    ],
    [
      'repeated values',
      { metadata: { name: 'x', finalizers: ['f', 'f'] } },
      {},
      500,
      'failed to create typed patch object (/x; /v1, Kind=ConfigMap): .metadata.finalizers: duplicate entries for key [="f"]',
    ],
    [
      'null item',
      { template: { spec: { containers: [null] } } },
      { kind: POD_TEMPLATE },
      500,
      'failed to create typed patch object (/x; /v1, Kind=PodTemplate): .template.spec.containers: element 0: associative list with keys may not have a null element',
    ],
    [
      'several faults',
      { data: { a: 1 }, binaryData: 5 },
      {},
      500,
      'failed to create typed patch object (/x; /v1, Kind=ConfigMap): errors:\n  .data.a: expected string, got &value.valueUnstructured{Value:1}\n  .binaryData: expected map, got &{5}',
    ],
  ])('%s', (_name, applied, more, code, message) => {
    expect(statusOf(() => apply(undefined, 'a', applied, more)).status).toMatchObject({ code, message });
  });
});

describe('coming from client-side apply', () => {
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
  const lastApplied = {
    apiVersion: 'v1',
    data: { one: '1', two: '2' },
    kind: 'ConfigMap',
    metadata: { annotations: {}, name: 'x' },
  };
  const live = updateManagedFields({
    live: undefined,
    updated: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'x', uid: 'u', annotations: { [annotation]: JSON.stringify(lastApplied) } },
      data: { one: '1', two: '2' },
    },
    manager: 'kubectl-client-side-apply',
    apiVersion: 'v1',
    schemaMessage: schema.kind(CONFIG_MAP)!,
    now: at(0),
  });

  it('kubectl changes its applied fields, and the annotation follows', () => {
    const changed = apply(live, 'kubectl', { data: { one: '<1>', two: '2' } }, { now: at(1) });
    expect(changed.metadata.annotations).toEqual({
      [annotation]:
        '{"apiVersion":"v1","data":{"one":"\\u003c1\\u003e","two":"2"},"kind":"ConfigMap","metadata":{"name":"x"}}\n',
    });
    expect(owners(changed)).toEqual([
      'kubectl Apply 01: {"f:data":{"f:one":{},"f:two":{}}}',
      `kubectl-client-side-apply Update 00: {"f:data":{".":{},"f:two":{}},"f:metadata":{"f:annotations":{".":{},"f:${annotation}":{}}}}`,
    ]);
  });

  it('other managers conflict', () => {
    expect(statusOf(() => apply(live, 'other', { data: { one: 'x' } })).message).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.one',
    );
  });

  it('kubectl conflicts with later changes', () => {
    const moved = update(live, 'someone', { data: { one: 'moved', two: '2' } });
    expect(statusOf(() => apply(moved, 'kubectl', { data: { one: 'x', two: 'y' } })).message).toBe(
      'Apply failed with 1 conflict: conflict with "someone" using v1: .data.one',
    );
  });
});

it('extracts the fields that a manager applied', () => {
  let live = apply(
    undefined,
    'a',
    { metadata: { name: 'x', labels: { l: '1' } }, template: { spec: { containers: [{ name: 'one', image: '1' }] } } },
    { kind: POD_TEMPLATE },
  );
  live = apply(
    live,
    'b',
    { template: { spec: { containers: [{ name: 'one', args: ['x'] }, { name: 'two' }] } } },
    { kind: POD_TEMPLATE },
  );
  const schemaMessage = schema.kind(POD_TEMPLATE)!;
  expect(extractApplied({ object: live, schemaMessage, manager: 'a' })).toEqual({
    apiVersion: 'v1',
    kind: 'PodTemplate',
    metadata: { labels: { l: '1' } },
    template: { spec: { containers: [{ name: 'one', image: '1' }] } },
  });
  expect(extractApplied({ object: live, schemaMessage, manager: 'c' })).toBeUndefined();
});
