import { describe, expect, it } from 'vitest';
import type { ManagedFieldsEntry } from '../../api/generated/meta-v1.ts';
import { schema } from '../../api/index.ts';
import type { KubeObject } from '../object.ts';
import { ignoreManagedFieldsTimestamps } from './ignore-timestamps.ts';
import { updateManagedFields, type ManagedFieldsUpdate } from './update-managed-fields.ts';

const configMap = schema.kind({ group: '', version: 'v1', kind: 'ConfigMap' })!;
const pod = schema.kind({ group: '', version: 'v1', kind: 'Pod' })!;
const deployment = schema.kind({ group: 'apps', version: 'v1', kind: 'Deployment' })!;

const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`;

function write(update: Partial<ManagedFieldsUpdate> & Pick<ManagedFieldsUpdate, 'updated'>): KubeObject {
  return updateManagedFields({
    live: undefined,
    manager: 'm',
    apiVersion: 'v1',
    schemaMessage: configMap,
    now: at(0),
    ...update,
  });
}

const object = (data: Record<string, string>, metadata: KubeObject['metadata'] = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', uid: 'u', ...metadata },
  data,
});

/** `manager operation time: fields` */
const owners = (result: KubeObject): string[] =>
  (result.metadata.managedFields ?? []).map(
    (e) =>
      `${e.manager} ${e.operation} ${e.time?.slice(17, 19) ?? '-'}${e.subresource ? ` ${e.subresource}` : ''}: ${JSON.stringify(e.fieldsV1)}`,
  );

describe('create', () => {
  it('owns present fields, but not fields that the type always has', () => {
    const created = updateManagedFields({
      live: undefined,
      updated: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd', namespace: 'n', labels: { z: '1', a: '2' }, uid: 'u', generation: 1 },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: {
            metadata: {},
            spec: {
              containers: [
                {
                  name: 'b',
                  image: 'i',
                  resources: {},
                  ports: [
                    { containerPort: 443, protocol: 'TCP' },
                    { containerPort: 80, protocol: 'TCP' },
                  ],
                },
                { name: 'a', image: 'i', resources: {} },
              ],
              volumes: [{ name: 'v', emptyDir: {} }],
            },
          },
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
        },
        status: { replicas: 5 },
      },
      manager: 'kubectl',
      apiVersion: 'apps/v1',
      schemaMessage: deployment,
      now: at(1),
      resetFields: [['status']],
    });
    expect(JSON.stringify(created.metadata.managedFields)).toBe(
      JSON.stringify([
        {
          manager: 'kubectl',
          operation: 'Update',
          apiVersion: 'apps/v1',
          time: at(1),
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': { 'f:labels': { '.': {}, 'f:a': {}, 'f:z': {} } },
            'f:spec': {
              'f:selector': {},
              'f:strategy': { 'f:rollingUpdate': { '.': {}, 'f:maxSurge': {} }, 'f:type': {} },
              'f:template': {
                'f:spec': {
                  'f:containers': {
                    'k:{"name":"a"}': { '.': {}, 'f:image': {}, 'f:name': {}, 'f:resources': {} },
                    'k:{"name":"b"}': {
                      '.': {},
                      'f:image': {},
                      'f:name': {},
                      'f:ports': {
                        '.': {},
                        'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {}, 'f:protocol': {} },
                        'k:{"containerPort":443,"protocol":"TCP"}': {
                          '.': {},
                          'f:containerPort': {},
                          'f:protocol': {},
                        },
                      },
                      'f:resources': {},
                    },
                  },
                  'f:volumes': { '.': {}, 'k:{"name":"v"}': { '.': {}, 'f:emptyDir': {}, 'f:name': {} } },
                },
              },
            },
          },
        },
      ]),
    );
  });

  it('shares the sets of equal objects', () => {
    const sets = ['x', 'y'].map(
      (name) => write({ updated: object({ k: name }, { name }) }).metadata.managedFields?.[0]?.fieldsV1,
    );
    expect(sets[0]).toBe(sets[1]);
  });

  it('keys are escaped as Go escapes them, and may have any name', () => {
    const updated = object(JSON.parse('{"constructor":"1","__proto__":"2"}') as Record<string, string>, {
      finalizers: ['a<b>&"c'],
    });
    expect(owners(write({ updated }))).toEqual([
      'm Update 00: {"f:data":{".":{},"f:__proto__":{},"f:constructor":{}},"f:metadata":{"f:finalizers":{".":{},"v:\\"a\\\\u003cb\\\\u003e\\\\u0026\\\\\\"c\\"":{}}}}',
    ]);
  });
});

describe('update', () => {
  const created = write({ updated: object({ one: '1', two: '2' }) });

  it.each<[string, KubeObject, string[]]>([
    [
      'no change keeps the time',
      object({ one: '1', two: '2' }),
      ['m Update 00: {"f:data":{".":{},"f:one":{},"f:two":{}}}'],
    ],
    [
      'a change takes the field',
      object({ one: 'x', two: '2' }),
      ['m Update 00: {"f:data":{".":{},"f:two":{}}}', 'n Update 05: {"f:data":{"f:one":{}}}'],
    ],
    [
      'an addition',
      object({ one: '1', two: '2', three: '3' }),
      ['m Update 00: {"f:data":{".":{},"f:one":{},"f:two":{}}}', 'n Update 05: {"f:data":{"f:three":{}}}'],
    ],
    ['a removal', object({ two: '2' }), ['m Update 00: {"f:data":{".":{},"f:two":{}}}']],
    ['everything goes', { ...object({}), data: undefined }, []],
  ])('%s', (_name, updated, expected) => {
    expect(owners(write({ live: created, updated: { ...updated }, manager: 'n', now: at(5) }))).toEqual(expected);
  });

  it('the same manager adds to its fields, with a new time', () => {
    expect(owners(write({ live: created, updated: object({ one: '1', two: 'x', three: '3' }), now: at(5) }))).toEqual([
      'm Update 05: {"f:data":{".":{},"f:one":{},"f:three":{},"f:two":{}}}',
    ]);
  });

  it('a subresource is another owner, and fields that it resets have no owner', () => {
    const live = write({
      updated: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p', uid: 'u' },
        spec: { containers: [] },
        status: {},
      },
      schemaMessage: pod,
    });
    const updated = {
      ...live,
      spec: { containers: [{ name: 'x' }] },
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: null }],
      },
    };
    const result = write({
      live,
      updated,
      subresource: 'status',
      schemaMessage: pod,
      resetFields: [['spec']],
      now: at(3),
    });
    expect(owners(result).at(-1)).toBe(
      'm Update 03 status: {"f:status":{"f:conditions":{".":{},"k:{\\"type\\":\\"Ready\\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}}},"f:phase":{}}}',
    );
  });

  it('an object is not tracked when a field that is reset cannot be read', () => {
    const updated = {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'FlowSchema',
      metadata: { name: 'f' },
      spec: { priorityLevelConfiguration: { name: 'l' } },
      status: { conditions: [{ status: 'True' }] },
    };
    const schemaMessage = schema.message('io.k8s.api.flowcontrol.v1.FlowSchema');
    const result = write({ updated, schemaMessage, resetFields: [['status']] });
    expect(result.metadata.managedFields).toBeUndefined();
  });

  it('items that repeat are owned as one', () => {
    const podOf = (...containers: unknown[]): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', uid: 'u' },
      spec: { containers },
    });
    const twice = write({ updated: podOf({ name: 'a', image: '1' }, { name: 'a', image: '2' }), schemaMessage: pod });
    expect(owners(twice)).toEqual(['m Update 00: {"f:spec":{"f:containers":{"k:{\\"name\\":\\"a\\"}":{}}}}']);
    const once = write({ live: twice, updated: podOf({ name: 'a', image: '1' }), schemaMessage: pod, now: at(2) });
    expect(owners(once)).toEqual([
      'm Update 02: {"f:spec":{"f:containers":{"k:{\\"name\\":\\"a\\"}":{".":{},"f:image":{},"f:name":{}}}}}',
    ]);
  });

  it('owners in versions that are not served go', () => {
    const entry: ManagedFieldsEntry = {
      manager: 'old',
      operation: 'Update',
      apiVersion: 'v0',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:one': {} } },
    };
    const live = object({ one: '1' }, { managedFields: [entry] });
    expect(owners(write({ live, updated: object({ one: '2' }) }))).toEqual(['m Update 00: {"f:data":{"f:one":{}}}']);
  });

  it('owners in other versions are compared there', () => {
    const entry: ManagedFieldsEntry = {
      manager: 'old',
      operation: 'Update',
      apiVersion: 'v0',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:ONE': {}, 'f:TWO': {} } },
    };
    const live = object({ one: '1', two: '2' }, { managedFields: [entry] });
    const upper = (o: KubeObject): KubeObject => ({
      ...o,
      data: Object.fromEntries(Object.entries(o['data'] as object).map(([k, v]) => [k.toUpperCase(), v as unknown])),
    });
    const result = write({
      live,
      updated: object({ one: 'x', two: '2' }),
      versions: () => ({ message: configMap, convert: upper }),
    });
    expect(owners(result)).toEqual(['old Update -: {"f:data":{"f:TWO":{}}}', 'm Update 00: {"f:data":{"f:one":{}}}']);
  });

  it('more than ten updaters: the oldest become one', () => {
    let live = write({ updated: object({ k01: 'v' }), manager: 'm01', now: at(1) });
    for (let i = 2; i <= 12; i++) {
      const key = String(i).padStart(2, '0');
      live = write({
        live,
        updated: object({ ...(live['data'] as Record<string, string>), [`k${key}`]: 'v' }),
        manager: `m${key}`,
        now: at(i),
      });
    }
    expect(owners(live)).toHaveLength(10);
    expect(owners(live)[0]).toBe('ancient-changes Update 03: {"f:data":{".":{},"f:k01":{},"f:k02":{},"f:k03":{}}}');
    expect(owners(live)[1]).toBe('m04 Update 04: {"f:data":{"f:k04":{}}}');
  });
});

describe('managedFields that the client sends', () => {
  const live = write({ updated: object({ one: '1' }) });
  const other: ManagedFieldsEntry = {
    manager: 'other',
    operation: 'Apply',
    apiVersion: 'v1',
    time: at(9),
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': { 'f:one': {} } },
  };
  const mine = 'm Update 00: {"f:data":{".":{},"f:one":{}}}';

  it.each<[string, ManagedFieldsEntry[] | undefined, string[]]>([
    ['none keeps the object’s', undefined, [mine]],
    ['its own back', live.metadata.managedFields, [mine]],
    ['an empty list clears', [], []],
    ['a list of one empty entry clears', [{}], []],
    ['others are taken', [other], ['other Apply 09: {"f:data":{"f:one":{}}}']],
    ['a bad operation keeps the object’s', [{ ...other, operation: 'Guess' }], [mine]],
    ['a bad type keeps the object’s', [{ ...other, fieldsType: 'FieldsV9' }], [mine]],
    ['bad fields keep the object’s', [{ ...other, fieldsV1: { data: {} } }], [mine]],
    ['no version keeps the object’s', [{ ...other, apiVersion: '' }], [mine]],
  ])('%s', (_name, managedFields, expected) => {
    expect(
      owners(write({ live, updated: object({ one: '1' }, managedFields ? { managedFields } : {}), manager: 'n' })),
    ).toEqual(expected);
  });

  it('through a subresource they do not count', () => {
    expect(
      owners(write({ live, updated: object({ one: '1' }, { managedFields: [] }), subresource: 'status' })),
    ).toEqual([mine]);
  });

  it('an object that was cleared stays untracked', () => {
    expect(owners(write({ live: object({ one: '1' }), updated: object({ one: '2' }) }))).toEqual([]);
  });
});

describe('ignoreManagedFieldsTimestamps', () => {
  const live = write({ updated: object({ one: '1' }) });
  const retimed = (o: KubeObject): KubeObject => ({
    ...o,
    metadata: { ...o.metadata, managedFields: o.metadata.managedFields?.map((e) => ({ ...e, time: at(7) })) },
  });

  it('restores the old times when nothing else differs', () => {
    expect(ignoreManagedFieldsTimestamps(live, retimed(live))).toEqual(live);
  });

  it('keeps real changes', () => {
    const changed = { ...retimed(live), data: { one: '2' } };
    expect(ignoreManagedFieldsTimestamps(live, changed)).toBe(changed);
  });
});
